// Differences between an image and an older image of its source.
import { EARLIEST_IMAGE_MS } from '../../config/limits/images.ts';
import { dayStart, formatDateTime, throughSecond } from '../../domain/time.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../util/durations.ts';

/** Units of running differences, in the order of their codes. */
export const TIME_UNITS = ['second', 'minute', 'hour', 'day', 'week', 'month', 'year'] as const;

export type TimeUnit = (typeof TIME_UNITS)[number];

/** Milliseconds of the units of fixed length. */
const EXACT_MS: Readonly<Partial<Record<TimeUnit, number>>> = {
  second: 1000,
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
};

/** Last instant of the date notation. */
const LATEST_MS = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const clamped = (ms: number): number => Math.min(Math.max(ms, EARLIEST_IMAGE_MS), LATEST_MS);

/** The same day and time `months` earlier, or the last day of a shorter month. */
function monthsBefore(atMs: number, months: number): number {
  const date = new Date(atMs);
  const month = date.getUTCFullYear() * 12 + date.getUTCMonth() - months;
  const year = Math.floor(month / 12);
  if (year < new Date(EARLIEST_IMAGE_MS).getUTCFullYear()) return EARLIEST_IMAGE_MS;
  if (year > 9999) return LATEST_MS;
  const lastDay = new Date(Date.UTC(year, (month % 12) + 1, 0)).getUTCDate();
  const day = Date.UTC(year, month % 12, Math.min(date.getUTCDate(), lastDay));
  return day + (atMs - dayStart(atMs));
}

/**
 * `count` units before `atMs`, in milliseconds since 1970. Seconds to weeks have fixed lengths; months and years follow the
 * calendar, so that a month before 31 March is the last day of February. Clamped to 1990..9999.
 */
export function unitsBefore(atMs: number, count: number, unit: TimeUnit): number {
  const exact = EXACT_MS[unit];
  if (exact !== undefined) return clamped(atMs - count * exact);
  return clamped(monthsBefore(atMs, unit === 'year' ? count * 12 : count));
}

/** Kinds of differences, in the order of their codes in getTile and in the layers notation. */
export const DIFFERENCE_KINDS = ['none', 'running', 'base', 'ratio'] as const;

/** Content of a layer: the image itself, its difference from another image of the source, or its ratio to one. */
export type Difference =
  | { readonly kind: 'none' }
  | { readonly kind: 'running'; readonly count: number; readonly unit: TimeUnit }
  | { readonly kind: 'base' | 'ratio'; readonly atMs: number };

export const NO_DIFFERENCE: Difference = { kind: 'none' };

/** What the notations state of a difference; null for what they leave out or what is not readable. */
interface DifferenceParts {
  readonly count: number | null;
  readonly unit: TimeUnit | null;
  /** Milliseconds since 1970. */
  readonly baseMs: number | null;
}

/** The difference of a code; null for an unknown code, and without a part that its kind needs. */
export function differenceOfCode(code: number, { count, unit, baseMs }: DifferenceParts): Difference | null {
  const kind = DIFFERENCE_KINDS[code];
  if (kind === 'none') return NO_DIFFERENCE;
  if (kind === 'running') return count !== null && unit ? { kind, count, unit } : null;
  return kind && baseMs !== null ? { kind, atMs: baseMs } : null;
}

/**
 * Latest time of the image to compare one taken at `takenAtMs` with; null without a difference. A base time of whole seconds
 * includes the rest of that second.
 */
export function referenceTime(difference: Difference, takenAtMs: number): number | null {
  switch (difference.kind) {
    case 'none':
      return null;
    case 'running':
      return unitsBefore(takenAtMs, difference.count, difference.unit);
    case 'base':
    case 'ratio':
      return throughSecond(difference.atMs);
  }
}

/** Suffix of an image's time in the watermark: `''`, ` [RD 5 minutes]`, ` [BD 2024-01-01 00:00:00]` or ` [BR …]`. */
export function differenceSuffix(difference: Difference): string {
  switch (difference.kind) {
    case 'none':
      return '';
    case 'running':
      return ` [RD ${difference.count} ${difference.unit}${difference.count === 1 ? '' : 's'}]`;
    case 'base':
    case 'ratio':
      return ` [${difference.kind === 'base' ? 'BD' : 'BR'} ${formatDateTime(difference.atMs)}]`;
  }
}

const codeOf = ({ kind }: Difference): number => DIFFERENCE_KINDS.indexOf(kind);

/**
 * Elements 4 to 7 of a group in the layers notation, with a comma before them; empty without a difference.
 * @param timeText writes the time of a base image
 */
export function printDifference(difference: Difference, timeText = (ms: number) => new Date(ms).toISOString()): string {
  const code = codeOf(difference);
  switch (difference.kind) {
    case 'none':
      return '';
    case 'running':
      return `,${code},${difference.count},${TIME_UNITS.indexOf(difference.unit)}`;
    case 'base':
    case 'ratio':
      return `,${code},1,1,${timeText(difference.atMs)}`;
  }
}

/** The parameters of a difference, as getTile has them; none without one. */
export interface DifferenceParameters {
  /** Index in DIFFERENCE_KINDS. */
  readonly difference?: number | undefined;
  readonly diffCount?: number | undefined;
  /** Index in TIME_UNITS. */
  readonly diffTime?: number | undefined;
  /** Milliseconds since 1970. */
  readonly baseDiffTime?: number | undefined;
}

export function differenceParameters(difference: Difference): Readonly<Partial<Record<keyof DifferenceParameters, number>>> {
  const code = codeOf(difference);
  switch (difference.kind) {
    case 'none':
      return {};
    case 'running':
      return { difference: code, diffCount: difference.count, diffTime: TIME_UNITS.indexOf(difference.unit) };
    case 'base':
    case 'ratio':
      return { difference: code, baseDiffTime: difference.atMs };
  }
}
