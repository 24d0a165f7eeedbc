// The values or bytes of a region of an image, or of all of it, as an array on the grid of its pixels or of blocks of them.
import { MEASURING } from '../../config/limits/rendering.ts';
import { badParameter } from '../../domain/errors.ts';
import type { ArchivedImage } from '../../domain/image.ts';
import { LevelCounter } from '../../domain/measurement/census.ts';
import type { ConfirmedLaw } from '../../domain/measurement/gate.ts';
import { censoringOf, centreOf } from '../../domain/measurement/law.ts';
import { columnsIn, columnsInDisc, onBlocks, type Shape, windowOf } from '../../domain/measurement/region.ts';
import { type BlockGrid, type Wcs, wcsOf, wcsOfBlocks } from '../../domain/wcs.ts';
import type { DataArray } from '../../imaging/encode/fits.ts';
import { greyBytes } from '../../imaging/jp2/decode.ts';
import type { Rect } from '../../imaging/jp2/structure.ts';
import type { Jp2Header } from '../../imaging/jp2/xml-header.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import type { Pace } from '../../ports/timing.ts';
import { jp2Header } from '../images/jp2-header.ts';
import type { ImageReader } from '../rendering/layer-renderer.ts';
import type { RenderCall, RenderSlots } from '../rendering/render-slots.ts';
import { countingBytes, type ImageLaws, planeOf, rowsAtOnce } from './image-laws.ts';
import { type RegionRequest, regionOff, regionParameter, shapeOf } from './regions.ts';
import { noData, noLaw } from './values.ts';

export interface ArrayRequest {
  /** Null: the whole image. */
  readonly region: RegionRequest | null;
  /** The side of the blocks as an exponent of 2. */
  readonly level: number;
  /** Bytes instead of values. */
  readonly isRaw: boolean;
  /** The most values of the response. */
  readonly mostValues: number;
}

export interface ImageArray extends DataArray {
  readonly header: Jp2Header;
  readonly grid: BlockGrid;
  /** Coordinates of the array; null for an image without. */
  readonly wcs: Wcs | null;
  /** Null for bytes. */
  readonly confirmed: ConfirmedLaw | null;
  /** Pixels of the region at full resolution by what they are. */
  readonly pixels: { readonly measured: number; readonly below: number; readonly above: number; readonly noData: number };
}

interface Ports {
  readonly objects: Pick<ObjectStore, 'read'>;
  readonly laws: Pick<ImageLaws, 'of'>;
  readonly reader: Pick<ImageReader, 'open' | 'samples'>;
  readonly slots: RenderSlots;
}

const BYTES = 256;

/** Bytes of a value. */
const bytesOf = ({ isRaw }: Pick<ArrayRequest, 'isRaw'>): number => (isRaw ? 1 : Float32Array.BYTES_PER_ELEMENT);

/** What each byte counts as in a mean: its value, not a number where it is censored or stands for no data; the byte itself without a law. */
function valueTable(confirmed: ConfirmedLaw | null): Float64Array {
  return Float64Array.from({ length: BYTES }, (_, byte) => {
    if (!confirmed) return byte;
    const { law } = confirmed;
    return byte === law.noDataByte || censoringOf(law, byte) !== null ? Number.NaN : centreOf(law, byte);
  });
}

/** A window of blocks, counted from the top left one, and the region in them. */
interface Blocks {
  readonly factor: number;
  /** Blocks of the whole image. */
  readonly columns: number;
  readonly rows: number;
  readonly window: Rect;
  readonly shape: Shape | null;
}

/** The blocks of a request. @throws Failure `bad-parameter` where there are none, or too many */
function blocksOf(
  { width, height }: ArchivedImage['geometry'],
  { region, level, isRaw, mostValues }: ArrayRequest,
  shape: Shape | null,
): Blocks {
  const factor = 2 ** level;
  const [columns, rows] = [Math.floor(width / factor), Math.floor(height / factor)];
  if (columns === 0 || rows === 0) throw badParameter('level', `a level at which ${width} x ${height} pixels have blocks`, level);
  const placed = shape && onBlocks(shape, factor);
  const whole = { x0: 0, y0: 0, x1: columns, y1: rows };
  const window = placed ? windowOf(placed, { width: columns, height: rows }) : whole;
  if (!window) throw regionOff({ width, height }, region!);
  const values = (window.x1 - window.x0) * (window.y1 - window.y0);
  const most = Math.min(mostValues, MEASURING.arrayBytes / bytesOf({ isRaw }));
  if (values > most) {
    const fitting = level + Math.ceil(Math.log2(values / most) / 2);
    const sentence = `a level of ${fitting} or more, or a smaller region, of at most ${most} values in this format (this one has ${values})`;
    throw badParameter('level', sentence, level);
  }
  return { factor, columns, rows, window, shape: placed };
}

/** Adds up the rows of a block. Sums of pixels outside of the disc are not numbers. */
class BlockRow {
  readonly #factor: number;
  readonly #table: Float64Array;
  readonly sums: Float64Array;

  constructor(table: Float64Array, blocks: number, factor: number) {
    this.#factor = factor;
    this.#table = table;
    this.sums = new Float64Array(blocks);
  }

