// Differences between an image and an older image of its source.
import { EARLIEST_IMAGE_MS } from '../../platform/limits/images.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../platform/util/durations.ts';
import { requires } from '../../platform/util/errors.ts';
import { dayStart, formatDateTime, throughSecond } from '../../sun/time.ts';
import { RECIPE_LIMITS } from '../limits.ts';
import type { LayerOperation, LevelPlane } from './operation.ts';

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

/** Day and time `months` earlier, or the last day of a shorter month. */
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

/** Kinds of differences, in the order of their codes in getTile and in the layers notation, of which 0 is none. */
const KINDS = ['none', 'running', 'base', 'ratio'] as const;

/** Largest code of a difference. */
export const LAST_CODE = KINDS.length - 1;

/** How a layer compares its image with another image of the source: by a difference, or by the ratio to one. */
export type Difference =
  | { readonly kind: 'running'; readonly count: number; readonly unit: TimeUnit }
  | { readonly kind: 'base' | 'ratio'; readonly atMs: number };

/**
 * The difference of a code; undefined for none, null for an unknown code, and without a part that its kind needs. Parts are null that a notation
 * leaves out or that are not readable.
 */
export function differenceOfCode(code: number, count: number | null, unit: TimeUnit | null, baseMs: number | null) {
  const kind = KINDS[code];
  if (kind === 'none') return undefined;
  if (kind === 'running') return count !== null && unit ? { kind, count, unit } : null;
  return kind && baseMs !== null ? { kind, atMs: baseMs } : null;
}

const codeOf = ({ kind }: Difference): number => KINDS.indexOf(kind);

/**
 * Elements 4 to 7 of a group in the layers notation, with a comma before them; empty without a difference.
 * @param timeText writes the time of a base image
 */
export function printDifference(
  difference: Difference | undefined,
  timeText = (ms: number) => new Date(ms).toISOString(),
): string {
  if (!difference) return '';
  const code = codeOf(difference);
  if (difference.kind === 'running') return `,${code},${difference.count},${TIME_UNITS.indexOf(difference.unit)}`;
  return `,${code},1,1,${timeText(difference.atMs)}`;
}

/** `− 06:00:00`: the sign and the time of the reference image, with its day if it is another one. */
export function comparedWith({ kind }: Difference, takenAtMs: number, referenceMs: number): string {
  const [day, time] = formatDateTime(referenceMs).split(' ');
  const isSameDay = formatDateTime(takenAtMs).startsWith(day!);
  return `${kind === 'ratio' ? '÷' : '−'} ${isSameDay ? '' : `${day} `}${time}`;
}

/** Parameters of a single image. */
type Numbers = { readonly [N in 'difference' | 'diffCount' | 'diffTime' | 'baseDiffTime']?: number | undefined };

/** Level of no change. */
export const UNCHANGED = 128;

/** Changes that a difference tells apart, and the levels it shows for each. */
const CHANGE = { least: -64, most: 63, gain: 2 } as const;

/** Levels for a ratio of 1. */
const RATIO_GAIN = 256;

/**
 * A difference shows 2 * (newer - older + 64), with the change clamped to -64..63; a ratio 256 * newer / older - 128 to the nearest level,
 * clamped to 0..255, and no change for two levels of 0.
 */
export const DIFFERENCE = {
  name: 'difference',
  version: 1,
  /** A base time of whole seconds includes the rest of that second. */
  referenceMs: (difference: Difference, takenAtMs: number) =>
    difference.kind === 'running' ? unitsBefore(takenAtMs, difference.count, difference.unit) : throughSecond(difference.atMs),
  isGrey: true,
  /** Web clients send all four with every tile, so that they are validated even without a difference. */
  parameters: {
    difference: {
      type: 'integer',
      description: '0 for the image itself, 1 for a running difference, 2 for a base difference, 3 for a base ratio.',
      min: 0,
      max: LAST_CODE,
      byDefault: 0,
    },
    diffCount: {
      type: 'integer',
      description: 'Running difference: number of time units between the images.',
      min: -RECIPE_LIMITS.differenceCount,
      max: RECIPE_LIMITS.differenceCount,
    },
    diffTime: {
      type: 'integer',
      description: 'Running difference: time unit; 0 seconds, 1 minutes, 2 hours, 3 days, 4 weeks, 5 months, 6 years.',
      min: 0,
      max: TIME_UNITS.length - 1,
    },
    baseDiffTime: { type: 'date', description: 'Base difference or ratio: time of the image with which the other is compared.' },
  },
  read: ({ difference = 0, diffCount = 0, diffTime = 0, baseDiffTime }: Numbers): Difference | undefined => {
    const read = differenceOfCode(difference, diffCount, TIME_UNITS[diffTime] ?? null, baseDiffTime ?? null);
    if (read === null) throw requires(`difference=${difference}`, 'baseDiffTime');
    return read;
  },
  timeParameter: 'baseDiffTime',
  print: (difference: Difference): Readonly<Record<string, number>> => {
    const code = codeOf(difference);
    if (difference.kind !== 'running') return { difference: code, baseDiffTime: difference.atMs };
    return { difference: code, diffCount: difference.count, diffTime: TIME_UNITS.indexOf(difference.unit) };
  },
  ofLayers: null,
  levels: ({ kind }: Difference, { samples, reference, compare }: LevelPlane) => compare(samples, reference!, kind === 'ratio'),
  shader: {
    code: `float difference(float newer, float older) {
  return (${UNCHANGED}.0 + ${CHANGE.gain}.0 * clamp((newer - older) * 255.0, ${CHANGE.least}.0, ${CHANGE.most}.0)) / 255.0;
}
/** A level below one half is black. */
float ratio(float newer, float older) {
  float level = ${RATIO_GAIN}.0 * newer / max(older, 1e-6) - ${UNCHANGED}.0;
  return (max(newer, older) * 255.0 < 0.5 ? ${UNCHANGED}.0 : clamp(level, 0.0, 255.0)) / 255.0;
}`,
    name: ({ kind }: Difference) => (kind === 'ratio' ? 'ratio' : 'difference'),
  },
  mark: ({ kind }: Difference) => ({ running: ' Δ', base: ' Δ₀', ratio: ' ÷₀' })[kind],
  /** ` [RD 5 minutes]`, ` [BD 2024-01-01 00:00:00]` or ` [BR …]`. */
  suffix: (difference: Difference) => {
    if (difference.kind !== 'running') return ` [${difference.kind === 'base' ? 'BD' : 'BR'} ${formatDateTime(difference.atMs)}]`;
    return ` [RD ${difference.count} ${difference.unit}${difference.count === 1 ? '' : 's'}]`;
  },
} as const satisfies LayerOperation<Difference>;
