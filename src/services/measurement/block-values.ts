// The values or bytes of a window of an image, as means of blocks of its pixels.
import type { ArchivedImage } from '../../domain/image.ts';
import type { LevelCounter } from '../../domain/measurement/census.ts';
import type { ConfirmedLaw } from '../../domain/measurement/gate.ts';
import { censoringOf, centreOf } from '../../domain/measurement/law.ts';
import { type Columns, columnsIn, columnsInDisc, type Shape } from '../../domain/measurement/region.ts';
import { greyBytes } from '../../imaging/jp2/decode.ts';
import type { Rect } from '../../imaging/jp2/structure.ts';
import type { Pace } from '../../ports/timing.ts';
import type { ImageReader } from '../rendering/image-reader.ts';
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

/** `valueTable` in single precision, for pixels that are written without averaging. */
export const writtenTable = (confirmed: ConfirmedLaw | null): Float32Array => Float32Array.from(valueTable(confirmed));

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
export function copyRun(
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

/** The means of a window of blocks, row by row from the bottom: rounded bytes without a law, else not a number where a pixel has no value. */
export async function blockValues(
  reader: Pick<ImageReader, 'open' | 'strips'>,
  image: ArchivedImage,
  { blocks, confirmed, counter }: BlockWork,
  pace: Pace,
): Promise<Float32Array | Uint8Array> {
  const open = await reader.open(image, pace);
  const { factor, rows, window, shape } = blocks;
  const columns = window.x1 - window.x0;
  const values = columns * (window.y1 - window.y0);
  const filled = confirmed ? new Float32Array(values).fill(Number.NaN) : new Uint8Array(values);
  const table = valueTable(confirmed);
  const written = writtenTable(confirmed);
  const disc = confirmed?.disc ?? null;
  const leftOver = image.geometry.height - rows * factor;
  const step = Math.max(1, Math.floor(rowsAtOnce(columns * factor) / factor));
  const sums = new Float64Array(columns);
  const pixels = {
    x0: window.x0 * factor,
    x1: window.x1 * factor,
    y0: leftOver + window.y0 * factor,
    y1: leftOver + window.y1 * factor,
  };
  for await (const decoded of reader.strips(open, pixels, step * factor, pace)) {
    const strip = { ...pixels, y0: decoded.y0, y1: decoded.y1 };
    const [from, to] = [strip.y0, strip.y1].map((y) => (y - leftOver) / factor) as [number, number];
    pace.measure('compose', () => {
      const samples = greyBytes(decoded);
      const { width, height } = decoded;
      counter?.add({ x0: strip.x0, y0: strip.y0, width, height, samples });
      const dataIn = (fitsY: number): Columns => (disc ? columnsInDisc(disc, fitsY, strip.x0, strip.x1) : [strip.x0, strip.x1]);
      const runsOf = (row: number): readonly Columns[] =>
        shape ? columnsIn(shape, rows - row, window.x0, window.x1) : [[window.x0, window.x1]];
      for (let row = from; row < to; row++) {
        const start = (window.y1 - 1 - row) * columns;
        const above = image.geometry.height - strip.y0 - (row - from) * factor;
        if (factor === 1) {
          const [dataFrom, dataTo] = dataIn(above);
          for (const [runFrom, runTo] of runsOf(row)) {
            const first = Math.max(runFrom, dataFrom) - window.x0;
            const length = Math.min(runTo, dataTo) - window.x0 - first;
            if (length > 0)
              copyRun(filled, samples, written, { from: (row - from) * width + first, start: start + first, length });
          }
          continue;
        }
        const pixelRows = Array.from({ length: factor }, (_, k): PixelRow => {
          const y = (row - from) * factor + k;
          const [first, end] = dataIn(above - k);
          return { samples: samples.subarray(y * width, (y + 1) * width), from: first - strip.x0, to: end - strip.x0 };
        });
        sums.fill(0);
        for (const pixelRow of pixelRows) addRow(sums, pixelRow, table);
        for (const [runFrom, runTo] of runsOf(row)) {
          for (let x = runFrom - window.x0; x < runTo - window.x0; x++) {
            const mean = sums[x]! / factor ** 2;
            filled[start + x] = confirmed ? mean : Math.round(mean);
          }
        }
      }
    });
  }
  return filled;
}
