// The surface of the Sun on a screen: where lines of sight meet it, and the mapping of projections that show it alone.
import type { PlacingAll } from '../../sun/coordinates/nodes.ts';
import { type Observer, RADII_PER_AU } from '../../sun/coordinates/observer.ts';
import type { PlanePoint } from '../../sun/coordinates/picture-plane.ts';
import { type Stonyhurst, type SunVector, stonyhurstOf, type Viewpoint, vectorOf } from '../../sun/coordinates/sphere.ts';
import { ARCSEC_PER_RADIUS, frameOf, type Mapping, type Matrix, viewpointOf } from './mapping.ts';

/**
 * Writes the point of the Sun at a point of the screen, whose x and y are numbers `i` and `i + 1`; z is not a number for none. It takes and makes no
 * objects, because it is called for each pixel.
 */
export type SunAt = (points: Float64Array, i: number, sun: Float64Array) => void;

/** The surface on a screen: points in solar radii in the frame of an observer `above` a place. */
interface Surface {
  readonly above: Stonyhurst;
  screenOf(sun: SunVector): PlanePoint | null;
  readonly sunAt: SunAt;
  /** Solar radii before the centre of the Sun from which on an observer sees its surface; unset: the limb. */
  readonly horizon?: number;
}

/** Replaces points of a screen by those of a picture: a function of its own, which is compiled once for all mappings. */
function placeAll(points: Float64Array, sunAt: SunAt, [west, north, ahead]: Matrix, horizon: number, distance: number): void {
  const sun = new Float64Array(3);
  for (let i = 0; i < points.length; i += 2) {
    sunAt(points, i, sun);
    const x = sun[0]!;
    const y = sun[1]!;
    const z = sun[2]!;
    const depth = ahead.x * x + ahead.y * y + ahead.z * z;
    const nearness = depth >= horizon ? ARCSEC_PER_RADIUS / (1 - depth / distance) : Number.NaN;
    points[i] = (west.x * x + west.y * y + west.z * z) * nearness;
    points[i + 1] = -(north.x * x + north.y * y + north.z * z) * nearness;
  }
}

/** The mapping of a projection that shows the surface alone. */
export function ofSurface({ above, screenOf, sunAt, ...surface }: Surface, observer: Observer): Mapping {
  const [from, to] = [frameOf(above), frameOf(viewpointOf(observer))];
  const turn = between(from, to);
  const back = between(to, from);
  const home = between(from, frameOf({ latitude: 0, longitude: 0 }));
  const { distanceRadii: distance } = observer;
  const { horizon = 1 / distance } = surface;
  const [nearPoint, sunOf] = [nearPointFrom(distance), sunFrom(sunAt)];
  const toPlanes: PlacingAll = (points) => placeAll(points, sunAt, turn, horizon, distance);
  return {
    screenOf: (location) => screenOf(into(from, vectorOf(location))),
    locationAt: (screen) => {
      const sun = sunOf(screen);
      return sun && stonyhurstOf(into(home, sun));
    },
    ofPlane: (point) => {
      const seen = nearPoint(point);
      return seen && screenOf(into(back, seen));
    },
    toPlane: ({ x, y }) => {
      const point = Float64Array.of(x, y);
      toPlanes(point);
      return Number.isNaN(point[0]!) ? null : { x: point[0]!, y: point[1]! };
    },
    toPlanes,
    isOfPicture: false,
    disc: null,
  };
}

/** A point of the Sun in the frame of its observer, in the plane of the picture; null behind the limb. */
export function planeOf({ x, y, z }: SunVector, distance: number): PlanePoint | null {
  if (z < 1 / distance) return null;
  const nearness = ARCSEC_PER_RADIUS / (1 - z / distance);
  return { x: x * nearness, y: -y * nearness };
}

/** Square of arcseconds from which on lines of sight of a distant observer miss the Sun, with a margin for rounding. */
const MISSED = (1 + 1e-9) * ARCSEC_PER_RADIUS ** 2;

/** The near ends of lines of sight on the Sun, in a form without differences of large numbers; none for those that miss it. */
export function nearPoints(distance: number): SunAt {
  const square = distance * distance;
  const beyond = 1 - 1 / square;
  return (points, i, sun) => {
    const x = points[i]!;
    const y = points[i + 1]!;
    if ((x * x + y * y) * beyond > MISSED) {
      sun[2] = Number.NaN;
      return;
    }
    const u = x / ARCSEC_PER_RADIUS;
    const v = -y / ARCSEC_PER_RADIUS;
    const p2 = u * u + v * v;
    // Not a number for lines that miss the Sun.
    const z = (distance * (p2 + distance * Math.sqrt(1 - p2 * beyond))) / (p2 + square);
    const nearness = 1 - z / distance;
    sun[0] = u * nearness;
    sun[1] = v * nearness;
    sun[2] = z;
  };
}

/** The point of the Sun at a point of the screen; null for none. */
function sunFrom(sunAt: SunAt): (screen: PlanePoint) => SunVector | null {
  const sun = new Float64Array(3);
  return ({ x, y }) => {
    sunAt(Float64Array.of(x, y), 0, sun);
    return Number.isNaN(sun[2]!) ? null : { x: sun[0]!, y: sun[1]!, z: sun[2]! };
  };
}

/** The near end of a line of sight on the Sun; null for one that misses it. */
export const nearPointFrom = (distance: number) => sunFrom(nearPoints(distance));

/** A vector in a frame. */
export const into = ([west, north, towards]: Matrix, { x, y, z }: SunVector): SunVector => ({
  x: west.x * x + west.y * y + west.z * z,
  y: north.x * x + north.y * y + north.z * z,
  z: towards.x * x + towards.y * y + towards.z * z,
});

/** The rotation from one frame into another. */
export const between = (from: Matrix, to: Matrix): Matrix => to.map((axis) => into(from, axis)) as unknown as Matrix;

/** The distance from which a viewpoint sees the Sun, solar radii. */
export const eyeRadii = ({ distanceAu }: Viewpoint, distanceRadii: number): number =>
  distanceAu === undefined ? distanceRadii : distanceAu * RADII_PER_AU;
