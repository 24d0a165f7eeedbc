// Quantisation of baseline JPEG (ISO/IEC 10918-1, A.3.4), for the transform of wasm/draw/jpeg.ts.

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

/** Scale factor that the transform omits from coefficient k of a row or column. */
const scaleOf = (k: number): number => (k === 0 ? 1 : Math.SQRT2 * Math.cos((k * Math.PI) / 16));

/** Factors from the output of the transform to quantised coefficients before rounding. */
export function quantisationFactors(steps: Uint8Array): Float64Array {
  return Float64Array.from(steps, (step, i) => 1 / (8 * step * scaleOf(i >> 3) * scaleOf(i & 7)));
}
