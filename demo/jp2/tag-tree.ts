// Tag trees (ISO/IEC 15444-1, B.10.2): a quad tree of minima, coded up to a threshold.
import type { HeaderBitReader, HeaderBitWriter } from './bits.ts';

interface Level {
  readonly width: number;
  readonly values: Int32Array;
  readonly lows: Int32Array;
  readonly known: Uint8Array;
}

const UNKNOWN = 0x7fffffff;

export class TagTree {
  readonly #levels: Level[] = [];

  /** A tree over `width` x `height` leaves, all values unknown. */
  constructor(width: number, height: number) {
    let [w, h] = [width, height];
    for (;;) {
      const count = w * h;
      this.#levels.push({
        width: w,
        values: new Int32Array(count).fill(UNKNOWN),
        lows: new Int32Array(count),
        known: new Uint8Array(count),
      });
      if (count <= 1) break;
      [w, h] = [(w + 1) >> 1, (h + 1) >> 1];
    }
  }

  /** Sets a leaf and lowers its ancestors' minima; for encoding, before the first `encode`. */
  set(x: number, y: number, value: number): void {
    this.#levels.forEach((level, depth) => {
      const at = (y >> depth) * level.width + (x >> depth);
      level.values[at] = Math.min(level.values[at] as number, value);
    });
  }

  /** Reads bits until the comparison is decided. @returns whether the leaf's value is below `threshold` */
  decode(reader: HeaderBitReader, x: number, y: number, threshold: number): boolean {
    return this.#walk(x, y, threshold, (level, at, low) => {
      if (reader.bit() === 0) return false;
      level.values[at] = low;
      return true;
    });
  }

  /** Writes the bits that `decode` reads with the same threshold. */
  encode(writer: HeaderBitWriter, x: number, y: number, threshold: number): void {
    this.#walk(x, y, threshold, (level, at, low) => {
      const reached = level.values[at]! <= low;
      writer.bit(reached ? 1 : 0);
      return reached;
    });
  }

  #walk(x: number, y: number, threshold: number, settle: (level: Level, at: number, low: number) => boolean): boolean {
    let low = 0;
    for (let depth = this.#levels.length - 1; depth >= 0; depth--) {
      const level = this.#levels[depth] as Level;
      const at = (y >> depth) * level.width + (x >> depth);
      low = Math.max(low, level.lows[at] as number);
      while (low < threshold && level.known[at] === 0) {
        if (settle(level, at, low)) level.known[at] = 1;
        else low += 1;
      }
      level.lows[at] = low;
    }
    const leaf = this.#levels[0] as Level;
    const at = y * leaf.width + x;
    return leaf.known[at] === 1 && leaf.values[at]! < threshold;
  }
}
