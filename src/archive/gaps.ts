// Gaps in the images of a source: intervals between two images that are long compared with those around them.
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../platform/util/durations.ts';
import { COUNTED_WIDTHS_MS, type CountedWidthMs, type TimeRange } from '../sun/bins.ts';

/** An interval without images, from the counts, with the images beside it. */
export interface GapCandidate {
  /** The last image before it and up to `NEIGHBOURS` earlier ones, the latest first. */
  readonly beforeMs: readonly number[];
  /** The first image after it and later ones, the earliest first. */
  readonly afterMs: readonly number[];
}

export interface Gap extends TimeRange {
  /** Median interval of the images beside the gap; null beside the only image of a source. */
  readonly cadenceMs: number | null;
  /** Images of that cadence that would fit into the gap; null without a cadence. */
  readonly missing: number | null;
}

/** Images on each side from which the cadence is learned: an outlier or two do not change the median of their intervals. */
export const NEIGHBOURS = 9;

/** Intervals in multiples of the cadence from which an interval is a gap: two images are missing at least. */
export const GAP_FACTOR = 3;

const [FIVE_MINUTES, HOUR, DAY] = COUNTED_WIDTHS_MS;

/** Longest ranges that are searched in bins of a width: at most 27000 bins. */
const WIDEST: readonly (readonly [rangeMs: number, widthMs: CountedWidthMs])[] = [
  [31 * DAY_MS, FIVE_MINUTES],
  [3 * 366 * DAY_MS, HOUR],
];

/** Longest typical intervals between images for which most bins of five minutes have an image. */
const DENSE_MS = 2.5 * MINUTE_MS;

/** Width of the bins in which the gaps of a range are searched, for images of a typical cadence. */
export function searchedWidthMs({ startMs, endMs }: TimeRange, cadenceMs: number): CountedWidthMs {
  const widthMs = WIDEST.find(([rangeMs]) => endMs - startMs <= rangeMs)?.[1] ?? DAY;
  return widthMs === FIVE_MINUTES && cadenceMs > DENSE_MS ? HOUR : widthMs;
}

/** Length from which every gap is found: two bins contain an empty one, and shorter ones than `GAP_FACTOR` cadences are no gaps. */
export const foundFromMs = (widthMs: CountedWidthMs, cadenceMs: number): number => Math.max(2 * widthMs, GAP_FACTOR * cadenceMs);

function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Typical cadence of images of which a day has these numbers: the upper quartile, because gaps make days poorer, not richer. */
export function cadenceOfDays(imagesPerDay: readonly number[]): number | null {
  const sorted = imagesPerDay.toSorted((a, b) => a - b);
  const perDay = sorted[Math.floor(sorted.length * 0.75)];
  return perDay === undefined ? null : DAY_MS / perDay;
}

const intervals = (times: readonly number[]) => times.slice(1).map((ms, i) => Math.abs(ms - times[i]!));

/** The time at which each gap of a series begins, a median interval after the last image before it, by the index of that image. */
export function gapsAfter(ascendingMs: readonly number[]): ReadonlyMap<number, number> {
  const between = intervals(ascendingMs);
  const cadenceMs = median(between) ?? 0;
  const gaps = between.flatMap((ms, i) =>
    ms >= GAP_FACTOR * cadenceMs && ms >= SECOND_MS ? [[i, ascendingMs[i]! + cadenceMs]] : [],
  );
  return new Map(gaps as [number, number][]);
}

/** The gap of a candidate; null when its length is usual for the images beside it. @param range Ends of a gap without an image on a side */
export function gapOf(candidate: GapCandidate, range: TimeRange): Gap | null {
  const startMs = candidate.beforeMs[0] ?? range.startMs;
  const endMs = candidate.afterMs[0] ?? range.endMs;
  const cadenceMs = median([...intervals(candidate.beforeMs), ...intervals(candidate.afterMs)]);
  if (endMs - startMs < SECOND_MS) return null;
  if (cadenceMs === null) return endMs - startMs > HOUR_MS ? { startMs, endMs, cadenceMs, missing: null } : null;
  if (endMs - startMs < GAP_FACTOR * cadenceMs) return null;
  return { startMs, endMs, cadenceMs, missing: Math.max(1, Math.round((endMs - startMs) / cadenceMs) - 1) };
}
