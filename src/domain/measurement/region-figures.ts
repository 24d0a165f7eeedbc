// Figures of the values of a region, each with its interval, by the counts of its bytes.
import type { Census } from './census.ts';
import type { ConfirmedLaw } from './gate.ts';
import { type Interval, intervalOf, reportedValue, valuedCounts } from './law.ts';
import { quantileOf, statisticsOf } from './value.ts';

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
