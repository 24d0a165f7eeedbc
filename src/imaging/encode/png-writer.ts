// The image data of a PNG, row by row, with filter Average, which gives the smallest files of all fixed filters on solar frames and is the
// fastest except for Up. Paeth takes four times as long and yields 0 to 6 % more bytes.
import { constants, deflateRawSync } from 'node:zlib';
import { withCore } from '../core/core.ts';
import { bytesAt, placed, room } from '../core/memory.ts';
import { drainChunks, type RowSink } from './encoder.ts';
import { BYTES_PER_PIXEL, type ColourType, chunk, header, PNG_SIGNATURE } from './png-chunks.ts';

/**
 * Compression of one channel: runs only. On tiles of eleven instruments, zlib's level 1 takes 1.3 to 8 times as long and yields 1 to 22 % more
 * bytes, level 3 also more.
 */
const ONE_CHANNEL = { level: 6, strategy: constants.Z_RLE };
/** Of several: a colour table repeats whole pixels, so that level 1 yields 7 to 22 % fewer bytes than runs, in 0.8 to 1.4 times their time. */
const SEVERAL_CHANNELS = { level: 1 };

/**
 * Filtered bytes per deflate block. Each block ends on a byte boundary (Z_SYNC_FLUSH), which costs five bytes, and starts
 * without history, which costs runs nothing. The file does not depend on the strips.
 */
const BLOCK_BYTES = 1 << 18;

/** Header of a zlib stream (RFC 1950): deflate, window of 32 KiB, fastest algorithm. */
const ZLIB_HEADER = Uint8Array.of(0x78, 0x01);

/** Encodes rows as a PNG file. Holds one row, one block of filtered bytes and the file so far. */
export class PngWriter implements RowSink {
  readonly #size: number;
  readonly #above: Uint8Array;
  readonly #filtered: Uint8Array;
  readonly #chunks: Uint8Array[];
  #filled = 0;
  /** Adler-32 of the filtered bytes (RFC 1950), as a signed number. */
  #adler = 1;

  /** `chunks`: chunks between header and image data, such as the palette. */
  constructor(width: number, height: number, colourType: ColourType, chunks: readonly Uint8Array[] = []) {
    this.#size = BYTES_PER_PIXEL[colourType];
    this.#above = new Uint8Array(width * this.#size);
    this.#filtered = new Uint8Array(Math.min(BLOCK_BYTES, (this.#above.length + 1) * height) + this.#above.length + 1);
    this.#chunks = [PNG_SIGNATURE, header(width, height, colourType), ...chunks, chunk('IDAT', ZLIB_HEADER)];
  }

  add(pixels: Uint8Array, rows: number): void {
    const rowBytes = this.#above.length;
    for (let y = 0; y < rows; ) {
      // As many rows as complete a block.
      const count = Math.min(rows - y, Math.ceil((BLOCK_BYTES - this.#filled) / (rowBytes + 1)));
      this.#filter(pixels.subarray(y * rowBytes, (y + count) * rowBytes), count);
      y += count;
      this.#above.set(pixels.subarray((y - 1) * rowBytes, y * rowBytes));
      if (this.#filled >= BLOCK_BYTES) this.#deflate(constants.Z_SYNC_FLUSH);
    }
  }

  /** Appends filtered rows to the block. */
  #filter(pixels: Uint8Array, rows: number): void {
    const rowBytes = this.#above.length;
    const bytes = rows * (rowBytes + 1);
    withCore((core) => {
      const above = placed(core, this.#above);
      const source = placed(core, pixels);
      const filtered = room(core, bytes);
      core.filterRows(above, source, rowBytes, rows, this.#size, filtered);
      this.#adler = core.adler32(this.#adler, filtered, bytes);
      this.#filtered.set(bytesAt(core, filtered, bytes), this.#filled);
    });
    this.#filled += bytes;
  }

  #deflate(finishFlush: number): void {
    const block = this.#filtered.subarray(0, this.#filled);
    const options = this.#size === 1 ? ONE_CHANNEL : SEVERAL_CHANNELS;
    this.#chunks.push(chunk('IDAT', deflateRawSync(block, { ...options, finishFlush })));
    this.#filled = 0;
  }

  end(): Uint8Array {
    this.#deflate(constants.Z_FINISH);
    const sum = new Uint8Array(4);
    new DataView(sum.buffer).setInt32(0, this.#adler);
    this.#chunks.push(chunk('IDAT', sum), chunk('IEND', new Uint8Array(0)));
    return drainChunks(this.#chunks);
  }
}
