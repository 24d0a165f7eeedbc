// Numbers and durations as text.
import { fill, texts } from '../texts.ts';

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
  const parts: string[] = [];
  for (const [text, length] of units()) {
    const count = Math.floor(rest / length);
    rest -= count * length;
    if (count > 0 && parts.length < 2) parts.push(text(count));
  }
  return parts.join(' ') || '0 s';
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
