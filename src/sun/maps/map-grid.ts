// The grid of a map of the whole Sun, and the times of the images of which it is made.
import { MAPS } from '../../platform/limits/maps.ts';
import { DAY_MS, JULIAN_DAY_OF_1970 } from '../../platform/util/durations.ts';
import { earthAt, earthObserver, RADIANS_PER_DEGREE } from '../coordinates/observer.ts';
import { gridWcs, type Wcs } from '../wcs.ts';

export const MAP_FRAMES = ['carrington', 'stonyhurst'] as const;
export const MAP_PROJECTIONS = ['car', 'cea'] as const;
/**
 * `weighted`: the mean of all images; `latest`: the newest image that sees a place, of several of one time the one that sees it best;
 * `synoptic`: the image in which a place was nearest to the central meridian.
 */
export const MAP_METHODS = ['weighted', 'latest', 'synoptic'] as const;

export type MapMethod = (typeof MAP_METHODS)[number];

export interface MapGrid {
  readonly frame: (typeof MAP_FRAMES)[number];
  readonly projection: (typeof MAP_PROJECTIONS)[number];
  /** Cells. */
  readonly width: number;
  readonly height: number;
  /** Longitude of the middle of the map. */
  readonly centre: number;
}

/** The middle of maps: 180 in Carrington longitudes, which are from 0 to 360; the meridian of the Earth in Stonyhurst ones. */
export const centreOf = (frame: MapGrid['frame']): number => (frame === 'carrington' ? 180 : 0);

/** Degrees of a cell along the axes, the second of them at the equator. */
export const cellDegrees = ({ projection, width, height }: MapGrid): readonly [number, number] => [
  360 / width,
  (projection === 'car' ? 180 : 2 / RADIANS_PER_DEGREE) / height,
];

/** Latitude of a row in degrees, from the south. */
export function latitudeOf({ projection, height }: MapGrid, row: number): number {
  const part = (2 * row + 1) / height - 1;
  return projection === 'car' ? 90 * part : Math.asin(part) / RADIANS_PER_DEGREE;
}

/** Longitude of the first column, in Stonyhurst coordinates of the time of the map. */
export function firstLongitude({ frame, centre, width }: MapGrid, atMs: number): number {
  const longitude = centre + (0.5 / width - 0.5) * 360;
  return frame === 'carrington' ? longitude - earthObserver(atMs).l0Degrees : longitude;
}

export function wcsOfMap(grid: MapGrid): Wcs {
  const { frame, projection, width, height, centre } = grid;
  const [prefix, code] = [frame === 'carrington' ? 'CR' : 'HG', projection.toUpperCase()];
  return gridWcs({
    naxis: [width, height],
    ctype: [`${prefix}LN-${code}`, `${prefix}LT-${code}`],
    cunit: ['deg', 'deg'],
    crpix: [(width + 1) / 2, (height + 1) / 2],
    cdelt: cellDegrees(grid),
    crval: [centre, 0],
    lonpole: 0,
    latpole: 90,
  });
}

/** Times to which the images of a map are nearest, the newest first: the last ones at 00 and 12 UTC. */
export function mapTimes(atMs: number): readonly number[] {
  const { images, stepMs } = MAPS;
  return Array.from({ length: images }, (_, i) => (Math.floor(atMs / stepMs) - i) * stepMs);
}

/** Start of a rotation of Carrington near its first, and the mean time from the Earth between two: Julian days. */
const CARRINGTON = { start: 2_398_167.4, days: 27.2753 };

/** The number of the rotation of Carrington in which the Earth sees the Sun. It rises where the longitude of the disc's centre is 360. */
export function carringtonRotation(atMs: number): number {
  const mean = (atMs / DAY_MS + JULIAN_DAY_OF_1970 - CARRINGTON.start) / CARRINGTON.days + 1;
  return Math.round(mean - (1 - earthAt(atMs).l0Degrees / 360));
}
