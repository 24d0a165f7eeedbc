// How much of a picture is drawn at once.
import { MIN_STRIP_ROWS, STRIP_SAMPLES } from '../../config/limits/rendering.ts';
import type { PixelGrid } from '../../domain/tile-grid.ts';

/** Samples that one output row takes of a layer, both ways of the resampling counted; at least its own pixels. */
function samplesPerRow(grid: PixelGrid): number {
  const perPixel = Math.max(1, grid.step / 2 ** Math.max(0, Math.floor(Math.log2(grid.step))));
  return grid.width * perPixel * perPixel;
}

/** Rows that are drawn at once: as many as keep the window of the finest layer in its budget. */
export function rowsPerStrip(grids: readonly PixelGrid[], height: number, stripSamples = STRIP_SAMPLES): number {
  const most = Math.max(...grids.map(samplesPerRow));
  return Math.min(height, Math.max(MIN_STRIP_ROWS, Math.floor(stripSamples / most)));
}
