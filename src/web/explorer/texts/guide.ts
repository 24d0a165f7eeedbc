// The texts of tour and glossary, which load when one of them is opened.
import english from './guide/en.json' with { type: 'json' };
import { inLanguage } from './language.ts';

export interface Guide {
  /** `{step}`, `{steps}` */
  readonly step: string;
  readonly back: string;
  readonly next: string;
  readonly end: string;
  /** Title of the first step; the others have those of what they point at. */
  readonly picture: string;
  readonly steps: Readonly<Record<string, string>>;
  /** Terms and their explanations, by the English term. */
  readonly glossary: Readonly<Record<string, readonly string[]>>;
}

/** The texts in the language of the page; in English where those do not load. */
export const loadGuide = (): Promise<Guide> =>
  inLanguage<Guide>(english, {
    de: () => import('./guide/de.json', { with: { type: 'json' } }),
    fr: () => import('./guide/fr.json', { with: { type: 'json' } }),
    es: () => import('./guide/es.json', { with: { type: 'json' } }),
  });
