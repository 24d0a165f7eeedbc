// Deflate (RFC 1951) of the filtered rows of a picture: literals, with runs of a byte or with repeats of what came before.
import { prefixCode } from './prefix';

const SYMBOLS = 286;
const DISTANCES = 30;
const LENGTH_CODES = 19;
const END = 256;
/** Bits of a literal and of a length at most, so that four literals and the bits of an unfinished byte fit 64. */
const LONGEST_CODE = 14;
const LONGEST_DISTANCE = 15;
const LONGEST_LENGTH_CODE = 7;
const LONGEST_MATCH: usize = 258;
const LEAST_REPEAT: usize = 4;
const REACH: usize = 32768;
const HASH_BITS = 15;

const COUNTS = memory.data(4 * 320, 16);
const DISTANCE_COUNTS = COUNTS + 4 * 288;
const CODES = memory.data(4 * 288, 16);
const DISTANCE_CODES = memory.data(4 * 32, 16);
const LENGTH_COUNTS = memory.data(4 * 32, 16);
const LENGTH_CODE = memory.data(4 * 32, 16);
/** Lengths of the codes of a block as symbols with their extra bits: symbol | extra << 8. */
const TOKENS = memory.data(4 * 320, 16);
const ORDER = memory.data<u8>([16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]);

/** Bits that are not written yet, their number, and where they go. */
let bits: u64 = 0;
let held: u64 = 0;
let target: usize = 0;
/** Behind the last match of the block. */
let matches: usize = 0;

@inline
function increment(table: usize, index: u32): void {
  const place = table + (<usize>index << 2);
  store<u32>(place, load<u32>(place) + 1);
}

/** Appends at most 32 bits. */
function put(value: u32, count: u32): void {
  bits |= <u64>value << held;
  held += count;
  store<u64>(target, bits);
  target += <usize>(held >> 3);
  bits >>= held & ~7;
  held &= 7;
}

function putCode(codes: usize, symbol: u32): void {
  const code = load<u32>(codes + (<usize>symbol << 2));
  put(code & 0xffff, code >> 16);
}

function lengthExtra(length: u32): u32 {
  return length < 11 || length == 258 ? 0 : 29 - clz(length - 3);
}

function lengthSymbol(length: u32): u32 {
  const extra = lengthExtra(length);
  return length == 258 ? 285 : 257 + (extra << 2) + ((length - 3) >> extra);
}

function distanceExtra(distance: u32): u32 {
  return distance < 5 ? 0 : 30 - clz(distance - 1);
}

function distanceSymbol(distance: u32): u32 {
  const extra = distanceExtra(distance);
  return (extra << 1) + ((distance - 1) >> extra);
}

/** Adds a match of `length` bytes, whose place is four bytes. */
function addMatch(at: usize, length: usize, distance: usize): void {
  increment(COUNTS, lengthSymbol(<u32>length));
  increment(DISTANCE_COUNTS, distanceSymbol(<u32>distance));
  store<u32>(matches, <u32>at);
  store<u16>(matches, <u16>length, 4);
  store<u16>(matches, <u16>distance, 6);
  matches += 8;
}

/** Bytes from four on in which two places agree, at most `most`. */
@inline
function agreement(at: usize, other: usize, most: usize): usize {
  for (let length: usize = LEAST_REPEAT; length < most; length += 8) {
    const differ = load<u64>(at + length) ^ load<u64>(other + length);
    if (differ) return min(length + <usize>(ctz(differ) >> 3), most);
  }
  return most;
}

@inline
function headOf(heads: usize, four: u32): usize {
  return heads + (<usize>((four * 0x9e3779b1) >> (32 - HASH_BITS)) << 2);
}

/**
 * Counts the symbols of a block and finds its repeats of four bytes and more among the bytes behind `base`. `heads`: the last place of each of
 * 2^15 hashes, of which 0 is none; or 0 for runs of a byte alone.
 */
function findRepeats(base: usize, from: usize, to: usize, heads: usize): void {
  let at = from;
  while (at < to) {
    const four = load<u32>(at);
    let other = at - 1;
    if (heads) {
      const head = headOf(heads, four);
      other = base + <usize>load<u32>(head);
      store<u32>(head, <u32>(at - base));
    }
    if (other <= base || at - other > REACH || load<u32>(other) != four || at + LEAST_REPEAT > to) {
      increment(COUNTS, load<u8>(at++));
      continue;
    }
    const length = agreement(at, other, min(to - at, LONGEST_MATCH));
    addMatch(at, length, at - other);
    const end = at + length;
    if (heads) for (at++; at < end; at++) store<u32>(headOf(heads, load<u32>(at)), <u32>(at - base));
    at = end;
  }
}

/** Behind the last token. */
let tokens: usize = 0;

function addToken(symbol: u32, extra: u32): void {
  increment(LENGTH_COUNTS, symbol);
  store<u32>(tokens, symbol | (extra << 8));
  tokens += 4;
}

