// Renders tiles: a layer on the grid of the tile, as the smallest PNG that holds it.
import type { ArchivedImage } from '../../domain/image.ts';
import { TILE_SIZE, type TileAddress, tileGrid } from '../../domain/pixel-grid.ts';
import { encodeColouredPng } from '../../imaging/coloured-png.ts';
import type { StageTimings } from '../../ports/timing.ts';
import { type LayerRenderer, RENDER_VERSION } from './layer-renderer.ts';
import { timed } from './timed.ts';

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
  /** Work that rendering leaves for after the response. */
  afterwards?(): Promise<void>;
}

/** `afterwards`: makes what would have rendered faster. */
export function tileRenderer(layers: LayerRenderer, afterwards?: () => Promise<void>): TileRenderer {
  return {
    version: RENDER_VERSION,
    ...(afterwards ? { afterwards } : {}),
    async render(image, tile, reference) {
      const timings: StageTimings = {};
      const grid = tileGrid(image.geometry, tile);
      const { samples, covered, palette, alpha } = await layers.draw({ image, grid, reference, purpose: 'frame' }, timings);
      const png = timed(timings, 'encode', () => encodeColouredPng(samples, TILE_SIZE, TILE_SIZE, covered, palette, alpha));
      return { png, timings, isBlank: covered.x0 === covered.x1 || covered.y0 === covered.y1 };
    },
  };
}
