// Geometry of coefficient sidecars (docs/sidecar-format.md): which resolution level is in which part, and the cells of a level.
import type { Jp2Index } from '../jp2/sidecar.ts';
import { isEmpty, type Rect, type Resolution, type Subband, type TileComponent } from '../jp2/structure.ts';

/** A: the low resolutions and the index of all parts. B: the levels between. C: full resolution. */
export type Part = 'A' | 'B' | 'C';

/** Parts beside A, in the order of the index. */
export const UPPER_PARTS = ['B', 'C'] as const;

/** Longer side in samples of the largest level in part A: a quarter of an image of 4096 x 4096. */
const MAX_SIDE_OF_A = 1024;

/** Levels of at most this side are in part A whatever the size of the image; others from a quarter of it down. */
const ALWAYS_IN_A = 512;

/** The tile-component of an image that can have a sidecar: one tile, one component, no region of interest; null for others. */
export function codedComponent({ tiles, size }: Jp2Index): TileComponent | null {
  const component = tiles[0]?.components[0];
  if (!component || tiles.length !== 1 || size.components.length !== 1 || component.roiShift !== 0) return null;
  return component;
}

export function partOf({ resolutions }: TileComponent, level: number): Part {
  const { x0, y0, x1, y1 } = resolutions[level] as Resolution;
  const side = Math.max(x1 - x0, y1 - y0);
  const discarded = resolutions.length - 1 - level;
  if (side <= ALWAYS_IN_A || (discarded >= 2 && side <= MAX_SIDE_OF_A)) return 'A';
  return discarded === 0 ? 'C' : 'B';
}

/** The levels of a part, ascending. */
export const levelsOf = (tc: TileComponent, part: Part): Resolution[] =>
  tc.resolutions.filter(({ level }) => partOf(tc, level) === part);

/**
 * The cells of a resolution level: places of the code-block grid, columns [x0, x1) and rows [y0, y1), in raster order. A cell has the
 * code-blocks of all subbands of the level at its place.
 */
export interface CellGrid extends Rect {
  readonly columns: number;
  readonly count: number;
}

/** Code-block columns and rows that `rect`, a part of a subband, touches. */
function blocksOf({ x0, y0, x1, y1 }: Rect, { log2CodeblockWidth: lw, log2CodeblockHeight: lh }: Resolution): Rect {
  return { x0: x0 >> lw, y0: y0 >> lh, x1: ((x1 - 1) >> lw) + 1, y1: ((y1 - 1) >> lh) + 1 };
}

function unionOf(rects: readonly Rect[]): Rect {
  if (rects.length === 0) return { x0: 0, y0: 0, x1: 0, y1: 0 };
  return {
    x0: Math.min(...rects.map((r) => r.x0)),
    y0: Math.min(...rects.map((r) => r.y0)),
    x1: Math.max(...rects.map((r) => r.x1)),
    y1: Math.max(...rects.map((r) => r.y1)),
  };
}

/** The cells that parts of the subbands of a level touch. */
export function cellsTouched(level: Resolution, bands: readonly Rect[]): Rect {
  return unionOf(bands.filter((band) => !isEmpty(band)).map((band) => blocksOf(band, level)));
}

export function cellGrid(level: Resolution): CellGrid {
  const places = cellsTouched(level, level.bands);
  const columns = places.x1 - places.x0;
  return { ...places, columns, count: columns * (places.y1 - places.y0) };
}

/** Number of the cell at column `x` and row `y` in its level. */
export const cellNumber = (grid: CellGrid, x: number, y: number): number => (y - grid.y0) * grid.columns + x - grid.x0;

/** The code-block of a subband in the cell at (x, y); null where the subband has none. */
export function blockIn(level: Resolution, band: Subband, x: number, y: number): Rect | null {
  const { log2CodeblockWidth: lw, log2CodeblockHeight: lh } = level;
  const block = {
    x0: Math.max(band.x0, x << lw),
    y0: Math.max(band.y0, y << lh),
    x1: Math.min(band.x1, (x + 1) << lw),
    y1: Math.min(band.y1, (y + 1) << lh),
  };
  return isEmpty(block) ? null : block;
}
