// Composites layers on black.
import { GREY_PALETTE } from './colour/palette.ts';
import type { Coverage } from './coloured-png.ts';
import { divideBy255 } from './overlays/blend.ts';

/** A layer on the pixel grid of a frame or strip. */
export interface LayerPixels {
  readonly width: number;
  readonly height: number;
  /** One sample a pixel; those outside `covered` are undefined. */
  readonly samples: Uint8Array;
  readonly covered: Coverage;
  /** Alpha of each pixel from a mask; null when every covered pixel is opaque. */
  readonly alpha: Uint8Array | null;
  /** 256 times R, G, B; null for grey. */
  readonly palette: Uint8Array | null;
}

/** Copies opaque pixels [from, to). */
function copyRow(rgb: Uint8Array, samples: Uint8Array, colours: Uint8Array, from: number, to: number): void {
  for (let i = from, at = 3 * from; i < to; i++, at += 3) {
    const colour = (samples[i] as number) * 3;
    rgb[at] = colours[colour] as number;
    rgb[at + 1] = colours[colour + 1] as number;
    rgb[at + 2] = colours[colour + 2] as number;
  }
}

/** Blends pixels [from, to) of equal alpha. `shares`: alpha times R, G, B of each sample; `rest`: 255 minus alpha. */
function mixRow(rgb: Uint8Array, samples: Uint8Array, shares: Uint16Array, rest: number, from: number, to: number): void {
  for (let i = from, at = 3 * from; i < to; i++, at += 3) {
    const share = (samples[i] as number) * 3;
    rgb[at] = divideBy255((shares[share] as number) + (rgb[at] as number) * rest);
    rgb[at + 1] = divideBy255((shares[share + 1] as number) + (rgb[at + 1] as number) * rest);
    rgb[at + 2] = divideBy255((shares[share + 2] as number) + (rgb[at + 2] as number) * rest);
  }
}

/** Blends pixels [from, to) with an alpha each, scaled by `whole` / 255. */
function maskRow(
  rgb: Uint8Array,
  { samples, alpha }: { readonly samples: Uint8Array; readonly alpha: Uint8Array },
  colours: Uint8Array,
  whole: number,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) {
    const a = divideBy255(whole * (alpha[i] as number));
    if (a === 0) continue;
    const [colour, at, rest] = [(samples[i] as number) * 3, 3 * i, 255 - a];
    rgb[at] = divideBy255((colours[colour] as number) * a + (rgb[at] as number) * rest);
    rgb[at + 1] = divideBy255((colours[colour + 1] as number) * a + (rgb[at + 1] as number) * rest);
    rgb[at + 2] = divideBy255((colours[colour + 2] as number) * a + (rgb[at + 2] as number) * rest);
  }
}

/** Draws a layer source-over onto `rgb` (3 bytes a pixel, opaque). `opacity`: 0 to 100 per cent. */
export function drawOver(rgb: Uint8Array, { width, samples, covered, alpha, palette }: LayerPixels, opacity: number): void {
  const colours = palette ?? GREY_PALETTE;
  const whole = Math.round((opacity * 255) / 100);
  if (whole === 0) return;
  const shares = whole < 255 && !alpha ? Uint16Array.from(colours, (value) => value * whole) : null;
  for (let y = covered.y0; y < covered.y1; y++) {
    const [from, to] = [y * width + covered.x0, y * width + covered.x1];
    if (alpha) maskRow(rgb, { samples, alpha }, colours, whole, from, to);
    else if (shares) mixRow(rgb, samples, shares, 255 - whole, from, to);
    else copyRow(rgb, samples, colours, from, to);
  }
}
