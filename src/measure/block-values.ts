// The values or bytes of a window of an image, as means of blocks of its pixels.
import type { ImageReader } from '../archive/reading/image-reader.ts';
import { greyBytes } from '../jp2/decode.ts';
import type { Rect } from '../jp2/structure.ts';
import type { Pace } from '../platform/ports/timing.ts';
import { type Columns, columnsIn, columnsInDisc, type Shape } from '../sun/coordinates/region.ts';
import type { ArchivedImage } from '../sun/image.ts';
import type { ByteWindow, ConfirmedLaw, LevelCounter } from '../sun/laws/gate.ts';
import { censoringOf, centreOf } from '../sun/laws/law.ts';
import { rowsAtOnce } from './image-laws.ts';

/** A window of blocks of `factor` x `factor` pixels, counted from the top left one, and a region in them. */
export interface Blocks {
  readonly factor: number;
  /** Blocks of the whole image. They begin at the lower left corner, so that rows and columns of pixels may be left over at the others. */
  readonly columns: number;
  readonly rows: number;
  readonly window: Rect;
  /** Null: all of the window. */
  readonly shape: Shape | null;
}

interface BlockWork {
  readonly blocks: Blocks;
  /** Null: bytes. */
  readonly confirmed: ConfirmedLaw | null;
  /** Counts the pixels; null for none. */
  readonly counter: LevelCounter | null;
}

const BYTES = 256;

export const wholeBlocks = (
  { width, height }: Pick<ArchivedImage['geometry'], 'width' | 'height'>,
  level: number,
): Pick<Blocks, 'factor' | 'columns' | 'rows'> => {
  const factor = 2 ** level;
  return { factor, columns: Math.floor(width / factor), rows: Math.floor(height / factor) };
};

/** What each byte counts as in a mean: its value, not a number where it is censored or stands for no data; the byte itself without a law. */
function valueTable(confirmed: ConfirmedLaw | null): Float64Array {
  return Float64Array.from({ length: BYTES }, (_, byte) => {
    if (!confirmed) return byte;
    const { law } = confirmed;
    return byte === law.noDataByte || censoringOf(law, byte) !== null ? Number.NaN : centreOf(law, byte);
  });
}

/** A row of pixels, and its columns [from, to) that have data. */
interface PixelRow {
  readonly samples: Uint8Array;
  readonly from: number;
  readonly to: number;
}

/** Adds a row of pixels to the sums of its blocks, which are not numbers where a pixel has no data. */
function addRow(sums: Float64Array, { samples, from, to }: PixelRow, table: Float64Array): void {
  const factor = samples.length / sums.length;
  for (let i = 0, block = 0; block < sums.length; block++) {
    let sum = 0;
    for (const end = i + factor; i < end; i++) sum += table[samples[i]!]!;
    sums[block]! += sum;
  }
  sums.fill(Number.NaN, 0, Math.ceil(from / factor));
  sums.fill(Number.NaN, Math.floor(to / factor));
}

/** Writes the values or bytes of a run of pixels, which are blocks of their own. */
function copyRun(
  into: Float32Array | Uint8Array,
  samples: Uint8Array,
  table: Float32Array,
  { from, start, length }: { readonly from: number; readonly start: number; readonly length: number },
): void {
  if (into instanceof Uint8Array) into.set(samples.subarray(from, from + length), start);
  else invertRun(into, samples, table, from, start, length);
}

/** A function of its own, so that it is compiled for these types alone: it takes each pixel of a chunk. */
function invertRun(
  into: Float32Array,
  samples: Uint8Array,
  table: Float32Array,
  from: number,
  start: number,
  length: number,
): void {
  for (let i = 0; i < length; i++) into[start + i] = table[samples[from + i]!]!;
}

/** The means of a window of blocks, which are filled strip by strip, row by row from the bottom: rounded bytes without a law, else values. */
export class BlockValues {
  /** Not numbers where a pixel has no value. */
  readonly values: Float32Array | Uint8Array;
  /** The pixels of the window. */
  readonly pixels: Rect;
  readonly #imageHeight: number;
  readonly #work: Omit<BlockWork, 'counter'>;
  readonly #table: Float64Array;
  /** The table in single precision, for pixels that are written without averaging. */
  readonly #written: Float32Array;
  readonly #sums: Float64Array;

