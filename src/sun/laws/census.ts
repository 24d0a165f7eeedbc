// Counts of the bytes of an image or a region, from which its statistics and its gate follow.
import { type Columns, columnsIn, columnsInDisc, type Shape } from '../coordinates/region.ts';
import type { ImageGeometry } from '../image.ts';
import type { Disc } from './law-header.ts';

const BYTES = 256;
/** Tables of counts that pixels use in turns, because an increment waits for the one before it where both are of the same byte. */
const TABLES = 4;
/** Share of the solar radius of the inner disc. */
const INNER = 0.9;

/** Decoded bytes of a rectangle of pixels, row by row from the top left corner of the image. */
export interface ByteWindow {
  readonly x0: number;
  readonly y0: number;
  readonly width: number;
  readonly height: number;
  readonly samples: Uint8Array;
}

/** Size of an image in pixels, and its solar disc in FITS pixels. */
type CountedImage = Pick<ImageGeometry, 'width' | 'height' | 'refPixelX' | 'refPixelY' | 'rsunPixels'>;

export interface Census {
  /** Pixels with each byte, inside of the disc that has data, if there is one. */
  readonly counts: Float64Array;
  /** Pixels with each byte within nine tenths of the solar radius, of strips of whole rows. */
  readonly inner: Float64Array;
  /** Pixels outside of the disc that has data. */
  readonly outside: number;
  /** Bytes at the lower end of the leftmost column: the lowest, and the one above it. */
  readonly corner: { readonly lowest: number; readonly above: number };
}

const emptyTables = () => new Uint32Array(TABLES * BYTES);

function count(tables: Uint32Array, samples: Uint8Array, from: number, to: number): void {
  let i = from;
  for (; i + TABLES <= to; i += TABLES) {
    tables[samples[i]!]! += 1;
    tables[BYTES + samples[i + 1]!]! += 1;
    tables[2 * BYTES + samples[i + 2]!]! += 1;
    tables[3 * BYTES + samples[i + 3]!]! += 1;
  }
  for (; i < to; i++) tables[samples[i]!]! += 1;
}

const summed = (tables: Uint32Array): Float64Array =>
  Float64Array.from({ length: BYTES }, (_, byte) => {
    let sum = 0;
    for (let table = 0; table < TABLES; table++) sum += tables[table * BYTES + byte]!;
    return sum;
  });

/** Counts the bytes of strips of an image, those of the inner disc where they are whole rows. */
export class LevelCounter {
  readonly #image: CountedImage;
  readonly #disc: Disc | null;
  readonly #shape: Shape | null;
  readonly #inner: Disc;
  readonly #counts = emptyTables();
  readonly #innerCounts = emptyTables();
  #outside = 0;
  #corner = { lowest: 0, above: 0 };

  /** `disc`: circle outside of which there is no data; null for none. `shape`: region whose pixels are counted; null for all. */
  constructor(image: CountedImage, disc: Disc | null, shape: Shape | null = null) {
    this.#image = image;
    this.#disc = disc;
    this.#shape = shape;
    const { x, y, radius } = disc ?? { x: image.refPixelX, y: image.refPixelY, radius: image.rsunPixels };
    this.#inner = { x, y, radius: INNER * radius };
  }

  add({ x0, y0, width, height, samples }: ByteWindow): void {
    const lastRow = this.#image.height - 1;
    const isWhole = width === this.#image.width;
    for (let row = 0; row < height; row++) {
      const y = y0 + row;
      const start = row * width - x0;
      const fitsY = this.#image.height - y;
      const runs: readonly Columns[] = this.#shape ? columnsIn(this.#shape, fitsY, x0, x0 + width) : [[x0, x0 + width]];
      for (const [first, end] of runs) {
        const [from, to] = this.#disc ? columnsInDisc(this.#disc, fitsY, first, end) : [first, end];
        count(this.#counts, samples, start + from, start + to);
        this.#outside += end - first - (to - from);
      }
      if (isWhole) {
        const [innerFrom, innerTo] = columnsInDisc(this.#inner, fitsY, x0, x0 + width);
        count(this.#innerCounts, samples, start + innerFrom, start + innerTo);
      }
      if (x0 === 0 && y === lastRow) this.#corner = { ...this.#corner, lowest: samples[start]! };
      if (x0 === 0 && y === lastRow - 1) this.#corner = { ...this.#corner, above: samples[start]! };
    }
  }

  get census(): Census {
    return { counts: summed(this.#counts), inner: summed(this.#innerCounts), outside: this.#outside, corner: this.#corner };
  }
}
