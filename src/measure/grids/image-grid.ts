// Grid of an image: 64 x 64 cells with the mean of the inverted values, the shares beyond the scale's ends, and the share with data; and what
// grids are read with: coordinates and laws, which most images of a day share.
import { columnsIn, columnsInDisc, type Shape, windowOf } from '../../sun/coordinates/region.ts';
import type { Circle } from '../../sun/image.ts';
import type { ByteWindow } from '../../sun/laws/gate.ts';
import { type ByteLaw, censoringOf, LawScale, type LawStatus, reportedValue } from '../../sun/laws/law.ts';
import type { Wcs } from '../../sun/wcs.ts';

const BYTES = 256;

/** Cells along each side: of the grid of an image, and of its coarser ones, whose cells are 2 x 2 of the finer. */
export const GRID_SIDES = [64, 32, 16, 8] as const;
export type GridSide = (typeof GRID_SIDES)[number];
const SIDE = GRID_SIDES[0];

/** Steps of a mean in a level of the law: the places of the bytes, 0 to 256, in 16 bits. */
export const STEPS_PER_LEVEL = 255;
/** The mean of a cell without data. */
export const NO_MEAN = 65_535;
/** Stored number of a share of 1. */
export const WHOLE_SHARE = 255;

/** Cells of a grid in raster order from the top left. */
export interface CellPlanes {
  /** The place of the mean among the bytes, in `STEPS_PER_LEVEL`; `NO_MEAN` without data. */
  readonly means: Uint16Array;
  /** Shares of the pixels with data that are below and above the scale, rounded up, so that 0 is none. */
  readonly below: Uint8Array;
  readonly above: Uint8Array;
  /** Share of the pixels that have data, rounded up. */
  readonly data: Uint8Array;
}

export function emptyPlanes(cells: number): CellPlanes {
  return {
    means: new Uint16Array(cells).fill(NO_MEAN),
    below: new Uint8Array(cells),
    above: new Uint8Array(cells),
    data: new Uint8Array(cells),
  };
}

/** The first column of each cell, or row, and the end of the last. */
export function cellEdges(length: number, side: number): Uint32Array {
  return Uint32Array.from({ length: side + 1 }, (_, cell) => Math.ceil((cell * length) / side));
}

const shareOf = (part: number, whole: number) => Math.min(WHOLE_SHARE, Math.ceil((WHOLE_SHARE * part) / whole));

/** Counts the bytes of the cells of an image, strip by strip, in the disc that has data. */
export class CellCounter {
  readonly #height: number;
  readonly #disc: Circle | null;
  readonly #columns: Uint32Array;
  readonly #rows: Uint32Array;
  readonly #counts = new Uint32Array(SIDE * SIDE * BYTES);

  constructor({ width, height }: { readonly width: number; readonly height: number }, disc: Circle | null) {
    this.#height = height;
    this.#disc = disc;
    this.#columns = cellEdges(width, SIDE);
    this.#rows = cellEdges(height, SIDE);
  }

