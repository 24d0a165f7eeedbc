// Values that the explorer states, and regions and paths that it measures: drawn, moved, written as numbers, and as parameters of the API. Places are arcseconds as the
// observer saw them, x to the west, y to the north.
import { MEASURING } from '../../platform/limits/rendering.ts';
import { pathLength, radialPath } from '../../sun/coordinates/path.ts';
import type { Edges, PlanePoint } from '../../sun/coordinates/picture-plane.ts';
import { directionOf, planePointOf, sidesOfEdges, unprojected } from '../../sun/coordinates/picture-plane.ts';
import type { Helioprojective } from '../../sun/coordinates/sphere.ts';
import { SOLAR_RADIUS_M } from '../../sun/geometry.ts';
import type { ImageRecord, Placed } from '../api/image-record.ts';

export type Shape =
  | { readonly kind: 'box'; readonly x: number; readonly y: number; readonly width: number; readonly height: number }
  | { readonly kind: 'circle'; readonly x: number; readonly y: number; readonly radius: number }
  | { readonly kind: 'polygon' | 'path'; readonly vertices: readonly Helioprojective[] }
  /** Position angle in degrees from north to east, and distances from the centre of the Sun. */
  | { readonly kind: 'radial'; readonly angle: number; readonly from: number; readonly to: number };

export type ShapeKind = Shape['kind'];
export const REGION_KINDS = ['box', 'circle', 'polygon'] as const;
export const PATH_KINDS = ['path', 'radial'] as const;

/** Least side, radius or length. */
const LEAST_ARCSEC = 1;
const CIRCLE_POINTS = 72;

export const isOfVertices = (kind: ShapeKind): kind is keyof typeof MEASURING.vertices => kind in MEASURING.vertices;

const rounded = (value: number) => Math.round(value * 10) / 10 + 0;
const side = (length: number) => rounded(Math.max(length, LEAST_ARCSEC));
const roundedPlace = ({ x, y }: Helioprojective): Helioprojective => ({ x: rounded(x), y: rounded(y) });

/** A place that is shown at a point of the picture. @param apparent Apparent arcseconds of one as seen from 1 au */
export const seenPlace = ({ x, y }: PlanePoint, apparent: number): Helioprojective =>
  unprojected({ x: x * apparent, y: y * apparent });

export const shownPoint = (place: Helioprojective, apparent: number): PlanePoint => planePointOf(place, 1 / apparent);

export function draggedShape(kind: Exclude<ShapeKind, 'polygon' | 'path'>, from: Helioprojective, to: Helioprojective): Shape {
  const distance = Math.hypot(to.x - from.x, to.y - from.y);
  if (kind === 'circle') return { kind, ...roundedPlace(from), radius: side(distance) };
  if (kind === 'box') {
    const middle = roundedPlace({ x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 });
    return { kind, ...middle, width: side(Math.abs(to.x - from.x)), height: side(Math.abs(to.y - from.y)) };
  }
  const [near, far] = [Math.hypot(from.x, from.y), Math.hypot(to.x, to.y)].sort((a, b) => a - b) as [number, number];
  const end = Math.hypot(to.x, to.y) >= Math.hypot(from.x, from.y) ? to : from;
  const angle = (Math.atan2(-end.x, end.y) * 180) / Math.PI;
  return { kind, angle: rounded((angle + 360) % 360), from: rounded(near), to: rounded(Math.max(far, near + LEAST_ARCSEC)) };
}

/** The shape that a kind begins with: about half of a view, whose middle and shorter side are given. */
export function usualShape(kind: ShapeKind, middle: Helioprojective, side: number): Shape {
  const quarter = Math.max(side / 4, LEAST_ARCSEC);
  const corner = (right: number, up: number) => ({ x: middle.x + right * quarter, y: middle.y + up * quarter });
  if (kind === 'polygon') return { kind, vertices: [corner(-1, -1), corner(1, -1), corner(0, 1)].map(roundedPlace) };
  if (kind === 'path') return { kind, vertices: [corner(-1, 0), corner(1, 0)].map(roundedPlace) };
  if (kind === 'circle') return draggedShape(kind, middle, corner(1, 0));
  if (kind === 'box') return draggedShape(kind, corner(-1, -1), corner(1, 1));
  const distance = Math.hypot(middle.x, middle.y);
  const [right, up] = distance > quarter ? [middle.x / distance, middle.y / distance] : [1, 0];
  return draggedShape(kind, distance > quarter ? corner(-right, -up) : middle, corner(right, up));
}

