import guide from './guide/es.json' with { type: 'json' };
import measuring from './measuring/es.json' with { type: 'json' };
import panels from './panels/es.json' with { type: 'json' };
import saving from './saving/es.json' with { type: 'json' };

export default { guide, measuring, panels, saving };
