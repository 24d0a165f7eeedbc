// Helioprojective coordinates: Thompson 2006, "Coordinate systems for solar image data", sections 4 and 7.
import { ASTRONOMICAL_UNIT_M } from '../geometry.ts';
import { RADIANS_PER_ARCSEC } from './angles.ts';
import { earthAt } from './ephemeris.ts';
import { SOLAR_RADIUS_M, type SunVector } from './stonyhurst.ts';

/** Arcseconds from disk centre, x to the west, y to the NORTH. */
export interface Helioprojective {
  readonly x: number;
  readonly y: number;
}

/** An observer on the line from the Sun to the Earth. */
export interface Observer {
  /** Distance from the centre of the Sun, solar radii. */
  readonly distance: number;
  readonly b0Degrees: number;
}

const RADII_PER_AU = ASTRONOMICAL_UNIT_M / SOLAR_RADIUS_M;

/** The Earth as the observer. */
export function earthObserver(atMs: number): Observer {
  const { distanceAu, b0Degrees } = earthAt(atMs);
  return { distance: distanceAu * RADII_PER_AU, b0Degrees };
}

/** The observer of all images: at exactly 1 au in the direction of the Earth. */
export function pictureObserver(atMs: number): Observer {
  return { distance: RADII_PER_AU, b0Degrees: earthAt(atMs).b0Degrees };
}

/** Projects a point for an observer (Thompson, equation 16). */
export function seenAt({ x, y, z }: SunVector, { distance }: Observer): Helioprojective {
  const depth = distance - z;
  return { x: Math.atan2(x, depth) / RADIANS_PER_ARCSEC, y: Math.atan2(y, Math.hypot(x, depth)) / RADIANS_PER_ARCSEC };
}

/** Whether a point of the solar sphere is on the visible hemisphere. */
export function isInFront({ z }: SunVector, { distance }: Observer): boolean {
  return z >= 1 / distance;
}

/** Unit vector of a line of sight. */
function direction({ x, y }: Helioprojective): SunVector {
  const [tx, ty] = [x * RADIANS_PER_ARCSEC, y * RADIANS_PER_ARCSEC];
  return { x: Math.sin(tx) * Math.cos(ty), y: Math.sin(ty), z: -Math.cos(tx) * Math.cos(ty) };
}

/** Intersection of a line of sight with the solar sphere, or null for one that misses it. */
export function surfacePoint(seen: Helioprojective, { distance }: Observer): SunVector | null {
  const to = direction(seen);
  const nearest = -distance * to.z;
  const under = nearest ** 2 - distance ** 2 + 1;
  if (under < 0 || nearest < 0) return null;
  const far = nearest - Math.sqrt(under);
  return { x: far * to.x, y: far * to.y, z: distance + far * to.z };
}
