// Counts of the bytes of an image or a region, from which its statistics and its gate follow.
import type { Disc } from './recipe.ts';

const BYTES = 256;
/** Share of the solar radius of the inner disc. */
const INNER = 0.9;

/** A rectangle of pixels from the top left corner of the image, row by row; x1, y1 exclusive. */
export interface PixelRows {
  readonly x0: number;
  readonly y0: number;
  readonly width: number;
  readonly height: number;
  readonly samples: Uint8Array;
}

/** Size of an image in pixels, and its solar disc in FITS pixels. */
export interface CountedImage {
  readonly width: number;
  readonly height: number;
  readonly refPixelX: number;
  readonly refPixelY: number;
  readonly rsunPixels: number;
}

export interface Census {
  /** Pixels with each byte, inside of the disc that has data, if there is one. */
  readonly counts: Float64Array;
  /** The same within nine tenths of the solar radius. */
  readonly inner: Float64Array;
  /** Pixels outside of the disc that has data. */
  readonly outside: number;
  /** Bytes at the lower end of the leftmost column: the lowest, and the one above it. */
  readonly corner: { readonly lowest: number; readonly above: number };
}

/** Columns [from, to) of a row whose centres are in a circle; from = to for none. */
function columnsIn(disc: Disc, fitsY: number, x0: number, x1: number): readonly [number, number] {
  const square = disc.radius ** 2 - (fitsY - disc.y) ** 2;
  if (square <= 0) return [x0, x0];
  const half = Math.sqrt(square);
  const from = Math.min(x1, Math.max(x0, Math.ceil(disc.x - half - 1)));
  return [from, Math.max(from, Math.min(x1, Math.floor(disc.x + half - 1) + 1))];
}

function count(into: Float64Array, samples: Uint8Array, from: number, to: number): void {
  for (let i = from; i < to; i++) into[samples[i]!]! += 1;
}

/** Counts the bytes of strips of an image, which must be whole rows where the inner disc and the corner matter. */
export class LevelCounter {
  readonly #image: CountedImage;
  readonly #disc: Disc | null;
  readonly #inner: Disc;
  readonly #counts = new Float64Array(BYTES);
  readonly #innerCounts = new Float64Array(BYTES);
  #outside = 0;
  #corner = { lowest: 0, above: 0 };

  /** @param disc Circle outside of which there is no data; null for none */
  constructor(image: CountedImage, disc: Disc | null) {
    this.#image = image;
    this.#disc = disc;
    const { x, y, radius } = disc ?? { x: image.refPixelX, y: image.refPixelY, radius: image.rsunPixels };
    this.#inner = { x, y, radius: INNER * radius };
  }

  add({ x0, y0, width, height, samples }: PixelRows): void {
    const lastRow = this.#image.height - 1;
    for (let row = 0; row < height; row++) {
      const y = y0 + row;
      const start = row * width - x0;
      const fitsY = this.#image.height - y;
      const [from, to] = this.#disc ? columnsIn(this.#disc, fitsY, x0, x0 + width) : [x0, x0 + width];
      count(this.#counts, samples, start + from, start + to);
      this.#outside += width - (to - from);
      const [innerFrom, innerTo] = columnsIn(this.#inner, fitsY, x0, x0 + width);
      count(this.#innerCounts, samples, start + innerFrom, start + innerTo);
      if (x0 === 0 && y === lastRow) this.#corner = { ...this.#corner, lowest: samples[start]! };
      if (x0 === 0 && y === lastRow - 1) this.#corner = { ...this.#corner, above: samples[start]! };
    }
  }

  get census(): Census {
    return { counts: this.#counts, inner: this.#innerCounts, outside: this.#outside, corner: this.#corner };
  }
}