  constructor({ height }: Pick<ArchivedImage['geometry'], 'height'>, work: Omit<BlockWork, 'counter'>) {
    const { blocks, confirmed } = work;
    const { factor, rows, window } = blocks;
    const columns = window.x1 - window.x0;
    const length = columns * (window.y1 - window.y0);
    this.values = confirmed ? new Float32Array(length).fill(Number.NaN) : new Uint8Array(length);
    const leftOver = height - rows * factor;
    const [y0, y1] = [leftOver + window.y0 * factor, leftOver + window.y1 * factor];
    this.pixels = { x0: window.x0 * factor, x1: window.x1 * factor, y0, y1 };
    this.#imageHeight = height;
    this.#work = work;
    this.#table = valueTable(confirmed);
    this.#written = Float32Array.from(this.#table);
    this.#sums = new Float64Array(columns);
  }

  /** Adds the pixels of a strip, which has whole blocks and their columns alone, or more of both where a block is a pixel. */
  add({ x0, y0, width, height, samples }: ByteWindow): void {
    const { pixels, values } = this;
    const { blocks, confirmed } = this.#work;
    const { factor, rows, window, shape } = blocks;
    const disc = confirmed?.disc ?? null;
    const columns = window.x1 - window.x0;
    const leftOver = this.#imageHeight - rows * factor;
    const [from, to] = [Math.max(y0, pixels.y0), Math.min(y0 + height, pixels.y1)].map((y) => (y - leftOver) / factor);
    const dataIn = (fitsY: number): Columns => (disc ? columnsInDisc(disc, fitsY, pixels.x0, pixels.x1) : [pixels.x0, pixels.x1]);
    for (let row = from!; row < to!; row++) {
      const start = (window.y1 - 1 - row) * columns - window.x0;
      const top = leftOver + row * factor;
      const runs: readonly Columns[] = shape ? columnsIn(shape, rows - row, window.x0, window.x1) : [[window.x0, window.x1]];
      if (factor === 1) {
        const [dataFrom, dataTo] = dataIn(this.#imageHeight - top);
        for (const [runFrom, runTo] of runs) {
          const first = Math.max(runFrom, dataFrom);
          const run = { from: (top - y0) * width + first - x0, start: start + first, length: Math.min(runTo, dataTo) - first };
          if (run.length > 0) copyRun(values, samples, this.#written, run);
        }
        continue;
      }
      const sums = this.#sums.fill(0);
      for (let k = 0; k < factor; k++) {
        const [first, end] = dataIn(this.#imageHeight - top - k);
        const own = samples.subarray((top + k - y0) * width, (top + k - y0 + 1) * width);
        addRow(sums, { samples: own, from: first - x0, to: end - x0 }, this.#table);
      }
      for (const [runFrom, runTo] of runs) {
        for (let x = runFrom; x < runTo; x++) {
          const mean = sums[x - window.x0]! / factor ** 2;
          values[start + x] = confirmed ? mean : Math.round(mean);
        }
      }
    }
  }
}

/** The means of a window of blocks, as `BlockValues` has them. */
export async function blockValues(
  reader: Pick<ImageReader, 'open' | 'strips'>,
  image: ArchivedImage,
  { counter, ...work }: BlockWork,
  pace: Pace,
): Promise<Float32Array | Uint8Array> {
  const open = await reader.open(image, pace);
  const blocks = new BlockValues(image.geometry, work);
  const { factor } = work.blocks;
  const { x0, x1 } = blocks.pixels;
  const rows = Math.max(1, Math.floor(rowsAtOnce(x1 - x0) / factor)) * factor;
  for await (const decoded of reader.strips(open, blocks.pixels, rows, pace)) {
    pace.measure('compose', () => {
      const strip = { x0, y0: decoded.y0, width: decoded.width, height: decoded.height, samples: greyBytes(decoded) };
      counter?.add(strip);
      blocks.add(strip);
    });
  }
  return blocks.values;
}
