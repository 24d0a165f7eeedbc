// Spatial prediction of lossless WebP (RFC 9649, 4.1) on one byte per pixel.

/** Predictors tried for a tile; the other seven together save less than 0.3 % on solar frames. */
export const PREDICTORS = [1, 2, 5, 7, 10, 12, 13] as const;

/** Approximate cost of a residual: log2(1 + |residual|) in 16ths of a bit. */
const COST = Uint8Array.from({ length: 256 }, (_, byte) => Math.round(16 * Math.log2(1 + (byte < 128 ? byte : 256 - byte))));

/** Units of `residualCost` in a bit. */
export const COST_PER_BIT = 16;

const clamp = (value: number): number => (value < 0 ? 0 : value > 255 ? 255 : value);

/** Writes residuals of `count` pixels from `at` on, none in the first row or column, to `out` from `to` on. */
function predictInner(
  mode: number,
  pixels: Uint8Array,
  stride: number,
  at: number,
  count: number,
  out: Uint8Array,
  to: number,
): void {
  let left = pixels[at - 1] as number;
  let aboveLeft = pixels[at - stride - 1] as number;
  let above = pixels[at - stride] as number;
  for (let i = 0; i < count; i++) {
    const pixel = pixels[at + i] as number;
    // For the last pixel of a row the format takes the first pixel of the same row.
    const aboveRight = pixels[at + i - stride + 1] as number;
    let predicted = 0;
    switch (mode) {
      case 1:
        predicted = left;
        break;
      case 2:
        predicted = above;
        break;
      case 5:
        predicted = (((left + aboveRight) >> 1) + above) >> 1;
        break;
      case 7:
        predicted = (left + above) >> 1;
        break;
      case 10:
        predicted = (((left + aboveLeft) >> 1) + ((above + aboveRight) >> 1)) >> 1;
        break;
      case 12:
        predicted = clamp(left + above - aboveLeft);
        break;
      default: {
        const average = (left + above) >> 1;
        predicted = clamp(average + (((average - aboveLeft) / 2) | 0));
      }
    }
    out[to + i] = pixel - predicted;
    left = pixel;
    aboveLeft = above;
    above = aboveRight;
  }
}

/** A row of a tile. */
export interface TileRow {
  /** Index of its first pixel in `pixels`; x, y: its place in the picture. */
  readonly at: number;
  readonly x: number;
  readonly y: number;
  readonly count: number;
}

/**
 * Writes the residuals of a row of a tile by predictor `mode` to `out` from `to` on. The format fixes the predictor of the first row
 * (left; 0 for the first pixel) and column (above). `pixels` must include the row above.
 */
export function predictRow(mode: number, pixels: Uint8Array, stride: number, row: TileRow, out: Uint8Array, to: number): void {
  const { at, x, y, count } = row;
  if (y === 0) {
    for (let i = 0; i < count; i++) out[to + i] = (pixels[at + i] as number) - (x + i === 0 ? 0 : (pixels[at + i - 1] as number));
    return;
  }
  const first = x === 0 ? 1 : 0;
  if (first) out[to] = (pixels[at] as number) - (pixels[at - stride] as number);
  predictInner(mode, pixels, stride, at + first, count - first, out, to + first);
}

/** Sum of the costs of `count` residuals. */
export function residualCost(residuals: Uint8Array, from: number, count: number): number {
  let cost = 0;
  for (let i = from; i < from + count; i++) cost += COST[residuals[i] as number] as number;
  return cost;
}
