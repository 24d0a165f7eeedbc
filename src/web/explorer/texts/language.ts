// The language of the page: that of the address, else the choice kept in this browser, else the first known one of the browser.

/** Languages by code, each under its own name. */
export const LANGUAGES = { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español' } as const;

export type Language = keyof typeof LANGUAGES;

/** Parameter of the address. */
export const LANGUAGE_PARAMETER = 'lang';
const KEY = 'helioedge.language';

/** The language of a tag (BCP 47), as `de-AT`; undefined for others. */
function languageOf(tag: string | null): Language | undefined {
  const code = tag?.toLowerCase().split('-')[0] ?? '';
  return Object.keys(LANGUAGES).find((language): language is Language => language === code);
}

/** The first known language of some tags, the first preferred; English without any. */
export function chosenLanguage(tags: readonly (string | null)[]): Language {
  return tags.map(languageOf).find((language) => language !== undefined) ?? 'en';
}

function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

/** The language that this address states; undefined without one. */
export const languageOfAddress = (): Language | undefined =>
  languageOf(new URLSearchParams(location.search).get(LANGUAGE_PARAMETER));

export function presentLanguage(): Language {
  return chosenLanguage([languageOfAddress() ?? null, stored(), ...navigator.languages]);
}

/** Keeps a choice and loads the page in it: at the same address, without a language of its own. */
export function chooseLanguage(language: Language): void {
  try {
    localStorage.setItem(KEY, language);
  } catch {
    // Browsers refuse storage in private windows; the address then states the language.
  }
  const query = new URLSearchParams(location.search);
  query.delete(LANGUAGE_PARAMETER);
  if (stored() !== language) query.set(LANGUAGE_PARAMETER, language);
  const search = decodeURIComponent(query.toString());
  location.assign(location.pathname + (search === '' ? '' : `?${search}`));
}
