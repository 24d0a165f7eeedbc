// Files of grids: the cells of an image, and bands of cells of a day, so that one range of bytes has all that a region needs.
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { concatenated } from '../../platform/util/bytes.ts';
import { LawScale } from '../../sun/laws/law.ts';
import {
  type CellPlanes,
  emptyPlanes,
  GRID_SIDES,
  type GriddedImage,
  type GridSide,
  halved,
  imagesOfTable,
  tableText,
} from './image-grid.ts';

/** Rows of cells of a band. */
const BAND_ROWS = 4;

/** The bands of a day in the order of its file: of the finest grid from the top, then of the coarser ones. */
const BANDS = GRID_SIDES.flatMap((side) => Array.from({ length: side / BAND_ROWS }, (_, band) => ({ side, band })));

const bandNumber = (side: GridSide, row: number): number =>
  BANDS.findIndex((each) => each.side === side && each.band === Math.floor(row / BAND_ROWS));

/** An image with its cells, from the top left. */
export interface ImageGrid {
  readonly image: GriddedImage;
  readonly cells: CellPlanes;
}

/** Cells of several images: each plane has the images of a cell one after another. */
interface GridCells {
  readonly images: readonly GriddedImage[];
  readonly planes: CellPlanes;
}

const HEAD_BYTES = 4;
/** Planes of bytes: the upper and the lower half of the means, below, above, data. */
const PLANES = 5;

const tableOf = (grids: readonly ImageGrid[]) => new TextEncoder().encode(tableText(grids.map(({ image }) => image)));

/** The cells from `first` to `end` of images and their table, compressed. Means are stored as changes from image to image. */
function encodeCells(table: Uint8Array, images: readonly CellPlanes[], first: number, end: number): Uint8Array {
  const length = (end - first) * images.length;
  const bytes = new Uint8Array(HEAD_BYTES + table.length + PLANES * length);
  new DataView(bytes.buffer).setUint32(0, table.length, true);
  bytes.set(table, HEAD_BYTES);
  const [high, low, below, above, data] = planesIn(bytes, table.length, length);
  let at = 0;
  for (let cell = first; cell < end; cell++) {
    let before = 0;
    for (const cells of images) {
      const mean = cells.means[cell]!;
      const change = mean - before;
      high[at] = change >> 8;
      low[at] = change;
      below[at] = cells.below[cell]!;
      above[at] = cells.above[cell]!;
      data[at++] = cells.data[cell]!;
      before = mean;
    }
  }
  return deflateRawSync(bytes);
}

function planesIn(bytes: Uint8Array, tableLength: number, length: number) {
  const from = HEAD_BYTES + tableLength;
  const plane = (number: number) => bytes.subarray(from + number * length, from + (number + 1) * length);
  return [plane(0), plane(1), plane(2), plane(3), plane(4)] as const;
}

/** Compressed cells of images. */
interface Unpacked {
  readonly bytes: Uint8Array;
  readonly tableLength: number;
}

function unpack(piece: Uint8Array): Unpacked {
  const bytes = inflateRawSync(piece);
  return { bytes, tableLength: new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true) };
}

const imagesIn = ({ bytes, tableLength }: Unpacked) =>
  imagesOfTable(new TextDecoder().decode(bytes.subarray(HEAD_BYTES, HEAD_BYTES + tableLength)));

/** Writes the cells of images from `from` on. @param count Cells of an image */
function decodeCells({ bytes, tableLength }: Unpacked, images: number, count: number, planes: CellPlanes, from: number): void {
  const [high, low, below, above, data] = planesIn(bytes, tableLength, count * images);
  const { means } = planes;
  planes.below.set(below, from);
  planes.above.set(above, from);
  planes.data.set(data, from);
  for (let cell = 0, at = 0; cell < count; cell++) {
    let mean = 0;
    for (let image = 0; image < images; image++, at++) {
      mean = (mean + ((high[at]! << 8) | low[at]!)) & 0xffff;
      means[from + at] = mean;
    }
  }
}

const cellsOf = (side: GridSide) => side * side;

export function encodeImageGrid(grid: ImageGrid): Uint8Array {
  return encodeCells(tableOf([grid]), [grid.cells], 0, cellsOf(GRID_SIDES[0]));
}

export function decodeImageGrid(bytes: Uint8Array): ImageGrid {
  const unpacked = unpack(bytes);
  const cells = emptyPlanes(cellsOf(GRID_SIDES[0]));
  decodeCells(unpacked, 1, cells.means.length, cells, 0);
  return { image: imagesIn(unpacked)[0]!, cells };
}

/** The file of a day, and the lengths of its bands. `grids`: in the order of time. */
export function encodeGridDay(grids: readonly ImageGrid[]): { readonly bytes: Uint8Array; readonly lengths: readonly number[] } {
  const table = tableOf(grids);
  const scales = grids.map(({ image }) => new LawScale(image.view.law));
  const pieces: Uint8Array[] = [];
  let level = grids.map(({ cells }) => cells);
  for (const side of GRID_SIDES) {
    if (side !== GRID_SIDES[0]) level = level.map((cells, i) => halved(scales[i]!, cells));
    const band = BAND_ROWS * side;
    for (let first = 0; first < cellsOf(side); first += band) pieces.push(encodeCells(table, level, first, first + band));
  }
  return { bytes: concatenated(pieces), lengths: pieces.map(({ length }) => length) };
}

/** The lengths of the bands as metadata of the object, which a listing of days gives without a read. */
export const dayMetadata = (lengths: readonly number[]) => ({ lengths: lengths.map((length) => length.toString(36)).join('.') });

/** The lengths in metadata; null in those of another object. */
export function lengthsIn(metadata: Readonly<Record<string, string>> | undefined): number[] | null {
  const lengths = (metadata?.lengths ?? '').split('.').map((length) => Number.parseInt(length, 36));
  return lengths.length === BANDS.length && lengths.every((length) => length > 0) ? lengths : null;
}

/** Bytes of the bands with the rows of cells from `first` to `last` of a grid, in the file of a day. */
export function bandRange(lengths: readonly number[], side: GridSide, first: number, last: number) {
  const sum = (from: number, to: number) => lengths.slice(from, to).reduce((total, length) => total + length, 0);
  const [from, to] = [bandNumber(side, first), bandNumber(side, last) + 1];
  return { offset: sum(0, from), length: sum(from, to) };
}

/** The rows of cells in bytes of `bandRange`; `firstRow`: the first of the first band. */
export function decodeBands(
  bytes: Uint8Array,
  lengths: readonly number[],
  side: GridSide,
  first: number,
  last: number,
): GridCells & { readonly firstRow: number } {
  const numbers = [bandNumber(side, first), bandNumber(side, last)] as const;
  const cells = BAND_ROWS * side;
  let decoded: GridCells | null = null;
  let at = 0;
  for (let number = numbers[0]; number <= numbers[1]; number++) {
    const length = lengths[number]!;
    const unpacked = unpack(bytes.subarray(at, at + length));
    // All bands of a day have the same table.
    const images: readonly GriddedImage[] = decoded ? decoded.images : imagesIn(unpacked);
    const all = (numbers[1] - numbers[0] + 1) * cells * images.length;
    decoded ??= { images, planes: emptyPlanes(all) };
    decodeCells(unpacked, images.length, cells, decoded.planes, (number - numbers[0]) * cells * images.length);
    at += length;
  }
  const { images, planes } = decoded!;
  return { images, planes, firstRow: Math.floor(first / BAND_ROWS) * BAND_ROWS };
}
