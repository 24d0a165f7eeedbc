// Places among the bytes of a law, from b to b + 1 for byte b, in 16 bits: means lie between bytes.
import { type ByteLaw, edgeOf } from './law.ts';

const BYTES = 256;

/** The values at the edges of all bytes of a law, and linearly between them. */
export class LawScale {
  readonly #edges: Float64Array;
  /** Half the width of a byte, if all have the same but the first and the last, which are half as wide; else 0. */
  readonly halfLevel: number;

  constructor(law: ByteLaw) {
    this.#edges = Float64Array.from({ length: BYTES + 1 }, (_, byte) => edgeOf(law, byte));
    const isEven = law.transfer.kind === 'linear' && law.grid.kind === 'rounded';
    this.halfLevel = isEven ? (this.#edges[2]! - this.#edges[1]!) / 2 : 0;
  }

  /** The value at a place from 0 to 256. Without a destructured array, which takes a microsecond in workerd: light curves of a year call it millions of times. */
  valueAt(place: number): number {
    const at = Math.min(Math.max(place, 0), BYTES);
    const byte = Math.min(BYTES - 1, Math.floor(at));
    const low = this.#edges[byte]!;
    return low + (this.#edges[byte + 1]! - low) * (at - byte);
  }

  /** The place of a value; the nearer end for one beyond the scale. */
  placeOf(value: number): number {
    let low = 0;
    for (let step = BYTES / 2; step >= 1; step /= 2) if (this.#edges[low + step]! <= value) low += step;
    const [from, to] = [this.#edges[low]!, this.#edges[low + 1]!];
    return to > from ? Math.min(low + 1, Math.max(low, low + (value - from) / (to - from))) : low;
  }
}
