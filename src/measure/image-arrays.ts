// The values or bytes of a region of an image, or of all of it, as an array on the grid of its pixels or of blocks of them.
import { jp2Header } from '../archive/jp2-header.ts';
import type { ImageReader } from '../archive/reading/image-reader.ts';
import type { Rect } from '../jp2/structure.ts';
import type { RenderCall } from '../platform/admission/admission.ts';
import { MEASURING } from '../platform/limits/rendering.ts';
import type { Pace } from '../platform/ports/timing.ts';
import type { ObjectStore } from '../platform/storage/r2-object-store.ts';
import { badParameter } from '../platform/util/errors.ts';
import { Service } from '../platform/util/service.ts';
import { planeOf } from '../sun/coordinates/image-plane.ts';
import { type Columns, columnsIn, columnsInDisc, onBlocks, type Shape, windowOf } from '../sun/coordinates/region.ts';
import type { ArchivedImage } from '../sun/image.ts';
import { type ByteWindow, type ConfirmedLaw, type LevelCounter, levelCounter } from '../sun/laws/gate.ts';
import { wcsOf, wcsOfBlocks } from '../sun/wcs.ts';
import { addStrips, countingBytes, type ImageLaws, rowsAtOnce } from './image-laws.ts';
import { type RegionRequest, regionOff, regionParameter, shapeOf } from './regions.ts';
import { BYTES, valueTableOf } from './value-means.ts';
import { noData, noLaw } from './values.ts';

