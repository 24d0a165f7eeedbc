// Soft lines and clouds: points accumulate in a buffer over part of the image, are blurred, and added to the image.
import { bilinear } from './noise.ts';
import type { PixelBox } from './view.ts';

export class SplatPatch {
  readonly box: PixelBox;
  /** Side of a cell of the buffer in image pixels: a wide blur needs few cells. */
  readonly cell: number;
  readonly width: number;
  readonly height: number;
  readonly values: Float32Array;
  /** Cells that may have light: columns `left` to `right`, rows `top` to `bottom`, the latter exclusive. */
  #left: number;
  #top: number;
  #right = 0;
  #bottom = 0;

  constructor(box: PixelBox, cell = 1) {
    this.box = box;
    this.cell = cell;
    this.width = Math.max(0, Math.ceil((box.x1 - box.x0) / cell));
    this.height = Math.max(0, Math.ceil((box.y1 - box.y0) / cell));
    this.values = new Float32Array(this.width * this.height);
    this.#left = this.width;
    this.#top = this.height;
  }

  /** Adds light to the picture position (x, y), shared among the four cells around it; `amount` is per picture pixel. */
  add(x: number, y: number, amount: number): void {
    const { values, width, cell } = this;
    const px = (x - this.box.x0) / cell;
    const py = (y - this.box.y0) / cell;
    const ix = Math.floor(px);
    const iy = Math.floor(py);
    if (ix < 0 || iy < 0 || ix >= width - 1 || iy >= this.height - 1) return;
    if (ix < this.#left) this.#left = ix;
    if (ix + 2 > this.#right) this.#right = ix + 2;
    if (iy < this.#top) this.#top = iy;
    if (iy + 2 > this.#bottom) this.#bottom = iy + 2;
    const tx = px - ix;
    const ty = py - iy;
    const at = iy * width + ix;
    const share = amount / (cell * cell);
    values[at]! += share * (1 - tx) * (1 - ty);
    values[at + 1]! += share * tx * (1 - ty);
    values[at + width]! += share * (1 - tx) * ty;
    values[at + width + 1]! += share * tx * ty;
  }

  /** Adds the buffer, times `gain`, to a picture of `pictureWidth` columns. */
  addTo(picture: Float32Array, pictureWidth: number, gain: number): void {
    const { values, width, height, cell, box } = this;
    if (width < 2 || height < 2) return;
    const y1 = Math.min(box.y1, box.y0 + this.#bottom * cell);
    const x1 = Math.min(box.x1, box.x0 + this.#right * cell);
    for (let y = box.y0 + Math.max(0, this.#top - 1) * cell; y < y1; y++) {
      const v = (y - box.y0) / cell;
      const iy = Math.min(height - 2, Math.floor(v));
      const ty = v - iy;
      for (let x = box.x0 + Math.max(0, this.#left - 1) * cell; x < x1; x++) {
        const u = (x - box.x0) / cell;
        const ix = Math.min(width - 2, Math.floor(u));
        const tx = u - ix;
        const at = iy * width + ix;
        picture[y * pictureWidth + x]! += gain * bilinear(values, at, at + 1, at + width, at + width + 1, tx, ty);
      }
    }
  }

  /** Blurs about as a Gaussian of this standard deviation: three box means, or three taps for one below a cell. */
  blur(sigmaPixels: number): void {
    const sigma = sigmaPixels / this.cell;
    if (sigma < 0.35 || this.#left >= this.#right) return;
    const radius = Math.max(1, Math.round((Math.sqrt(4 * sigma * sigma + 1) - 1) / 2));
    if (sigma < 1.1) this.#filter(1, (line, out) => taps(line, out, Math.min(0.33, (sigma * sigma) / 2)));
    else for (let pass = 0; pass < 3; pass++) this.#filter(radius, (line, out) => boxMean(line, out, radius));
  }

  /** Filters each row, then each column, of the part that may have light, which widens by `reach` cells. */
  #filter(reach: number, filter: (line: Float32Array, out: Float32Array) => void): void {
    const { values, width } = this;
    this.#left = Math.max(0, this.#left - reach);
    this.#top = Math.max(0, this.#top - reach);
    this.#right = Math.min(width, this.#right + reach);
    this.#bottom = Math.min(this.height, this.#bottom + reach);
    const [columns, rows] = [this.#right - this.#left, this.#bottom - this.#top];
    for (const [length, step, lines, next] of [
      [columns, 1, rows, width],
      [rows, width, columns, 1],
    ] as const) {
      const [line, out] = [new Float32Array(length), new Float32Array(length)];
      for (let k = 0; k < lines; k++) {
        const first = this.#top * width + this.#left + k * next;
        for (let i = 0; i < length; i++) line[i] = values[first + i * step]!;
        filter(line, out);
        for (let i = 0; i < length; i++) values[first + i * step] = out[i]!;
      }
    }
  }
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
