// Soft lines and clouds: points accumulate in a buffer over part of the image, are blurred, and added to the image.
import { bilinear } from './noise.ts';
import type { PixelBox } from './view.ts';

export type SplatPatch = ReturnType<typeof splatPatch>;

/** `cell` is the side of a cell of the buffer in image pixels: a wide blur needs few cells. */
export function splatPatch(box: PixelBox, cell = 1) {
  const width = Math.max(0, Math.ceil((box.x1 - box.x0) / cell));
  const height = Math.max(0, Math.ceil((box.y1 - box.y0) / cell));
  const values = new Float32Array(width * height);
  /** Cells that may have light: columns `left` to `right`, rows `top` to `bottom`, the latter exclusive. */
  let [left, top, right, bottom] = [width, height, 0, 0];

  /** Filters each row, then each column, of the part that may have light, which widens by `reach` cells. */
  function filterLit(reach: number, filter: (line: Float32Array, out: Float32Array) => void): void {
    left = Math.max(0, left - reach);
    top = Math.max(0, top - reach);
    right = Math.min(width, right + reach);
    bottom = Math.min(height, bottom + reach);
    const [columns, rows] = [right - left, bottom - top];
    for (const [length, step, lines, next] of [
      [columns, 1, rows, width],
      [rows, width, columns, 1],
    ] as const) {
      const [line, out] = [new Float32Array(length), new Float32Array(length)];
      for (let k = 0; k < lines; k++) {
        const first = top * width + left + k * next;
        for (let i = 0; i < length; i++) line[i] = values[first + i * step]!;
        filter(line, out);
        for (let i = 0; i < length; i++) values[first + i * step] = out[i]!;
      }
    }
  }

  return {
    box,
    cell,
    values,

    /** Adds light to the picture position (x, y), shared among the four cells around it; `amount` is per picture pixel. */
    add(x: number, y: number, amount: number): void {
      const px = (x - box.x0) / cell;
      const py = (y - box.y0) / cell;
      const ix = Math.floor(px);
      const iy = Math.floor(py);
      if (ix < 0 || iy < 0 || ix >= width - 1 || iy >= height - 1) return;
      if (ix < left) left = ix;
      if (ix + 2 > right) right = ix + 2;
      if (iy < top) top = iy;
      if (iy + 2 > bottom) bottom = iy + 2;
      const tx = px - ix;
      const ty = py - iy;
      const at = iy * width + ix;
      const share = amount / (cell * cell);
      values[at]! += share * (1 - tx) * (1 - ty);
      values[at + 1]! += share * tx * (1 - ty);
      values[at + width]! += share * (1 - tx) * ty;
      values[at + width + 1]! += share * tx * ty;
    },

    /** Adds the buffer, times `gain`, to a picture of `pictureWidth` columns. */
    addTo(picture: Float32Array, pictureWidth: number, gain: number): void {
      if (width < 2 || height < 2) return;
      const y1 = Math.min(box.y1, box.y0 + bottom * cell);
      const x1 = Math.min(box.x1, box.x0 + right * cell);
      for (let y = box.y0 + Math.max(0, top - 1) * cell; y < y1; y++) {
        const v = (y - box.y0) / cell;
        const iy = Math.min(height - 2, Math.floor(v));
        const ty = v - iy;
        for (let x = box.x0 + Math.max(0, left - 1) * cell; x < x1; x++) {
          const u = (x - box.x0) / cell;
          const ix = Math.min(width - 2, Math.floor(u));
          const tx = u - ix;
          const at = iy * width + ix;
          picture[y * pictureWidth + x]! += gain * bilinear(values, at, at + 1, at + width, at + width + 1, tx, ty);
        }
      }
    },

    /** Blurs about as a Gaussian of this standard deviation: three box means, or three taps for one below a cell. */
    blur(sigmaPixels: number): void {
      const sigma = sigmaPixels / cell;
      if (sigma < 0.35 || left >= right) return;
      const radius = Math.max(1, Math.round((Math.sqrt(4 * sigma * sigma + 1) - 1) / 2));
      if (sigma < 1.1) filterLit(1, (line, out) => taps(line, out, Math.min(0.33, (sigma * sigma) / 2)));
      else for (let pass = 0; pass < 3; pass++) filterLit(radius, (line, out) => boxMean(line, out, radius));
    },
  };
}

function taps(line: Float32Array, out: Float32Array, side: number): void {
  for (let i = 0; i < line.length; i++) out[i] = line[i]! * (1 - 2 * side) + ((line[i - 1] ?? 0) + (line[i + 1] ?? 0)) * side;
}

/** Cells outside count as 0. */
function boxMean(line: Float32Array, out: Float32Array, radius: number): void {
  let sum = 0;
  for (let i = 0; i < Math.min(radius, line.length); i++) sum += line[i]!;
  for (let i = 0; i < line.length; i++) {
    if (i + radius < line.length) sum += line[i + radius]!;
    if (i > radius) sum -= line[i - radius - 1]!;
    out[i] = sum / (2 * radius + 1);
  }
}
