// Forward DCT and quantisation of 8 x 8 blocks (ISO/IEC 10918-1, A.3.3 and A.3.4) by the method of Arai, Agui and Nakajima: five
// multiplications a row; the remaining scaling is part of the quantisation.

/** Tables K.1 and K.2, row by row. */
const LUMINANCE = [
  [16, 11, 10, 16, 24, 40, 51, 61],
  [12, 12, 14, 19, 26, 58, 60, 55],
  [14, 13, 16, 24, 40, 57, 69, 56],
  [14, 17, 22, 29, 51, 87, 80, 62],
  [18, 22, 37, 56, 68, 109, 103, 77],
  [24, 35, 55, 64, 81, 104, 113, 92],
  [49, 64, 78, 87, 103, 121, 120, 101],
  [72, 92, 95, 98, 112, 100, 103, 99],
].flat();
const CHROMINANCE = [
  [17, 18, 24, 47, 99, 99, 99, 99],
  [18, 21, 26, 66, 99, 99, 99, 99],
  [24, 26, 56, 99, 99, 99, 99, 99],
  [47, 66, 99, 99, 99, 99, 99, 99],
  [99, 99, 99, 99, 99, 99, 99, 99],
  [99, 99, 99, 99, 99, 99, 99, 99],
  [99, 99, 99, 99, 99, 99, 99, 99],
  [99, 99, 99, 99, 99, 99, 99, 99],
].flat();

/** Index in a row-by-row block of each coefficient of the zigzag sequence (figure A.6). */
export const ZIGZAG = Uint8Array.from(
  Array.from({ length: 64 }, (_, i) => i).sort((a, b) => {
    const [diagonalA, diagonalB] = [(a >> 3) + (a & 7), (b >> 3) + (b & 7)];
    if (diagonalA !== diagonalB) return diagonalA - diagonalB;
    return diagonalA % 2 ? a - b : b - a;
  }),
);

/** Quantisation steps at `quality` 1..100, scaled as in the Independent JPEG Group's software. */
export function quantisationSteps(kind: 'luminance' | 'chrominance', quality: number): Uint8Array {
  const percent = quality < 50 ? Math.floor(5000 / quality) : 200 - 2 * quality;
  const table = kind === 'luminance' ? LUMINANCE : CHROMINANCE;
  return Uint8Array.from(table, (step) => Math.min(255, Math.max(1, Math.floor((step * percent + 50) / 100))));
}

/** Scale factor that `transformBlock` omits from coefficient k of a row or column. */
const scaleOf = (k: number): number => (k === 0 ? 1 : Math.SQRT2 * Math.cos((k * Math.PI) / 16));

/** Factors from the output of `transformBlock` to quantised coefficients before rounding. */
export function quantisationFactors(steps: Uint8Array): Float64Array {
  return Float64Array.from(steps, (step, i) => 1 / (8 * step * scaleOf(i >> 3) * scaleOf(i & 7)));
}

const C4 = Math.cos(Math.PI / 4);
const C6 = Math.cos((3 * Math.PI) / 8);
const C2_MINUS_C6 = Math.cos(Math.PI / 8) - C6;
const C2_PLUS_C6 = Math.cos(Math.PI / 8) + C6;

/** Transforms the eight values of `block` from `at` on, `stride` apart. */
function transformLine(block: Float64Array, at: number, stride: number): void {
  const [i1, i2, i3] = [at + stride, at + 2 * stride, at + 3 * stride];
  const i4 = at + 4 * stride;
  const [i5, i6, i7] = [i4 + stride, i4 + 2 * stride, i4 + 3 * stride];
  const a0 = block[at] as number;
  const a1 = block[i1] as number;
  const a2 = block[i2] as number;
  const a3 = block[i3] as number;
  const a4 = block[i4] as number;
  const a5 = block[i5] as number;
  const a6 = block[i6] as number;
  const a7 = block[i7] as number;
  const sum07 = a0 + a7;
  const sum16 = a1 + a6;
  const sum25 = a2 + a5;
  const sum34 = a3 + a4;
  const outer = sum07 + sum34;
  const inner = sum16 + sum25;
  const outerDifference = sum07 - sum34;
  const turned = (sum16 - sum25 + outerDifference) * C4;
  block[at] = outer + inner;
  block[i4] = outer - inner;
  block[i2] = outerDifference + turned;
  block[i6] = outerDifference - turned;

  const difference07 = a0 - a7;
  const low = a3 - a4 + a2 - a5;
  const middle = (a2 - a5 + a1 - a6) * C4;
  const high = a1 - a6 + difference07;
  const shared = (low - high) * C6;
  const lowTurned = C2_MINUS_C6 * low + shared;
  const highTurned = C2_PLUS_C6 * high + shared;
  const plus = difference07 + middle;
  const minus = difference07 - middle;
  block[i5] = minus + lowTurned;
  block[i3] = minus - lowTurned;
  block[i1] = plus + highTurned;
  block[i7] = plus - highTurned;
}

/** Transforms the 64 values of `block` in place. */
export function transformBlock(block: Float64Array): void {
  for (let row = 0; row < 64; row += 8) transformLine(block, row, 1);
  for (let column = 0; column < 8; column++) transformLine(block, column, 8);
}
