// Values of a window of an image at places between its pixels.
import type { ConfirmedLaw } from './gate.ts';
import { censoringOf, reportedValue } from './law.ts';
import type { Disc } from './law-header.ts';

/** Decoded bytes of a window, columns and rows from the top left corner of the image. */
export interface ByteWindow {
  readonly x0: number;
  readonly y0: number;
  readonly width: number;
  readonly height: number;
  readonly samples: Uint8Array;
}

const BYTES = 256;

/** Share of a mean that may be censored before it counts as not a number. */
const CENSORED_SHARE = 0.5;

/** What each byte of a law stands for: a censored one the edge beyond which its value lies, not a number where there is no data. */
export interface ValueTable {
  readonly values: Float64Array;
  readonly censored: Uint8Array;
  readonly disc: Disc | null;
}

export function valueTableOf({ law, disc }: ConfirmedLaw): ValueTable {
  const every = <T>(of: (byte: number) => T) => Array.from({ length: BYTES }, (_, byte) => of(byte));
  return {
    values: Float64Array.from(every((byte) => (byte === law.noDataByte ? Number.NaN : reportedValue(law, byte)))),
    censored: Uint8Array.from(every((byte) => Number(censoringOf(law, byte) !== null))),
    // Pixels at the edge have neighbours without data.
    disc: disc && { ...disc, radius: disc.radius - 1 },
  };
}

/** Adds up values between the pixels of a window, and finds their mean. */
export class ValueMean {
  readonly #table: ValueTable;
  readonly #window: ByteWindow;
  readonly #imageHeight: number;
  #sum = 0;
  #censored = 0;
  #count = 0;

  constructor(table: ValueTable, window: ByteWindow, imageHeight: number) {
    this.#table = table;
    this.#window = window;
    this.#imageHeight = imageHeight;
  }

  /** Adds the value at a FITS pixel, linear between the four pixels around it; not a number off the window. */
  add(fitsX: number, fitsY: number): void {
    const { values, censored, disc } = this.#table;
    const { x0, y0, width, height, samples } = this.#window;
    const [x, y] = [fitsX - 1 - x0, this.#imageHeight - fitsY - y0];
    this.#count += 1;
    const isOutside = disc !== null && Math.hypot(fitsX - disc.x, fitsY - disc.y) >= disc.radius;
    if (isOutside || !(x >= 0 && y >= 0 && x <= width - 1 && y <= height - 1)) {
      this.#sum = Number.NaN;
      return;
    }
    const column = Math.min(Math.floor(x), Math.max(0, width - 2));
    const row = Math.min(Math.floor(y), Math.max(0, height - 2));
    const [right, down] = [width > 1 ? 1 : 0, height > 1 ? width : 0];
    const [u, v] = [x - column, y - row];
    const at = row * width + column;
    const [a, b, c, d] = [samples[at]!, samples[at + right]!, samples[at + down]!, samples[at + right + down]!];
    const [wa, wb, wc, wd] = [(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v];
    this.#sum += wa * values[a]! + wb * values[b]! + wc * values[c]! + wd * values[d]!;
    this.#censored += wa * censored[a]! + wb * censored[b]! + wc * censored[c]! + wd * censored[d]!;
  }

  /** The mean of what has been added since the last one; not a number where one of them is, or more than half is censored. */
  take(): number {
    const [sum, censored, count] = [this.#sum, this.#censored, this.#count];
    this.#sum = 0;
    this.#censored = 0;
    this.#count = 0;
    return count === 0 || censored > CENSORED_SHARE * count ? Number.NaN : sum / count;
  }
}
