// Soft lines and clouds in a small buffer over part of the picture: points are dropped in, blurred, then added to the picture.

import type { PixelBox } from './view.ts';

export class SplatPatch {
  readonly box: PixelBox;
  /** Side of a cell of the buffer, picture pixels: wide blurs need few cells. */
  readonly cell: number;
  readonly width: number;
  readonly height: number;
  readonly values: Float32Array;

  constructor(box: PixelBox, cell = 1) {
    this.box = box;
    this.cell = cell;
    this.width = Math.max(0, Math.ceil((box.x1 - box.x0) / cell));
    this.height = Math.max(0, Math.ceil((box.y1 - box.y0) / cell));
    this.values = new Float32Array(this.width * this.height);
  }

  /** Adds light to the picture place (x, y), shared among the four cells around it; `amount` is per picture pixel. */
  add(x: number, y: number, amount: number): void {
    const { values, width, cell } = this;
    const px = (x - this.box.x0) / cell;
    const py = (y - this.box.y0) / cell;
    const ix = Math.floor(px);
    const iy = Math.floor(py);
    if (ix < 0 || iy < 0 || ix >= width - 1 || iy >= this.height - 1) return;
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
    for (let y = box.y0; y < box.y1; y++) {
      const v = (y - box.y0) / cell;
      const iy = Math.min(height - 2, Math.floor(v));
      const ty = v - iy;
      for (let x = box.x0; x < box.x1; x++) {
        const u = (x - box.x0) / cell;
        const ix = Math.min(width - 2, Math.floor(u));
        const tx = u - ix;
        const at = iy * width + ix;
        const top = (values[at] as number) * (1 - tx) + (values[at + 1] as number) * tx;
        const bottom = (values[at + width] as number) * (1 - tx) + (values[at + width + 1] as number) * tx;
        const place = y * pictureWidth + x;
        picture[place] = (picture[place] as number) + gain * (top + (bottom - top) * ty);
      }
    }
  }

  /** Blurs about as a Gaussian of this standard deviation: three box means along rows and columns. */
  blur(sigmaPixels: number): void {
    const sigma = sigmaPixels / this.cell;
    if (sigma < 0.35 || this.width * this.height === 0) return;
    if (sigma < 1.1) {
      this.#kernelBlur(sigma);
      return;
    }
    const radius = Math.max(1, Math.round((Math.sqrt(4 * sigma * sigma + 1) - 1) / 2));
    const line = new Float32Array(Math.max(this.width, this.height));
    for (let pass = 0; pass < 3; pass++) {
      for (let y = 0; y < this.height; y++) boxMean(this.values, y * this.width, 1, this.width, radius, line);
      for (let x = 0; x < this.width; x++) boxMean(this.values, x, this.width, this.height, radius, line);
    }
  }

  /** Three taps, for less than a cell. */
  #kernelBlur(sigma: number): void {
    const side = Math.min(0.33, (sigma * sigma) / 2);
    const { values, width, height } = this;
    const above = new Float32Array(width);
    for (let y = 0; y < height; y++) {
      const row = y * width;
      let before = 0;
      for (let x = 0; x < width; x++) {
        const at = row + x;
        const here = values[at] as number;
        const after = x + 1 < width ? (values[at + 1] as number) : 0;
        values[at] = here * (1 - 2 * side) + (before + after) * side;
        before = here;
      }
    }
    for (let y = 0; y < height; y++) {
      const row = y * width;
      for (let x = 0; x < width; x++) {
        const at = row + x;
        const here = values[at] as number;
        const below = y + 1 < height ? (values[at + width] as number) : 0;
        values[at] = here * (1 - 2 * side) + ((above[x] as number) + below) * side;
        above[x] = here;
      }
    }
  }
}

function boxMean(values: Float32Array, start: number, step: number, count: number, radius: number, line: Float32Array): void {
  let sum = 0;
  for (let i = 0; i < count; i++) {
    line[i] = values[start + i * step] as number;
    if (i < radius) sum += line[i] as number;
  }
  const share = 1 / (2 * radius + 1);
  for (let i = 0; i < count; i++) {
    if (i + radius < count) sum += line[i + radius] as number;
    if (i - radius > 0) sum -= line[i - radius - 1] as number;
    values[start + i * step] = sum * share;
  }
}
