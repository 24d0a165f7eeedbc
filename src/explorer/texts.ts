// The texts of the page in its language. The modules of the page load after them.
import { decimalIn, filled, numberIn, type Text, type Values } from './texts/catalogue.ts';
import english from './texts/en.json' with { type: 'json' };
import { inLanguage, presentLanguage } from './texts/language.ts';
import type { Language } from './texts/languages.ts';

export let texts = english;
let language: Language = 'en';

/** Loads the texts of the present language, and states it in the page. A language that does not load leaves the page in English. */
export async function loadTexts(): Promise<void> {
  // English is part of the page.
  texts = await inLanguage(english, {
    de: () => import('./texts/de.json', { with: { type: 'json' } }),
    fr: () => import('./texts/fr.json', { with: { type: 'json' } }),
    es: () => import('./texts/es.json', { with: { type: 'json' } }),
  });
  if (texts === english) return;
  language = presentLanguage();
  document.documentElement.lang = language;
}

export const fill = (text: Text, values: Values): string => filled(language, text, values);
export const decimal = (number: number | string): string => decimalIn(language, String(number));
export const numberText = (value: number, digits: number): string => numberIn(language, value, digits);

export const typeName = (pin: string, name = pin): string =>
  (texts.events.names as Readonly<Record<string, string>>)[pin] ?? name;