  /** @param from,to Columns of the row that have data */
  add(row: Uint8Array, from: number, to: number): void {
    const { sums } = this;
    const [factor, table] = [this.#factor, this.#table];
    for (let i = 0, block = 0; block < sums.length; block++) {
      let sum = 0;
      for (const end = i + factor; i < end; i++) sum += i >= from && i < to ? table[row[i]!]! : Number.NaN;
      sums[block]! += sum;
    }
  }
}

export class ImageArrays {
  readonly #ports: Ports;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /**
   * The array of a region, row by row from the bottom.
   * @throws Failure `no-law`, `no-data`, `bad-parameter` for a region off the image or too large, or as `ImageLaws.of`
   */
  async array(image: ArchivedImage, request: ArrayRequest, call: RenderCall): Promise<ImageArray> {
    const { objects, laws, slots } = this.#ports;
    const verdict = request.isRaw ? null : (await laws.of(image, call)).verdict;
    if (verdict && 'refusal' in verdict) throw noLaw(verdict.refusal);
    const header = await jp2Header({ objects, stopwatch: call.stopwatch }, image);
    const shape = request.region && shapeOf(planeOf(image, header), image.geometry, request.region);
    const blocks = blocksOf(image.geometry, request, shape);
    const confirmed = verdict?.confirmed ?? null;
    const { window, factor, rows } = blocks;
    const [width, height] = [window.x1 - window.x0, window.y1 - window.y0];
    const pixels = width * height * factor ** 2;
    // The array and the file of it.
    const bytes = 2 * width * height * bytesOf(request) + countingBytes(pixels);
    const counter = new LevelCounter(image.geometry, confirmed?.disc ?? null, shape);
    const samples = await slots.region({ pixels, bytes }, call, (pace) =>
      this.#fill(image, { blocks, confirmed, counter, isRaw: request.isRaw }, pace),
    );
    const { counts, outside } = counter.census;
    const countOf = (byte: number | null | undefined) => (typeof byte === 'number' ? counts[byte]! : 0);
    const { noDataByte, belowByte, aboveByte } = confirmed?.law ?? {};
    const [blank, below, above] = [countOf(noDataByte), countOf(belowByte), countOf(aboveByte)];
    const measured = counts.reduce((sum, count) => sum + count, 0) - blank - below - above;
    if (measured + below + above === 0) throw noData('in this region', regionParameter(request.region).name);
    const grid = { left: window.x0 * factor, below: (rows - window.y1) * factor, factor, width, height };
    const wcs = wcsOf(header.fits);
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

  async #fill(
    image: ArchivedImage,
    {
      blocks,
      confirmed,
      counter,
      isRaw,
    }: Pick<ImageArray, 'confirmed'> & {
      readonly blocks: Blocks;
      readonly counter: LevelCounter;
      readonly isRaw: boolean;
    },
    pace: Pace,
  ): Promise<DataArray['samples']> {
    const { reader } = this.#ports;
    const open = await reader.open(image, pace);
    const { factor, rows, window, shape } = blocks;
    const columns = window.x1 - window.x0;
    const values = columns * (window.y1 - window.y0);
    const filled = isRaw ? new Uint8Array(values) : new Float32Array(values).fill(Number.NaN);
    const table = valueTable(confirmed);
    const disc = confirmed?.disc ?? null;
    // Blocks begin at the lower left corner, so that rows may be left over at the top.
    const leftOver = image.geometry.height - rows * factor;
    const step = Math.max(1, Math.floor(rowsAtOnce(columns * factor) / factor));
    for (let from = window.y0; from < window.y1; from += step) {
      const to = Math.min(from + step, window.y1);
      const strip = {
        x0: window.x0 * factor,
        x1: window.x1 * factor,
        y0: leftOver + from * factor,
        y1: leftOver + to * factor,
      };
      const decoded = await reader.samples(open, 0, strip, pace);
      await pace.pause(decoded.width * decoded.height);
      pace.measure('compose', () => {
        const bytes = greyBytes(decoded);
        const { width, height } = decoded;
        counter.add({ x0: strip.x0, y0: strip.y0, width, height, samples: bytes });
        for (let row = from; row < to; row++) {
          const block = new BlockRow(table, columns, factor);
          for (let y = (row - from) * factor; y < (row + 1 - from) * factor; y++) {
            const fitsY = image.geometry.height - (strip.y0 + y);
            const [first, end] = disc ? columnsInDisc(disc, fitsY, strip.x0, strip.x1) : [strip.x0, strip.x1];
            block.add(bytes.subarray(y * width, (y + 1) * width), first - strip.x0, end - strip.x0);
          }
          const runs = shape ? columnsIn(shape, rows - row, window.x0, window.x1) : [[window.x0, window.x1] as const];
          const start = (window.y1 - 1 - row) * columns - window.x0;
          for (const [first, last] of runs) {
            for (let x = first; x < last; x++) {
              const mean = block.sums[x - window.x0]! / factor ** 2;
              filled[start + x] = isRaw ? Math.round(mean) : mean;
            }
          }
        }
      });
    }
    return filled;
  }
}
