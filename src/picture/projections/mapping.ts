// What a projection shows where, and the plane, which the page draws first. Screen planes have the arcsecond as seen from 1 au, x to the
// right, y DOWN.
import { eachBy, type PlacingAll } from '../../sun/coordinates/nodes.ts';
import { type Observer, RADIANS_PER_ARCSEC, RADII_PER_AU } from '../../sun/coordinates/observer.ts';
import { limbRadius, locationAt, type PlanePoint, positionOf } from '../../sun/coordinates/picture-plane.ts';
import { type Stonyhurst, type SunVector, stonyhurstOf, type Viewpoint, vectorOf } from '../../sun/coordinates/sphere.ts';
import type { Projection } from '../projection.ts';

/** Arcseconds of a solar radius in the plane of a picture. */
export const ARCSEC_PER_RADIUS = 1 / (RADII_PER_AU * RADIANS_PER_ARCSEC);

/** Where a projection shows what the observer of an image sees. Null: nowhere. */
export interface Mapping {
  /** A location of the Sun on the screen plane, and back. */
  screenOf(location: Stonyhurst): PlanePoint | null;
  locationAt(screen: PlanePoint): Stonyhurst | null;
  /** A point of the observer's picture, TAN about the Sun's centre, on the screen plane, and back. */
  ofPlane(point: PlanePoint): PlanePoint | null;
  toPlane(screen: PlanePoint): PlanePoint | null;
  /** As `toPlane`, of many points in place. */
  readonly toPlanes: PlacingAll;
  /** Whether each point beside the Sun has its place, as the observer saw it. */
  readonly isOfPicture: boolean;
  /** Radius of the disc of the Sun around the middle of the screen plane; null where it is no disc. */
  readonly disc: number | null;
  /** Width after which the screen plane begins again; unset for planes that have no seam. */
  readonly width?: number;
}

/** Sides in a screen plane, or in the plane of a picture. */
export interface Sides {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export const around = (x: number, y = x): Sides => ({ left: -x, top: -y, right: x, bottom: y });

/** What the service and the page know of a projection. */
export interface ProjectionRecord<P = Projection> {
  /** Its notation and what it shows, for the documentation of parameters. */
  readonly description: string;
  /** @param distanceRadii That from which a sphere without a distance is seen */
  mapping(projection: P, observer: Observer, distanceRadii: number): Mapping;
  /**
   * The part of the screen plane for a part of a picture.
   * @param reach Arcseconds of that part from the centre of the Sun
   */
  sides(picture: Sides, reach: number, projection: P, distanceRadii: number): Sides;
  /**
   * What `shader` finds of the `place` of a pixel, and how much of it is `shown`: `plane`, the point of the picture, or `sun`, that of the
   * Sun in solar radii to the west, to the north and towards the observer of the screen; `space` is `sun` with what is beside it.
   */
  readonly finds: 'plane' | 'sun' | 'space';
  readonly shader: string;
  /** The number that the shader has as `parameter`. */
  parameter?(projection: P, distanceRadii: number): number;
  /** The observer of the screen, from which `sun` is seen; unset: above Stonyhurst 0, 0. */
  above?(projection: P, l0Degrees: number): Stonyhurst;
}

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
    screenOf: (location) => screenOf(into(from, vectorOf(location, 0))),
    locationAt: (screen) => {
      const sun = sunOf(screen);
      return sun && stonyhurstOf(into(home, sun), 0);
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

/** The mapping of a projection that shows the picture, with what is beside the Sun. */
export const ofPicture = ({ ofPlane, toPlane }: Pick<Mapping, 'ofPlane' | 'toPlane'>, observer: Observer): Mapping => ({
  screenOf: (location) => {
    const point = positionOf(location, observer);
    return point && ofPlane(point);
  },
  locationAt: (screen) => {
    const point = toPlane(screen);
    return point && locationAt(point, observer);
  },
  ofPlane,
  toPlane,
  toPlanes: eachBy((x, y) => toPlane({ x, y })),
  isOfPicture: true,
  disc: limbRadius(observer),
});

const same = (point: PlanePoint) => point;

export const PLANE: ProjectionRecord = {
  description: '`plane`: the picture as its observer saw it.',
  mapping: (_, observer) => ofPicture({ ofPlane: same, toPlane: same }, observer),
  sides: (picture) => picture,
  finds: 'plane',
  shader: '  plane = place;\n  float shown = 1.0;',
};

/** Rows of a rotation. */
export type Matrix = readonly [SunVector, SunVector, SunVector];

/** The rotation from the frame of an observer at Stonyhurst 0, 0 into that of another one: axes to the west, to the north, and towards it. */
export function frameOf({ latitude, longitude }: Stonyhurst): Matrix {
  const towards = vectorOf({ latitude, longitude }, 0);
  const north = vectorOf({ latitude: latitude + 90, longitude }, 0);
  const west = vectorOf({ latitude: 0, longitude: longitude + 90 }, 0);
  return [west, north, towards];
}

/** A vector in a frame. */
export const into = ([west, north, towards]: Matrix, { x, y, z }: SunVector): SunVector => ({
  x: west.x * x + west.y * y + west.z * z,
  y: north.x * x + north.y * y + north.z * z,
  z: towards.x * x + towards.y * y + towards.z * z,
});

/** The rotation from one frame into another. */
export const between = (from: Matrix, [west, north, towards]: Matrix): Matrix => [
  into(from, west),
  into(from, north),
  into(from, towards),
];

/** The place of an observer. */
export const viewpointOf = ({ b0Degrees, longitudeDegrees }: Observer): Stonyhurst => ({
  latitude: b0Degrees,
  longitude: longitudeDegrees,
});

/** The distance from which a viewpoint sees the Sun, solar radii. */
export const eyeRadii = ({ distanceAu }: Viewpoint, distanceRadii: number): number =>
  distanceAu === undefined ? distanceRadii : distanceAu * RADII_PER_AU;
