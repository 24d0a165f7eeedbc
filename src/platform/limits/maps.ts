import { DAY_MS, HOUR_MS } from '../util/durations.ts';

/** Most datasources of a map: AIA, both EUVI, and FSI. */
export const MAP_SOURCES = 4;

export const MAPS = {
  /** Cells of the largest map, a tenth of a degree. */
  width: 3600,
  height: 1800,
  sources: MAP_SOURCES,
  /** Images of each, one each 12 hours: 27 days, a rotation of the Sun. */
  images: 54,
  stepMs: 12 * HOUR_MS,
  /** Standard deviation of the weight of an age. */
  ageMs: DAY_MS,
  /** Cosine of the angle between the line of sight and the vertical, below which an image does not count. */
  leastMu: 0.15,
  /** The cosine from which an image counts wholly in a picture, into which it fades from the least one. */
  wholeMu: 0.5,
  /** Part of the weight of a place that an older image adds at least, or is left out. */
  negligible: 1e-3,
  /** Cells of a strip, and bytes of each: the largest map has seven strips. */
  stripCells: 1 << 20,
  cellBytes: 14,
  /** Images read ahead of the added ones; bytes of the part of an image in a strip: at most, and for each cell. */
  ahead: 3,
  windowBytes: 4 << 20,
  windowBytesOfCell: 8,
  /** Cost of a cell in pixels of a layer, and the share of the square around the disc that is decoded of an image. */
  cellPixels: 6,
  decodedShare: 0.5,
  /** The last zoom of tiles, 0.09 degrees a pixel: 32 objects of 256 KiB. */
  tiles: { lastZoom: 2 },
  /** Milliseconds for which requests wait for the same map that another one has begun. */
  shareMs: 30_000,
  /** Images whose observer and plane an isolate keeps, in some 400 bytes each. */
  places: 2000,
  /** Cells between the places by which the part of an image that counts is found, at most, and degrees between them. */
  blockCells: 8,
  blockDegrees: 1.5,
} as const;
