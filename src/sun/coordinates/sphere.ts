// Stonyhurst coordinates, their rotation, and their helioprojective projection (Thompson 2006, sections 4 and 7).
import { DAY_MS } from '../../platform/util/durations.ts';
import type { MeasuredPosition } from '../events/solar-event.ts';
import type { Above, Observer } from './observer.ts';
import { earthAt, earthObserver, pictureObserver, RADIANS_PER_ARCSEC, RADIANS_PER_DEGREE, wrap180 } from './observer.ts';

/** Heliographic latitude to the north, and longitude to the west of the meridian of the Earth; degrees. */
export type Stonyhurst = { readonly latitude: number; readonly longitude: number };

/** The place above which an observer is. */
export interface Viewpoint extends Stonyhurst {
  /** Distance from the centre of the Sun; unset: that of the observer of the lowest layer. */
  readonly distanceAu?: number;
}

/** Solar radii from the centre of the Sun in the frame of an observer: x to the west, y to the north, z towards the observer. */
export type SunVector = { readonly x: number; readonly y: number; readonly z: number };

const ORIGIN: Above = { b0Degrees: 0, longitudeDegrees: 0 };

/** Unit vector of a location for an observer, above Stonyhurst 0, 0 unless given. */
export function vectorOf({ latitude, longitude }: Stonyhurst, { b0Degrees, longitudeDegrees } = ORIGIN): SunVector {
  const [phi, b0] = [latitude * RADIANS_PER_DEGREE, b0Degrees * RADIANS_PER_DEGREE];
  const lambda = (longitude - longitudeDegrees) * RADIANS_PER_DEGREE;
  const north = Math.sin(phi);
  const ahead = Math.cos(phi) * Math.cos(lambda);
  return {
    x: Math.cos(phi) * Math.sin(lambda),
    y: north * Math.cos(b0) - ahead * Math.sin(b0),
    z: north * Math.sin(b0) + ahead * Math.cos(b0),
  };
}

/** Location below a point; the inverse of vectorOf. */
export function stonyhurstOf({ x, y, z }: SunVector, { b0Degrees, longitudeDegrees } = ORIGIN): Stonyhurst {
  const b0 = b0Degrees * RADIANS_PER_DEGREE;
  const north = y * Math.cos(b0) + z * Math.sin(b0);
  const ahead = z * Math.cos(b0) - y * Math.sin(b0);
  return {
    latitude: Math.atan2(north, Math.hypot(x, ahead)) / RADIANS_PER_DEGREE,
    longitude: wrap180(Math.atan2(x, ahead) / RADIANS_PER_DEGREE + longitudeDegrees),
  };
}

/** Sidereal rotation of magnetic features (Howard, Harvey and Forgach 1990), microradians a second: equator, sin^2 and sin^4 of latitude. */
export const MAGNETIC_ROTATION = { equator: 2.894, sin2: 0.428, sin4: 0.37 } as const;

/** Sidereal rotation of magnetic features, degrees per day to the west. */
export function siderealDegreesPerDay(latitude: number): number {
  const s2 = Math.sin(latitude * RADIANS_PER_DEGREE) ** 2;
  const { equator, sin2, sin4 } = MAGNETIC_ROTATION;
  const microradiansPerSecond = equator - sin2 * s2 - sin4 * s2 ** 2;
  return (microradiansPerSecond * 1e-6 * (DAY_MS / 1000)) / RADIANS_PER_DEGREE;
}

/** Longitudes of places after `rotation`, for loops of many. */
export function turnedLongitude(fromMs: number, toMs: number): (latitude: number, longitude: number) => number {
  const days = (toMs - fromMs) / DAY_MS;
  const earth = earthAt(toMs).longitudeDegrees - earthAt(fromMs).longitudeDegrees;
  return (latitude, longitude) => wrap180(longitude + siderealDegreesPerDay(latitude) * days - earth);
}

/** Differential rotation from one time to another, in coordinates relative to the moving Earth: sidereal rotation less its motion. */
export function rotation(fromMs: number, toMs: number): (location: Stonyhurst) => Stonyhurst {
  const turned = turnedLongitude(fromMs, toMs);
  return ({ latitude, longitude }) => ({ latitude, longitude: turned(latitude, longitude) });
}

/** Arcseconds from disk centre, x to the west, y to the NORTH. */
export type Helioprojective = { readonly x: number; readonly y: number };

/** Projects a point for an observer (Thompson, equation 16). */
export function seenAt({ x, y, z }: SunVector, { distanceRadii: distance }: Pick<Observer, 'distanceRadii'>): Helioprojective {
  const depth = distance - z;
  return { x: Math.atan2(x, depth) / RADIANS_PER_ARCSEC, y: Math.atan2(y, Math.hypot(x, depth)) / RADIANS_PER_ARCSEC };
}

export const isInFront = ({ z }: SunVector, { distanceRadii: distance }: Pick<Observer, 'distanceRadii'>): boolean =>
  z >= 1 / distance;

/** Intersection of a line of sight with the solar sphere, or null for one that misses it. */
export function surfacePoint({ x, y }: Helioprojective, { distanceRadii: distance }: Pick<Observer, 'distanceRadii'>) {
  const [tx, ty] = [x * RADIANS_PER_ARCSEC, y * RADIANS_PER_ARCSEC];
  const to = { x: Math.sin(tx) * Math.cos(ty), y: Math.sin(ty), z: -Math.cos(tx) * Math.cos(ty) };
  const nearest = -distance * to.z;
  const under = nearest ** 2 - distance ** 2 + 1;
  if (under < 0 || nearest < 0) return null;
  const far = nearest - Math.sqrt(under);
  return { x: far * to.x, y: far * to.y, z: distance + far * to.z };
}

export interface EventPosition extends Helioprojective {
  /** Whether it is beside the Sun or on its visible hemisphere. */
  readonly isVisible: boolean;
}

/** Scales a direction beside the Sun from the distance of the Earth to 1 au. No rotation applies there. */
export function scaledToAu({ x, y }: Helioprojective, seenAtMs: number): Helioprojective {
  const { distanceAu } = earthAt(seenAtMs);
  return { x: x * distanceAu, y: y * distanceAu };
}

function rotated(location: Stonyhurst, fromMs: number, atMs: number): EventPosition {
  const observer = pictureObserver(atMs);
  const point = vectorOf(rotation(fromMs, atMs)(location), observer);
  return { ...seenAt(point, observer), isVisible: isInFront(point, observer) };
}

/** Position of an event at a time, for an observer at exactly 1 au in the direction of the Earth. */
export function eventPositionAt(position: MeasuredPosition, atMs: number): EventPosition {
  if (position.kind === 'stonyhurst') return rotated(position, position.atMs, atMs);
  const observer = earthObserver(position.atMs);
  const point = surfacePoint(position, observer);
  if (!point) return { ...scaledToAu(position, position.atMs), isVisible: true };
  return rotated(stonyhurstOf(point, observer), position.atMs, atMs);
}

/** `N10E20`, rounded to degrees. */
export function printLocation({ latitude, longitude }: Stonyhurst): string {
  const part = (degrees: number, letters: string) =>
    `${letters[degrees < 0 ? 1 : 0]}${String(Math.round(Math.abs(degrees))).padStart(2, '0')}`;
  return part(latitude, 'NS') + part(longitude, 'WE');
}