const shifted = ({ x, y }: Helioprojective, by: Helioprojective) => roundedPlace({ x: x + by.x, y: y + by.y });

export function movedShape(shape: Shape, by: Helioprojective): Shape {
  if (shape.kind === 'radial') {
    const [from, to] = radialPath(shape.angle, shape.from, shape.to).map((end) => shifted(end, by));
    return draggedShape('radial', from!, to!);
  }
  if ('vertices' in shape) return { ...shape, vertices: shape.vertices.map((vertex) => shifted(vertex, by)) };
  return { ...shape, ...shifted(shape, by) };
}

/** A box or a circle with other sides, `by` arcseconds to the west and to the south; other shapes as they are. */
export function grownShape(shape: Shape, by: PlanePoint): Shape {
  if (shape.kind === 'box') return { ...shape, width: side(shape.width + by.x), height: side(shape.height + by.y) };
  return shape.kind === 'circle' ? { ...shape, radius: side(shape.radius + by.x + by.y) } : shape;
}

/** Places by which the shape is drawn: its vertices, or the corner that its size follows. */
export function handlesOf(shape: Shape): readonly Helioprojective[] {
  if (shape.kind === 'box') return [{ x: shape.x + shape.width / 2, y: shape.y - shape.height / 2 }];
  if (shape.kind === 'circle') return [{ x: shape.x + shape.radius, y: shape.y }];
  return shape.kind === 'radial' ? radialPath(shape.angle, shape.from, shape.to) : shape.vertices;
}

export function withHandle(shape: Shape, index: number, to: Helioprojective): Shape {
  if (shape.kind === 'box') return draggedShape('box', { x: shape.x - shape.width / 2, y: shape.y + shape.height / 2 }, to);
  if (shape.kind === 'circle') return draggedShape('circle', shape, to);
  if (shape.kind === 'radial') return draggedShape('radial', handlesOf(shape)[1 - index]!, to);
  return { ...shape, vertices: shape.vertices.map((vertex, i) => (i === index ? roundedPlace(to) : vertex)) };
}

export function extendedShape(kind: 'polygon' | 'path', shape: Shape | null, vertex: Helioprojective): Shape {
  const known = shape?.kind === kind && 'vertices' in shape ? shape.vertices : [];
  return { kind, vertices: [...known, roundedPlace(vertex)].slice(0, MEASURING.vertices[kind].most) };
}

export function outlineOf(shape: Shape): readonly Helioprojective[] {
  if (shape.kind === 'circle') {
    return Array.from({ length: CIRCLE_POINTS + 1 }, (_, i) => {
      const angle = (2 * Math.PI * i) / CIRCLE_POINTS;
      return { x: shape.x + shape.radius * Math.cos(angle), y: shape.y + shape.radius * Math.sin(angle) };
    });
  }
  if (shape.kind === 'box') {
    const corner = (right: number, up: number) => ({
      x: shape.x + (right * shape.width) / 2,
      y: shape.y + (up * shape.height) / 2,
    });
    return [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1), corner(-1, -1)];
  }
  return shape.kind === 'polygon' ? [...shape.vertices, ...shape.vertices.slice(0, 1)] : handlesOf(shape);
}

/** Whether all of a shape is on a disc of a radius, its last hundredths aside, where places soon rotate behind the limb. */
export const isOnDisc = (shape: Shape, radius: number): boolean =>
  outlineOf(shape).every(({ x, y }) => Math.hypot(x, y) < 0.97 * radius);

export function isComplete(shape: Shape): boolean {
  if ('vertices' in shape) return shape.vertices.length >= MEASURING.vertices[shape.kind].least && pathLength(shape.vertices) > 0;
  if (shape.kind === 'radial') return shape.from >= 0 && shape.to > shape.from;
  return shape.kind === 'box' ? shape.width > 0 && shape.height > 0 : shape.radius > 0;
}

