// Places in an image: FITS pixels, helioprojective arcseconds of its observer, heliographic degrees on a sphere of the header's radius.
import { SOLAR_RADIUS_M } from '../geometry.ts';
import type { ArchivedImage } from '../image.ts';
import { isCylindrical, skyProjection, type Wcs, wcsOf } from '../wcs.ts';
import { imageObserver, type Observer, RADIANS_PER_ARCSEC, RADIANS_PER_DEGREE, wrap180 } from './observer.ts';
import { type Helioprojective, isInFront, type Stonyhurst, seenAt, stonyhurstOf, surfacePoint, vectorOf } from './sphere.ts';

/** FITS pixel: the centre of the first pixel, at the lower left corner, is 1, 1. */
export type FitsPixel = { readonly x: number; readonly y: number };

const RADIANS_PER_UNIT: Readonly<Record<string, number>> = {
  arcsec: RADIANS_PER_ARCSEC,
  arcmin: 60 * RADIANS_PER_ARCSEC,
  deg: RADIANS_PER_DEGREE,
  rad: 1,
};

/** a, b, c, d of the rows (a, b) and (c, d). */
type Matrix2 = readonly [number, number, number, number];

/** Solar radii in metres by which headers may place the surface. */
const PLAUSIBLE_RADIUS_M = { least: 6.9e8, most: 7.1e8 };

/** A row of a matrix that multiplies directions. */
type Row = readonly [west: number, north: number, towards: number];

export type ImagePlane = NonNullable<ReturnType<typeof imagePlane>>;

/**
 * The plane of an image; null for a projection without helioprojective coordinates, or about another pole, and for a unit or matrix that has no places.
 * @param from The observer by the same header; its distance is taken in radii of that header
 */
