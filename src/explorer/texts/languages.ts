// Languages of the page by their tags.

export const LANGUAGES = { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español' } as const;

export type Language = keyof typeof LANGUAGES;

export function languageOf(tag: string | null): Language | undefined {
  const code = tag?.toLowerCase().split('-')[0] ?? '';
  return Object.keys(LANGUAGES).find((language): language is Language => language === code);
}

/** The first known language of some tags, the first preferred; English without any. */
export function chosenLanguage(tags: readonly (string | null)[]): Language {
  return tags.map(languageOf).find((language) => language !== undefined) ?? 'en';
}

export type PartOf<T> = T extends object ? { readonly [K in keyof T]?: PartOf<T[K]> } : T;

/** A copy of the English texts with those of a list in their place, in this order; null keeps the English one. The list is used up. */
function withTexts<T>(english: T, list: (string | null)[]): T {
  if (typeof english !== 'object') return (list.shift() ?? english) as T;
  const entries = Object.entries(english as object).map(([key, child]) => [key, withTexts(child, list)]);
  return (Array.isArray(english) ? entries.map(([, child]) => child) : Object.fromEntries(entries)) as T;
}

/** A copy of the English texts with those of a translation in their place, which the build writes as a list. */
export function translated<T>(text: T, other: PartOf<T> | undefined): T {
  if (Array.isArray(other) && !Array.isArray(text)) return withTexts(text, [...other]);
  if (other === undefined || other === null) return text;
  if (typeof text !== 'object' || text === null || Array.isArray(text)) return other as T;
  const entries = Object.entries(text).map(([key, child]) => [key, translated(child, other[key as keyof typeof other])]);
  return Object.fromEntries(entries) as T;
}
