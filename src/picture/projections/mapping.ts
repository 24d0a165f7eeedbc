// What a projection shows where, and the plane, which the page draws first. Screen planes have the arcsecond as seen from 1 au, x to the
// right, y DOWN.
import { eachBy, type PlacingAll } from '../../sun/coordinates/nodes.ts';
import { type Observer, RADIANS_PER_ARCSEC, RADII_PER_AU } from '../../sun/coordinates/observer.ts';
import { limbRadius, locationAt, type PlanePoint, positionOf, type Region } from '../../sun/coordinates/picture-plane.ts';
import { type Stonyhurst, type SunVector, vectorOf } from '../../sun/coordinates/sphere.ts';
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

export const around = (x: number, y = x): Region => ({ left: -x, top: -y, right: x, bottom: y });

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
  sides(picture: Region, reach: number, projection: P, distanceRadii: number): Region;
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
  const towards = vectorOf({ latitude, longitude });
  const north = vectorOf({ latitude: latitude + 90, longitude });
  const west = vectorOf({ latitude: 0, longitude: longitude + 90 });
  return [west, north, towards];
}

/** The place of an observer. */
export const viewpointOf = ({ b0Degrees, longitudeDegrees }: Observer): Stonyhurst => ({
  latitude: b0Degrees,
  longitude: longitudeDegrees,
});
