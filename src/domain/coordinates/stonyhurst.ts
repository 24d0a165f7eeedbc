// Stonyhurst coordinates on the solar sphere, and their rotation.
import { DAY_MS } from '../../util/durations.ts';
import { RADIANS_PER_DEGREE, wrap180 } from './angles.ts';
import { earthAt } from './ephemeris.ts';

/** Nominal solar radius of IAU resolution B3 of 2015. */
export const SOLAR_RADIUS_M = 695_700_000;

/** Heliographic latitude to the north, and longitude to the west of the meridian of the Earth; degrees. */
export interface Stonyhurst {
  readonly latitude: number;
  readonly longitude: number;
}

/** Solar radii from the centre of the Sun in the frame of an observer: x to the west, y to the north, z towards the observer. */
export interface SunVector {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** Unit vector of a location, for an observer on the meridian of the Earth at latitude B0. */
export function vectorOf({ latitude, longitude }: Stonyhurst, b0Degrees: number): SunVector {
  const [phi, lambda, b0] = [latitude * RADIANS_PER_DEGREE, longitude * RADIANS_PER_DEGREE, b0Degrees * RADIANS_PER_DEGREE];
  const north = Math.sin(phi);
  const ahead = Math.cos(phi) * Math.cos(lambda);
  return {
    x: Math.cos(phi) * Math.sin(lambda),
    y: north * Math.cos(b0) - ahead * Math.sin(b0),
    z: north * Math.sin(b0) + ahead * Math.cos(b0),
  };
}

/** Location below a point; the inverse of vectorOf. */
export function stonyhurstOf({ x, y, z }: SunVector, b0Degrees: number): Stonyhurst {
  const b0 = b0Degrees * RADIANS_PER_DEGREE;
  const north = y * Math.cos(b0) + z * Math.sin(b0);
  const ahead = z * Math.cos(b0) - y * Math.sin(b0);
  return {
    latitude: Math.atan2(north, Math.hypot(x, ahead)) / RADIANS_PER_DEGREE,
    longitude: Math.atan2(x, ahead) / RADIANS_PER_DEGREE,
  };
}

const SECONDS_PER_DAY = DAY_MS / 1000;

/** Sidereal rotation of magnetic features, degrees per day to the west: Howard, Harvey and Forgach 1990. */
export function siderealDegreesPerDay(latitude: number): number {
  const s2 = Math.sin(latitude * RADIANS_PER_DEGREE) ** 2;
  const microradiansPerSecond = 2.894 - 0.428 * s2 - 0.37 * s2 ** 2;
  return (microradiansPerSecond * 1e-6 * SECONDS_PER_DAY) / RADIANS_PER_DEGREE;
}

/** Differential rotation from one time to another, in coordinates relative to the moving Earth: sidereal rotation less its motion. */
export function rotation(fromMs: number, toMs: number): (location: Stonyhurst) => Stonyhurst {
  const days = (toMs - fromMs) / DAY_MS;
  const earth = earthAt(toMs).longitudeDegrees - earthAt(fromMs).longitudeDegrees;
  return ({ latitude, longitude }) => {
    return { latitude, longitude: wrap180(longitude + siderealDegreesPerDay(latitude) * days - earth) };
  };
}