/** Adds `run` times the same length as tokens (3.2.7). */
function addLengths(length: u32, run: i32): void {
  if (length) {
    addToken(length, 0);
    run--;
  }
  const least = length || run < 11 ? 3 : 11;
  const most = length ? 6 : run < 11 ? 10 : 138;
  for (; run >= least; run -= min(run, most)) addToken(length ? 16 : least == 3 ? 17 : 18, min(run, most) - least);
  for (; run > 0; run--) addToken(length, 0);
}

/** Adds the lengths of the first `count` codes as tokens. */
function addCodes(codes: usize, count: i32): void {
  let run = 0;
  let length: u32 = 0;
  for (let i = 0; i < count; i++, run++) {
    const next = <u32>load<u16>(codes + (<usize>i << 2), 2);
    if (next != length) {
      addLengths(length, run);
      length = next;
      run = 0;
    }
  }
  addLengths(length, run);
}

function writeCodes(): void {
  memory.fill(LENGTH_COUNTS, 0, 4 * 32);
  tokens = TOKENS;
  addCodes(CODES, SYMBOLS);
  addCodes(DISTANCE_CODES, DISTANCES);
  prefixCode(LENGTH_COUNTS, LENGTH_CODES, LONGEST_LENGTH_CODE, 1, LENGTH_CODE);
  put((2 << 1) | ((SYMBOLS - 257) << 3) | ((DISTANCES - 1) << 8) | ((LENGTH_CODES - 4) << 13), 17);
  for (let i = 0; i < LENGTH_CODES; i++) put(load<u16>(LENGTH_CODE + (<usize>load<u8>(ORDER + i) << 2), 2), 3);
  for (let at = TOKENS; at < tokens; at += 4) {
    const token = load<u32>(at);
    putCode(LENGTH_CODE, token & 255);
    if (token >= 16) put(token >> 8, (token & 255) == 18 ? 7 : (token & 255) - 14);
  }
}

/** Writes the literals of a block from `at` to `to` and its matches from `match` on. */
function writeSymbols(at: usize, to: usize, match: usize): void {
  let some = bits;
  let count = held;
  let out = target;
  for (; ; match += 8) {
    const stop = match < matches ? <usize>load<u32>(match) : to;
    while (at < stop) {
      const end = min(at + 4, stop);
      for (; at < end; at++) {
        const code = load<u32>(CODES + (<usize>load<u8>(at) << 2));
        some |= <u64>(code & 0xffff) << count;
        count += <u64>(code >> 16);
      }
      store<u64>(out, some);
      out += <usize>(count >> 3);
      some >>= count & 56;
      count &= 7;
    }
    if (match == matches) break;
    const length = <u32>load<u16>(match, 4);
    const distance = <u32>load<u16>(match, 6);
    let code = load<u32>(CODES + (<usize>lengthSymbol(length) << 2));
    some |= <u64>(code & 0xffff) << count;
    count += <u64>(code >> 16);
    let extra = lengthExtra(length);
    some |= <u64>((length - 3) & ((1 << extra) - 1)) << count;
    count += <u64>extra;
    code = load<u32>(DISTANCE_CODES + (<usize>distanceSymbol(distance) << 2));
    some |= <u64>(code & 0xffff) << count;
    count += <u64>(code >> 16);
    extra = distanceExtra(distance);
    some |= <u64>((distance - 1) & ((1 << extra) - 1)) << count;
    count += <u64>extra;
    store<u64>(out, some);
    out += <usize>(count >> 3);
    some >>= count & 56;
    count &= 7;
    at = stop + <usize>length;
  }
  bits = some;
  held = count;
  target = out;
}

/**
 * Compresses `count` bytes, one at least, as a deflate block that ends on a byte and is not the last of its stream. `repeats`: finds repeats
 * within 32 KiB, else runs of one byte. `scratch`: 2 * count + 4 * 2^15 bytes. `out`: 2 * count + 1024 bytes. Reads up to 8 bytes
 * behind the last.
 * @returns the number of bytes
 */
export function deflate(bytes: usize, count: i32, repeats: i32, scratch: usize, out: usize): i32 {
  const end = bytes + <usize>count;
  const first = scratch + (4 << HASH_BITS);
  memory.fill(scratch, 0, 4 << HASH_BITS);
  memory.fill(COUNTS, 0, 4 * 320);
  bits = held = 0;
  target = out;
  matches = first;
  findRepeats(bytes - 1, bytes, end, repeats ? scratch : 0);
  increment(COUNTS, END);
  // Some readers refuse a code of one symbol.
  increment(DISTANCE_COUNTS, 0);
  increment(DISTANCE_COUNTS, 1);
  prefixCode(COUNTS, SYMBOLS, LONGEST_CODE, 1, CODES);
  prefixCode(DISTANCE_COUNTS, DISTANCES, LONGEST_DISTANCE, 1, DISTANCE_CODES);
  writeCodes();
  writeSymbols(bytes, end, first);
  putCode(CODES, END);
  // An empty stored block.
  put(0, 3 + ((5 - <u32>held) & 7));
  put(0xffff0000, 32);
  return <i32>(target - out);
}
