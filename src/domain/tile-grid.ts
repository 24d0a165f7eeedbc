// Where the pixels of a tile lie in an image. Tiles are anchored at the image centre, not at the Sun.

/** Width and height of a tile in pixels. */
export const TILE_SIZE = 512;

/**
 * A grid of output pixels laid over an image. Image coordinates are pixels from the top left corner, y downward: pixel 0
 * covers [0, 1). Output pixel i covers [left + i * step, left + (i + 1) * step).
 */
export interface PixelGrid {
  readonly left: number;
  readonly top: number;
  /** Image pixels for each output pixel. */
  readonly step: number;
  readonly width: number;
  readonly height: number;
}

/** What of an image decides where its tiles are. */
export interface GridImage {
  readonly width: number;
  readonly height: number;
  /** Arcseconds per pixel as seen from 1 au. */
  readonly scaleArcsecPerPixel: number;
}

/** Tile (x, y) at `imageScale` arcseconds per pixel; tile (0, 0) has its top left corner at the image centre. */
export function tileGrid(image: GridImage, tile: { x: number; y: number; imageScale: number }): PixelGrid {
  const step = tile.imageScale / image.scaleArcsecPerPixel;
  const side = TILE_SIZE * step;
  return {
    left: tile.x * side + image.width / 2,
    top: tile.y * side + image.height / 2,
    step,
    width: TILE_SIZE,
    height: TILE_SIZE,
  };
}

/** Resolution levels to discard: as many as still leave at least one sample for each output pixel, at most `levels`. */
export function discardedLevels(step: number, levels: number): number {
  return Math.min(Math.max(0, Math.floor(Math.log2(step))), levels);
}

/** Output pixels [from, to) of `count` whose centres lie inside [0, size) of the image. */
export function coveredPixels(start: number, step: number, count: number, size: number): { from: number; to: number } {
  const first = Math.ceil(-start / step - 0.5);
  const end = Math.ceil((size - start) / step - 0.5);
  const from = Math.min(Math.max(first, 0), count);
  return { from, to: Math.max(from, Math.min(end, count)) };
}