export function imagePlane(wcs: Wcs, from: Observer) {
  const [lon, lat] = wcs.cunit.map((unit) => RADIANS_PER_UNIT[unit]);
  const { pc, lonpole, crpix, crval, cdelt } = wcs;
  const [, code = ''] = /^HPLN-([A-Z]{3}) HPLT-\1$/i.exec(wcs.ctype.join(' ')) ?? [];
  const projection = skyProjection(code.toUpperCase(), wcs.pv ?? []);
  if (!projection || lon === undefined || lat === undefined) return null;
  if (!(Math.abs(pc[0][0] * pc[1][1] - pc[0][1] * pc[1][0]) > 1e-6)) return null;
  const isEquatorial = isCylindrical(code.toUpperCase());
  if (isEquatorial && lonpole !== (crval[1] >= 0 ? 0 : 180)) return null;
  const { least, most } = PLAUSIBLE_RADIUS_M;
  const radius = wcs.rsunRef >= least && wcs.rsunRef <= most ? wcs.rsunRef : SOLAR_RADIUS_M;
  const observer: Observer = { ...from, distanceRadii: (from.distanceRadii * SOLAR_RADIUS_M) / radius };
  const { flat, sky } = projection;
  const [width, height] = wcs.naxis;

  /** Sines and cosines of the reference longitude and latitude, and of the rotation about the reference point. */
  const sineAndCosine = (angle: number) => [Math.sin(angle), Math.cos(angle)] as const;
  const [[sinLon, cosLon], [sinLat, cosLat]] = [sineAndCosine(crval[0] * lon), sineAndCosine(crval[1] * lat)];
  // Native coordinates are those of LONPOLE 180; of cylinders 0, and 180 about a point south of the equator, so that north is up there.
  const [sine, cosine] = sineAndCosine((isEquatorial ? 0 : 180 - lonpole) * RADIANS_PER_DEGREE);
  /** Radians of a pixel, by rows, and pixels of a radian. */
  const row = (axis: 0 | 1, unit: number) => pc[axis].map((value) => value * cdelt[axis] * unit) as [number, number];
  const matrix: Matrix2 = [...row(0, lon), ...row(1, lat)];
  const determinant = matrix[0] * matrix[3] - matrix[1] * matrix[2];
  const inverse: Matrix2 = [matrix[3] / determinant, -matrix[1] / determinant, -matrix[2] / determinant, matrix[0] / determinant];

  /** The pixel in the direction of a unit vector to the west, to the north and to the Sun; null where the projection has none. */
  function pixelTowards(west: number, north: number, sunward: number): FitsPixel | null {
    const ahead = sunward * cosLon + west * sinLon;
    const right = west * cosLon - sunward * sinLon;
    const [xi, eta] = flat([right, north * cosLat - ahead * sinLat, north * sinLat + ahead * cosLat]);
    const [u, v] = [cosine * xi + sine * eta, cosine * eta - sine * xi];
    const [a, b, c, d] = inverse;
    const pixel = { x: crpix[0] + a * u + b * v, y: crpix[1] + c * u + d * v };
    return Number.isNaN(pixel.x + pixel.y) ? null : pixel;
  }

  return {
    ...{ width, height, observer, pixelTowards },

    /** Arcseconds to the west and north at a pixel; not numbers where the projection has no direction. */
    seenAt({ x, y }: FitsPixel): Helioprojective {
      const [a, b, c, d] = matrix;
      const [dx, dy] = [x - crpix[0], y - crpix[1]];
      const [u, v] = [a * dx + b * dy, c * dx + d * dy];
      const [right, up, towards] = sky(cosine * u - sine * v, sine * u + cosine * v);
      const ahead = towards * cosLat - up * sinLat;
      const [west, sunward] = [right * cosLon + ahead * sinLon, ahead * cosLon - right * sinLon];
      const north = towards * sinLat + up * cosLat;
      return {
        x: Math.atan2(west, sunward) / RADIANS_PER_ARCSEC,
        y: Math.atan2(north, Math.hypot(west, sunward)) / RADIANS_PER_ARCSEC,
      };
    },

    /** The pixel at arcseconds to the west and north; null where the projection has none. */
    pixelAt({ x, y }: Helioprojective): FitsPixel | null {
      const [away, up] = [x * RADIANS_PER_ARCSEC, y * RADIANS_PER_ARCSEC];
      return pixelTowards(Math.sin(away) * Math.cos(up), Math.sin(up), Math.cos(away) * Math.cos(up));
    },

    /**
     * Rows of the matrix of a gnomonic projection, which takes a direction (west, north, towards the Sun) to its depth times a pixel, and to its
     * depth, which is 0 or less behind the plane; null for another projection.
     */
    get homography(): readonly [Row, Row, Row] | null {
      if (!/TAN$/i.test(wcs.ctype[0])) return null;
      const depth: Row = [sinLon * cosLat, sinLat, cosLon * cosLat];
      const west: Row = [cosLon, 0, -sinLon];
      const north: Row = [-sinLon * sinLat, cosLat, -cosLon * sinLat];
      const rowOf = (a: number, b: number, centre: number): Row => {
        const part = (i: 0 | 1 | 2) => (a * cosine - b * sine) * west[i] + (a * sine + b * cosine) * north[i] + centre * depth[i];
        return [part(0), part(1), part(2)];
      };
      const [a, b, c, d] = inverse;
      return [rowOf(a, b, crpix[0]), rowOf(c, d, crpix[1]), depth];
    },

    /** The place on the Sun in this direction, longitude from the meridian of the Earth; null beside the Sun. */
    stonyhurstAt(seen: Helioprojective): Stonyhurst | null {
      const point = surfacePoint(seen, observer);
      return point && stonyhurstOf(point, observer);
    },

    /** The direction of a place on the Sun; null on the side that the observer does not see. */
    directionOf(location: Stonyhurst): Helioprojective | null {
      const point = vectorOf(location, observer);
      return isInFront(point, observer) ? seenAt(point, observer) : null;
    },

    /** Carrington longitude of a Stonyhurst one, degrees in [0, 360), and back. */
    carringtonOf: ({ latitude, longitude }: Stonyhurst): Stonyhurst => ({
      latitude,
      longitude: (((longitude + observer.l0Degrees) % 360) + 360) % 360,
    }),

    stonyhurstOfCarrington: ({ latitude, longitude }: Stonyhurst): Stonyhurst => ({
      latitude,
      longitude: wrap180(longitude - observer.l0Degrees),
    }),
  };
}

/** The coordinates of an image; null for one without. @param fits Its header */
export function planeOf(
  { sourceId, takenAtMs, geometry }: Pick<ArchivedImage, 'sourceId' | 'takenAtMs' | 'geometry'>,
  { fits }: { readonly fits: ReadonlyMap<string, string> },
): ImagePlane | null {
  const wcs = wcsOf(fits, sourceId);
  return wcs && imagePlane(wcs, imageObserver(takenAtMs, geometry.dsunMetres, fits));
}
