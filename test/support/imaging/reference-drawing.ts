// Drawing in plain TypeScript: what the core's loops compute, sample by sample.
import { GREY_PALETTE } from '../../../src/picture/colours.ts';
import type { Coverage, PixelGrid } from '../../../src/picture/grids/pixel-grid.ts';
import type { LayerPixels } from '../../../src/picture/raster/compose.ts';
import type { Ring } from '../../../src/picture/raster/mask.ts';
import type { AxisTaps } from '../../../src/picture/raster/resample.ts';

const f32 = Math.fround;

/** One output of a row: products of every fourth tap are summed, then the sums 0 and 2, 1 and 3, and both. */
function filtered(samples: Uint8Array, at: number, weights: Float32Array): number {
  const sums = [0, 0, 0, 0];
  for (const [t, weight] of weights.entries()) sums[t & 3] = f32(sums[t & 3]! + f32(samples[at + t]! * weight));
  return f32(f32(sums[0]! + sums[2]!) + f32(sums[1]! + sums[3]!));
}

/** As `resample` of src/picture/raster/resample.ts. */
export function referenceResample(samples: Uint8Array, x: AxisTaps, y: AxisTaps, out: Uint8Array, stride: number): void {
  const width = x.end - x.first;
  const weightsOf = ({ weights, taps }: AxisTaps, i: number) => weights.subarray(i * taps, (i + 1) * taps);
  for (let j = 0; j < y.to - y.from; j++) {
    for (let i = 0; i < x.to - x.from; i++) {
      let sum = 0.5;
      for (const [t, weight] of weightsOf(y, j).entries()) {
        const row = (y.starts[j]! + t) * width;
        if (weight !== 0) sum = f32(sum + f32(filtered(samples, row + x.starts[i]!, weightsOf(x, i)) * weight));
      }
      out[(y.from + j) * stride + x.from + i] = Math.min(255, sum);
    }
  }
}

/** Difference of two samples, as `compare` of src/picture/raster/resample.ts. */
export const referenceDifference = (newer: number, older: number): number =>
  2 * (Math.min(63, Math.max(-64, newer - older)) + 64);

/** As `drawOver` of src/picture/raster/compose.ts. */
export function referenceDrawOver(
  rgb: Uint8Array,
  { width, samples, covered, alpha, palette }: LayerPixels,
  opacity: number,
  blend?: 'add',
) {
  const colours = palette ?? GREY_PALETTE;
  const whole = Math.round((opacity * 255) / 100);
  for (let y = covered.y0; y < covered.y1; y++) {
    for (let i = y * width + covered.x0; i < y * width + covered.x1; i++) {
      const a = Math.round((whole * (alpha ? alpha[i]! : 255)) / 255);
      const light = (c: number) => Math.floor((opacity / 100) * colours[3 * samples[i]! + c]! + 0.5);
      for (let c = 0; c < 3 && blend; c++)
        rgb[3 * i + c] = Math.min(255, rgb[3 * i + c]! + Math.round((light(c) * (alpha ? alpha[i]! : 255)) / 255));
      for (let c = 0; c < 3 && !blend; c++)
        rgb[3 * i + c] = Math.round((colours[3 * samples[i]! + c]! * a + rgb[3 * i + c]! * (255 - a)) / 255);
    }
  }
}

/** Alpha of every covered pixel from its distances to both centres, as `ringAlpha` of src/picture/raster/mask.ts. */
export function referenceRingAlpha({ inner, outer, softness }: Ring, grid: PixelGrid, covered: Coverage): Uint8Array {
  const width = Math.max(softness, grid.step);
  const beyond = (circle: Ring['inner'], x: number, y: number) =>
    Math.min(1, Math.max(0, (Math.hypot(x - circle.x, y - circle.y) - circle.radius) / width + 0.5));
  const alpha = new Uint8Array(grid.width * grid.height);
  for (let j = covered.y0; j < covered.y1; j++) {
    for (let i = covered.x0; i < covered.x1; i++) {
      const [x, y] = [grid.left + (i + 0.5) * grid.step, grid.top + (j + 0.5) * grid.step];
      alpha[j * grid.width + i] = Math.round(255 * beyond(inner, x, y) * (1 - beyond(outer, x, y)));
    }
  }
  return alpha;
}

/** Coefficients of BT.709 (item 3.2 and 3.3). */
const [RED, GREEN, BLUE] = [0.2126, 0.7152, 0.0722];

/** Y', Cb, Cr of 8 bits, not rounded, of R, G, B from 0 to 255 (BT.709, items 3.2 to 3.4, and limited range). */
export function bt709([r, g, b]: readonly [number, number, number]): [number, number, number] {
  const y = RED * r + GREEN * g + BLUE * b;
  return [16 + (219 * y) / 255, 128 + (224 * (b - y)) / (2 * (1 - BLUE) * 255), 128 + (224 * (r - y)) / (2 * (1 - RED) * 255)];
}

/** Planes Y, Cb, Cr of a picture of even sides, in real numbers. Chroma lies on the even columns, between two rows. */
export function referenceYuv420(rgb: Uint8Array, width: number, height: number): Float64Array {
  const planes = new Float64Array(width * height * 1.5);
  const pixel = (x: number, y: number) => {
    const at = 3 * (y * width + Math.max(0, x));
    return [rgb[at]!, rgb[at + 1]!, rgb[at + 2]!] as const;
  };
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) planes[y * width + x] = bt709(pixel(x, y))[0];
  const [luma, chroma] = [width * height, (width * height) / 4];
  for (let y = 0; y < height; y += 2) {
    for (let x = 0; x < width; x += 2) {
      const mean = [0, 1, 2].map((c) => {
        const column = (at: number) => (pixel(at, y)[c]! + pixel(at, y + 1)[c]!) / 2;
        return (column(x - 1) + 2 * column(x) + column(x + 1)) / 4;
      }) as [number, number, number];
      const [, cb, cr] = bt709(mean);
      const at = luma + (y / 2) * (width / 2) + x / 2;
      planes[at] = cb;
      planes[at + chroma] = cr;
    }
  }
  return planes;
}

/** As `colouredPixels` of src/picture/encode/png.ts. */
export function referenceColouredPixels(
  samples: Uint8Array,
  width: number,
  covered: Coverage,
  colours: Uint8Array,
  alpha: Uint8Array | null,
): Uint8Array {
  const { x0, y0, x1, y1 } = covered;
  return Uint8Array.from(
    Array.from(samples).flatMap((sample, i) => {
      const [x, y] = [i % width, Math.floor(i / width)];
      const a = alpha ? alpha[i]! : 255;
      const isShown = a > 0 && x >= x0 && x < x1 && y >= y0 && y < y1;
      return isShown ? [...colours.subarray(3 * sample, 3 * sample + 3), a] : [0, 0, 0, 0];
    }),
  );
}
