// Composites layers on black, in the core.
import { allocate, bytesAt, type CoreExports, copyIn, withCore } from '../../jp2/core/core.ts';
import { GREY_PALETTE } from '../colours.ts';
import type { Coverage } from '../grids/pixel-grid.ts';
import type { Blend } from '../operations/blend.ts';
import type { FrameStrip } from '../overlays/drawing/draw.ts';

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

interface ComposedLayer {
  readonly pixels: LayerPixels;
  /** 0 to 100 per cent. */
  readonly opacity: number;
  readonly blend?: Blend | undefined;
}

/** A strip of a frame: its position, and its layers from the bottom to the top. */
export interface StripContent extends Omit<FrameStrip, 'pixels'> {
  readonly layers: readonly ComposedLayer[];
  /** Draws what lies above the layers. The pixels are valid during the call. */
  readonly drawAbove: (strip: FrameStrip) => void;
}

/** 256 times R, G, B, 0, each times `part` to the nearest integer. */
const colourWords = (palette: Uint8Array, part = 1): Uint32Array =>
  Uint32Array.from({ length: 256 }, (_, i) => {
    const channel = (c: number) => Math.floor(part * palette[3 * i + c]! + 0.5);
    const [red, green, blue] = [channel(0), channel(1), channel(2)];
    return red | (green << 8) | (blue << 16);
  });

function drawLayer(core: CoreExports, rgb: number, { pixels, opacity, blend }: ComposedLayer): void {
  const { width, samples, covered, alpha, palette } = pixels;
  const whole = Math.round((opacity * 255) / 100);
  const columns = covered.x1 - covered.x0;
  const rows = covered.y1 - covered.y0;
  if ((whole === 0 && !blend) || columns <= 0 || rows <= 0) return;
  const before = core.mark();
  const [from, to] = [covered.y0 * width, covered.y1 * width];
  const source = copyIn(core, samples.subarray(from, to)) + covered.x0;
  const mask = alpha ? copyIn(core, alpha.subarray(from, to)) + covered.x0 : 0;
  const colours = copyIn(core, colourWords(palette ?? GREY_PALETTE, blend ? opacity / 100 : 1));
  const scratch = allocate(core, 6 * columns + 96);
  const at = [scratch, rgb + 3 * (from + covered.x0), 3 * width] as const;
  if (blend) core.drawAdded(source, mask, width, colours, columns, rows, ...at);
  else core.drawOver(source, mask, width, colours, whole, columns, rows, ...at);
  core.release(before);
}

/** Draws a layer onto `rgb` (3 bytes a pixel, opaque). `opacity`: 0 to 100 per cent. */
export function drawOver(rgb: Uint8Array, pixels: LayerPixels, opacity: number, blend?: Blend): void {
  withCore((core) => {
    const address = copyIn(core, rgb);
    drawLayer(core, address, { pixels, opacity, blend });
    rgb.set(bytesAt(core, address, rgb.length));
  });
}

/** Composes a strip on black and returns the address of its RGB pixels. */
function composed(core: CoreExports, { layers, drawAbove, width, height, y0 }: StripContent): number {
  const bytes = 3 * width * height;
  const rgb = allocate(core, bytes);
  bytesAt(core, rgb, bytes).fill(0);
  for (const layer of layers) drawLayer(core, rgb, layer);
  drawAbove({ pixels: bytesAt(core, rgb, bytes), width, y0, height });
  return rgb;
}

/** Writes R, G, B of a strip to rows from `row` on of `out`. @throws Jp2Error (too-large) when the strip does not fit the core's memory */
export function composeRgb(strip: StripContent, out: Uint8Array, row = 0): void {
  const rowBytes = 3 * strip.width;
  withCore((core) => out.set(bytesAt(core, composed(core, strip), rowBytes * strip.height), rowBytes * row));
}

/** Bytes of a picture as `composeYuv420` writes it. */
export const yuv420Bytes = (width: number, height: number): number => (width * height * 3) / 2;

/**
 * Writes a strip to rows from `row` on of the picture `out` as limited-range Y'CbCr 4:2:0 of BT.709: its planes Y, Cb, Cr without
 * gaps. `row` and the sides of strip and picture are even. Chroma samples lie on the even columns and between two rows.
 * @throws Jp2Error (too-large) when the strip does not fit the core's memory
 */
export function composeYuv420(strip: StripContent, out: Uint8Array, row = 0): void {
  const { width, height } = strip;
  const [luma, chroma] = [width * height, (width * height) / 4];
  const whole = (2 * out.length) / 3;
  withCore((core) => {
    const rgb = composed(core, strip);
    const planes = [allocate(core, luma), allocate(core, chroma), allocate(core, chroma)] as const;
    core.toYuv420(rgb, width, height, ...planes, allocate(core, 6 * width + 160));
    out.set(bytesAt(core, planes[0], luma), row * width);
    out.set(bytesAt(core, planes[1], chroma), whole + (row * width) / 4);
    out.set(bytesAt(core, planes[2], chroma), whole * 1.25 + (row * width) / 4);
  });
}
