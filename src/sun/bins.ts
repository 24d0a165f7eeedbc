// Time bins of the timelines of the web client: which resolution a range has, and its bins.
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../platform/util/durations.ts';

/** `m`: single images or events instead of bins. */
export type Resolution = 'm' | '5m' | '15m' | '30m' | 'h' | 'D' | 'W' | 'M' | 'Y';
export type BinnedResolution = Exclude<Resolution, 'm'>;
export type DayResolution = 'D' | 'W' | 'M' | 'Y';

export type Bin = [startMs: number, count: number];

export type TimeRange = { readonly startMs: number; readonly endMs: number };

const WEEK_MS = 7 * DAY_MS;
/** 5 January 1970, a Monday. */
const FIRST_MONDAY_MS = 4 * DAY_MS;

/** Widths of the bins that begin at multiples of their width since 1970. */
const WIDTHS_MS = { '5m': 5 * MINUTE_MS, '15m': 15 * MINUTE_MS, '30m': 30 * MINUTE_MS, h: HOUR_MS, D: DAY_MS } as const;

type Steps = readonly (readonly [belowMs: number, resolution: Resolution])[];

/** The web client draws dots up to exactly 105 minutes. */
const IMAGE_STEPS: Steps = [
  [105 * MINUTE_MS + 1, 'm'],
  [12 * HOUR_MS, '5m'],
  [2 * DAY_MS, '15m'],
  [10 * DAY_MS, 'h'],
  [186 * DAY_MS, 'D'],
  [465 * DAY_MS, 'W'],
];

const EVENT_STEPS: Steps = [
  [DAY_MS, 'm'],
  [2 * DAY_MS, '30m'],
  [10 * DAY_MS, 'h'],
  [186 * DAY_MS, 'D'],
  [465 * DAY_MS, 'W'],
  [1825 * DAY_MS, 'M'],
];

const stepOf = (steps: Steps, spanMs: number) => steps.find(([belowMs]) => spanMs < belowMs)?.[1];

export const imageResolution = (spanMs: number): Resolution => stepOf(IMAGE_STEPS, spanMs) ?? 'M';

export const eventResolution = (spanMs: number): Resolution => stepOf(EVENT_STEPS, spanMs) ?? 'Y';

export const isOfDays = (resolution: Resolution): resolution is DayResolution => /^[DWMY]$/.test(resolution);

/** The range with its own length added on both sides, because the user of a timeline drags it. */
export function extended({ startMs, endMs }: TimeRange): TimeRange {
  const spanMs = endMs - startMs;
  return { startMs: startMs - spanMs, endMs: endMs + spanMs };
}

/** Start of the bin `later` bins after that of a time: weeks begin on Mondays, months and years are those of the calendar, UTC. */
export function binStart(resolution: BinnedResolution, atMs: number, later = 0): number {
  const date = new Date(atMs);
  if (resolution === 'W') return (Math.floor((atMs - FIRST_MONDAY_MS) / WEEK_MS) + later) * WEEK_MS + FIRST_MONDAY_MS;
  if (resolution === 'M') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + later, 1);
  if (resolution === 'Y') return Date.UTC(date.getUTCFullYear() + later, 0, 1);
  return (Math.floor(atMs / WIDTHS_MS[resolution]) + later) * WIDTHS_MS[resolution];
}

export const nextBin = (resolution: BinnedResolution, startMs: number): number => binStart(resolution, startMs, 1);

/** Starts of the bins of a range, ascending, up to the bin that contains its end. */
export function binStarts(resolution: BinnedResolution, { startMs, endMs }: TimeRange): number[] {
  const starts: number[] = [];
  for (let start = binStart(resolution, startMs); start <= endMs; start = nextBin(resolution, start)) starts.push(start);
  return starts;
}

/** Widths of the bins in which images are counted when they are added: all others consist of these. */
export const COUNTED_WIDTHS_MS = [WIDTHS_MS['5m'], WIDTHS_MS.h, WIDTHS_MS.D] as const;
export type CountedWidthMs = (typeof COUNTED_WIDTHS_MS)[number];

/** Width of the counted bins that add up to bins of this resolution. */
export function countedWidthMs(resolution: BinnedResolution): CountedWidthMs {
  if (isOfDays(resolution)) return WIDTHS_MS.D;
  return resolution === 'h' ? WIDTHS_MS.h : WIDTHS_MS['5m'];
}

/** Bins that are counted: from `startMs` to `endMs` without it, both multiples of the counted width. */
export type CountedBin = readonly [startMs: number, endMs: number];

export const countedBins = (resolution: BinnedResolution, range: TimeRange): CountedBin[] =>
  binStarts(resolution, range).map((start) => [start, nextBin(resolution, start)]);
