// The plane of a picture. Images are gnomonic (TAN) projections around the Sun's centre: Calabretta and Greisen 2002, section 5.1.3; Thompson 2006, section 4.
import { type Observer, RADIANS_PER_ARCSEC, RADII_PER_AU } from './observer.ts';
import { type Helioprojective, isInFront, type Stonyhurst, seenAt, stonyhurstOf, surfacePoint, vectorOf } from './sphere.ts';

/** Arcseconds from the Sun's centre as seen from 1 au: x to the west, y DOWN, to the south, as in regions of interest. */
export type PlanePoint = { readonly x: number; readonly y: number };

/** A part of the plane of a picture, or of the screen plane of its projection, as points of it are. */
export interface Region {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The edges of an image: its centre, and from there the vectors to the right and to the lower side of its file. */
export interface Edges extends PlanePoint {
  readonly across: PlanePoint;
  readonly down: PlanePoint;
}

export function boxOf({ x, y, across, down }: Edges): Region {
  const [width, height] = [Math.abs(across.x) + Math.abs(down.x), Math.abs(across.y) + Math.abs(down.y)];
  return { left: x - width, top: y - height, right: x + width, bottom: y + height };
}

/** Factors of x and of y and a constant, by side: the sum for a point is -1 and 1 at two sides of the edges. */
export function sidesOfEdges({ x, y, across, down }: Edges) {
  const area = across.x * down.y - across.y * down.x;
  const side = (a: number, b: number) => [a / area, b / area, -(a * x + b * y) / area] as const;
  return [side(down.y, -down.x), side(-across.y, across.x)] as const;
}

/** The line of sight of a point of the image plane, and its inverse. Arcseconds as the observer sees them. */
export function unprojected({ x, y }: PlanePoint): Helioprojective {
  const [right, up] = [x * RADIANS_PER_ARCSEC, -y * RADIANS_PER_ARCSEC];
  return { x: Math.atan(right) / RADIANS_PER_ARCSEC, y: Math.atan2(up, Math.hypot(1, right)) / RADIANS_PER_ARCSEC };
}

/** The point of the picture in which an observer sees a direction, at its distance from the Sun in astronomical units. */
export function planePointOf({ x, y }: Helioprojective, distanceAu: number): PlanePoint {
  const [right, up] = [x * RADIANS_PER_ARCSEC, y * RADIANS_PER_ARCSEC];
  const down = -Math.tan(up) / Math.cos(right);
  return { x: (Math.tan(right) / RADIANS_PER_ARCSEC) * distanceAu, y: (down / RADIANS_PER_ARCSEC) * distanceAu };
}

/** Arcseconds that an observer sees for each arcsecond as seen from 1 au. */
export const apparentScale = ({ distanceRadii: distance }: Pick<Observer, 'distanceRadii'>): number => RADII_PER_AU / distance;

/** Position of a location of the Sun in the picture, arcseconds as seen from 1 au; null behind the limb. */
export function positionOf(location: Stonyhurst, observer: Observer): PlanePoint | null {
  const vector = vectorOf(location, observer);
  if (!isInFront(vector, observer)) return null;
  return planePointOf(seenAt(vector, observer), observer.distanceRadii / RADII_PER_AU);
}

/** The direction in which an observer sees a point of the picture; the inverse of planePointOf. Arcseconds as the observer sees them. */
export function directionOf({ x, y }: PlanePoint, observer: Pick<Observer, 'distanceRadii'>): Helioprojective {
  const apparent = apparentScale(observer);
  return unprojected({ x: x * apparent, y: y * apparent });
}

/** The location of the Sun at a point of the picture, null beside the disk; the inverse of positionOf. */
export function locationAt(point: PlanePoint, observer: Observer): Stonyhurst | null {
  const vector = surfacePoint(directionOf(point, observer), observer);
  return vector && stonyhurstOf(vector, observer);
}

/** Radius of the visible limb in the picture, arcseconds as seen from 1 au. */
export function limbRadius({ distanceRadii: distance }: Pick<Observer, 'distanceRadii'>): number {
  const apparent = Math.tan(Math.asin(1 / distance)) / RADIANS_PER_ARCSEC;
  return (apparent * distance) / RADII_PER_AU;
}
