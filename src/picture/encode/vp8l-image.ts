// Entropy-coded images of lossless WebP (RFC 9649, 3.6 and 3.7): pixels as prefix codes and runs.
import { prefixCodes } from './prefix-code.ts';

/** Bytes of one chunk of the buffer. */
const CHUNK_BYTES = 1 << 18;

/** Packs bits from the least significant bit of each byte up, as RFC 9649 does. Grows by chunks, without copying. */
export class BitWriter {
  readonly #full: Uint8Array[] = [];
  #chunk = new Uint8Array(CHUNK_BYTES);
  #at = 0;
  #pending = 0;
  #pendingBits = 0;

  get bitLength(): number {
    return (this.#full.length * this.#chunk.length + this.#at) * 8 + this.#pendingBits;
  }

  /** Writes a `value` of `bits` bits, at most 24; its higher bits must be 0. */
  write(value: number, bits: number): void {
    this.#pending |= value << this.#pendingBits;
    this.#pendingBits += bits;
    while (this.#pendingBits >= 8) {
      this.#chunk[this.#at++] = this.#pending;
      this.#pending >>>= 8;
      this.#pendingBits -= 8;
      if (this.#at === this.#chunk.length) {
        this.#full.push(this.#chunk);
        this.#chunk = new Uint8Array(this.#chunk.length);
        this.#at = 0;
      }
    }
  }

  /** Moves all bits to `out`, from bit `bitOffset` on, where `out` must be zero. */
  moveTo(out: Uint8Array, bitOffset: number): void {
    const shift = bitOffset & 7;
    let to = bitOffset >>> 3;
    let carry = out[to]!;
    const tail = this.#chunk.subarray(0, this.#at + 1);
    tail[this.#at] = this.#pending;
    this.#full.push(tail);
    for (let bytes = this.#full.shift(); bytes; bytes = this.#full.shift())
      for (let i = 0; i < bytes.length; i++) {
        const value = bytes[i]! << shift;
        out[to++] = carry | value;
        carry = value >>> 8;
      }
    if (to < out.length) out[to] = carry;
  }
}

const LONGEST_CODE = 15;
const LONGEST_CODE_LENGTH_CODE = 7;

/** Order in which the lengths of the code length code are stored (3.7.2.1.2). */
const CODE_LENGTH_ORDER = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/** Run symbols of the code length code: shortest and longest run, and the number of bits for its length. */
const REPEAT = { symbol: 16, least: 3, most: 6, bits: 2 };
const FEW_ZEROS = { symbol: 17, least: 3, most: 10, bits: 3 };
const MANY_ZEROS = { symbol: 18, least: 11, most: 138, bits: 7 };

type LengthToken = { readonly symbol: number; readonly extra: number; readonly extraBits: number };

/** Code lengths as symbols of the code length code, with runs. */
function lengthTokens(lengths: Uint8Array): LengthToken[] {
  const tokens: LengthToken[] = [];
  let previous = 8;
  for (let i = 0; i < lengths.length; ) {
    const length = lengths[i]!;
    let run = 1;
    while (i + run < lengths.length && lengths[i + run] === length) run++;
    const kind = length !== 0 ? REPEAT : run >= MANY_ZEROS.least ? MANY_ZEROS : FEW_ZEROS;
    if (run < kind.least || (length !== 0 && length !== previous)) {
      tokens.push({ symbol: length, extra: 0, extraBits: 0 });
      if (length !== 0) previous = length;
      i++;
      continue;
    }
    const taken = Math.min(run, kind.most);
    tokens.push({ symbol: kind.symbol, extra: taken - kind.least, extraBits: kind.bits });
    i += taken;
  }
  return tokens;
}

/** Writes a code of a symbol of `codes`, length << 16 | bits; one of no bits is alone. */
const put = (writer: BitWriter, codes: Uint32Array, symbol: number) =>
  writer.write(codes[symbol]! & 0xffff, codes[symbol]! >>> 16);

function writeNormalCode(writer: BitWriter, codes: Uint32Array): void {
  const tokens = lengthTokens(Uint8Array.from(codes, (code) => code >>> 16));
  const counts = new Uint32Array(CODE_LENGTH_ORDER.length);
  for (const { symbol } of tokens) counts[symbol] = counts[symbol]! + 1;
  const tokenCodes = prefixCodes(counts, LONGEST_CODE_LENGTH_CODE, 'lowest');
  const last = CODE_LENGTH_ORDER.findLastIndex((symbol) => tokenCodes[symbol]! > 0);
  const stored = Math.max(4, last + 1);
  writer.write(0, 1);
  writer.write(stored - 4, 4);
  for (const symbol of CODE_LENGTH_ORDER.slice(0, stored)) writer.write(tokenCodes[symbol]! >>> 16, 3);
  writer.write(0, 1);
  const alone = counts.filter((count) => count > 0).length === 1;
  for (const { symbol, extra, extraBits } of tokens) {
    if (!alone) put(writer, tokenCodes, symbol);
    writer.write(extra, extraBits);
  }
}

/** One or two symbols below 256. */
function writeSimpleCode(writer: BitWriter, symbols: readonly number[]): void {
  const [first = 0, second] = symbols;
  writer.write(1, 1);
  writer.write(second === undefined ? 0 : 1, 1);
  writer.write(first > 1 ? 1 : 0, 1);
  writer.write(first, first > 1 ? 8 : 1);
  if (second !== undefined) writer.write(second, 8);
}

/** Writes a code and returns it. */
function writePrefixCode(writer: BitWriter, counts: Uint32Array): Uint32Array {
  const symbols: number[] = [];
  counts.forEach((count, symbol) => {
    if (count > 0) symbols.push(symbol);
  });
  // A single symbol above 255 has no simple code. A second symbol, which never occurs, makes a normal code possible.
  if (symbols.length === 1 && symbols[0]! > 255) {
    const codes = new Uint32Array(counts.length);
    [codes[0], codes[symbols[0]!]] = [1 << 16, (1 << 16) | 1];
    writeNormalCode(writer, codes);
    return codes;
  }
  if (symbols.length < 2) {
    writeSimpleCode(writer, symbols);
    return new Uint32Array(counts.length);
  }
  const codes = prefixCodes(counts, LONGEST_CODE, 'lowest');
  if (symbols.length === 2 && symbols.every((symbol) => symbol < 256)) writeSimpleCode(writer, symbols);
  else writeNormalCode(writer, codes);
  return codes;
}

/** Shorter runs cost more bits than their pixels. */
const MIN_RUN = 16;
/** Limit of the format. */
const MAX_RUN = 4096;

/** Distance codes as stored: index in the neighbourhood table, minus one. */
const DISTANCE_ABOVE = 0;
const DISTANCE_LEFT = 1;

/** Runs in order, three numbers each: first pixel, length, distance code. */
type Runs = readonly number[];

/** Number of pixels in [from, end) that equal, in all channels, those `distance` before them. */
function matchLength(channels: readonly Uint8Array[], from: number, end: number, distance: number): number {
  for (let at = from; at < end; at++) for (const values of channels) if (values[at] !== values[at - distance]) return at - from;
  return end - from;
}

/** Runs in the first `count` pixels, rows of `width`: of the pixel on the left and the row above only, as solar noise has no others. */
function findRuns(channels: readonly Uint8Array[], count: number, width: number): Runs {
  const runs: number[] = [];
  for (let at = 1; at < count; ) {
    const end = Math.min(count, at + MAX_RUN);
    const left = matchLength(channels, at, end, 1);
    const above = at >= width ? matchLength(channels, at, end, width) : 0;
    const length = Math.max(left, above);
    if (length >= MIN_RUN) runs.push(at, length, left >= above ? DISTANCE_LEFT : DISTANCE_ABOVE);
    at += length >= MIN_RUN ? length : 1;
  }
  return runs;
}

/** Prefix symbol, extra bits and their number for the length of a run (3.6.2.2). */
function lengthPrefix(length: number): { prefix: number; extra: number; extraBits: number } {
  const value = length - 1;
  if (value < 4) return { prefix: value, extra: 0, extraBits: 0 };
  const highest = 31 - Math.clz32(value);
  const extraBits = highest - 1;
  return { prefix: 2 * highest + ((value >> extraBits) & 1), extra: value & ((1 << extraBits) - 1), extraBits };
}

/** Symbols of the green code: literals and prefixes of run lengths. */
const GREEN_SYMBOLS = 256 + 24;
const LITERALS = 256;
const DISTANCES = 40;

/** Green, red, blue, alpha: the order of a pixel's symbols in the file. */
const CHANNELS = 4;

const increment = (counts: Uint32Array, symbol: number): void => {
  counts[symbol] = counts[symbol]! + 1;
};

interface CodedPixels {
  readonly width: number;
  /** The first one, two, three or four of green, red, blue and alpha. The others are 0 throughout and take no bits. */
  readonly channels: readonly Uint8Array[];
}

/** Writes the five prefix codes of all pixels to `codes` and the pixels to `data`. The caller writes what precedes the codes. */
export function writePixels({ width, channels }: CodedPixels, codes: BitWriter, data: BitWriter): void {
  const { length: count } = channels[0] as Uint8Array;
  const runs = findRuns(channels, count, width);
  const literals = Array.from({ length: CHANNELS }, (_, i) => new Uint32Array(i === 0 ? GREEN_SYMBOLS : LITERALS));
  const distances = new Uint32Array(DISTANCES);
  forEachStretch(runs, count, (from, to) =>
    channels.forEach((values, channel) => {
      const counts = literals[channel] as Uint32Array;
      for (let i = from; i < to; i++) increment(counts, values[i]!);
    }),
  );
  for (let run = 0; run < runs.length; run += 3) {
    increment(literals[0] as Uint32Array, LITERALS + lengthPrefix(runs[run + 1]!).prefix);
    increment(distances, runs[run + 2]!);
  }
  const written = literals.map((counts) => writePrefixCode(codes, counts));
  const distanceCode = writePrefixCode(codes, distances);
  forEachStretch(runs, count, (from, to, run) => {
    for (let i = from; i < to; i++)
      for (let channel = 0; channel < channels.length; channel++)
        put(data, written[channel]!, (channels[channel] as Uint8Array)[i] as number);
    if (run === undefined) return;
    const { prefix, extra, extraBits } = lengthPrefix(runs[run + 1]!);
    put(data, written[0]!, LITERALS + prefix);
    data.write(extra, extraBits);
    put(data, distanceCode, runs[run + 2]!);
  });
}

function forEachStretch(runs: Runs, count: number, visit: (from: number, to: number, run?: number) => void): void {
  let from = 0;
  for (let run = 0; run < runs.length; run += 3) {
    const at = runs[run]!;
    visit(from, at, run);
    from = at + runs[run + 1]!;
  }
  visit(from, count);
}

/** A small image inside the file (3.6): no colour cache. `channels` as in `CodedPixels`. */
export function writeSmallImage(writer: BitWriter, width: number, channels: readonly Uint8Array[]): void {
  writer.write(0, 1);
  // The codes directly precede the pixels, so both go to the same writer.
  writePixels({ width, channels }, writer, writer);
}
