// Baseline JPEG (ISO/IEC 10918-1) in colour or grey, with a JFIF header and all components at full resolution, row by row.
import { allocate, bytesAt, copyIn, withCore } from '../../jp2/core/core.ts';
import { drainChunks } from '../../platform/util/bytes.ts';
import { firstPassing } from '../../platform/util/search.ts';
import { checkSides, type RowSink, type StripEncoder, stripEncoder } from './encoder.ts';
import { prefixCodes } from './prefix-code.ts';

/** Largest side that libjpeg reads; the format allows 35 pixels more. */
const MAX_SIDE = 65500;

const DEFAULT_QUALITY = 80;

const SIDE = 8;

/** Marker codes (table B.1). */
const MARKER = {
  startOfImage: 0xd8,
  app0: 0xe0,
  quantisation: 0xdb,
  frame: 0xc0,
  huffman: 0xc4,
  scan: 0xda,
  endOfImage: 0xd9,
  comment: 0xfe,
};

/** JFIF 1.01, square pixels, no thumbnail. */
const JFIF = [0x4a, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0];

/** Components of the file, one for each byte of a pixel, by the tables of their kind: 0 of luminance, 1 of chrominance. */
const COLOUR: readonly number[] = [0, 1, 1];
const GREY: readonly number[] = [0];

const LONGEST_COMMENT = 65_533;

/** Most tokens of a block: its values and the end of the block. */
const BLOCK_TOKENS = SIDE * SIDE + 1;

/** Tables K.1 and K.2, row by row; that of chrominance has 99 in its other rows. */
const LUMINANCE = [
  [16, 11, 10, 16, 24, 40, 51, 61],
  [12, 12, 14, 19, 26, 58, 60, 55],
  [14, 13, 16, 24, 40, 57, 69, 56],
  [14, 17, 22, 29, 51, 87, 80, 62],
  [18, 22, 37, 56, 68, 109, 103, 77],
  [24, 35, 55, 64, 81, 104, 113, 92],
  [49, 64, 78, 87, 103, 121, 120, 101],
  [72, 92, 95, 98, 112, 100, 103, 99],
].flat();
const CHROMINANCE = [
  [17, 18, 24, 47],
  [18, 21, 26, 66],
  [24, 26, 56, 99],
  [47, 66, 99, 99],
].flatMap((row) => [...row, 99, 99, 99, 99]);
/** Index in a row-by-row block of each coefficient of the zigzag sequence (figure A.6). */
const ZIGZAG = Uint8Array.from(
  Array.from({ length: 64 }, (_, i) => i).sort((a, b) => {
    const [diagonalA, diagonalB] = [(a >> 3) + (a & 7), (b >> 3) + (b & 7)];
    if (diagonalA !== diagonalB) return diagonalA - diagonalB;
    return diagonalA % 2 ? a - b : b - a;
  }),
);

/** Quantisation steps at `quality` 1..100, scaled as in the Independent JPEG Group's software. */
function quantisationSteps(kind: 'luminance' | 'chrominance', quality: number): Uint8Array {
  const percent = quality < 50 ? Math.floor(5000 / quality) : 200 - 2 * quality;
  const table = kind === 'luminance' ? LUMINANCE : CHROMINANCE;
  return Uint8Array.from({ length: SIDE * SIDE }, (_, i) =>
    Math.min(255, Math.max(1, Math.floor(((table[i] ?? 99) * percent + 50) / 100))),
  );
}

/** Steps of grey files. The mean's is a power of two, which divides that of black: with others a black sky becomes a level brighter. */
function greySteps(quality: number): Uint8Array {
  const steps = quantisationSteps('luminance', quality);
  steps[0] = 1 << Math.floor(Math.log2(steps[0]!));
  return steps;
}

/** Scale factor that the transform omits from coefficient k of a row or column. */
const scaleOf = (k: number): number => (k === 0 ? 1 : Math.SQRT2 * Math.cos((k * Math.PI) / 16));

/** Factors from the output of the transform to quantised coefficients before rounding. */
const quantisationFactors = (steps: Uint8Array): Float64Array =>
  Float64Array.from(steps, (step, i) => 1 / (8 * step * scaleOf(i >> 3) * scaleOf(i & 7)));

/** A marker segment: marker, length, contents. */
function markerSegment(marker: number, contents: ArrayLike<number>): Uint8Array {
  const length = contents.length + 2;
  const bytes = new Uint8Array(length + 2);
  bytes.set([0xff, marker, length >> 8, length & 255]);
  bytes.set(contents, 4);
  return bytes;
}

/** DHT of table `index`: DC and AC of luminance, then of chrominance. */
function huffmanSegment(lengths: Uint8Array, index: number): Uint8Array {
  const symbols = [...lengths.keys()].filter((symbol) => lengths[symbol]);
  const byLength = Array.from({ length: 16 }, (_, i) => symbols.filter((symbol) => lengths[symbol] === i + 1));
  const destination = (isOfAc(index) ? 0x10 : 0) | (index >> 1);
  return markerSegment(MARKER.huffman, [destination, ...byLength.map((of) => of.length), ...byLength.flat()]);
}

