// Draws tiles: grid over the image, window of samples, resampling, colours, PNG.
import type { ArchivedImage } from '../domain/image.ts';
import { discardedLevels, type PixelGrid, TILE_SIZE, tileGrid } from '../domain/tile-grid.ts';
import { paletteOf } from '../imaging/colour/palette.ts';
import { encodeColouredPng } from '../imaging/coloured-png.ts';
import { greyBytes } from '../imaging/grey.ts';
import { type AxisTaps, resample, triangleTaps } from '../imaging/resample.ts';
import type { StageTimings, TileRenderer } from '../ports.ts';
import { discardableLevels } from './image-levels.ts';
import type { ImageReader } from './image-reader.ts';

/** Raised with every change that alters pixels. */
const RENDER_VERSION = 1;

const NOTHING = { x0: 0, y0: 0, x1: 0, y1: 0 };

interface Axes {
  readonly x: AxisTaps;
  readonly y: AxisTaps;
}

function axesOf(grid: PixelGrid, image: { width: number; height: number }, reduce: number): Axes {
  const x = triangleTaps({ start: grid.left, step: grid.step, count: grid.width, size: image.width, reduce });
  const y = triangleTaps({ start: grid.top, step: grid.step, count: grid.height, size: image.height, reduce });
  return { x, y };
}

const isEmpty = ({ x, y }: Axes): boolean => x.from === x.to || y.from === y.to;

export class WindowTileRenderer implements TileRenderer {
  readonly version = RENDER_VERSION;
  readonly #reader: ImageReader;
  readonly #now: () => number;

  /** `now`: milliseconds, monotonic. */
  constructor(reader: ImageReader, now: () => number) {
    this.#reader = reader;
    this.#now = now;
  }

  async render(
    image: ArchivedImage,
    tile: { x: number; y: number; imageScale: number },
  ): Promise<{ png: Uint8Array; timings: StageTimings }> {
    const timings: StageTimings = {};
    const grid = tileGrid(image.geometry, tile);
    const open = await this.#reader.open(image, timings);
    const reduce = discardedLevels(grid.step, discardableLevels(open.index));
    const axes = axesOf(grid, image.geometry, reduce);
    const pixels = new Uint8Array(TILE_SIZE * TILE_SIZE);
    if (isEmpty(axes)) return { png: this.#encode(pixels, NOTHING, null, timings), timings };

    const scale = 2 ** reduce;
    const { x, y } = axes;
    const window = { x0: x.first * scale, y0: y.first * scale, x1: x.end * scale, y1: y.end * scale };
    const decoded = await this.#reader.samples(open, reduce, window, timings);
    const from = this.#now();
    resample(greyBytes(decoded), x, y, pixels, TILE_SIZE);
    const palette = paletteOf(image.sourceId, image.takenAtMs, open.index.palette);
    timings.colour = this.#now() - from;
    return { png: this.#encode(pixels, { x0: x.from, y0: y.from, x1: x.to, y1: y.to }, palette, timings), timings };
  }

  #encode(pixels: Uint8Array, covered: typeof NOTHING, palette: Uint8Array | null, timings: StageTimings): Uint8Array {
    const from = this.#now();
    const png = encodeColouredPng(pixels, TILE_SIZE, TILE_SIZE, covered, palette);
    timings.encode = this.#now() - from;
    return png;
  }
}
