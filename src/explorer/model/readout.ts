// Coordinates of a point of a picture, and observers of images and of planets.
import { BODIES_NEAR_SUN } from '../../sun/bodies/bodies.ts';
import type { ObserverName } from '../../sun/bodies/solar-system.ts';
import { imageObserver, type Observer, RADIANS_PER_ARCSEC, RADIANS_PER_DEGREE } from '../../sun/coordinates/observer.ts';
import { directionOf, locationAt, type PlanePoint } from '../../sun/coordinates/picture-plane.ts';
import type { Stonyhurst } from '../../sun/coordinates/sphere.ts';
import { ASTRONOMICAL_UNIT_M, SOLAR_RADIUS_M } from '../../sun/geometry.ts';
import type { ImageRecord } from '../api/image-record.ts';

/** Arcseconds that the Earth's diameter spans at 1 au. */
export const EARTH_DIAMETER_ARCSEC = (2 * 6_371_000) / ASTRONOMICAL_UNIT_M / RADIANS_PER_ARCSEC;
/** Megametres of an arcsecond at 1 au. */
export const MM_PER_ARCSEC = (ASTRONOMICAL_UNIT_M * RADIANS_PER_ARCSEC) / 1e6;

export const MM_PER_DEGREE = (SOLAR_RADIUS_M * RADIANS_PER_DEGREE) / 1e6;

/** Carrington longitude of a location as an observer sees it, degrees in [0, 360). */
export const carringtonLongitudeOf = ({ longitude }: Stonyhurst, { l0Degrees }: Observer): number =>
  (longitude + l0Degrees + 720) % 360;

/**
 * Coordinates of a point of the picture, in arcseconds as seen from 1 au: arcseconds as the observer sees them, x to the west, y to the north;
 * the least distance of the line of sight from the Sun's centre, solar radii; and the location, null beside the disk.
 */
export function readoutAt(point: PlanePoint, observer: Observer) {
  const helioprojective = directionOf(point, observer);
  const [tx, ty] = [helioprojective.x * RADIANS_PER_ARCSEC, helioprojective.y * RADIANS_PER_ARCSEC];
  const radius = observer.distanceRadii * Math.sin(Math.acos(Math.cos(tx) * Math.cos(ty)));
  return { helioprojective, radius, stonyhurst: locationAt(point, observer) };
}

/** The observer in the header of an image, or with which it was drawn while that has not loaded. */
export const observerOf = (
  { takenAt, dsun }: Pick<ImageRecord, 'takenAt' | 'dsun'>,
  fits: readonly (readonly [string, string])[] | null,
  drawn?: Pick<Observer, 'b0Degrees' | 'longitudeDegrees'>,
): Observer => ({ ...imageObserver(Date.parse(takenAt), dsun, new Map(fits)), ...(fits ? {} : drawn) });

/** The observer of a source by its name, as `COR2-A` or `LASCO C3`; the Earth for those without orbits here. */
export function bodyObserver(sourceName: string): ObserverName {
  const stereo = /^(?:EUVI|COR\d)-([AB])\b/.exec(sourceName)?.[1];
  if (stereo) return stereo === 'A' ? 'stereo_a' : 'stereo_b';
  return /^(?:LASCO|EIT|MDI)\b/.test(sourceName) ? 'soho' : 'earth';
}

export function bodyParameters(sourceName: string): Readonly<Record<string, string>> {
  const words = BODIES_NEAR_SUN.map((body) => `${bodyObserver(sourceName)}-${body}`).join(',');
  return { celestialBodiesLabels: words, celestialBodiesTrajectories: words };
}
