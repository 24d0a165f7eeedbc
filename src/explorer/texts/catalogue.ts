// Texts with values, and numbers, as a language writes them.
import type { Language } from './languages.ts';

/** Forms of a text by its `{count}`. `zero` replaces the form that the language has for none. */
interface Forms {
  readonly zero?: string;
  readonly one: string;
  readonly other: string;
}

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
