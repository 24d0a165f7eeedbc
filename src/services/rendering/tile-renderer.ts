// Renders tiles: a layer on the grid of the tile, as the smallest PNG that holds it.
import type { ArchivedImage } from '../../domain/image.ts';
import { TILE_SIZE, type TileAddress, tileGrid } from '../../domain/pixel-grid.ts';
import { encodeColouredPng } from '../../imaging/coloured-png.ts';
import type { StageTimings } from '../../ports/timing.ts';
import type { LayerRenderer } from './layer-renderer.ts';
import { timed } from './timed.ts';

export interface RenderedTile {
  readonly png: Uint8Array;
  readonly timings: StageTimings;
}

export interface TileRenderer {
  /**
   * Renders a 512x512 PNG.
   * @param reference The older image of a difference; null for the image itself
   * @throws Jp2Error when the image cannot be decoded, Failure `missing-file` when its file does not exist
   */
  render(image: ArchivedImage, tile: TileAddress, reference: ArchivedImage | null): Promise<RenderedTile>;
}

export function tileRenderer(layers: LayerRenderer): TileRenderer {
  return {
    async render(image, tile, reference) {
      const timings: StageTimings = {};
      const grid = tileGrid(image.geometry, tile);
      const { samples, covered, palette, alpha } = await layers.draw({ image, grid, reference, purpose: 'frame' }, timings);
      const png = timed(timings, 'encode', () => encodeColouredPng(samples, TILE_SIZE, TILE_SIZE, covered, palette, alpha));
      return { png, timings };
    },
  };
}
