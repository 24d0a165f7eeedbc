// Regions as shapes among pixels, which belong by their centres. Polygons include left and lower edges alone, so that none share pixels.
import type { Circle, Size } from '../image.ts';
import type { FitsPixel } from './image-plane.ts';

/** A circle, or a polygon by its vertices, in FITS pixels. */
export type Shape =
  | ({ readonly kind: 'circle' } & Circle)
  | { readonly kind: 'polygon'; readonly vertices: readonly FitsPixel[] };

/** A region by its coordinates: arcseconds, pixels, or degrees of longitude and latitude. */
export type RegionForm =
  | { readonly kind: 'rectangle'; readonly x: number; readonly y: number; readonly width: number; readonly height: number }
  | { readonly kind: 'circle'; readonly x: number; readonly y: number; readonly radius: number }
  | { readonly kind: 'polygon'; readonly vertices: readonly { readonly x: number; readonly y: number }[] };

/** Columns [from, to) of a row, counted from 0. */
export type Columns = readonly [from: number, to: number];

/** The columns from x0 to x1 whose centres lie between two FITS coordinates. @param isOpen Whether the right one itself is excluded */
function columnsBetween(left: number, right: number, x0: number, x1: number, isOpen: boolean): Columns {
  const from = Math.min(x1, Math.max(x0, Math.ceil(left - 1)));
  const end = isOpen ? Math.ceil(right - 1) : Math.floor(right - 1) + 1;
  return [from, Math.max(from, Math.min(x1, end))];
}

/** Columns of a row whose centres are in a circle; from = to for none. */
export function columnsInDisc(disc: Circle, fitsY: number, x0: number, x1: number): Columns {
  const square = disc.radius ** 2 - (fitsY - disc.y) ** 2;
  if (square < 0) return [x0, x0];
  const half = Math.sqrt(square);
  return columnsBetween(disc.x - half, disc.x + half, x0, x1, false);
}

/** Columns at which the edges of a polygon cross a row, in ascending order. An edge has its lower end, not its upper one. */
function crossings(vertices: readonly FitsPixel[], fitsY: number): number[] {
  const found: number[] = [];
  for (const [i, a] of vertices.entries()) {
    const b = vertices[(i + 1) % vertices.length]!;
    const crosses = a.y <= fitsY !== b.y <= fitsY;
    if (crosses) found.push(a.x + ((fitsY - a.y) / (b.y - a.y)) * (b.x - a.x));
  }
  return found.sort((a, b) => a - b);
}

/** The runs of columns from x0 to x1 of a row whose centres are in a shape, by the even-odd rule; they do not overlap. */
export function columnsIn(shape: Shape, fitsY: number, x0: number, x1: number): Columns[] {
  if (shape.kind === 'circle') return [columnsInDisc(shape, fitsY, x0, x1)].filter(([from, to]) => to > from);
  const runs: Columns[] = [];
  const at = crossings(shape.vertices, fitsY);
  for (let i = 0; i + 1 < at.length; i += 2) {
    const [from, to] = columnsBetween(at[i]!, at[i + 1]!, runs.at(-1)?.[1] ?? x0, x1, true);
    if (to > from) runs.push([from, to]);
  }
  return runs;
}

/** A shape on the grid of blocks of `factor` x `factor` pixels, of which the first is at the lower left corner. */
export function onBlocks(shape: Shape, factor: number): Shape {
  const placed = ({ x, y }: FitsPixel): FitsPixel => ({ x: (x - 0.5) / factor + 0.5, y: (y - 0.5) / factor + 0.5 });
  if (shape.kind === 'polygon') return { kind: 'polygon', vertices: shape.vertices.map(placed) };
  return { kind: 'circle', ...placed(shape), radius: shape.radius / factor };
}

/** The box around places. */
export function boxAround(places: readonly FitsPixel[]) {
  const [xs, ys] = [places.map(({ x }) => x), places.map(({ y }) => y)];
  return { left: Math.min(...xs), right: Math.max(...xs), low: Math.min(...ys), high: Math.max(...ys) };
}

function boundsOf(shape: Shape) {
  if (shape.kind === 'polygon') return boxAround(shape.vertices);
  return boxAround([-1, 1].map((side) => ({ x: shape.x + side * shape.radius, y: shape.y + side * shape.radius })));
}

export function touchesImage(shape: Shape, { width, height }: Size): boolean {
  const { left, right, low, high } = boundsOf(shape);
  return right >= 0.5 && left <= width + 0.5 && high >= 0.5 && low <= height + 0.5;
}

/** Columns and rows from the top, x1 and y1 exclusive, of the pixels whose centres are in the bounds of a shape; null for none. */
export function windowOf(shape: Shape, { width, height }: Size) {
  const { left, right, low, high } = boundsOf(shape);
  const isOpen = shape.kind === 'polygon';
  const [x0, x1] = columnsBetween(left, right, 0, width, isOpen);
  const [bottom, top] = columnsBetween(low, high, 0, height, isOpen);
  return x1 > x0 && top > bottom ? { x0, y0: height - top, x1, y1: height - bottom } : null;
}
