// Projections of the explorer: the plane of the picture, a sphere that turns, the surroundings of the limb unwrapped, and those of a pole.
// Each maps the Sun to a screen plane, whose unit is the arcsecond as seen from 1 au, x to the right, y DOWN. Lengths are true along the
// limb of the unwrapped one, and along the meridians of the polar one.
import { type Observer, RADIANS_PER_ARCSEC, RADIANS_PER_DEGREE, RADII_PER_AU, wrap180 } from '../domain/coordinates/observer.ts';
import { limbRadius, locationAt, type PlanePoint, positionOf } from '../domain/coordinates/picture-plane.ts';
import type { Stonyhurst, SunVector } from '../domain/coordinates/sphere.ts';
import { vectorOf } from '../domain/coordinates/sphere.ts';

const POLES = ['north', 'south'] as const;
type Pole = (typeof POLES)[number];

export type Projection =
  | { readonly kind: 'plane' }
  /** The Sun as an observer above this place sees it, north up; from the distance of the present one. */
  | ({ readonly kind: 'sphere' } & Stonyhurst)
  /** To the right the position angle from north by east, upward the distance from the centre of the Sun. */
  | { readonly kind: 'unwrapped' }
  /** Azimuthal equidistant around a pole, to the equator; the meridian of the Earth points down from the north pole, up from the south pole. */
  | { readonly kind: 'polar'; readonly pole: Pole };

export const PLANE: Projection = { kind: 'plane' };

/** Arcseconds of a solar radius in the plane of a picture. */
export const ARCSEC_PER_RADIUS = 1 / (RADII_PER_AU * RADIANS_PER_ARCSEC);
/** The equator in a polar view, solar radii: a quarter of a great circle. */
export const POLAR_REACH = Math.PI / 2;

/** Rows of a rotation. */
export type Matrix = readonly [SunVector, SunVector, SunVector];

/** The rotation from the frame of an observer at Stonyhurst 0, 0 into that of another one: axes to the west, to the north, and towards it. */
export function frameOf({ b0Degrees, longitudeDegrees }: Pick<Observer, 'b0Degrees' | 'longitudeDegrees'>): Matrix {
  const towards = vectorOf({ latitude: b0Degrees, longitude: longitudeDegrees }, 0);
  const north = vectorOf({ latitude: b0Degrees + 90, longitude: longitudeDegrees }, 0);
  const west = vectorOf({ latitude: 0, longitude: longitudeDegrees + 90 }, 0);
  return [west, north, towards];
}

/** The observer of a sphere. */
const turnedObserver = (observer: Observer, { latitude, longitude }: Stonyhurst): Observer => ({
  ...observer,
  b0Degrees: latitude,
  longitudeDegrees: longitude,
});

/** Radians by which a point of the seam may be beyond it, by rounding. */
const SEAM = 1e-9;

const sign = (pole: Pole) => (pole === 'north' ? 1 : -1);

function unwrapped({ x, y }: PlanePoint): PlanePoint {
  // From north (up) to east (left).
  const angle = (Math.atan2(-x, -y) + 2 * Math.PI) % (2 * Math.PI);
  return { x: (angle - Math.PI) * ARCSEC_PER_RADIUS, y: -Math.hypot(x, y) };
}

function wrapped({ x, y }: PlanePoint): PlanePoint | null {
  const angle = x / ARCSEC_PER_RADIUS + Math.PI;
  if (y > 0 || angle < -SEAM || angle > 2 * Math.PI + SEAM) return null;
  return { x: y * Math.sin(angle), y: y * Math.cos(angle) };
}

function aroundPole({ latitude, longitude }: Stonyhurst, pole: Pole): PlanePoint | null {
  const reach = (90 - sign(pole) * latitude) * RADIANS_PER_DEGREE;
  if (reach > POLAR_REACH) return null;
  const azimuth = longitude * RADIANS_PER_DEGREE;
  return {
    x: ARCSEC_PER_RADIUS * reach * Math.sin(azimuth),
    y: sign(pole) * ARCSEC_PER_RADIUS * reach * Math.cos(azimuth),
  };
}

function fromPole({ x, y }: PlanePoint, pole: Pole): Stonyhurst | null {
  const reach = Math.hypot(x, y) / ARCSEC_PER_RADIUS;
  if (reach > POLAR_REACH) return null;
  const longitude = Math.atan2(x, sign(pole) * y) / RADIANS_PER_DEGREE;
  return { latitude: sign(pole) * (90 - reach / RADIANS_PER_DEGREE), longitude: wrap180(longitude) };
}

/** Where a projection shows what an observer sees. Null: nowhere. */
export interface Mapping {
  /** A location of the Sun on the screen plane, and back. */
  screenOf(location: Stonyhurst): PlanePoint | null;
  locationAt(screen: PlanePoint): Stonyhurst | null;
  /** A point of the observer's picture on the screen plane, and back. */
  ofPlane(point: PlanePoint): PlanePoint | null;
  toPlane(screen: PlanePoint): PlanePoint | null;
}

