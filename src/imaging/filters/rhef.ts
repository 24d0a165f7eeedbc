// RHEF, the radial histogram equalising filter (Gilly and Cranmer 2025, Solar Physics 300, 174): the rank of a level in its annulus.
import type { Strengths } from '../../picture/operations/filter.ts';
import { type AnnulusStatistics, BYTES, rankAt } from './annuli.ts';
import { type ByteTable, byteTable } from './byte-table.ts';

/** A rank from 0 to 1 bent by upsilon: exponents of ranks below and above one half, of which 1 changes nothing. */
export const bent = (rank: number, { low, high }: Strengths): number =>
  rank < 0.5 ? 0.5 * (2 * rank) ** low : 1 - 0.5 * (2 - 2 * rank) ** high;

export function rhefTable(statistics: AnnulusStatistics, strengths: Strengths): ByteTable {
  const levels = Float64Array.from({ length: BYTES }, (_, stored) => 255 * bent(rankAt(stored), strengths));
  return byteTable(statistics, (row, byte) => levels[statistics.ranks[row * BYTES + byte]!]!);
}
