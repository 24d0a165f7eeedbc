// NRGF, the normalising radial graded filter (Morgan, Habbal and Woo 2006, Solar Physics 236, 263): the distance of a level from the mean of its
// annulus in standard deviations.
import type { AnnulusStatistics } from './annuli.ts';
import { type ByteTable, byteTable } from './byte-table.ts';

/** Deviations that are black and white; those of coronagraphs keep the bright streamers and ejections. */
const ENDS = { disc: { low: -3, high: 3 }, coronagraph: { low: -2, high: 4 } } as const;
/** Least deviation of an annulus, in levels: below it is the error of compression. */
const LEAST_DEVIATION = 1.5;

/** The level of a byte before it is rounded. */
export function normalised(byte: number, mean: number, deviation: number, kind: keyof typeof ENDS): number {
  const { low, high } = ENDS[kind];
  const place = ((byte - mean) / Math.max(deviation, LEAST_DEVIATION) - low) / (high - low);
  return 255 * Math.min(Math.max(place, 0), 1);
}

export const nrgfTable = (statistics: AnnulusStatistics, kind: keyof typeof ENDS): ByteTable =>
  byteTable(statistics, (row, byte) => normalised(byte, statistics.means[row]!, statistics.deviations[row]!, kind));
