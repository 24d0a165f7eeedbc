// Source-over compositing in integers, so that every machine gives the same bytes.
import type { Box } from './svg.ts';

/** Consecutive rows of a frame, which is rendered strip by strip. */
export interface FrameStrip {
  /** R, G, B or R, G, B, A of each pixel, row by row; colours are premultiplied by A. */
  readonly pixels: Uint8Array | Uint8ClampedArray;
  readonly channels: 3 | 4;
  /** Width of the frame, pixels. */
  readonly width: number;
  /** First row of the strip in the frame. */
  readonly y0: number;
  /** Rows. */
  readonly height: number;
}

/** Raster of an overlay or of a tile of it: R, G, B, A, premultiplied. */
export interface OverlayRaster extends Box {
  readonly pixels: Uint8Array;
}

/** value / 255 rounded to the nearest integer; exact for 0 to 65535. */
export const divideBy255 = (value: number) => (value + 128 + ((value + 128) >> 8)) >> 8;

/** Blends the part of a raster inside the strip: out = source + destination * (255 - alpha) / 255. */
export function blendOverlay(strip: FrameStrip, raster: OverlayRaster): void {
  const { pixels, channels, width } = strip;
  const x0 = Math.max(raster.x, 0);
  const x1 = Math.min(raster.x + raster.width, width);
  const y0 = Math.max(raster.y, strip.y0);
  const y1 = Math.min(raster.y + raster.height, strip.y0 + strip.height);
  const source = raster.pixels;
  for (let y = y0; y < y1; y++) {
    let from = ((y - raster.y) * raster.width + x0 - raster.x) * 4;
    let to = ((y - strip.y0) * width + x0) * channels;
    for (let x = x0; x < x1; x++, from += 4, to += channels) {
      const alpha = source[from + 3]!;
      if (alpha === 0) continue;
      for (let channel = 0; channel < channels; channel++) {
        pixels[to + channel] = source[from + channel]! + divideBy255(pixels[to + channel]! * (255 - alpha));
      }
    }
  }
}
