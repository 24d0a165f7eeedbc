// A steady brightness: the median of the disc has one level in all images, as if their light had been multiplied. So years of a detector that
// ages, exposures and the solar cycle do not change it.
import { byteOf, centreOf, edgeOf } from '../../domain/measurement/law.ts';
import { type AnnulusStatistics, BYTES } from './annuli.ts';
import type { ByteTable } from './byte-table.ts';

/** Level of the median, about that of AIA 171 and 193 in their first years. */
export const STEADY_LEVEL = 80;

const clamped = (level: number) => Math.min(Math.max(level, 1), BYTES - 1);

/** Bytes 0 and 255, beyond the ends of the scale, stay; others neither become 0. */
export function steadyTable({ median, law }: Pick<AnnulusStatistics, 'median' | 'law'>): ByteTable {
  const [from, to] = law ? [edgeOf(law, median), centreOf(law, STEADY_LEVEL)] : [median, STEADY_LEVEL + 0.5];
  const gain = from > 0 && to > 0 ? to / from : 1;
  const levels = Uint8Array.from({ length: BYTES }, (_, byte) => {
    if (byte === 0 || byte === BYTES - 1) return byte;
    return clamped(law ? byteOf(law, gain * centreOf(law, byte)) : Math.floor(gain * (byte + 0.5)));
  });
  return { rows: 1, from: 0, width: 1, levels };
}