type Surface = Pick<Mapping, 'screenOf' | 'locationAt'>;

/** The mapping of a projection that shows the surface alone. */
const ofSurface = (surface: Surface, observer: Observer): Mapping => ({
  ...surface,
  ofPlane: (point) => {
    const location = locationAt(point, observer);
    return location && surface.screenOf(location);
  },
  toPlane: (screen) => {
    const location = surface.locationAt(screen);
    return location && positionOf(location, observer);
  },
});

/** The mapping of a projection that shows the picture, with what is beside the Sun. */
function ofPicture({ ofPlane, toPlane }: Pick<Mapping, 'ofPlane' | 'toPlane'>, observer: Observer): Mapping {
  return {
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
  };
}

const same = (point: PlanePoint) => point;

export function mappingOf(projection: Projection, observer: Observer): Mapping {
  if (projection.kind === 'plane') return ofPicture({ ofPlane: same, toPlane: same }, observer);
  if (projection.kind === 'unwrapped') return ofPicture({ ofPlane: unwrapped, toPlane: wrapped }, observer);
  if (projection.kind === 'polar') {
    const { pole } = projection;
    return ofSurface({ screenOf: (at) => aroundPole(at, pole), locationAt: (at) => fromPole(at, pole) }, observer);
  }
  const turned = turnedObserver(observer, projection);
  return ofSurface({ screenOf: (at) => positionOf(at, turned), locationAt: (at) => locationAt(at, turned) }, observer);
}

/** Width of the unwrapped limb, at whose sides lines around the Sun begin and end. */
export const UNWRAPPED_WIDTH = 2 * Math.PI * ARCSEC_PER_RADIUS;
/** Space around the disk of a sphere, in parts of its radius. */
const MARGIN = 0.04;

/** Sides in the screen plane, or in that of a picture. */
interface Sides {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** A projection, with the distance of the observer of what it shows. */
export interface Projected extends Pick<Observer, 'distanceRadii'> {
  readonly projection: Projection;
}

/** The part of the screen plane for a part of a picture: of an unwrapped one up to its farther sides, but not to its corners. */
export function sidesOf({ projection, distanceRadii }: Projected, picture: Sides): Sides {
  const around = (reach: number) => ({ left: -reach, top: -reach, right: reach, bottom: reach });
  if (projection.kind === 'plane') return picture;
  if (projection.kind === 'sphere') return around((1 + MARGIN) * limbRadius({ distanceRadii }));
  if (projection.kind === 'polar') return around(ARCSEC_PER_RADIUS * POLAR_REACH);
  const reach = Math.max(...Object.values(picture).map(Math.abs));
  return { left: -UNWRAPPED_WIDTH / 2, top: -reach, right: UNWRAPPED_WIDTH / 2, bottom: 0 };
}

/** The part of the screen plane that shows something of a part of a picture. */
export function shownSides(projected: Projected, picture: Sides): Sides {
  if (projected.projection.kind !== 'unwrapped') return sidesOf(projected, picture);
  const { left, top, right, bottom } = picture;
  const corner = Math.hypot(Math.max(-left, right), Math.max(-top, bottom));
  return { ...sidesOf(projected, picture), top: -corner };
}

/** The sphere turned by degrees to the west and to the north of its view. */
export function turned(projection: Stonyhurst & { readonly kind: 'sphere' }, west: number, north: number): Projection {
  const latitude = Math.min(Math.max(projection.latitude + north, -90), 90);
  return { kind: 'sphere', longitude: wrap180(projection.longitude + west), latitude };
}

/** The notation of addresses: `sphere,20,-5`, `unwrapped`, `polar,north`; of the plane null. */
export function printProjection(projection: Projection): string | null {
  const degrees = (value: number) => String(Number(value.toFixed(1)));
  if (projection.kind === 'plane') return null;
  if (projection.kind === 'sphere') return `sphere,${degrees(projection.longitude)},${degrees(projection.latitude)}`;
  return projection.kind === 'polar' ? `polar,${projection.pole}` : projection.kind;
}

/** Null for a text that is no projection. A longitude may be any angle up to a turn. */
export function readProjection(text: string): Projection | null {
  const [kind, ...rest] = text.trim().toLowerCase().split(',');
  if (rest.length === 0 && (kind === 'plane' || kind === 'unwrapped')) return { kind };
  const pole = POLES.find((one) => one === rest[0]);
  if (kind === 'polar' && rest.length === 1 && pole) return { kind, pole };
  const [longitude = Number.NaN, latitude = Number.NaN] = rest.map((one) => (one.trim() === '' ? Number.NaN : Number(one)));
  const isPlace = rest.length === 2 && Math.abs(longitude) <= 360 && Math.abs(latitude) <= 90;
  return kind === 'sphere' && isPlace ? { kind, longitude: wrap180(longitude), latitude } : null;
}
