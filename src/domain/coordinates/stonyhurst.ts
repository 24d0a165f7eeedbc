// Places on the Sun's sphere, and on the grid of its poles with the Earth's meridian as zero.
import { RADIANS_PER_DEGREE } from './angles.ts';

/** Metres; the nominal radius of IAU resolution B3 of 2015. */
export const SOLAR_RADIUS_M = 695_700_000;

/** Heliographic latitude, north, and longitude from the meridian of the Earth, west; degrees. */
export interface Stonyhurst {
  readonly latitude: number;
  readonly longitude: number;
}

/** In solar radii from the Sun's centre as an observer sees it: x to the west, y to the north, z towards the observer. */
export interface SunVector {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** The point of the sphere, for an observer above the meridian of the Earth at latitude B0. */
export function vectorOf({ latitude, longitude }: Stonyhurst, b0Degrees: number): SunVector {
  const [phi, lambda, b0] = [latitude, longitude, b0Degrees].map((degrees) => degrees * RADIANS_PER_DEGREE) as [
    number,
    number,
    number,
  ];
  const north = Math.sin(phi);
  const ahead = Math.cos(phi) * Math.cos(lambda);
  return {
    x: Math.cos(phi) * Math.sin(lambda),
    y: north * Math.cos(b0) - ahead * Math.sin(b0),
    z: north * Math.sin(b0) + ahead * Math.cos(b0),
  };
}

/** The place below a point of the sphere: what vectorOf made it of. */
export function stonyhurstOf({ x, y, z }: SunVector, b0Degrees: number): Stonyhurst {
  const b0 = b0Degrees * RADIANS_PER_DEGREE;
  const north = y * Math.cos(b0) + z * Math.sin(b0);
  const ahead = z * Math.cos(b0) - y * Math.sin(b0);
  return {
    latitude: Math.atan2(north, Math.hypot(x, ahead)) / RADIANS_PER_DEGREE,
    longitude: Math.atan2(x, ahead) / RADIANS_PER_DEGREE,
  };
}
