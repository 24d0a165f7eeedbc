// The texts of panels and dialogs, which load with the first of them.
import guide from './guide/en.json' with { type: 'json' };
import { inLanguage } from './language.ts';
import measuring from './measuring/en.json' with { type: 'json' };
import panels from './panels/en.json' with { type: 'json' };
import saving from './saving/en.json' with { type: 'json' };

export const more = await inLanguage(
  { guide, measuring, panels, saving },
  {
    de: () => import('./more-de.ts'),
    fr: () => import('./more-fr.ts'),
    es: () => import('./more-es.ts'),
  },
);
