// Values of a window of an image at places between its pixels.
import type { Places } from '../sun/coordinates/nodes.ts';
import type { Circle } from '../sun/image.ts';
import type { ByteWindow, ConfirmedLaw } from '../sun/laws/gate.ts';
import { censoringOf, reportedValue } from '../sun/laws/law.ts';

export const BYTES = 256;

/** Share of a mean that may be censored before it counts as not a number. */
const CENSORED_SHARE = 0.5;

/** What each byte of a law stands for: a censored one the edge beyond which its value lies, not a number where there is no data. */
interface ValueTable {
  readonly values: Float64Array;
  readonly censored: Uint8Array;
  readonly disc: Circle | null;
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

/** The means of cells, by values between the pixels of a window. @param cells Cells whose means are taken together */
export function valueMeans(table: ValueTable, window: ByteWindow, imageHeight: number, cells: number) {
  const [sums, censoredSums] = [new Float64Array(cells), new Float64Array(cells)];
  /** Places that have been added to each cell. */
  let count = 0;

  /** Adds the values at the next `each` places (FITS pixels) to each cell: bilinear, NaN off the window, without calls or objects. */
  function add({ x: xs, y: ys }: Places, each: number): void {
    const { values, censored, disc } = table;
    const { x0, y0, width, height, samples } = window;
    const [lastColumn, lastRow] = [Math.max(0, width - 2), Math.max(0, height - 2)];
    const [right, down] = [width > 1 ? 1 : 0, height > 1 ? width : 0];
    const [discX, discY, discSquare] = disc ? [disc.x, disc.y, disc.radius ** 2] : [0, 0, Number.POSITIVE_INFINITY];
    count += each;
    for (let cell = 0, i = 0; cell < cells; cell++) {
      let sum = sums[cell]!;
      let beyond = censoredSums[cell]!;
      for (const end = i + each; i < end; i++) {
        const x = xs[i]! - 1 - x0;
        const y = imageHeight - ys[i]! - y0;
        const fromDiscX = xs[i]! - discX;
        const fromDiscY = ys[i]! - discY;
        const isInside = x >= 0 && y >= 0 && x <= width - 1 && y <= height - 1;
        if (!isInside || fromDiscX * fromDiscX + fromDiscY * fromDiscY >= discSquare) {
          sum = Number.NaN;
          continue;
        }
        const column = Math.min(Math.floor(x), lastColumn);
        const row = Math.min(Math.floor(y), lastRow);
        const u = x - column;
        const v = y - row;
        const at = row * width + column;
        const a = samples[at]!;
        const b = samples[at + right]!;
        const c = samples[at + down]!;
        const d = samples[at + right + down]!;
        const wa = (1 - u) * (1 - v);
        const wb = u * (1 - v);
        const wc = (1 - u) * v;
        const wd = u * v;
        sum += wa * values[a]! + wb * values[b]! + wc * values[c]! + wd * values[d]!;
        beyond += wa * censored[a]! + wb * censored[b]! + wc * censored[c]! + wd * censored[d]!;
      }
      sums[cell] = sum;
      censoredSums[cell] = beyond;
    }
  }

  /** Writes the means of what has been added since the last ones; not numbers where one of them is, or more than half is censored. */
  function take(into: Float32Array, from: number): void {
    for (let cell = 0; cell < cells; cell++) {
      into[from + cell] = censoredSums[cell]! > CENSORED_SHARE * count ? Number.NaN : sums[cell]! / count;
    }
    sums.fill(0);
    censoredSums.fill(0);
    count = 0;
  }

  return { add, take };
}