interface JpegFile {
  readonly width: number;
  readonly height: number;
  readonly kinds: readonly number[];
  /** 1..100 */
  readonly quality: number;
}

const COMPONENT_COST = 0.5;

/** An encoder of blocks of eight rows. Holds coefficient tokens (16 MB at most) and the file so far. */
function writer({ width, height, kinds, quality }: JpegFile): StripEncoder {
  checkSides(width, height, MAX_SIDE);
  if (!(quality >= 1 && quality <= 100)) throw new RangeError(`Expected a number from 1 to 100 for quality, got ${quality}.`);
  const components = kinds.length;
  const blocks = Math.ceil(width / SIDE);
  const steps =
    kinds === GREY ? [greySteps(quality)] : [quantisationSteps('luminance', quality), quantisationSteps('chrominance', quality)];
  /** Factors of luminance, then of chrominance. */
  const allFactors = Float64Array.from(steps.flatMap((table) => [...quantisationFactors(table)]));
  const entropy = entropyCoder();
  /** The last DC coefficient of each component. */
  const lastDcs = new Int32Array(components);
  const sink: RowSink = {
    /** Codes rows, the last one repeated to the end of the block. */
    add(pixels, rows) {
      const { counts } = entropy;
      const tokens = withCore((core) => {
        const from = copyIn(core, pixels);
        const [factors, order] = [copyIn(core, allFactors), copyIn(core, ZIGZAG)];
        const planes = allocate(core, components * SIDE * SIDE * blocks * Float32Array.BYTES_PER_ELEMENT);
        const [lastDc, symbols] = [copyIn(core, lastDcs), copyIn(core, counts)];
        const out = allocate(core, components * blocks * BLOCK_TOKENS * Uint32Array.BYTES_PER_ELEMENT);
        const count = core.jpegTokens(from, width, rows, blocks * SIDE, components, factors, order, planes, lastDc, symbols, out);
        lastDcs.set(new Int32Array(core.memory.buffer, lastDc, components));
        counts.set(new Uint32Array(core.memory.buffer, symbols, counts.length));
        return new Uint32Array(core.memory.buffer, out, count).slice();
      });
      entropy.add(tokens);
    },

    /** @throws RangeError for more than 65533 bytes of a comment */
    end(note) {
      const comment = new TextEncoder().encode(note);
      if (comment.length > LONGEST_COMMENT)
        throw new RangeError(`Expected at most ${LONGEST_COMMENT} bytes for note, got ${comment.length}.`);
      const { tables, chunks } = entropy.end();
      const sides = [height >> 8, height & 255, width >> 8, width & 255];
      const frame = kinds.flatMap((kind, i) => [i + 1, 0x11, kind]);
      const scan = kinds.flatMap((kind, i) => [i + 1, (kind << 4) | kind]);
      return drainChunks([
        Uint8Array.of(0xff, MARKER.startOfImage),
        markerSegment(MARKER.app0, JFIF),
        ...(comment.length > 0 ? [markerSegment(MARKER.comment, comment)] : []),
        ...steps.map((table, i) => markerSegment(MARKER.quantisation, [i, ...Array.from(ZIGZAG, (index) => table[index]!)])),
        markerSegment(MARKER.frame, [8, ...sides, components, ...frame]),
        ...tables.slice(0, 2 * steps.length).map(huffmanSegment),
        markerSegment(MARKER.scan, [components, ...scan, 0, 63, 0]),
        ...chunks,
        Uint8Array.of(0xff, MARKER.endOfImage),
      ]);
    },
  };
  return stripEncoder(
    { width, height, bytesPerPixel: components, pixelCost: COMPONENT_COST * components, blockRows: SIDE },
    sink,
  );
}

/** Encodes R, G, B rows. `quality`: 1..100, as of the Independent JPEG Group. @throws RangeError for sides or quality out of range */
export const jpeg = (width: number, height: number, quality = DEFAULT_QUALITY): StripEncoder =>
  writer({ width, height, kinds: COLOUR, quality });

/** Encodes grey rows. @throws RangeError as `jpeg` */
export const greyJpeg = (width: number, height: number, quality = DEFAULT_QUALITY): StripEncoder =>
  writer({ width, height, kinds: GREY, quality });

/** The similarity of a picture is estimated from one of so many rows of blocks, or from more, so that it is from so many if there are. */
const ESTIMATE = { rowsOfBlocks: 8, least: 16 };

/** Estimates the structural similarity (Wang et al. 2004, 0..1) of grey samples to a JPEG file of a quality, from some rows of blocks. */
export function greySimilarity({ samples, width }: GreyPicture, quality: number): number {
  const steps = greySteps(quality);
  const factors = quantisationFactors(steps);
  const blocks = Math.ceil(width / SIDE);
  const height = samples.length / width;
  const rowsOfBlocks = Math.ceil(height / SIDE);
  const step = Math.min(ESTIMATE.rowsOfBlocks, Math.max(1, Math.floor(rowsOfBlocks / ESTIMATE.least)));
  let [sum, count] = [0, 0];
  for (let y = SIDE * (step >> 1); y < height; y += SIDE * step, count += blocks) {
    const rows = Math.min(SIDE, height - y);
    sum += withCore((core) => {
      const pixels = copyIn(core, samples.subarray(y * width, (y + rows) * width));
      const planes = allocate(core, SIDE * SIDE * blocks * Float32Array.BYTES_PER_ELEMENT);
      return core.jpegSimilarity(pixels, width, rows, blocks * SIDE, copyIn(core, factors), copyIn(core, steps), planes);
    });
  }
  return sum / count;
}

