// Draws tiles: a layer on the grid of the tile, as the smallest PNG that holds it.
import type { ArchivedImage } from '../../domain/image.ts';
import { TILE_SIZE, tileGrid } from '../../domain/pixel-grid.ts';
import { encodeColouredPng } from '../../imaging/coloured-png.ts';
import type { StageTimings } from '../../ports/timing.ts';
import { type LayerRenderer, RENDER_VERSION } from './layer-renderer.ts';

export interface RenderedTile {
  readonly png: Uint8Array;
  readonly timings: StageTimings;
  /** Whether the tile shows nothing of the image and is not worth storing. */
  readonly isBlank: boolean;
}

export interface TileRenderer {
  /** Changes with everything that affects pixels, so that tiles stored by an older renderer are not used. */
  readonly version: number;
  /** One 512x512 PNG. `x`, `y`: tile numbers from the image centre, y downward; scale in arcseconds per pixel. */
  render(
    image: ArchivedImage,
    tile: { x: number; y: number; imageScale: number },
    /** The older image of a difference; null for the image itself. */
    reference: ArchivedImage | null,
  ): Promise<RenderedTile>;
}

export class LayerTileRenderer implements TileRenderer {
  readonly version = RENDER_VERSION;
  readonly #layers: LayerRenderer;
  readonly #now: () => number;

  /** `now`: milliseconds, monotonic. */
  constructor(layers: LayerRenderer, now: () => number) {
    this.#layers = layers;
    this.#now = now;
  }

  async render(
    image: ArchivedImage,
    tile: { x: number; y: number; imageScale: number },
    reference: ArchivedImage | null,
  ): Promise<RenderedTile> {
    const timings: StageTimings = {};
    const grid = tileGrid(image.geometry, tile);
    const layer = await this.#layers.draw({ image, grid, reference, purpose: 'frame' }, timings);
    const from = this.#now();
    const png = encodeColouredPng(layer.samples, TILE_SIZE, TILE_SIZE, layer.covered, layer.palette, layer.alpha);
    timings.encode = this.#now() - from;
    const { x0, y0, x1, y1 } = layer.covered;
    return { png, timings, isBlank: x0 === x1 || y0 === y1 };
  }
}
