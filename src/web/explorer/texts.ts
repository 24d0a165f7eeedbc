// The texts of the page in its language. The modules of the page load after them.
import { english, type Texts } from './texts/english.ts';
import { presentLanguage } from './texts/language.ts';
import type { Language } from './texts/languages.ts';

/** Loaded when needed: English is part of the page. */
const OTHERS: Readonly<Record<Exclude<Language, 'en'>, () => Promise<Texts>>> = {
  de: async () => (await import('./texts/german.ts')).german,
  fr: async () => (await import('./texts/french.ts')).french,
  es: async () => (await import('./texts/spanish.ts')).spanish,
};

export let texts: Texts = english;

/** Loads the texts of the present language, and states it in the page. A language that does not load leaves the page in English. */
export async function loadTexts(): Promise<void> {
  const language = presentLanguage();
  if (language === 'en') return;
  try {
    texts = await OTHERS[language]();
    document.documentElement.lang = language;
  } catch {
    console.warn(`The texts in ${language} could not be loaded.`);
  }
}

/** Description of the content of a picture, by the longest beginning of the name of its source. */
export function aboutSource(name: string): string {
  const [known] = Object.entries(texts.sources)
    .filter(([start]) => name.startsWith(start))
    .sort(([a], [b]) => b.length - a.length);
  return known?.[1] ?? texts.unknownSource;
}
