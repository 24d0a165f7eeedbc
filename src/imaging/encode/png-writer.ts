// The image data of a PNG from rows as they come. On solar frames filter Average with zlib's run-length strategy gives the
// smallest files of all fixed filters and is the fastest but for Up: Paeth costs four times the filtering for 0 to 6 % more
// bytes, zlib's level 3 is slower and 2 to 15 % larger on images, and only on plain graphics up to 5 % smaller.
import { constants, deflateRawSync } from 'node:zlib';
import { drainParts } from './drain-parts.ts';
import type { RowSink } from './encoder.ts';
import { BYTES_PER_PIXEL, type ColourType, chunk, header, PNG_SIGNATURE } from './png-chunks.ts';

const FILTER_AVERAGE = 3;

/**
 * Filtered bytes that are deflated at a time. Each piece ends on a byte (Z_SYNC_FLUSH), which costs five bytes; runs never
 * look further back than one byte, so nothing else is lost, and the file does not depend on how the rows came.
 */
const PIECE_BYTES = 1 << 18;

/** Header of a zlib stream (RFC 1950): deflate, window of 32 KiB, fastest algorithm. */
const ZLIB_HEADER = Uint8Array.of(0x78, 0x01);

/** The most bytes whose sums of Adler-32 stay below 2^32 without a modulo. */
const ADLER_BYTES = 5552;
const ADLER_MODULUS = 65521;

/** Adler-32 (RFC 1950) of `bytes` behind those that gave `sum`; 1 before any. */
function adler32(sum: number, bytes: Uint8Array): number {
  let a = sum & 0xffff;
  let b = sum >>> 16;
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(at + ADLER_BYTES, bytes.length);
    while (at < end) {
      a += bytes[at++] as number;
      b += a;
    }
    a %= ADLER_MODULUS;
    b %= ADLER_MODULUS;
  }
  return ((b << 16) | a) >>> 0;
}

/** Filter Average (9.2) of `row` under `above` to `out` from `at` on; `size` bytes a pixel. */
function filterRow(row: Uint8Array, above: Uint8Array, size: number, out: Uint8Array, at: number): void {
  for (let x = 0; x < size; x++) out[at + x] = (row[x] as number) - ((above[x] as number) >> 1);
  for (let x = size; x < row.length; x++) {
    out[at + x] = (row[x] as number) - (((row[x - size] as number) + (above[x] as number)) >> 1);
  }
}

/** Rows to a PNG file. Keeps one row, one piece of filtered bytes and the file as far as it goes. */
export class PngWriter implements RowSink {
  readonly #size: number;
  readonly #above: Uint8Array;
  readonly #filtered: Uint8Array;
  readonly #parts: Uint8Array[];
  #filled = 0;
  #adler = 1;

  /** `chunks`: what stands between header and image data, for instance the palette. */
  constructor(width: number, height: number, colourType: ColourType, chunks: readonly Uint8Array[] = []) {
    this.#size = BYTES_PER_PIXEL[colourType];
    this.#above = new Uint8Array(width * this.#size);
    this.#filtered = new Uint8Array(Math.min(PIECE_BYTES, (this.#above.length + 1) * height) + this.#above.length + 1);
    this.#parts = [PNG_SIGNATURE, header(width, height, colourType), ...chunks, chunk('IDAT', ZLIB_HEADER)];
  }

  add(pixels: Uint8Array, rows: number): void {
    const above = this.#above;
    const filtered = this.#filtered;
    const size = this.#size;
    const rowBytes = above.length;
    let last = above;
    for (let y = 0; y < rows; y++) {
      const row = pixels.subarray(y * rowBytes, (y + 1) * rowBytes);
      filtered[this.#filled] = FILTER_AVERAGE;
      filterRow(row, last, size, filtered, this.#filled + 1);
      this.#filled += rowBytes + 1;
      if (this.#filled >= PIECE_BYTES) this.#deflate(constants.Z_SYNC_FLUSH);
      last = row;
    }
    above.set(last);
  }

  #deflate(finishFlush: number): void {
    const piece = this.#filtered.subarray(0, this.#filled);
    this.#adler = adler32(this.#adler, piece);
    this.#parts.push(chunk('IDAT', deflateRawSync(piece, { level: 6, strategy: constants.Z_RLE, finishFlush })));
    this.#filled = 0;
  }

  end(): Uint8Array {
    this.#deflate(constants.Z_FINISH);
    const sum = new Uint8Array(4);
    new DataView(sum.buffer).setUint32(0, this.#adler);
    this.#parts.push(chunk('IDAT', sum), chunk('IEND', new Uint8Array(0)));
    return drainParts(this.#parts);
  }
}
