// Draws tiles: a layer on the grid of the tile, as the smallest PNG that holds it.
import type { ArchivedImage } from '../../domain/image.ts';
import { TILE_SIZE, tileGrid } from '../../domain/tile-grid.ts';
import { encodeColouredPng } from '../../imaging/coloured-png.ts';
import type { RenderedTile, StageTimings, TileRenderer } from '../../ports/images.ts';
import type { LayerRenderer } from './layer-renderer.ts';
import { RENDER_VERSION } from './render-version.ts';

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
