// Gaps in the images of a datasource, with the reason where it is known: intervals between two images that are long compared with those around them.

import { GAPS } from '../platform/limits/images.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../platform/util/durations.ts';
import { COUNTED_WIDTHS_MS, type CountedWidthMs, countedBins, type TimeRange } from '../sun/bins.ts';
import type { DataSource, KnownGap } from '../sun/catalogue/datasource.ts';
import { findSource } from '../sun/catalogue/sources.ts';
import type { ImageIndex } from './image-index/d1-image-index.ts';
import type { GapCandidate } from './ports.ts';

interface Gap extends TimeRange {
  /** Median interval of the images beside the gap; null beside the only image of a source. */
  readonly cadenceMs: number | null;
  /** Images of that cadence that would fit into the gap; null without a cadence. */
  readonly missing: number | null;
}

/** Intervals in multiples of the cadence from which an interval is a gap: two images are missing at least. */
const GAP_FACTOR = 3;

const [FIVE_MINUTES, HOUR, DAY] = COUNTED_WIDTHS_MS;

/** Longest ranges that are searched in bins of a width: at most 27000 bins. */
const WIDEST: readonly (readonly [rangeMs: number, widthMs: CountedWidthMs])[] = [
  [31 * DAY_MS, FIVE_MINUTES],
  [3 * 366 * DAY_MS, HOUR],
];

/** Longest typical intervals between images for which most bins of five minutes have an image. */
const DENSE_MS = 2.5 * MINUTE_MS;

/** Width of the bins in which the gaps of a range are searched, for images of a typical cadence. */
function searchedWidthMs({ startMs, endMs }: TimeRange, cadenceMs: number): CountedWidthMs {
  const widthMs = WIDEST.find(([rangeMs]) => endMs - startMs <= rangeMs)?.[1] ?? DAY;
  return widthMs === FIVE_MINUTES && cadenceMs > DENSE_MS ? HOUR : widthMs;
}

