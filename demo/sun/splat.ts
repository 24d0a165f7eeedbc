// Soft lines and clouds: points accumulate in a buffer over part of the image, are blurred, and added to the image.
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
    values[at] = (values[at] as number) + share * (1 - tx) * (1 - ty);
    values[at + 1] = (values[at + 1] as number) + share * tx * (1 - ty);
    values[at + width] = (values[at + width] as number) + share * (1 - tx) * ty;
    values[at + width + 1] = (values[at + width + 1] as number) + share * tx * ty;
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
        const top = (values[at] as number) * (1 - tx) + (values[at + 1] as number) * tx;
        const bottom = (values[at + width] as number) * (1 - tx) + (values[at + width + 1] as number) * tx;
        const index = y * pictureWidth + x;
        picture[index] = (picture[index] as number) + gain * (top + (bottom - top) * ty);
      }
    }
  }

  /** Blurs about as a Gaussian of this standard deviation: three box means along rows and columns. */
  blur(sigmaPixels: number): void {
    const sigma = sigmaPixels / this.cell;
    if (sigma < 0.35 || this.#left >= this.#right) return;
    if (sigma < 1.1) {
      this.#widen(1);
      this.#kernelBlur(sigma);
      return;
    }
    const radius = Math.max(1, Math.round((Math.sqrt(4 * sigma * sigma + 1) - 1) / 2));
    const before = new Float32Array(this.values.length);
    for (let pass = 0; pass < 3; pass++) {
      this.#widen(radius);
      before.set(this.values);
      this.#meanOfRows(before, radius);
      before.set(this.values);
      this.#meanOfColumns(before, radius);
    }
  }

  /** Widens the part of the buffer that may have light. */
  #widen(cells: number): void {
    this.#left = Math.max(0, this.#left - cells);
    this.#top = Math.max(0, this.#top - cells);
    this.#right = Math.min(this.width, this.#right + cells);
    this.#bottom = Math.min(this.height, this.#bottom + cells);
  }

  /** Three-tap blur, for standard deviations below one cell. */
  #kernelBlur(sigma: number): void {
    const side = Math.min(0.33, (sigma * sigma) / 2);
    const { values, width } = this;
    const [left, right, top, bottom] = [this.#left, this.#right, this.#top, this.#bottom];
    const above = new Float32Array(width);
    for (let y = top; y < bottom; y++) {
      const row = y * width;
      let before = 0;
      for (let x = left; x < right; x++) {
        const at = row + x;
        const here = values[at] as number;
        const after = x + 1 < right ? (values[at + 1] as number) : 0;
        values[at] = here * (1 - 2 * side) + (before + after) * side;
        before = here;
      }
    }
    for (let y = top; y < bottom; y++) {
      const row = y * width;
      for (let x = left; x < right; x++) {
        const at = row + x;
        const here = values[at] as number;
        const below = y + 1 < bottom ? (values[at + width] as number) : 0;
        values[at] = here * (1 - 2 * side) + ((above[x] as number) + below) * side;
        above[x] = here;
      }
    }
  }

  /** Box mean along the rows of `before`. Cells outside count as 0. */
  #meanOfRows(before: Float32Array, radius: number): void {
    const { values, width } = this;
    const [left, right] = [this.#left, this.#right];
    const share = 1 / (2 * radius + 1);
    for (let y = this.#top; y < this.#bottom; y++) {
      const row = y * width;
      let sum = 0;
      for (let x = left; x < Math.min(left + radius, right); x++) sum += before[row + x] as number;
      for (let x = left; x < right; x++) {
        if (x + radius < right) sum += before[row + x + radius] as number;
        if (x - radius > left) sum -= before[row + x - radius - 1] as number;
        values[row + x] = sum * share;
      }
    }
  }

  /** The same along the columns, row by row: a walk down each column would miss the cache at every step. */
  #meanOfColumns(before: Float32Array, radius: number): void {
    const { values, width } = this;
    const [left, right, top, bottom] = [this.#left, this.#right, this.#top, this.#bottom];
    const share = 1 / (2 * radius + 1);
    const sums = new Float64Array(width);
    for (let y = top; y < Math.min(top + radius, bottom); y++)
      for (let x = left; x < right; x++) sums[x] = (sums[x] as number) + (before[y * width + x] as number);
    for (let y = top; y < bottom; y++) {
      const row = y * width;
      const entering = y + radius < bottom ? (y + radius) * width : -1;
      const leaving = y - radius > top ? (y - radius - 1) * width : -1;
      if (entering >= 0) for (let x = left; x < right; x++) sums[x] = (sums[x] as number) + (before[entering + x] as number);
      if (leaving >= 0) for (let x = left; x < right; x++) sums[x] = (sums[x] as number) - (before[leaving + x] as number);
      for (let x = left; x < right; x++) values[row + x] = (sums[x] as number) * share;
    }
  }
}
