// The texts of the page in its language. The modules of the page load after them.
import { type Texts, type Translation, textsOf } from './texts/catalogue.ts';
import { presentLanguage } from './texts/language.ts';
import type { Language } from './texts/languages.ts';

/** Loaded when needed: English is part of the page. */
const TRANSLATIONS: Readonly<Record<Exclude<Language, 'en'>, () => Promise<{ default: Translation }>>> = {
  de: () => import('./texts/de.json', { with: { type: 'json' } }),
  fr: () => import('./texts/fr.json', { with: { type: 'json' } }),
  es: () => import('./texts/es.json', { with: { type: 'json' } }),
};

export let texts: Texts = textsOf('en', {});

/** Loads the texts of the present language, and states it in the page. A language that does not load leaves the page in English. */
export async function loadTexts(): Promise<void> {
  const language = presentLanguage();
  if (language === 'en') return;
  try {
    texts = textsOf(language, (await TRANSLATIONS[language]()).default);
    document.documentElement.lang = language;
  } catch {
    console.warn(`The texts in ${language} could not be loaded.`);
  }
}
