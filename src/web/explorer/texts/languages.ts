// Languages of the page by their tags.

/** Languages by code, each under its own name. */
export const LANGUAGES = { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español' } as const;

export type Language = keyof typeof LANGUAGES;

/** The language of a tag (BCP 47), as `de-AT`; undefined for others. */
export function languageOf(tag: string | null): Language | undefined {
  const code = tag?.toLowerCase().split('-')[0] ?? '';
  return Object.keys(LANGUAGES).find((language): language is Language => language === code);
}

/** The first known language of some tags, the first preferred; English without any. */
export function chosenLanguage(tags: readonly (string | null)[]): Language {
  return tags.map(languageOf).find((language) => language !== undefined) ?? 'en';
}
