// What filters do to the levels of an image, by their names.
import { findSource } from '../../sun/catalogue/sources.ts';
import { byteOf, centreOf, edgeOf } from '../../sun/laws/law.ts';
import type { Strengths } from '../operations/filter.ts';
import type { Operations } from '../operations/operations.ts';
import { type AnnulusStatistics, BYTES, rankAt } from './annuli.ts';
import { type ByteTable, byteTable } from './byte-table.ts';

/** A rank from 0 to 1 bent by upsilon: exponents of ranks below and above one half, of which 1 changes nothing. */
export const bent = (rank: number, { low, high }: Strengths): number =>
  rank < 0.5 ? 0.5 * (2 * rank) ** low : 1 - 0.5 * (2 - 2 * rank) ** high;

/** RHEF, the radial histogram equalising filter (Gilly and Cranmer 2025, Solar Physics 300, 174): the rank of a level in its annulus. */
export function rhefTable(statistics: AnnulusStatistics, strengths: Strengths): ByteTable {
  const levels = Float64Array.from({ length: BYTES }, (_, stored) => 255 * bent(rankAt(stored), strengths));
  return byteTable(statistics, levels, statistics.ranks);
}

/** Deviations that NRGF shows black and white; those of coronagraphs keep the bright streamers and ejections. */
const ENDS = { disc: { low: -3, high: 3 }, coronagraph: { low: -2, high: 4 } } as const;
/** Least deviation of an annulus, in levels: below it is the error of compression. */
const LEAST_DEVIATION = 1.5;

/** The level of a byte by NRGF before it is rounded. */
export function normalised(byte: number, mean: number, deviation: number, kind: keyof typeof ENDS): number {
  const { low, high } = ENDS[kind];
  const place = ((byte - mean) / Math.max(deviation, LEAST_DEVIATION) - low) / (high - low);
  return 255 * Math.min(Math.max(place, 0), 1);
}

/** NRGF (Morgan, Habbal and Woo 2006, Solar Physics 236, 263): distance of a level from the mean of its annulus in standard deviations. */
export function nrgfTable({ means, deviations, ...statistics }: AnnulusStatistics, kind: keyof typeof ENDS): ByteTable {
  const levels = new Float64Array(statistics.rows * BYTES);
  for (let row = 0, at = 0; row < statistics.rows; row++)
    for (let byte = 0; byte < BYTES; byte++, at++) levels[at] = normalised(byte, means[row]!, deviations[row]!, kind);
  return byteTable(statistics, levels);
}

/** Level of the median with a steady brightness, about that of AIA 171 and 193 in their first years. */
export const STEADY_LEVEL = 80;

/**
 * A steady brightness, whatever the age of the detector, the exposure and the solar cycle: the median of the disc has one level.
 * Bytes 0 and 255, beyond the ends of the scale, stay; no other becomes 0.
 */
export function steadyTable({ median, law }: Pick<AnnulusStatistics, 'median' | 'law'>): ByteTable {
  const [from, to] = law ? [edgeOf(law, median), centreOf(law, STEADY_LEVEL)] : [median, STEADY_LEVEL + 0.5];
  const gain = from > 0 && to > 0 ? to / from : 1;
  const levels = Uint8Array.from({ length: BYTES }, (_, byte) => {
    if (byte === 0 || byte === BYTES - 1) return byte;
    const level = law ? byteOf(law, gain * centreOf(law, byte)) : Math.floor(gain * (byte + 0.5));
    return Math.min(Math.max(level, 1), BYTES - 1);
  });
  return { rows: 1, from: 0, width: 1, levels };
}

/** Whether the filter of a layer is on resolution levels, which a steady brightness precedes, and not by a table. */
export const isOnLevels = ({ filter }: Operations): boolean => filter?.name === 'mgn';

/** The table of an image in a layer; null without one. RHEF and NRGF are the same with a steady brightness, which cancels in them. */
export function tableOf({ filter, steady }: Operations, statistics: AnnulusStatistics, sourceId: number): ByteTable | null {
  if (filter?.name === 'rhef') return rhefTable(statistics, filter);
  if (filter?.name === 'nrgf') return nrgfTable(statistics, findSource(sourceId)?.mask ? 'coronagraph' : 'disc');
  return steady ? steadyTable(statistics) : null;
}
