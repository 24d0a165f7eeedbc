// Renders tiles: a layer on the grid of the tile, as the smallest PNG that holds it.
import type { ArchivedImage } from '../../domain/image.ts';
import { TILE_SIZE, type TileAddress, tileGrid } from '../../domain/pixel-grid.ts';
import { encodeColouredPng } from '../../imaging/coloured-png.ts';
import type { StageTimings } from '../../ports/timing.ts';
import { type LayerRenderer, RENDER_VERSION } from './layer-renderer.ts';

export interface RenderedTile {
  readonly png: Uint8Array;
  readonly timings: StageTimings;
  /** Whether the tile lies entirely outside the image. */
  readonly isBlank: boolean;
}

export interface TileRenderer {
  /** Changes with everything that affects pixels, so that tiles stored by an older renderer are not used. */
  readonly version: number;
  /**
   * Renders a 512x512 PNG.
   * @param reference The older image of a difference; null for the image itself
   * @throws Jp2Error when the image cannot be decoded, Failure `missing-file` when its file does not exist
   */
  render(image: ArchivedImage, tile: TileAddress, reference: ArchivedImage | null): Promise<RenderedTile>;
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

  async render(image: ArchivedImage, tile: TileAddress, reference: ArchivedImage | null): Promise<RenderedTile> {
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
