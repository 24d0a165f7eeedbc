// Baseline JPEG (ISO/IEC 10918-1) in colour, with a JFIF header and all components at full resolution, row by row.

import { checkSides, drainChunks, type RowSink, type StripEncoder, stripEncoder } from './encoder.ts';
import { quantisationFactors, quantisationSteps, transformBlock, ZIGZAG } from './jpeg-dct.ts';
import { type HuffmanTable, JpegEntropyCoder } from './jpeg-entropy.ts';

/** Largest side that libjpeg reads; the format allows 35 pixels more. */
const MAX_SIDE = 65500;

const DEFAULT_QUALITY = 80;

/** Side of a block. */
const SIDE = 8;

/** Marker codes (table B.1). */
const MARKER = { startOfImage: 0xd8, app0: 0xe0, quantisation: 0xdb, frame: 0xc0, huffman: 0xc4, scan: 0xda, endOfImage: 0xd9 };

/** JFIF 1.01, square pixels, no thumbnail. */
const JFIF = [0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0];

/** Added before truncation so that a quantised value is rounded; far above any coefficient. */
const ROUNDING = 32768;

/** A marker segment: marker, length, contents. */
function markerSegment(marker: number, contents: ArrayLike<number>): Uint8Array {
  const length = contents.length + 2;
  const bytes = new Uint8Array(length + 2);
  bytes.set([0xff, marker, length >> 8, length & 255]);
  bytes.set(contents, 4);
  return bytes;
}

/** DHT of table `index`: DC and AC of luminance, then of chrominance. */
function huffmanSegment({ isAc, lengths }: HuffmanTable, index: number): Uint8Array {
  const symbols = [...lengths.keys()].filter((symbol) => lengths[symbol]);
  const byLength = Array.from({ length: 16 }, (_, i) => symbols.filter((symbol) => lengths[symbol] === i + 1));
  return markerSegment(MARKER.huffman, [
    (isAc ? 0x10 : 0) | (index >> 1),
    ...byLength.map((of) => of.length),
    ...byLength.flat(),
  ]);
}

/** One component: eight rows of samples, its quantisation, and its last DC coefficient. */
interface Component {
  readonly kind: 0 | 1;
  readonly rows: Float32Array;
  readonly factors: Float64Array;
  lastDc: number;
}

/** Encodes rows as a JPEG file. Holds eight rows, coefficient tokens (16 MB at most) and the file so far. */
class JpegWriter implements RowSink {
  readonly #width: number;
  readonly #height: number;
  /** Width in whole blocks. */
  readonly #stride: number;
  readonly #components: readonly Component[];
  readonly #steps: readonly Uint8Array[];
  readonly #entropy: JpegEntropyCoder;
  readonly #block = new Float64Array(SIDE * SIDE);
  readonly #zigzag = new Int32Array(SIDE * SIDE);
  #held = 0;
  #y = 0;

