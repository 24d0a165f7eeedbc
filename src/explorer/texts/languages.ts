// Languages of the page by their tags; texts with values, and numbers, as they write them.

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

/**
 * A copy of the English texts with those of a list in their place, as the build writes translations: in this order; null keeps the English one.
 * The list is used up.
 */
export function translated<T>(english: T, list: (string | null)[]): T {
  if (typeof english !== 'object') return (list.shift() ?? english) as T;
  const entries = Object.entries(english as object).map(([key, child]) => [key, translated(child, list)]);
  return (Array.isArray(english) ? entries.map(([, child]) => child) : Object.fromEntries(entries)) as T;
}

/** Forms of a text by its `{count}`. `zero` replaces the form that the language has for none. */
type Forms = { readonly zero?: string; readonly one: string; readonly other: string };

export type Text = string | Forms;
export type Values = Readonly<Record<string, string | number>>;

/** A text with values for its parameters, as `{name}`. */
export function filled(language: Language, text: Text, values: Values): string {
  if (typeof text === 'string') return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
  const { zero, one, other } = text;
  const form = new Intl.PluralRules(language).select(Number(values.count)) === 'one' ? one : other;
  return filled(language, values.count === 0 && zero !== undefined ? zero : form, values);
}

/** A number with a decimal point as the language writes it. */
export const decimalIn = (language: Language, text: string) => (language === 'en' ? text : text.replace('.', ','));

/** A number with at most so many significant digits; very small ones with a power of ten. */
export function numberIn(language: Language, value: number, digits: number): string {
  const [, mantissa, exponent] = /^(.+)e-(\d+)$/.exec(value.toExponential(Math.min(digits, 3) - 1)) ?? [];
  if (exponent === undefined || Number(exponent) < 3)
    return new Intl.NumberFormat(language, { maximumSignificantDigits: Math.min(digits, 21), useGrouping: false }).format(value);
  const power = [...exponent].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]).join('');
  return `${decimalIn(language, String(Number(mantissa)))} × 10⁻${power}`;
}

/** Description of the content of a picture, by the longest beginning of the name of its source. */
export function aboutSource(
  { sources, unknownSource }: { readonly sources: Readonly<Record<string, string>>; readonly unknownSource: string },
  name: string,
): string {
  const known = Object.entries(sources).filter(([start]) => name.startsWith(start));
  return known.sort(([a], [b]) => b.length - a.length)[0]?.[1] ?? unknownSource;
}