function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Typical cadence of images of which a day has these numbers: the upper quartile, because gaps make days poorer, not richer. */
function cadenceOfDays(imagesPerDay: readonly number[]): number | null {
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
function gapOf(candidate: GapCandidate, range: TimeRange): Gap | null {
  const startMs = candidate.beforeMs[0] ?? range.startMs;
  const endMs = candidate.afterMs[0] ?? range.endMs;
  const cadenceMs = median([...intervals(candidate.beforeMs), ...intervals(candidate.afterMs)]);
  if (endMs - startMs < SECOND_MS) return null;
  if (cadenceMs === null) return endMs - startMs > HOUR_MS ? { startMs, endMs, cadenceMs, missing: null } : null;
  if (endMs - startMs < GAP_FACTOR * cadenceMs) return null;
  return { startMs, endMs, cadenceMs, missing: Math.max(1, Math.round((endMs - startMs) / cadenceMs) - 1) };
}

/**
 * Why there are no images. `before-first`, `after-last`: of the source in this archive; `not-launched`, `mission-ended`: of the
 * spacecraft or instrument; `outage`: of the spacecraft; `eclipse`: by the Earth, as the time and length of the gap suggest.
 */
type GapReason = 'before-first' | 'after-last' | 'eclipse' | KnownGap['reason'];

type ReasonedGap = { readonly reason: GapReason; readonly sentence: string };

const within = ({ startMs, endMs }: TimeRange, { from, to }: KnownGap) =>
  startMs >= (from === undefined ? Number.NEGATIVE_INFINITY : Date.parse(from) - DAY_MS) &&
  endMs <= (to === undefined ? Number.POSITIVE_INFINITY : Date.parse(to) + DAY_MS);

/** Eclipses of SDO: each day in three weeks near an equinox, for up to 72 minutes about 07:00 UTC. */
const ECLIPSE = {
  maxMs: 90 * MINUTE_MS,
  /** Times of day between which a gap has its middle. */
  middleMs: { from: 6 * HOUR_MS, to: 8.5 * HOUR_MS },
  /** Days of the year from 1 January as 0: 5 February to 10 April, and 5 August to 15 October. */
  days: [
    [35, 99],
    [216, 287],
  ],
} as const;

function isEclipse(source: DataSource, { startMs, endMs }: TimeRange): boolean {
  if (!source.hasEclipseSeasons || endMs - startMs > ECLIPSE.maxMs) return false;
  const middleMs = (startMs + endMs) / 2;
  const timeOfDayMs = middleMs % DAY_MS;
  const day = Math.floor((middleMs - Date.UTC(new Date(middleMs).getUTCFullYear(), 0, 1)) / DAY_MS);
  const isTime = timeOfDayMs >= ECLIPSE.middleMs.from && timeOfDayMs <= ECLIPSE.middleMs.to;
  return isTime && ECLIPSE.days.some(([first, last]) => day >= first && day <= last);
}

/** The documented reason of a gap in the images of a source; null when there is none. */
export function knownReason(source: DataSource, gap: TimeRange): ReasonedGap | null {
  const period = source.knownGaps.find((known) => within(gap, known));
  if (period) return { reason: period.reason, sentence: period.sentence };
  if (!isEclipse(source, gap)) return null;
  return {
    reason: 'eclipse',
    sentence: 'Probably an eclipse: in some weeks near the equinoxes the Earth hides the Sun from SDO about 07:00 UTC.',
  };
}

export type GapIndex = Pick<ImageIndex, 'adjacentTimes' | 'ends' | 'counts' | 'gaps'>;

export interface ExplainedGap extends Gap {
  /** Null where neither the archive nor the documented periods say why. */
  readonly why: ReasonedGap | null;
}

/** The typical cadence follows from the numbers of images of the days of a range, and as many around it. */
const AROUND_MS = 15 * DAY_MS;

const explained = (sourceId: number, gap: Gap, otherwise: ReasonedGap | null = null): ExplainedGap => {
  const source = findSource(sourceId);
  return { ...gap, why: (source && knownReason(source, gap)) ?? otherwise };
};

const BEFORE_FIRST: ReasonedGap = { reason: 'before-first', sentence: 'The archive has no earlier image of this source.' };
const AFTER_LAST: ReasonedGap = { reason: 'after-last', sentence: 'The archive has no later image of this source.' };

/** A range without images between two images, or on the open side of the archive. */
function emptyRange(sourceId: number, { startMs, endMs }: TimeRange, beforeMs: number | null, afterMs: number | null) {
  const otherwise = beforeMs === null ? BEFORE_FIRST : afterMs === null ? AFTER_LAST : null;
  const gap = { startMs: beforeMs ?? startMs, endMs: afterMs ?? endMs, cadenceMs: null, missing: null };
  return { cadenceMs: null, foundFromMs: null, gaps: [explained(sourceId, gap, otherwise)], nextMs: null };
}

/**
 * The first gaps of a range that ends now at the latest, in the order of time, with a constant number of statements; the typical interval of the images,
 * null without any; the length from which every gap is found; and the start of the next search when there are more.
 */
export async function gapsOf(index: GapIndex, sourceId: number, range: TimeRange) {
  const around = { startMs: range.startMs - AROUND_MS, endMs: range.endMs + AROUND_MS };
  const [{ beforeMs }, { afterMs }, { first, last }, [days]] = await Promise.all([
    index.adjacentTimes(sourceId, range.startMs),
    index.adjacentTimes(sourceId, range.endMs),
    index.ends(sourceId, range.startMs, range.endMs),
    index.counts([sourceId], countedBins('D', around), DAY_MS),
  ]);
  const cadenceMs = cadenceOfDays([...days!.values()]);
  const hasImages = first !== null && last !== null && first.takenAtMs <= range.endMs && last.takenAtMs >= range.startMs;
  if (!hasImages && cadenceMs !== null && beforeMs !== null && afterMs !== null && afterMs - beforeMs < GAP_FACTOR * cadenceMs)
    return { cadenceMs, foundFromMs: null, gaps: [], nextMs: null };
  if (!hasImages || cadenceMs === null) return emptyRange(sourceId, range, beforeMs, afterMs);

  const widthMs = searchedWidthMs(range, cadenceMs);
  const searched = {
    fromMs: Math.floor((beforeMs ?? range.startMs) / widthMs) * widthMs,
    toMs: afterMs ?? range.endMs,
    widthMs,
    longerMs: Math.max(widthMs, GAP_FACTOR * cadenceMs - widthMs),
  };
  const candidates = await index.gaps(sourceId, searched, GAPS.found + 1);
  const isCut = candidates.length > GAPS.found;
  const between = candidates.slice(0, GAPS.found).flatMap((candidate) => {
    const gap = gapOf(candidate, range);
    return gap && gap.endMs > range.startMs && gap.startMs < range.endMs ? [explained(sourceId, gap)] : [];
  });
  const edge = (startMs: number, endMs: number, otherwise: ReasonedGap): ExplainedGap[] => {
    if (endMs - startMs < GAP_FACTOR * cadenceMs) return [];
    const gap = { startMs, endMs, cadenceMs, missing: null };
    return [explained(sourceId, gap, otherwise)];
  };
  const gaps = [
    ...(beforeMs === null ? edge(range.startMs, first.takenAtMs, BEFORE_FIRST) : []),
    ...between,
    ...(afterMs === null && !isCut ? edge(last.takenAtMs, range.endMs, AFTER_LAST) : []),
  ];
  return {
    cadenceMs,
    // Two bins contain an empty one, and shorter intervals than `GAP_FACTOR` cadences are no gaps.
    foundFromMs: Math.max(2 * widthMs, GAP_FACTOR * cadenceMs),
    gaps,
    nextMs: isCut ? candidates[GAPS.found - 1]!.afterMs[0]! : null,
  };
}