export const lengthOf = (shape: Shape): number => pathLength(outlineOf(shape));

export function shapeParameters(shape: Shape): Readonly<Record<string, string | number>> {
  if (shape.kind === 'box') {
    const { x, y, width, height } = shape;
    return { x, y, width, height };
  }
  if (shape.kind === 'circle') return { circle: `[${shape.x},${shape.y},${shape.radius}]` };
  if (shape.kind === 'radial') return { radial: `[${shape.angle},${shape.from},${shape.to}]` };
  return { [shape.kind]: `[${shape.vertices.map(({ x, y }) => `[${x},${y}]`).join()}]` };
}

/** Vertices as people write them: `100, 100; 300, 200`. */
export const printVertices = (vertices: readonly Helioprojective[]): string =>
  vertices.map(({ x, y }) => `${x}, ${y}`).join('; ');

/** The vertices of a text with pairs of numbers in any punctuation; null for another text, and for too few or too many. */
export function parseVertices(kind: 'polygon' | 'path', text: string): readonly Helioprojective[] | null {
  const numbers = text
    .replaceAll('−', '-')
    .split(/[\s,;()[\]]+/)
    .filter((part) => part !== '')
    .map(Number);
  const vertices = Array.from({ length: numbers.length / 2 }, (_, i) => ({ x: numbers[2 * i]!, y: numbers[2 * i + 1]! }));
  const isValid = numbers.length % 2 === 0 && numbers.every((number) => Math.abs(number) <= MEASURING.regionCoordinate);
  const { least, most } = MEASURING.vertices[kind];
  return isValid && vertices.length >= least && vertices.length <= most ? vertices : null;
}

/** A value with its interval; ends are null where they are open. */
export type ValueInterval = { readonly value: number; readonly lower: number | null; readonly upper: number | null };

/** Digits of the width of an interval that are shown. */
const WIDTH_DIGITS = 2;
/** Significant digits of a value without an interval. */
const VALUE_DIGITS = 3;
const MOST_DECIMALS = 9;

const magnitudeOf = (value: number) => Math.floor(Math.log10(Math.abs(value)));

/** Decimals of the numbers of an interval, so that its width has two digits; below 0: they are rounded to tens, hundreds and so on. */
export function decimalsOf({ value, lower, upper }: ValueInterval): number {
  const width = lower === null || upper === null ? 0 : upper - lower;
  if (!(width > 0)) return value === 0 ? 0 : Math.min(MOST_DECIMALS, Math.max(0, VALUE_DIGITS - 1 - magnitudeOf(value)));
  return Math.min(MOST_DECIMALS, WIDTH_DIGITS - 1 - magnitudeOf(width));
}

/** A place that is measured: arcseconds to the west and north of the Sun's centre, as the observer of an image saw them. */
export type ValuePlace = ReturnType<typeof directionOf>;

/** Parts of a pixel to which places are rounded, and decimals of them. */
const [PARTS, DECIMALS] = [4, 4];

/**
 * The place of an image that is shown at a point, arcseconds from the Sun's centre as seen from 1 au, y down; null beside the image.
 * @param edges Of an image that has been turned to the north
 */
export function placeAt(image: Placed & Pick<ImageRecord, 'dsun'>, point: PlanePoint, edges?: Edges): ValuePlace | null {
  const { width, height, scale, refPixelX, refPixelY, dsun } = image;
  const rounded = (arcsec: number) => Math.round((PARTS * arcsec) / scale) / PARTS;
  const [x, y] = [rounded(point.x), rounded(point.y)];
  const isIn = edges
    ? sidesOfEdges(edges).every(([a, b, constant]) => Math.abs(a * point.x + b * point.y + constant) <= 1)
    : Math.abs(refPixelX + x - (width + 1) / 2) < width / 2 && Math.abs(refPixelY - y - (height + 1) / 2) < height / 2;
  if (!isIn) return null;
  const seen = directionOf({ x: x * scale, y: y * scale }, { distanceRadii: dsun / SOLAR_RADIUS_M });
  return { x: Number(seen.x.toFixed(DECIMALS)), y: Number(seen.y.toFixed(DECIMALS)) };
}
