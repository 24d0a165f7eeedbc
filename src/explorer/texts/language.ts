// The language of the page: that of the address, else the choice kept in this browser, else the first known one of the browser.
import { keep, kept } from '../store/kept.ts';
import { chosenLanguage, type Language, languageOf, translated } from './languages.ts';

export const LANGUAGE_PARAMETER = 'lang';
const KEY = 'helioedge.language';

/** The language that this address states; undefined without one. */
export const languageOfAddress = (): Language | undefined =>
  languageOf(new URLSearchParams(location.search).get(LANGUAGE_PARAMETER));

export const presentLanguage = (): Language => chosenLanguage([languageOfAddress() ?? null, kept(KEY), ...navigator.languages]);

/** Texts that load when they are needed, in the language of the page; in English where those do not load, and where one is missing. */
export async function inLanguage<T>(
  english: T,
  translations: Readonly<Record<Exclude<Language, 'en'>, () => Promise<{ default: unknown }>>>,
): Promise<T> {
  const language = presentLanguage();
  if (language === 'en') return english;
  return translations[language]().then(
    (module) => translated(english, module.default as (string | null)[]),
    () => {
      console.warn(`The texts in ${language} could not be loaded.`);
      return english;
    },
  );
}

/** Keeps a choice and loads the page in it: at the same address, without a language of its own. */
export function chooseLanguage(language: Language): void {
  keep(KEY, language);
  const query = new URLSearchParams(location.search);
  query.delete(LANGUAGE_PARAMETER);
  if (kept(KEY) !== language) query.set(LANGUAGE_PARAMETER, language);
  const search = decodeURIComponent(query.toString());
  location.assign(location.pathname + (search === '' ? '' : `?${search}`));
}
