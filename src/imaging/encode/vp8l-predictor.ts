// Spatial prediction of lossless WebP (RFC 9649, 4.1) on one plane of bytes at a time.

/** Predictors that are tried for a tile; the other seven together save under 0.3 % on solar frames. */
export const PREDICTORS = [1, 2, 5, 7, 10, 12, 13] as const;

/** Base-2 logarithm of 1 + |residual| in 16ths: what a residual costs, about, when codes fit the tile. */
const COST = Uint8Array.from({ length: 256 }, (_, byte) => Math.round(16 * Math.log2(1 + (byte < 128 ? byte : 256 - byte))));

/** Units of `residualCost` in a bit. */
export const COST_PER_BIT = 16;

const clamp = (value: number): number => (value < 0 ? 0 : value > 255 ? 255 : value);

/** Residuals of `count` pixels of `plane` from `at` on, none of them in the first row or column, to `out` from `to` on. */
function predictInner(
  mode: number,
  plane: Uint8Array,
  stride: number,
  at: number,
  count: number,
  out: Uint8Array,
  to: number,
): void {
  let left = plane[at - 1] as number;
  let aboveLeft = plane[at - stride - 1] as number;
  let above = plane[at - stride] as number;
  for (let i = 0; i < count; i++) {
    const pixel = plane[at + i] as number;
    // Of the last pixel of a row this is the first of the same row, as the format has it.
    const aboveRight = plane[at + i - stride + 1] as number;
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

/** Where a row of a tile is: in the plane, in the picture, in the residuals. */
export interface TileRow {
  /** Index of its first pixel in the plane. */
  readonly at: number;
  readonly x: number;
  readonly y: number;
  readonly count: number;
}

/** What the picture's first pixel is predicted from: opaque black. */
export const BLACK = 0;
export const OPAQUE = 255;

/** Rows of one channel. */
export interface Plane {
  readonly bytes: Uint8Array;
  readonly stride: number;
  /** What its first pixel in the picture is predicted from. */
  readonly origin: typeof BLACK | typeof OPAQUE;
}

/**
 * Residuals of a row of a tile by predictor `mode`; in the first row and column the format sets the predictor (origin, left,
 * above). `plane` has the row above before it.
 */
export function predictRow(
  mode: number,
  { bytes: plane, stride, origin }: Plane,
  row: TileRow,
  out: Uint8Array,
  to: number,
): void {
  const { at, x, y, count } = row;
  if (y === 0) {
    for (let i = 0; i < count; i++)
      out[to + i] = (plane[at + i] as number) - (x + i === 0 ? origin : (plane[at + i - 1] as number));
    return;
  }
  const first = x === 0 ? 1 : 0;
  if (first) out[to] = (plane[at] as number) - (plane[at - stride] as number);
  predictInner(mode, plane, stride, at + first, count - first, out, to + first);
}

/** Sum of the costs of `count` residuals. */
export function residualCost(residuals: Uint8Array, from: number, count: number): number {
  let cost = 0;
  for (let i = from; i < from + count; i++) cost += COST[residuals[i] as number] as number;
  return cost;
}
