// Cadences of the sources, and times and positions in their notations.
import { HOUR_MS, MINUTE_MS } from '../../src/util/durations.ts';
/** Upper bound of the duration of a flare of the sample. */
export const LONGEST_FLARE_MS = 4 * HOUR_MS;
/** SPoCA makes maps of the Sun six times a day. */
export const SPOCA_STEP_MS = 4 * HOUR_MS;

/** Starts of the whole periods of `stepMs` that overlap `fromMs` to `toMs`. */
export function stepsBetween(fromMs: number, toMs: number, stepMs: number): number[] {
  const first = Math.floor(fromMs / stepMs);
  const last = Math.floor(toMs / stepMs);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => (first + i) * stepMs);
}

/** `2024-05-10T12:00:00`, UTC without a designator. */
export function plainTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19);
}

/** `2024-05-10T12:00Z`, rounded down to the minute. */
export function minuteTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16)}Z`;
}

/** `20240510_120000` */
export function compactTime(ms: number): string {
  return plainTime(ms).replace(/[-:]/g, '').replace('T', '_');
}

export function wholeMinute(ms: number): number {
  return Math.floor(ms / MINUTE_MS) * MINUTE_MS;
}

/** An instant of a query: a day, or a day and a time with or without seconds and Z. Null for other text. */
export function queryTime(text: string | null): number | null {
  if (!text || !/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?Z?)?$/.test(text)) return null;
  const ms = Date.parse(text.length > 10 && !text.endsWith('Z') ? `${text}Z` : text);
  return Number.isFinite(ms) ? ms : null;
}

/** `S17W22`; longitudes of three digits where the position lies behind the limb. */
export function locationText(latitudeDeg: number, stonyhurstDeg: number): string {
  const part = (positive: string, negative: string, degrees: number) =>
    `${degrees < 0 ? negative : positive}${String(Math.round(Math.abs(degrees))).padStart(2, '0')}`;
  return part('N', 'S', latitudeDeg) + part('W', 'E', stonyhurstDeg);
}

/** `value` rounded to a number of decimals. */
export function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
