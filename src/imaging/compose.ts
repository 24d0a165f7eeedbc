// Layers over one another on black.
import { GREY_TABLE } from './colour/grey-table.ts';
import type { Coverage } from './coloured-png.ts';

/** A layer on the grid of the frame, or of a band of it. */
export interface LayerPixels {
  readonly width: number;
  readonly height: number;
  /** One sample a pixel; those outside `covered` mean nothing. */
  readonly samples: Uint8Array;
  readonly covered: Coverage;
  /** Alpha of each pixel from a mask; null where all that is covered is opaque. */
  readonly alpha: Uint8Array | null;
  /** 256 times R, G, B; null for grey. */
  readonly palette: Uint8Array | null;
}

/** Draws a layer source-over onto `rgb` (3 bytes a pixel, opaque). `opacity`: 0 to 100 per cent. */
export function drawOver(rgb: Uint8Array, layer: LayerPixels, opacity: number): void {
  const { width, samples, covered, alpha } = layer;
  const colours = layer.palette ?? GREY_TABLE;
  const whole = Math.round((opacity * 255) / 100);
  for (let y = covered.y0; y < covered.y1; y++) {
    for (let i = y * width + covered.x0, end = y * width + covered.x1; i < end; i++) {
      const a = alpha ? Math.round((whole * (alpha[i] as number)) / 255) : whole;
      if (a === 0) continue;
      const from = (samples[i] as number) * 3;
      const to = i * 3;
      if (a === 255) {
        rgb[to] = colours[from] as number;
        rgb[to + 1] = colours[from + 1] as number;
        rgb[to + 2] = colours[from + 2] as number;
        continue;
      }
      for (let c = 0; c < 3; c++) {
        const under = rgb[to + c] as number;
        rgb[to + c] = Math.round(under + (((colours[from + c] as number) - under) * a) / 255);
      }
    }
  }
}