  add({ y0, width, height, samples }: ByteWindow): void {
    for (let row = 0; row < height; row++) {
      const y = y0 + row;
      const cellRow = Math.floor((y * SIDE) / this.#height);
      const [from, to] = this.#disc ? columnsInDisc(this.#disc, this.#height - y, 0, width) : [0, width];
      for (let column = 0; column < SIDE; column++) {
        const base = (cellRow * SIDE + column) * BYTES;
        const start = row * width + Math.max(from, this.#columns[column]!);
        const end = row * width + Math.min(to, this.#columns[column + 1]!);
        for (let i = start; i < end; i++) this.#counts[base + samples[i]!]! += 1;
      }
    }
  }

  grid(law: ByteLaw): CellPlanes {
    const scale = new LawScale(law);
    const values = Float64Array.from({ length: BYTES }, (_, byte) => reportedValue(law, byte));
    const planes = emptyPlanes(SIDE * SIDE);
    for (let cell = 0; cell < SIDE * SIDE; cell++) {
      const counts = this.#counts.subarray(cell * BYTES, (cell + 1) * BYTES);
      let [count, sum, below, above] = [0, 0, 0, 0];
      for (let byte = 0; byte < BYTES; byte++) {
        const pixels = counts[byte]!;
        if (pixels === 0 || byte === law.noDataByte) continue;
        const censoring = censoringOf(law, byte);
        count += pixels;
        sum += pixels * values[byte]!;
        if (censoring === 'below') below += pixels;
        else if (censoring === 'above') above += pixels;
      }
      if (count === 0) continue;
      const [row, column] = [Math.floor(cell / SIDE), cell % SIDE];
      const pixels = (this.#rows[row + 1]! - this.#rows[row]!) * (this.#columns[column + 1]! - this.#columns[column]!);
      planes.means[cell] = stepOf(scale, sum / count);
      planes.below[cell] = shareOf(below, count);
      planes.above[cell] = shareOf(above, count);
      planes.data[cell] = shareOf(count, pixels);
    }
    return planes;
  }
}

const stepOf = (scale: LawScale, mean: number) => Math.min(NO_MEAN - 1, Math.round(STEPS_PER_LEVEL * scale.placeOf(mean)));

/** The grid of half as many cells along each side, whose means are weighted by the pixels with data. */
export function halved(scale: LawScale, planes: CellPlanes): CellPlanes {
  const side = Math.sqrt(planes.means.length);
  const half = side / 2;
  const result = emptyPlanes(half * half);
  for (let cell = 0; cell < half * half; cell++) {
    const first = 2 * Math.floor(cell / half) * side + 2 * (cell % half);
    let [weight, sum, below, above] = [0, 0, 0, 0];
    for (const i of [first, first + 1, first + side, first + side + 1]) {
      const data = planes.data[i]!;
      if (data === 0) continue;
      weight += data;
      sum += data * scale.valueAt(planes.means[i]! / STEPS_PER_LEVEL);
      below += data * planes.below[i]!;
      above += data * planes.above[i]!;
    }
    if (weight === 0) continue;
    result.means[cell] = stepOf(scale, sum / weight);
    result.below[cell] = Math.ceil(below / weight);
    result.above[cell] = Math.ceil(above / weight);
    result.data[cell] = Math.ceil(weight / 4);
  }
  return result;
}

/** Facts that images of a source share for days. */
export interface GridView {
  readonly width: number;
  readonly height: number;
  /** Without observer and time; null for an image without coordinates. */
  readonly wcs: Wcs | null;
  readonly arcsecPerPixel: number;
  /** With the ends of an image in place of `least` and `greatest`. */
  readonly law: ByteLaw;
  readonly status: LawStatus;
  readonly caveats: readonly string[];
  /** Levels by which a mean may be off because the file is lossy. */
  readonly lossyLevels: number;
  readonly isSynthetic: boolean;
}

export interface GriddedImage {
  readonly id: number;
  readonly takenAtMs: number;
  /** Least and greatest value by the header; null where it does not tell. */
  readonly least: number | null;
  readonly greatest: number | null;
  readonly view: GridView;
}

/** Images as JSON: each view once. */
interface StoredTable {
  readonly views: readonly GridView[];
  /** Id, time, number of the view, least and greatest value. */
  readonly images: readonly (readonly [number, number, number, number | null, number | null])[];
}

export function tableText(images: readonly GriddedImage[]): string {
  const numbers = new Map<string, number>();
  const rows = images.map(({ id, takenAtMs, view, least, greatest }) => {
    const text = JSON.stringify(view);
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return [id, takenAtMs, number, least, greatest] as const;
  });
  const views = [...numbers.keys()].map((text) => JSON.parse(text) as GridView);
  return JSON.stringify({ views, images: rows } satisfies StoredTable);
}

export function imagesOfTable(text: string): GriddedImage[] {
  const { views, images } = JSON.parse(text) as StoredTable;
  return images.map(([id, takenAtMs, view, least, greatest]) => ({ id, takenAtMs, least, greatest, view: views[view]! }));
}

/** The cells of a region, from the top left. */
export interface RegionCells {
  readonly cells: readonly number[];
  /** Pixels of each in the region, and their share of the cell. */
  readonly pixels: readonly number[];
  readonly shares: readonly number[];
  readonly firstRow: number;
  readonly lastRow: number;
}

/** The cells with pixels in a shape, which belong to it if their centres do; of all of the image without one. Null for none. */
export function regionCells(
  shape: Shape | null,
  { width, height }: { readonly width: number; readonly height: number },
  side: GridSide,
): RegionCells | null {
  const window = shape ? windowOf(shape, { width, height }) : { x0: 0, y0: 0, x1: width, y1: height };
  if (!window) return null;
  const [columns, rows] = [cellEdges(width, side), cellEdges(height, side)];
  const pixels = new Map<number, number>();
  for (let y = window.y0; y < window.y1; y++) {
    const first = Math.floor((y * side) / height) * side;
    for (const [from, to] of shape ? columnsIn(shape, height - y, window.x0, window.x1) : [[0, width] as const]) {
      for (let x = from; x < to; ) {
        const column = Math.floor((x * side) / width);
        const end = Math.min(to, columns[column + 1]!);
        pixels.set(first + column, (pixels.get(first + column) ?? 0) + end - x);
        x = end;
      }
    }
  }
  if (pixels.size === 0) return null;
  const cells = [...pixels.keys()];
  const sizeOf = (cell: number) => {
    const [row, column] = [Math.floor(cell / side), cell % side];
    return (rows[row + 1]! - rows[row]!) * (columns[column + 1]! - columns[column]!);
  };
  return {
    cells,
    pixels: [...pixels.values()],
    shares: cells.map((cell) => pixels.get(cell)! / sizeOf(cell)),
    firstRow: Math.floor(cells[0]! / side),
    lastRow: Math.floor(cells.at(-1)! / side),
  };
}

/** Rows of cells of several images: each plane has the images of a cell one after another. */
interface CellRows {
  readonly planes: CellPlanes;
  readonly firstRow: number;
  readonly side: GridSide;
  readonly images: number;
}

type CellLaw = { readonly scale: LawScale } & Pick<GridView, 'lossyLevels'> & Pick<GriddedImage, 'least' | 'greatest'>;

/** Half the width of a level. */
const HALF_LEVEL = 0.5;
/** Places of a scale. */
const PLACES = 256;
/** Places of the edges beyond which bytes are censored. */
const SCALE = { low: 1, high: 255 };

/**
 * The mean of a region in image number `i`, its pixels with data, and the most that may be censored; null without data. Its interval has the width of a level, the loss of the compression, the
 * censored pixels as far as the header bounds them, and for cells at the edge half the range of the means of the cells around them, which
 * counts by the share of the cell that is not in the region.
 */
export function gridMean({ cells, pixels, shares }: RegionCells, rows: CellRows, law: CellLaw, i: number) {
  const { planes, firstRow, side, images } = rows;
  const { scale, lossyLevels, least, greatest } = law;
  let [weight, sum, lower, upper, edge, below, above] = [0, 0, 0, 0, 0, 0, 0];
  for (let k = 0; k < cells.length; k++) {
    const cell = cells[k]! - firstRow * side;
    const at = cell * images + i;
    const mean = planes.means[at]!;
    if (mean === NO_MEAN) continue;
    const own = (pixels[k]! * planes.data[at]!) / WHOLE_SHARE;
    const place = mean / STEPS_PER_LEVEL;
    weight += own;
    const value = scale.valueAt(place);
    sum += own * value;
    lower += own * scale.valueAt(place - HALF_LEVEL - lossyLevels);
    // Near the lower end of a rounded scale, a place is worth half a level.
    upper += own * Math.max(scale.valueAt(place + HALF_LEVEL + lossyLevels), value + scale.halfLevel);
    below += (own * planes.below[at]!) / WHOLE_SHARE;
    above += (own * planes.above[at]!) / WHOLE_SHARE;
    const outside = 1 - shares[k]! + 1 - planes.data[at]! / WHOLE_SHARE;
    if (outside > 0) edge += own * Math.min(1, outside) * halfRange(rows, scale, cell, i);
  }
  if (weight === 0) return null;
  const belowWidth = least === null ? null : Math.max(0, scale.valueAt(SCALE.low) - least);
  const aboveWidth = greatest === null ? null : Math.max(0, greatest - scale.valueAt(SCALE.high));
  const ends = {
    lower:
      below > 0 && belowWidth === null
        ? null
        : (Math.max(lower - edge, weight * scale.valueAt(0)) - below * (belowWidth ?? 0)) / weight,
    upper:
      above > 0 && aboveWidth === null
        ? null
        : (Math.min(upper + edge, weight * scale.valueAt(PLACES)) + above * (aboveWidth ?? 0)) / weight,
  };
  return { mean: { value: sum / weight, ...ends }, count: Math.round(weight), censored: (below + above) / weight };
}

export type GridMean = NonNullable<ReturnType<typeof gridMean>>;

/** Half the range of the means of a cell and those around it, as far as they are among the rows. */
function halfRange({ planes, side, images }: CellRows, scale: LawScale, cell: number, i: number): number {
  const { means } = planes;
  const row = Math.floor(cell / side);
  const column = cell % side;
  const lastColumn = Math.min(side - 1, column + 1);
  let least: number = NO_MEAN;
  let most = 0;
  for (let y = row - 1; y <= row + 1; y++) {
    for (let x = Math.max(0, column - 1); x <= lastColumn; x++) {
      const at = (y * side + x) * images + i;
      const mean = at >= 0 && at < means.length ? means[at]! : NO_MEAN;
      if (mean === NO_MEAN) continue;
      if (mean < least) least = mean;
      if (mean > most) most = mean;
    }
  }
  return most > least ? (scale.valueAt(most / STEPS_PER_LEVEL) - scale.valueAt(least / STEPS_PER_LEVEL)) / 2 : 0;
}
