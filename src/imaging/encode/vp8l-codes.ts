// Writes the prefix codes of lossless WebP (RFC 9649, 3.7.2).
import type { BitWriter } from './bit-writer.ts';
import { canonicalCodes, codeLengths } from './prefix-code.ts';

const LONGEST_CODE = 15;
const LONGEST_CODE_LENGTH_CODE = 7;

/** Order in which the lengths of the code length code are stored (3.7.2.1.2). */
const CODE_LENGTH_ORDER = [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/** Run symbols of the code length code: shortest and longest run, and the number of bits for its length. */
const REPEAT = { symbol: 16, least: 3, most: 6, bits: 2 };
const FEW_ZEROS = { symbol: 17, least: 3, most: 10, bits: 3 };
const MANY_ZEROS = { symbol: 18, least: 11, most: 138, bits: 7 };

/** Codes in reversed bit order, for a writer that starts with the least significant bit. A single symbol takes no bits. */
export interface PrefixCode {
  readonly codes: Uint16Array;
  readonly lengths: Uint8Array;
}

function reversed(codes: Uint16Array, lengths: Uint8Array): Uint16Array {
  return codes.map((code, symbol) => {
    let turned = 0;
    for (let bit = 0; bit < (lengths[symbol] as number); bit++) turned = (turned << 1) | ((code >>> bit) & 1);
    return turned;
  });
}

interface LengthToken {
  readonly symbol: number;
  readonly extra: number;
  readonly extraBits: number;
}

/** Code lengths as symbols of the code length code, with runs. */
function lengthTokens(lengths: Uint8Array): LengthToken[] {
  const tokens: LengthToken[] = [];
  let previous = 8;
  for (let i = 0; i < lengths.length; ) {
    const length = lengths[i] as number;
    let run = 1;
    while (i + run < lengths.length && lengths[i + run] === length) run++;
    if (length !== 0 && length !== previous) {
      tokens.push({ symbol: length, extra: 0, extraBits: 0 });
      previous = length;
      i++;
      continue;
    }
    const kind = length !== 0 ? REPEAT : run >= MANY_ZEROS.least ? MANY_ZEROS : FEW_ZEROS;
    if (run < kind.least) {
      tokens.push({ symbol: length, extra: 0, extraBits: 0 });
      i++;
      continue;
    }
    const taken = Math.min(run, kind.most);
    tokens.push({ symbol: kind.symbol, extra: taken - kind.least, extraBits: kind.bits });
    i += taken;
  }
  return tokens;
}

function writeNormalCode(writer: BitWriter, lengths: Uint8Array): void {
  const tokens = lengthTokens(lengths);
  const counts = new Uint32Array(CODE_LENGTH_ORDER.length);
  for (const { symbol } of tokens) counts[symbol] = (counts[symbol] as number) + 1;
  const tokenLengths = codeLengths(counts, LONGEST_CODE_LENGTH_CODE);
  const tokenCodes = reversed(canonicalCodes(tokenLengths), tokenLengths);
  const last = CODE_LENGTH_ORDER.findLastIndex((symbol) => (tokenLengths[symbol] as number) > 0);
  const stored = Math.max(4, last + 1);
  writer.write(0, 1);
  writer.write(stored - 4, 4);
  for (const symbol of CODE_LENGTH_ORDER.slice(0, stored)) writer.write(tokenLengths[symbol] as number, 3);
  writer.write(0, 1);
  const alone = counts.filter((count) => count > 0).length === 1;
  for (const { symbol, extra, extraBits } of tokens) {
    if (!alone) writer.write(tokenCodes[symbol] as number, tokenLengths[symbol] as number);
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

/** Writes the optimal code for `counts` and returns it. */
export function writePrefixCode(writer: BitWriter, counts: Uint32Array): PrefixCode {
  const symbols: number[] = [];
  counts.forEach((count, symbol) => {
    if (count > 0) symbols.push(symbol);
  });
  // A single symbol above 255 has no simple code. A second symbol, which never occurs, makes a normal code possible.
  if (symbols.length === 1 && (symbols[0] as number) > 255) {
    const lengths = new Uint8Array(counts.length);
    lengths[0] = lengths[symbols[0] as number] = 1;
    writeNormalCode(writer, lengths);
    return { codes: reversed(canonicalCodes(lengths), lengths), lengths };
  }
  if (symbols.length < 2) {
    writeSimpleCode(writer, symbols);
    return { codes: new Uint16Array(counts.length), lengths: new Uint8Array(counts.length) };
  }
  const lengths = codeLengths(counts, LONGEST_CODE);
  if (symbols.length === 2 && symbols.every((symbol) => symbol < 256)) writeSimpleCode(writer, symbols);
  else writeNormalCode(writer, lengths);
  return { codes: reversed(canonicalCodes(lengths), lengths), lengths };
}