/** A window of blocks of `factor` x `factor` pixels, counted from the top left one, and a region in them. */
interface Blocks {
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

export const wholeBlocks = ({ width, height }: Pick<ArchivedImage['geometry'], 'width' | 'height'>, level: number) => {
  const factor = 2 ** level;
  return { factor, columns: Math.floor(width / factor), rows: Math.floor(height / factor) };
};

/** What each byte counts as in a mean: its value, not a number where it is censored or stands for no data; the byte itself without a law. */
function meanTable(confirmed: ConfirmedLaw | null): Float64Array {
  if (!confirmed) return Float64Array.from({ length: BYTES }, (_, byte) => byte);
  const { values, censored } = valueTableOf(confirmed);
  return values.map((value, byte) => (censored[byte] ? Number.NaN : value));
}

/** Adds a row of pixels to the sums of its blocks, which are not numbers where a pixel has no data. Its columns [from, to) have data. */
function addRow(sums: Float64Array, samples: Uint8Array, from: number, to: number, table: Float64Array): void {
  const factor = samples.length / sums.length;
  for (let i = 0, block = 0; block < sums.length; block++) {
    let sum = 0;
    for (const end = i + factor; i < end; i++) sum += table[samples[i]!]!;
    sums[block]! += sum;
  }
  sums.fill(Number.NaN, 0, Math.ceil(from / factor));
  sums.fill(Number.NaN, Math.floor(to / factor));
}

/** Writes the values of a run of pixels: a function of its own, so that it is compiled for these types alone. */
function invertRun(into: Float32Array, samples: Uint8Array, table: Float32Array, from: number, start: number, length: number) {
  for (let i = 0; i < length; i++) into[start + i] = table[samples[from + i]!]!;
}

/** Writes the means of a run of blocks by their sums, those of bytes rounded. */
function writeMeans(into: Float32Array | Uint8Array, sums: Float64Array, pixels: number, start: number): void {
  const isRounded = into instanceof Uint8Array;
  for (let i = 0; i < sums.length; i++) {
    const mean = sums[i]! / pixels;
    into[start + i] = isRounded ? Math.round(mean) : mean;
  }
}

/**
 * The means of a window of blocks, which are filled strip by strip, row by row from the bottom: rounded bytes without a law, else values, which are
 * not numbers where a pixel has none. `pixels`: those of the window.
 */
export function blockMeans(image: Pick<ArchivedImage['geometry'], 'height'>, { blocks, confirmed }: Omit<BlockWork, 'counter'>) {
  const { factor, rows, window, shape } = blocks;
  const columns = window.x1 - window.x0;
  const length = columns * (window.y1 - window.y0);
  const values = confirmed ? new Float32Array(length).fill(Number.NaN) : new Uint8Array(length);
  const leftOver = image.height - rows * factor;
  const [top, bottom] = [leftOver + window.y0 * factor, leftOver + window.y1 * factor];
  const pixels: Rect = { x0: window.x0 * factor, x1: window.x1 * factor, y0: top, y1: bottom };
  const table = meanTable(confirmed);
  /** In single precision, for pixels that are written without averaging. */
  const written = Float32Array.from(table);
  const sums = new Float64Array(columns);
  const disc = confirmed?.disc ?? null;
  const dataIn = (fitsY: number): Columns => (disc ? columnsInDisc(disc, fitsY, pixels.x0, pixels.x1) : [pixels.x0, pixels.x1]);

  /** Adds the pixels of a strip, which has whole blocks and their columns alone, or more of both where a block is a pixel. */
  function add({ x0, y0, width, height, samples }: ByteWindow): void {
    const [from, to] = [Math.max(y0, pixels.y0), Math.min(y0 + height, pixels.y1)].map((y) => (y - leftOver) / factor);
    for (let row = from!; row < to!; row++) {
      const start = (window.y1 - 1 - row) * columns - window.x0;
      const top = leftOver + row * factor;
      const runs: readonly Columns[] = shape ? columnsIn(shape, rows - row, window.x0, window.x1) : [[window.x0, window.x1]];
      if (factor === 1) {
        const [dataFrom, dataTo] = dataIn(image.height - top);
        for (const [runFrom, runTo] of runs) {
          const first = Math.max(runFrom, dataFrom);
          const length = Math.min(runTo, dataTo) - first;
          const at = (top - y0) * width + first - x0;
          if (length <= 0) continue;
          if (values instanceof Uint8Array) values.set(samples.subarray(at, at + length), start + first);
          else invertRun(values, samples, written, at, start + first, length);
        }
        continue;
      }
      sums.fill(0);
      for (let k = 0; k < factor; k++) {
        const [first, end] = dataIn(image.height - top - k);
        const own = samples.subarray((top + k - y0) * width, (top + k - y0 + 1) * width);
        addRow(sums, own, first - x0, end - x0, table);
      }
      for (const [runFrom, runTo] of runs)
        writeMeans(values, sums.subarray(runFrom - window.x0, runTo - window.x0), factor ** 2, start + runFrom);
    }
  }

  return { values, pixels, add };
}

/** The means of a window of blocks, as `blockMeans` has them. */
export async function blockValues(
  reader: Pick<ImageReader, 'open' | 'strips'>,
  image: ArchivedImage,
  { counter, ...work }: BlockWork,
  pace: Pace,
): Promise<Float32Array | Uint8Array> {
  const open = await reader.open(image, pace);
  const blocks = blockMeans(image.geometry, work);
  const { factor } = work.blocks;
  const { pixels: window } = blocks;
  const rows = Math.max(1, Math.floor(rowsAtOnce(window.x1 - window.x0) / factor)) * factor;
  await addStrips(reader, open, { window, rows }, pace, counter ? [counter, blocks] : [blocks]);
  return blocks.values;
}

interface ArrayRequest {
  /** Null: the whole image. */
  readonly region: RegionRequest | null;
  /** The side of the blocks as an exponent of 2. */
  readonly level: number;
  /** Bytes instead of values. */
  readonly isRaw: boolean;
  readonly mostValues: number;
}

const bytesOf = ({ isRaw }: Pick<ArrayRequest, 'isRaw'>): number => (isRaw ? 1 : Float32Array.BYTES_PER_ELEMENT);

/** The blocks of a request. @throws Failure `bad-parameter` where there are none, or too many */
function blocksOf(
  { width, height }: ArchivedImage['geometry'],
  { region, level, isRaw, mostValues }: ArrayRequest,
  shape: Shape | null,
): Blocks {
  const { factor, columns, rows } = wholeBlocks({ width, height }, level);
  if (columns === 0 || rows === 0) throw badParameter('level', `a level at which ${width} x ${height} pixels have blocks`, level);
  const placed = shape && onBlocks(shape, factor);
  const whole = { x0: 0, y0: 0, x1: columns, y1: rows };
  const window = placed ? windowOf(placed, { width: columns, height: rows }) : whole;
  if (!window) throw regionOff({ width, height }, region!, shape, factor);
  const values = (window.x1 - window.x0) * (window.y1 - window.y0);
  const most = Math.min(mostValues, MEASURING.arrayBytes / bytesOf({ isRaw }));
  if (values > most) {
    const fitting = level + Math.ceil(Math.log2(values / most) / 2);
    const sentence = `a level of ${fitting} or more, or a smaller region, of at most ${most} values in this format (this one has ${values})`;
    throw badParameter('level', sentence, level);
  }
  return { factor, columns, rows, window, shape: placed };
}

export class ImageArrays extends Service<{
  readonly objects: Pick<ObjectStore, 'read'>;
  readonly laws: Pick<ImageLaws, 'of'>;
  readonly reader: Pick<ImageReader, 'open' | 'strips'>;
}> {
  /** The array of a region row by row from the bottom, its coordinates, and its pixels at full resolution by what they are. @throws Failure `no-law`, `no-data`, `bad-parameter` for the region, or as `ImageLaws.of` */
  async array(image: ArchivedImage, request: ArrayRequest, call: RenderCall) {
    const { objects, laws, reader } = this.ports;
    const verdict = request.isRaw ? null : (await laws.of(image, call)).verdict;
    if (verdict && 'refusal' in verdict) throw noLaw(verdict.refusal);
    const header = await jp2Header({ objects, stopwatch: call.stopwatch }, image);
    const shape = request.region && shapeOf({ image, plane: planeOf(image, header) }, request.region);
    const blocks = blocksOf(image.geometry, request, shape);
    const confirmed = verdict?.confirmed ?? null;
    const { window, factor, rows } = blocks;
    const [width, height] = [window.x1 - window.x0, window.y1 - window.y0];
    const pixels = width * height * factor ** 2;
    const bytes = 2 * width * height * bytesOf(request) + countingBytes(pixels);
    const counter = levelCounter(image.geometry, confirmed?.disc ?? null, shape);
    await call.admission.admit('regions', pixels);
    const samples = await call.admission.hold(bytes, (pace) => blockValues(reader, image, { blocks, confirmed, counter }, pace));
    const { counts, outside } = counter.census;
    const countOf = (byte: number | null | undefined) => (typeof byte === 'number' ? counts[byte]! : 0);
    const { noDataByte, belowByte, aboveByte } = confirmed?.law ?? {};
    const [blank, below, above] = [countOf(noDataByte), countOf(belowByte), countOf(aboveByte)];
    const measured = counts.reduce((sum, count) => sum + count, 0) - blank - below - above;
    if (measured + below + above === 0) throw noData('in this region', regionParameter(request.region).name);
    const grid = { left: window.x0 * factor, below: (rows - window.y1) * factor, factor, width, height };
    const wcs = wcsOf(header.fits, image.sourceId);
    return {
      width,
      height,
      samples,
      header,
      grid,
      wcs: wcs && wcsOfBlocks(wcs, grid),
      confirmed,
      pixels: { measured, below, above, noData: outside + blank },
    };
  }
}

export type ImageArray = Awaited<ReturnType<ImageArrays['array']>>;
