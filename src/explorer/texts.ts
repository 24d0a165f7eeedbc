// The texts of the page in its language, and its numbers, times and durations. The modules of the page load after them.
import { SERVICE_NAME } from '../platform/util/identity.ts';
import { formatDateTime } from '../sun/time.ts';
import english from './texts/en.json' with { type: 'json' };
import { inLanguage, presentLanguage } from './texts/language.ts';
import { decimalIn, filled, type Language, numberIn, type Text, type Values } from './texts/languages.ts';

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

// Times are the same in every language: ISO 8601 in UTC.
export const utc = (ms: number) => `${formatDateTime(ms)} UTC`;
export const imageTime = ({ takenAt }: { readonly takenAt: string }) => utc(Date.parse(takenAt));
export const titleOf = (image: { readonly name: string; readonly takenAt: string }) =>
  `${image.name} · ${imageTime(image)} · ${SERVICE_NAME}`;

type Unit = readonly [text: (count: number) => string, seconds: number];

const units = (): readonly Unit[] => [
  [(count) => fill(texts.durations.year, { count }), 31_557_600],
  [(count) => fill(texts.durations.day, { count }), 86_400],
  [(count) => `${count} h`, 3600],
  [(count) => `${count} min`, 60],
  [(count) => `${count} s`, 1],
];

/** `2 h 15 min`: the two largest units. */
export function durationText(seconds: number): string {
  let rest = Math.round(Math.abs(seconds));
  const parts = units().flatMap(([text, length]) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return count > 0 ? [text(count)] : [];
  });
  return parts.slice(0, 2).join(' ') || '0 s';
}

/** `2 h 15 min earlier`; nothing below a second. */
export function distanceText(seconds: number): string {
  if (Math.abs(seconds) < 1) return '';
  return fill(texts.durations[seconds < 0 ? 'earlier' : 'later'], { duration: durationText(seconds) });
}

/** A number with so many decimals; for less than none, rounded to tens, hundreds and so on. */
export const fixed = (value: number, digits: number) => {
  const unit = 10 ** Math.max(0, -digits);
  const text = (digits < 0 ? Math.round(value / unit) * unit : value).toFixed(Math.max(0, digits));
  return Number(text) === 0 ? (0).toFixed(Math.max(0, digits)) : text.replace('-', '−');
};
