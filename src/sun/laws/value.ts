// Values of pixels and regions with their intervals.
import type { Circle } from '../image.ts';
import type { Census, ConfirmedLaw } from './gate.ts';
import type { Censoring, Interval } from './law.ts';
import { byteAtRank, censoringOf, intervalOf, reportedValue, valuedCounts } from './law.ts';

/** The physical value of a pixel, and its interval with the error of the compression. */
export interface Measurement extends Interval {
  /** The middle of the level; the edge beyond which the value lies, where it is censored. */
  readonly value: number;
  readonly censored: Censoring | null;
}

/** Significant digits of a float32. */
const DIGITS = 7;

/** A value as responses have it; null for none. */
export const roundedValue = (value: number | null | undefined): number | null =>
  typeof value === 'number' && !Number.isNaN(value) ? Number(value.toPrecision(DIGITS)) : null;

/** Pixels from which the error of compression is that of an area. */
const AREA_PIXELS = 64;

/** Whether a pixel lies outside of the circle that has data. x, y: FITS pixels. */
export function isOutside(disc: Circle | null, x: number, y: number): boolean {
  return disc !== null && Math.hypot(x - disc.x, y - disc.y) > disc.radius;
}

/** The value of a byte; null for one that stands for no data. */
export function measure({ law, lossy }: Pick<ConfirmedLaw, 'law' | 'lossy'>, byte: number): Measurement | null {
  if (byte === law.noDataByte) return null;
  return { value: reportedValue(law, byte), ...intervalOf(law, byte, lossy?.pixel ?? 0), censored: censoringOf(law, byte) };
}

/** Mean of a figure of each byte; null where a byte that occurs has none. */
function meanOf(counts: ArrayLike<number>, total: number, of: (byte: number) => number | null): number | null {
  let sum = 0;
  for (let byte = 0; byte < counts.length; byte++) {
    const weight = counts[byte]!;
    if (weight === 0) continue;
    const value = of(byte);
    if (value === null) return null;
    sum += value * weight;
  }
  return sum / total;
}

/** The value below which a part of all pixels lies, interpolated as by numpy; null where a value beside that rank is unknown. */
function quantileOf(counts: ArrayLike<number>, total: number, part: number, of: (byte: number) => number | null): number | null {
  const at = (rank: number) => of(byteAtRank(counts, rank)!);
  const rank = part * (total - 1);
  const [low, high] = [at(Math.floor(rank)), at(Math.ceil(rank))];
  return low === null || high === null ? null : low + (high - low) * (rank - Math.floor(rank));
}

/**
 * Statistics of a region by the counts of its bytes; null without a pixel that has data. A censored pixel counts as the edge beyond which its
 * value lies; the ends of the interval of the mean are null where censored pixels leave it open.
 */
export function statisticsOf({ law, lossy }: ConfirmedLaw, { counts, outside }: Pick<Census, 'counts' | 'outside'>) {
  const blank = law.noDataByte === null ? 0 : counts[law.noDataByte]!;
  const own = valuedCounts(law, counts);
  const total = own.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const lossyLevels = lossy === null ? 0 : total >= AREA_PIXELS ? lossy.area : lossy.pixel;
  const present = own.flatMap((count, byte) => (count > 0 ? byte : []));
  const intervals = new Map(present.map((byte) => [byte, intervalOf(law, byte, lossyLevels)]));
  const countAt = (byte: number | null) => (byte === null ? 0 : own[byte]!);
  return {
    mean: meanOf(own, total, (byte) => reportedValue(law, byte))!,
    lower: meanOf(own, total, (byte) => intervals.get(byte)!.lower),
    upper: meanOf(own, total, (byte) => intervals.get(byte)!.upper),
    median: quantileOf(own, total, 0.5, (byte) => reportedValue(law, byte))!,
    min: reportedValue(law, present[0]!),
    max: reportedValue(law, present.at(-1)!),
    count: total,
    below: countAt(law.belowByte),
    above: countAt(law.aboveByte),
    noData: outside + blank,
    lossyLevels,
  };
}

export const FIGURES = ['mean', 'median', 'sum', 'max', 'min', 'p05', 'p95', 'area'] as const;
export type FigureName = (typeof FIGURES)[number];

/** Share of the pixels below a figure, for those that are quantiles. */
const QUANTILES = { min: 0, p05: 0.05, median: 0.5, p95: 0.95, max: 1 } as const;

/** Ends are null where they are open. */
export interface Figure extends Interval {
  readonly value: number;
}

export interface RegionFigures {
  readonly figures: Readonly<Partial<Record<FigureName, Figure>>>;
  /** Pixels with data. */
  readonly count: number;
  /** Share of them that is beyond the ends of the scale. */
  readonly censored: number;
}

interface Wanted {
  readonly names: readonly FigureName[];
  /** Value above which the area is counted, in the unit of the values. */
  readonly threshold: number | null;
  /** Square arcseconds of a pixel. */
  readonly pixelArea: number;
}

/**
 * The figures of a region; null without a pixel that has data. A censored pixel counts as the edge beyond which its value lies. The loss of
 * the compression is that of an area for means, sums, medians and areas, and that of a pixel for all others.
 */
export function figuresOf(
  confirmed: ConfirmedLaw,
  census: Pick<Census, 'counts' | 'outside'>,
  { names, threshold, pixelArea }: Wanted,
): RegionFigures | null {
  const statistics = statisticsOf(confirmed, census);
  if (!statistics) return null;
  const { law, lossy } = confirmed;
  const { mean, lower, upper, count, below, above, lossyLevels } = statistics;
  const own = valuedCounts(law, census.counts);
  const quantile = (part: number, levels: number): Figure => ({
    value: quantileOf(own, count, part, (byte) => reportedValue(law, byte))!,
    lower: quantileOf(own, count, part, (byte) => intervalOf(law, byte, levels).lower),
    upper: quantileOf(own, count, part, (byte) => intervalOf(law, byte, levels).upper),
  });
  const areaOf = (isAbove: (byte: number) => boolean) =>
    pixelArea * own.reduce((sum, pixels, byte) => (pixels > 0 && isAbove(byte) ? sum + pixels : sum), 0);
  const figureOf = (name: FigureName): Figure => {
    if (name === 'mean') return { value: mean, lower, upper };
    if (name === 'sum') {
      return { value: mean * count, lower: lower === null ? null : lower * count, upper: upper === null ? null : upper * count };
    }
    if (name === 'area') {
      const limit = threshold ?? Number.NEGATIVE_INFINITY;
      const ends = (byte: number) => intervalOf(law, byte, lossyLevels);
      return {
        value: areaOf((byte) => reportedValue(law, byte) > limit),
        lower: areaOf((byte) => (ends(byte).lower ?? Number.NEGATIVE_INFINITY) > limit),
        upper: areaOf((byte) => (ends(byte).upper ?? Number.POSITIVE_INFINITY) > limit),
      };
    }
    return quantile(QUANTILES[name], name === 'median' ? lossyLevels : (lossy?.pixel ?? 0));
  };
  const figures = Object.fromEntries(names.map((name) => [name, figureOf(name)]));
  return { figures, count, censored: (below + above) / count };
}