type GreyPicture = { readonly samples: Uint8Array; readonly width: number };

/** The least of the ascending qualities at which the samples keep the similarity, 0..1, by its estimate; the greatest where none does. */
export function leastQuality(picture: GreyPicture, qualities: readonly number[], similarity: number): number {
  const last = qualities.length - 1;
  return qualities[firstPassing(last, (i) => greySimilarity(picture, qualities[i]!) >= similarity)]!;
}

const LONGEST_CODE = 16;

/** DC and AC of luminance, then of chrominance. */
const TABLES = 4;
const isOfAc = (table: number): boolean => table % 2 === 1;
const SYMBOLS = 256;

/** Tokens held until the tables exist: 16 MB, more than a frame of 4096 x 4096 needs at quality 80. */
const WAITING_TOKENS = 1 << 22;

/** Most bytes of a token: 16 + 11 bits and the pending ones, with every byte stuffed. */
const TOKEN_BYTES = 7;
const PENDING_BYTES = 8;

const END_OF_BLOCK = 0x00;
const SIXTEEN_ZEROS = 0xf0;

/** Symbols of baseline coding: sizes 0..11 of DC; runs 0..15 with sizes 1..10 of AC, and the two above. */
const DC_SYMBOLS = Array.from({ length: 12 }, (_, size) => size);
const AC_SYMBOLS = Array.from({ length: SYMBOLS }, (_, symbol) => symbol).filter((symbol) => {
  const size = symbol & 15;
  return (size >= 1 && size <= 10) || symbol === END_OF_BLOCK || symbol === SIXTEEN_ZEROS;
});

/** Code lengths by symbol, from which DHT is written (B.2.4.2), of each table. */
type HuffmanTables = readonly Uint8Array[];

function entropyCoder() {
  /** Occurrences of each symbol of each table; the tokens are counted where they are made. */
  const counts = new Uint32Array(TABLES * SYMBOLS);
  let tables: HuffmanTables | null = null;
  /** Length << 16 | code, by table and symbol. */
  const allCodes = new Uint32Array(TABLES * SYMBOLS);
  const waiting: Uint32Array[] = [];
  let waitingTokens = 0;
  const chunks: Uint8Array[] = [];
  /** Bits that are not a byte yet, and their number. */
  const pendingBits = new Uint32Array(2);

  function write(tokens: Uint32Array): void {
    withCore((core) => {
      const [from, codes, pending] = [copyIn(core, tokens), copyIn(core, allCodes), copyIn(core, pendingBits)];
      const out = allocate(core, tokens.length * TOKEN_BYTES + PENDING_BYTES);
      const bytes = core.jpegBits(from, tokens.length, codes, pending, out);
      chunks.push(bytesAt(core, out, bytes).slice());
      pendingBits.set(new Uint32Array(core.memory.buffer, pending, 2));
    });
  }

  /** Derives the tables and writes the waiting tokens. With `more` tokens to come, every symbol gets a code. */
  function fixTables(more: boolean): HuffmanTables {
    tables = Array.from({ length: TABLES }, (_, i) => {
      const own = counts.subarray(i * SYMBOLS, (i + 1) * SYMBOLS);
      if (more) for (const symbol of isOfAc(i) ? AC_SYMBOLS : DC_SYMBOLS) own[symbol]! += 1;
      // An extra symbol, never written, takes the code of all ones, which the format forbids.
      const codes = prefixCodes(Uint32Array.of(...own, 1), LONGEST_CODE, 'highest').subarray(0, SYMBOLS);
      allCodes.set(codes, i * SYMBOLS);
      return Uint8Array.from(codes, (code) => code >>> 16);
    });
    for (let tokens = waiting.shift(); tokens; tokens = waiting.shift()) write(tokens);
    return tables;
  }

  return {
    counts,

    /** Takes tokens, whose symbols are in `counts` already. */
    add(tokens: Uint32Array): void {
      if (tables) write(tokens);
      else {
        waiting.push(tokens);
        waitingTokens += tokens.length;
        if (waitingTokens >= WAITING_TOKENS) fixTables(true);
      }
    },

    /** The tables and the coded data, whose last byte is padded with ones. */
    end() {
      const known = tables ?? fixTables(false);
      const [bits = 0, held = 0] = pendingBits;
      if (held > 0) {
        const byte = ((bits << (8 - held)) | (0xff >> held)) & 0xff;
        chunks.push(byte === 0xff ? Uint8Array.of(byte, 0) : Uint8Array.of(byte));
      }
      return { tables: known, chunks };
    },
  };
}