  constructor(width: number, height: number, quality: number) {
    this.#width = width;
    this.#height = height;
    this.#stride = Math.ceil(width / SIDE) * SIDE;
    this.#steps = (['luminance', 'chrominance'] as const).map((kind) => quantisationSteps(kind, quality));
    const factors = this.#steps.map(quantisationFactors);
    this.#components = ([0, 1, 1] as const).map((kind) => ({
      kind,
      rows: new Float32Array(this.#stride * SIDE),
      factors: factors[kind] as Float64Array,
      lastDc: 0,
    }));
    this.#entropy = new JpegEntropyCoder();
  }

  add(pixels: Uint8Array, rows: number): void {
    const bytes = this.#width * this.#components.length;
    for (let row = 0; row < rows; row++) {
      this.#hold(pixels.subarray(row * bytes, (row + 1) * bytes), this.#held * this.#stride);
      this.#held++;
      this.#y++;
      if (this.#held === SIDE || this.#y === this.#height) this.#codeBlocks();
    }
  }

  /** Converts a row to Y, Cb, Cr around zero (JFIF) and repeats its last pixel to the end of the block. */
  #hold(row: Uint8Array, at: number): void {
    const [luminance, blue, red] = this.#components.map(({ rows }) => rows) as [Float32Array, Float32Array, Float32Array];
    for (let x = 0, i = 0; x < this.#width; x++, i += 3) {
      const r = row[i] as number;
      const g = row[i + 1] as number;
      const b = row[i + 2] as number;
      const y = 0.299 * r + 0.587 * g + 0.114 * b;
      luminance[at + x] = y - 128;
      blue[at + x] = (b - y) / 1.772;
      red[at + x] = (r - y) / 1.402;
    }
    const last = at + this.#width - 1;
    for (const { rows } of this.#components) rows.fill(rows[last] as number, last + 1, at + this.#stride);
  }

  /** Codes the held rows, the last one repeated to the end of the block. */
  #codeBlocks(): void {
    const stride = this.#stride;
    for (const { rows } of this.#components) {
      for (let row = this.#held; row < SIDE; row++) rows.copyWithin(row * stride, (this.#held - 1) * stride, this.#held * stride);
    }
    this.#held = 0;
    for (let x = 0; x < stride; x += SIDE) for (const component of this.#components) this.#codeBlock(component, x);
  }

  #codeBlock(component: Component, x: number): void {
    const block = this.#block;
    const zigzag = this.#zigzag;
    const stride = this.#stride;
    const { rows, factors } = component;
    for (let row = 0, i = 0; row < SIDE; row++) {
      const at = row * stride + x;
      for (let column = 0; column < SIDE; column++) block[i++] = rows[at + column] as number;
    }
    transformBlock(block);
    for (let i = 0; i < SIDE * SIDE; i++) {
      const from = ZIGZAG[i] as number;
      zigzag[i] = (((block[from] as number) * (factors[from] as number) + (ROUNDING + 0.5)) | 0) - ROUNDING;
    }
    const dc = zigzag[0] as number;
    this.#entropy.addBlock(zigzag, dc - component.lastDc, component.kind);
    component.lastDc = dc;
  }

  end(): Uint8Array {
    const width = this.#width;
    const height = this.#height;
    const components = this.#components;
    const steps = this.#steps;
    const { tables, chunks } = this.#entropy.end();
    const sides = [height >> 8, height & 255, width >> 8, width & 255];
    const frame = components.flatMap(({ kind }, i) => [i + 1, 0x11, kind]);
    const scan = components.flatMap(({ kind }, i) => [i + 1, (kind << 4) | kind]);
    return drainChunks([
      Uint8Array.of(0xff, MARKER.startOfImage),
      markerSegment(MARKER.app0, JFIF),
      ...steps.map((table, i) =>
        markerSegment(MARKER.quantisation, [i, ...Array.from(ZIGZAG, (index) => table[index] as number)]),
      ),
      markerSegment(MARKER.frame, [8, ...sides, components.length, ...frame]),
      ...tables.map(huffmanSegment),
      markerSegment(MARKER.scan, [components.length, ...scan, 0, 63, 0]),
      ...chunks,
      Uint8Array.of(0xff, MARKER.endOfImage),
    ]);
  }
}

/**
 * Encodes R, G, B rows. `quality`: 1..100 on the scale of the Independent JPEG Group.
 *
 * @throws RangeError for sides that JPEG cannot express and for a quality out of range
 */
export function jpeg(width: number, height: number, quality = DEFAULT_QUALITY): StripEncoder {
  checkSides(width, height, MAX_SIDE);
  if (!(quality >= 1 && quality <= 100)) throw new RangeError(`Expected a number from 1 to 100 for quality, got ${quality}.`);
  return stripEncoder({ width, height, bytesPerPixel: 3 }, new JpegWriter(width, height, quality));
}
