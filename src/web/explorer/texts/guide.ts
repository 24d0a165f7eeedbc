// The texts of tour and glossary, which load when one of them is opened.
import english from './guide/en.json';
import { presentLanguage } from './language.ts';
import type { Language } from './languages.ts';

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

const TRANSLATIONS: Readonly<Record<Exclude<Language, 'en'>, () => Promise<{ default: Guide }>>> = {
  de: () => import('./guide/de.json'),
  fr: () => import('./guide/fr.json'),
  es: () => import('./guide/es.json'),
};

/** The texts in the language of the page; in English where those do not load. */
export async function loadGuide(): Promise<Guide> {
  const language = presentLanguage();
  if (language === 'en') return english;
  return TRANSLATIONS[language]().then(
    (module) => module.default,
    () => english,
  );
}
