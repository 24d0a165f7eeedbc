// Draws overlays onto a strip of a frame, rasterising only the boxes that it touches.
import { blendOverlay, type FrameStrip } from './blend.ts';
import { rasterise } from './rasterise.ts';
import type { Box, FrameSize, Overlay } from './svg.ts';

/** Pixels rasterised at a time: 2 MiB. An event region may cover a whole frame of 4096x4096, which would take 64 MiB. */
const MAX_TILE_PIXELS = 1 << 19;

/** The overlay's box clipped to the frame and split into tiles. Neither tiles nor pixels depend on the strips. */
function tilesOf(overlay: Overlay, frame: FrameSize): Box[] {
  const x0 = Math.max(overlay.x, 0);
  const y0 = Math.max(overlay.y, 0);
  const width = Math.min(overlay.x + overlay.width, frame.width) - x0;
  const y1 = Math.min(overlay.y + overlay.height, frame.height);
  if (width <= 0 || y1 <= y0) return [];
  const rows = Math.max(1, Math.floor(MAX_TILE_PIXELS / width));
  const count = Math.ceil((y1 - y0) / rows);
  return Array.from({ length: count }, (_, i) => {
    const y = y0 + i * rows;
    return { x: x0, y, width, height: Math.min(rows, y1 - y) };
  });
}

/** The SVG document of a tile of an overlay. Equal overlays at different places have equal documents. */
export function svgDocument(overlay: Overlay, tile: Box): string {
  const { width, height } = tile;
  const view = `${tile.x - overlay.x} ${tile.y - overlay.y} ${width} ${height}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${view}">${overlay.svg}</svg>`;
}

/** Draws overlays, the first at the bottom, onto the rows of the frame in the strip. `prepareRasteriser` must have been awaited. */
export function drawPreparedOverlays(strip: FrameStrip, frame: FrameSize, overlays: readonly Overlay[]): void {
  for (const overlay of overlays) {
    for (const tile of tilesOf(overlay, frame)) {
      if (tile.y >= strip.y0 + strip.height || tile.y + tile.height <= strip.y0) continue;
      const pixels = rasterise(svgDocument(overlay, tile), tile.width, tile.height);
      blendOverlay(strip, { ...tile, pixels });
    }
  }
}
