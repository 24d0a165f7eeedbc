// The mean of a region by the cells of a grid: a cell at the edge of the region counts by its pixels in it, with the mean of the whole cell.
import { columnsIn, type Shape, windowOf } from '../../sun/coordinates/region.ts';
import type { LawScale } from '../../sun/laws/law.ts';
import type { Figure } from '../../sun/laws/value.ts';
import { type CellPlanes, cellEdges, type GridSide, NO_MEAN, STEPS_PER_LEVEL, WHOLE_SHARE } from './image-grid.ts';

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

interface CellLaw {
  readonly scale: LawScale;
  readonly lossyLevels: number;
  /** Least and greatest value of the image; null where they are not known. */
  readonly least: number | null;
  readonly greatest: number | null;
}

export interface GridMean {
  readonly mean: Figure;
  /** Pixels with data. */
  readonly count: number;
  /** Share of them that is beyond the ends of the scale, at most. */
  readonly censored: number;
}

/** Half the width of a level. */
const HALF_LEVEL = 0.5;
/** Places of a scale. */
const PLACES = 256;
/** Places of the edges beyond which bytes are censored. */
const SCALE = { low: 1, high: 255 };

/**
 * The mean of a region in image number `i`; null without data. Its interval has the width of a level, the loss of the compression, the
 * censored pixels as far as the header bounds them, and for cells at the edge half the range of the means of the cells around them, which
 * counts by the share of the cell that is not in the region.
 */
export function gridMean({ cells, pixels, shares }: RegionCells, rows: CellRows, law: CellLaw, i: number): GridMean | null {
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
