// Baseline JPEG (ISO/IEC 10918-1) in colour, with a JFIF header and all components at full resolution, row by row.

import { withCore } from '../core/core.ts';
import { placed, room } from '../core/memory.ts';
import { checkSides, drainChunks, type RowSink, type StripEncoder, stripEncoder } from './encoder.ts';
import { type HuffmanTable, JpegEntropyCoder } from './jpeg-entropy.ts';
import { quantisationFactors, quantisationSteps, ZIGZAG } from './jpeg-quantisation.ts';

/** Largest side that libjpeg reads; the format allows 35 pixels more. */
const MAX_SIDE = 65500;

const DEFAULT_QUALITY = 80;

/** Side of a block. */
const SIDE = 8;

/** Marker codes (table B.1). */
const MARKER = { startOfImage: 0xd8, app0: 0xe0, quantisation: 0xdb, frame: 0xc0, huffman: 0xc4, scan: 0xda, endOfImage: 0xd9 };

/** JFIF 1.01, square pixels, no thumbnail. */
const JFIF = [0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0];

/** Bytes of a pixel, and components of the file: luminance and two of chrominance, with the tables of their kind. */
const CHANNELS = 3;
const KINDS = [0, 1, 1] as const;

/** Most tokens of a block: its values and the end of the block. */
const BLOCK_TOKENS = SIDE * SIDE + 1;

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

/** Encodes rows as a JPEG file. Holds eight rows, coefficient tokens (16 MB at most) and the file so far. */
class JpegWriter implements RowSink {
  readonly #width: number;
  readonly #height: number;
  readonly #steps: readonly Uint8Array[];
  /** Of luminance, then of chrominance. */
  readonly #factors: Float64Array;
  readonly #entropy = new JpegEntropyCoder();
  /** The last DC coefficient of each component. */
  readonly #lastDc = new Int32Array(CHANNELS);
  readonly #rows: Uint8Array;
  #held = 0;
  #y = 0;

  constructor(width: number, height: number, quality: number) {
    this.#width = width;
    this.#height = height;
    this.#steps = (['luminance', 'chrominance'] as const).map((kind) => quantisationSteps(kind, quality));
    this.#factors = Float64Array.from(this.#steps.flatMap((steps) => [...quantisationFactors(steps)]));
    this.#rows = new Uint8Array(width * CHANNELS * SIDE);
  }

  add(pixels: Uint8Array, rows: number): void {
    const bytes = this.#width * CHANNELS;
    for (let row = 0; row < rows; ) {
      const count = Math.min(rows - row, SIDE - this.#held);
      this.#rows.set(pixels.subarray(row * bytes, (row + count) * bytes), this.#held * bytes);
      row += count;
      this.#held += count;
      this.#y += count;
      if (this.#held === SIDE || this.#y === this.#height) this.#codeRows();
    }
  }

  /** Codes the held rows, the last one repeated to the end of the block. */
  #codeRows(): void {
    const blocks = Math.ceil(this.#width / SIDE);
    const { counts } = this.#entropy;
    const tokens = withCore((core) => {
      const rgb = placed(core, this.#rows);
      const [factors, order] = [placed(core, this.#factors), placed(core, ZIGZAG)];
      const planes = room(core, CHANNELS * SIDE * SIDE * blocks * Float32Array.BYTES_PER_ELEMENT);
      const [lastDc, symbols] = [placed(core, this.#lastDc), placed(core, counts)];
      const out = room(core, CHANNELS * blocks * BLOCK_TOKENS * Uint32Array.BYTES_PER_ELEMENT);
      const count = core.jpegTokens(rgb, this.#width, this.#held, blocks * SIDE, factors, order, planes, lastDc, symbols, out);
      this.#lastDc.set(new Int32Array(core.memory.buffer, lastDc, CHANNELS));
      counts.set(new Uint32Array(core.memory.buffer, symbols, counts.length));
      return new Uint32Array(core.memory.buffer, out, count).slice();
    });
    this.#held = 0;
    this.#entropy.add(tokens);
  }

  end(): Uint8Array {
    const width = this.#width;
    const height = this.#height;
    const steps = this.#steps;
    const { tables, chunks } = this.#entropy.end();
    const sides = [height >> 8, height & 255, width >> 8, width & 255];
    const frame = KINDS.flatMap((kind, i) => [i + 1, 0x11, kind]);
    const scan = KINDS.flatMap((kind, i) => [i + 1, (kind << 4) | kind]);
    return drainChunks([
      Uint8Array.of(0xff, MARKER.startOfImage),
      markerSegment(MARKER.app0, JFIF),
      ...steps.map((table, i) =>
        markerSegment(MARKER.quantisation, [i, ...Array.from(ZIGZAG, (index) => table[index] as number)]),
      ),
      markerSegment(MARKER.frame, [8, ...sides, CHANNELS, ...frame]),
      ...tables.map(huffmanSegment),
      markerSegment(MARKER.scan, [CHANNELS, ...scan, 0, 63, 0]),
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
