import guide from './guide/de.json' with { type: 'json' };
import measuring from './measuring/de.json' with { type: 'json' };
import panels from './panels/de.json' with { type: 'json' };
import saving from './saving/de.json' with { type: 'json' };

export default { guide, measuring, panels, saving };
