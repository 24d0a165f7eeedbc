// The texts of panels and dialogs, which load with the first of them.
import guideTexts from './guide/en.json' with { type: 'json' };
import { inLanguage } from './language.ts';
import measuringTexts from './measuring/en.json' with { type: 'json' };
import panels from './panels/en.json' with { type: 'json' };
import savingTexts from './saving/en.json' with { type: 'json' };

export const {
  guide,
  measuring,
  panels: { presets: presetTexts, data: dataTexts, enhance: enhanceTexts, projection: projectionTexts },
  saving,
} = await inLanguage(
  { guide: guideTexts, measuring: measuringTexts, panels, saving: savingTexts },
  {
    de: () => import('./more-de.ts'),
    fr: () => import('./more-fr.ts'),
    es: () => import('./more-es.ts'),
  },
);
