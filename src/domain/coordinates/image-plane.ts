// Places in an image: FITS pixels, helioprojective arcseconds as the observer saw them, and heliographic coordinates. The projection is the
// gnomonic one (Calabretta & Greisen 2002, section 5.1.3), the sphere that of the header's solar radius.
import { SOLAR_RADIUS_M } from '../geometry.ts';
import type { Wcs } from '../wcs.ts';
import { type Observer, RADIANS_PER_ARCSEC, RADIANS_PER_DEGREE, wrap180 } from './observer.ts';
import { type Helioprojective, isInFront, type Stonyhurst, seenAt, stonyhurstOf, surfacePoint, vectorOf } from './sphere.ts';

/** FITS pixel: the centre of the first pixel, at the lower left corner, is 1, 1. */
export interface FitsPixel {
  readonly x: number;
  readonly y: number;
}

const RADIANS_PER_UNIT: Readonly<Record<string, number>> = {
  arcsec: RADIANS_PER_ARCSEC,
  arcmin: 60 * RADIANS_PER_ARCSEC,
  deg: RADIANS_PER_DEGREE,
  rad: 1,
};

/** Solar radii in metres by which headers may place the surface. */
const PLAUSIBLE_RADIUS_M = { least: 6.9e8, most: 7.1e8 };

/** Greatest longitude of a Carrington coordinate. */
const FULL_TURN = 360;

/** Wraps into [0, 360). */
const wrap360 = (degrees: number) => ((degrees % FULL_TURN) + FULL_TURN) % FULL_TURN;

export class ImagePlane {
  readonly #wcs: Wcs;
  readonly #observer: Observer;
  /** Radians of the reference value, and of a unit of intermediate coordinates along each axis. */
  readonly #reference: readonly [number, number];
  readonly #scale: readonly [number, number];

  private constructor(wcs: Wcs, observer: Observer, units: readonly [number, number]) {
    this.#wcs = wcs;
    this.#observer = observer;
    this.#reference = [wcs.crval[0] * units[0], wcs.crval[1] * units[1]];
    this.#scale = [wcs.cdelt[0] * units[0], wcs.cdelt[1] * units[1]];
  }

  /**
   * The plane of an image; null for another projection, or a unit or matrix that has no places.
   * @param observer By the same header; its distance is taken in radii of that header
   */
  static of(wcs: Wcs, observer: Observer): ImagePlane | null {
    const [lon, lat] = wcs.cunit.map((unit) => RADIANS_PER_UNIT[unit]);
    const { pc } = wcs;
    const determinant = pc[0][0] * pc[1][1] - pc[0][1] * pc[1][0];
    const isGnomonic = /^HPLN-TAN$/i.test(wcs.ctype[0]) && /^HPLT-TAN$/i.test(wcs.ctype[1]);
    if (!isGnomonic || lon === undefined || lat === undefined || !(Math.abs(determinant) > 1e-6)) return null;
    const { least, most } = PLAUSIBLE_RADIUS_M;
    const radius = wcs.rsunRef >= least && wcs.rsunRef <= most ? wcs.rsunRef : SOLAR_RADIUS_M;
    const distanceRadii = (observer.distanceRadii * SOLAR_RADIUS_M) / radius;
    return new ImagePlane(wcs, { ...observer, distanceRadii }, [lon, lat]);
  }

  get observer(): Observer {
    return this.#observer;
  }

  /** Rotation of the native coordinates about the reference point, radians; 0 for LONPOLE 180. */
  get #turn(): number {
    return (180 - this.#wcs.lonpole) * RADIANS_PER_DEGREE;
  }

  /** Arcseconds to the west and north at a pixel. */
  seenAt({ x, y }: FitsPixel): Helioprojective {
    const { crpix, pc } = this.#wcs;
    const [dx, dy] = [x - crpix[0], y - crpix[1]];
    const [u, v] = [this.#scale[0] * (pc[0][0] * dx + pc[0][1] * dy), this.#scale[1] * (pc[1][0] * dx + pc[1][1] * dy)];
    const [sine, cosine] = [Math.sin(this.#turn), Math.cos(this.#turn)];
    const [xi, eta] = [cosine * u - sine * v, sine * u + cosine * v];
    const [lon, lat] = this.#reference;
    const ahead = Math.cos(lat) - eta * Math.sin(lat);
    const degrees = (lon + Math.atan2(xi, ahead)) / RADIANS_PER_DEGREE;
    const latitude = Math.atan2(Math.sin(lat) + eta * Math.cos(lat), Math.hypot(xi, ahead));
    return { x: (wrap180(degrees) * RADIANS_PER_DEGREE) / RADIANS_PER_ARCSEC, y: latitude / RADIANS_PER_ARCSEC };
  }

  /** The pixel at arcseconds to the west and north; null behind the plane. */
  pixelAt({ x, y }: Helioprojective): FitsPixel | null {
    const [lon, lat] = this.#reference;
    const [away, up] = [x * RADIANS_PER_ARCSEC - lon, y * RADIANS_PER_ARCSEC];
    const depth = Math.sin(lat) * Math.sin(up) + Math.cos(lat) * Math.cos(up) * Math.cos(away);
    if (depth <= 0) return null;
    const xi = (Math.cos(up) * Math.sin(away)) / depth;
    const eta = (Math.cos(lat) * Math.sin(up) - Math.sin(lat) * Math.cos(up) * Math.cos(away)) / depth;
    const [sine, cosine] = [Math.sin(this.#turn), Math.cos(this.#turn)];
    const [u, v] = [(cosine * xi + sine * eta) / this.#scale[0], (cosine * eta - sine * xi) / this.#scale[1]];
    const { crpix, pc } = this.#wcs;
    const determinant = pc[0][0] * pc[1][1] - pc[0][1] * pc[1][0];
    return {
      x: crpix[0] + (pc[1][1] * u - pc[0][1] * v) / determinant,
      y: crpix[1] + (pc[0][0] * v - pc[1][0] * u) / determinant,
    };
  }

  /** The place on the Sun in this direction, longitude from the meridian of the Earth; null beside the Sun. */
  stonyhurstAt(seen: Helioprojective): Stonyhurst | null {
    const point = surfacePoint(seen, this.#observer);
    if (!point) return null;
    const { latitude, longitude } = stonyhurstOf(point, this.#observer.b0Degrees);
    return { latitude, longitude: wrap180(longitude + this.#observer.longitudeDegrees) };
  }

  /** The direction of a place on the Sun; null on the side that the observer does not see. */
  directionOf({ latitude, longitude }: Stonyhurst): Helioprojective | null {
    const away = { latitude, longitude: longitude - this.#observer.longitudeDegrees };
    const point = vectorOf(away, this.#observer.b0Degrees);
    return isInFront(point, this.#observer) ? seenAt(point, this.#observer) : null;
  }

  /** Carrington longitude of a Stonyhurst one, degrees in [0, 360), and back. */
  carringtonOf = ({ latitude, longitude }: Stonyhurst): Stonyhurst => ({
    latitude,
    longitude: wrap360(longitude + this.#observer.l0Degrees),
  });

  stonyhurstOfCarrington = ({ latitude, longitude }: Stonyhurst): Stonyhurst => ({
    latitude,
    longitude: wrap180(longitude - this.#observer.l0Degrees),
  });
}
