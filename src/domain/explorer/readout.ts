// Coordinates of a point of a picture, and Carrington rotations.
import { DAY_MS } from '../../util/durations.ts';
import { earthAt, type Observer, RADIANS_PER_ARCSEC, wrap180 } from '../coordinates/observer.ts';
import { apparentScale, unprojected } from '../coordinates/picture-plane.ts';
import { type Helioprojective, type Stonyhurst, stonyhurstOf, surfacePoint } from '../coordinates/sphere.ts';
import { ASTRONOMICAL_UNIT_M } from '../geometry.ts';
import type { ViewPoint } from './view.ts';

/** Arcseconds that the Earth's diameter spans at 1 au. */
export const EARTH_DIAMETER_ARCSEC = (2 * 6_371_000) / ASTRONOMICAL_UNIT_M / RADIANS_PER_ARCSEC;
/** Megametres of an arcsecond at 1 au. */
export const MM_PER_ARCSEC = (ASTRONOMICAL_UNIT_M * RADIANS_PER_ARCSEC) / 1e6;

export interface Readout {
  /** Arcseconds as the observer sees them, x to the west, y to the north. */
  readonly helioprojective: Helioprojective;
  /** Least distance of the line of sight from the Sun's centre, solar radii. */
  readonly radius: number;
  /** Null beside the disk. */
  readonly stonyhurst: Stonyhurst | null;
  /** Degrees in [0, 360); null beside the disk. */
  readonly carringtonLongitude: number | null;
}

/** Coordinates of a point of the picture, in arcseconds as seen from 1 au. */
export function readoutAt({ x, y }: ViewPoint, observer: Observer): Readout {
  const apparent = apparentScale(observer);
  const seen = unprojected({ x: x * apparent, y: y * apparent });
  const [tx, ty] = [seen.x * RADIANS_PER_ARCSEC, seen.y * RADIANS_PER_ARCSEC];
  const radius = observer.distanceRadii * Math.sin(Math.acos(Math.cos(tx) * Math.cos(ty)));
  const point = surfacePoint(seen, observer);
  if (!point) return { helioprojective: seen, radius, stonyhurst: null, carringtonLongitude: null };
  const { latitude, longitude } = stonyhurstOf(point, observer.b0Degrees);
  const stonyhurst = { latitude, longitude: wrap180(longitude + observer.longitudeDegrees) };
  return {
    helioprojective: seen,
    radius,
    stonyhurst,
    carringtonLongitude: (stonyhurst.longitude + observer.l0Degrees + 720) % 360,
  };
}

/** Carrington's rotations: Meeus, Astronomical Algorithms, chapter 29. Each begins where the longitude of disk centre is 360 degrees. */
export function carringtonRotation(atMs: number): { readonly rotation: number; readonly longitude: number } {
  const { l0Degrees } = earthAt(atMs);
  const turns = (atMs / DAY_MS + 2_440_587.5 - 2_398_140.227) / 27.2752316;
  // The mean rotation may differ by some hours from the true one, so that the longitude decides.
  const rotation = Math.round(turns - (1 - l0Degrees / 360));
  return { rotation, longitude: l0Degrees };
}
