// Overlays onto a strip of a frame, each rasterised only where it is.
import { blendOverlay, type FrameStrip } from './blend.ts';
import { prepareRasteriser, rasterise } from './rasterise.ts';
import type { Box, FrameSize, Overlay } from './svg.ts';

/** Pixels rasterised at a time: 2 MiB. A region of events may cover a whole frame of 4096x4096, which would be 64. */
const MAX_PIECE_PIXELS = 1 << 19;

/** The overlay's box cut to the frame and into pieces. They do not depend on the strips, so neither do the pixels. */
function piecesOf(overlay: Overlay, frame: FrameSize): Box[] {
  const x0 = Math.max(overlay.x, 0);
  const y0 = Math.max(overlay.y, 0);
  const width = Math.min(overlay.x + overlay.width, frame.width) - x0;
  const y1 = Math.min(overlay.y + overlay.height, frame.height);
  if (width <= 0 || y1 <= y0) return [];
  const rows = Math.max(1, Math.floor(MAX_PIECE_PIXELS / width));
  const count = Math.ceil((y1 - y0) / rows);
  return Array.from({ length: count }, (_, i) => {
    const y = y0 + i * rows;
    return { x: x0, y, width, height: Math.min(rows, y1 - y) };
  });
}

/** The SVG document of a part of an overlay. Documents of equal overlays at different places are equal. */
export function svgDocument(overlay: Overlay, piece: Box): string {
  const { width, height } = piece;
  const view = `${piece.x - overlay.x} ${piece.y - overlay.y} ${width} ${height}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${view}">${overlay.svg}</svg>`;
}

/** Draws overlays, the first at the bottom, over the rows of a frame that the strip holds. */
export async function drawOverlays(strip: FrameStrip, frame: FrameSize, overlays: readonly Overlay[]): Promise<void> {
  await prepareRasteriser();
  for (const overlay of overlays) {
    for (const piece of piecesOf(overlay, frame)) {
      if (piece.y >= strip.y0 + strip.height || piece.y + piece.height <= strip.y0) continue;
      const pixels = rasterise(svgDocument(overlay, piece), piece.width, piece.height);
      blendOverlay(strip, { ...piece, pixels });
    }
  }
}
