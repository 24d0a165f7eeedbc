import guide from './guide/fr.json' with { type: 'json' };
import measuring from './measuring/fr.json' with { type: 'json' };
import panels from './panels/fr.json' with { type: 'json' };
import saving from './saving/fr.json' with { type: 'json' };

export default { guide, measuring, panels, saving };
