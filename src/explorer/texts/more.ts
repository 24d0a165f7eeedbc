// The texts of panels and dialogs, which load with the first of them.
import { inLanguage } from './language.ts';
import english from './more/en.json' with { type: 'json' };

export const {
  guide,
  measuring,
  panels: {
    presets: presetTexts,
    data: dataTexts,
    enhance: enhanceTexts,
    projection: projectionTexts,
    layers: layerTexts,
    events: eventTexts,
    measure: measureTexts,
    compare: compareTexts,
    make: makeTexts,
    failures: failureTexts,
    dialogs: dialogTexts,
    topics: topicTexts,
    helpKeys,
    helpTouch,
    ...sourceTexts
  },
  saving,
} = await inLanguage(english, {
  de: () => import('./more/de.json', { with: { type: 'json' } }),
  fr: () => import('./more/fr.json', { with: { type: 'json' } }),
  es: () => import('./more/es.json', { with: { type: 'json' } }),
});
