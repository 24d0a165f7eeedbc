// Deflate (RFC 1951) of the filtered rows of a picture: literals and runs of a byte.
import { increment, prefixCode } from './prefix';

const SYMBOLS = 286;
const DISTANCES = 30;
const LENGTH_CODES = 19;
const END = 256;
/** Bits of a literal and of a length at most, so that four literals and the bits of an unfinished byte fit 64. */
const LONGEST_CODE = 14;
const LONGEST_LENGTH_CODE = 7;
const LONGEST_RUN: usize = 258;
const LEAST_RUN: usize = 4;

const COUNTS = memory.data(4 * 288, 16);
/** Three more tables of counts of literals, because an increment waits for the one before it where both are of the same byte. */
const MORE_COUNTS = memory.data(3 * 4 * 256, 16);
const CODES = memory.data(4 * 288, 16);
const LENGTH_COUNTS = memory.data(4 * 32, 16);
const LENGTH_CODE = memory.data(4 * 32, 16);
/** Lengths of the codes of a block as symbols with their extra bits: symbol | extra << 8. */
const TOKENS = memory.data(4 * 320, 16);
const ORDER = memory.data<u8>([16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]);

/** Bits that are not written yet, their number, and where they go. */
let bits: u64 = 0;
let held: u64 = 0;
let target: usize = 0;
/** Behind the last run of the block. */
let runs: usize = 0;

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

/** Bytes from four on that equal the one before `at`, at most `most`. */
@inline
function runLength(at: usize, most: usize): usize {
  for (let length: usize = LEAST_RUN; length < most; length += 8) {
    const differ = load<u64>(at + length) ^ load<u64>(at + length - 1);
    if (differ) return min(length + <usize>(ctz(differ) >> 3), most);
  }
  return most;
}

/** Whether a run may start at `at` or at one of the three bytes behind it: not 0 where four bytes in turn equal those before them. */
@inline
function startsOfRuns(at: usize): u32 {
  const differ = load<u64>(at) ^ load<u64>(at - 1);
  const low: u64 = 0x7f7f7f7f7f7f7f7f;
  // The highest bit of each byte that is 0.
  const same = ~(((differ & low) + low) | differ | low);
  const two = same & (same >> 8);
  return <u32>(two & (two >> 16));
}

/** Counts the symbols of a block and finds its runs of four bytes and more: the place of each, and its length, of four bytes each. */
function findRuns(from: usize, to: usize): void {
  increment(COUNTS, load<u8>(from));
  let at = from + 1;
  while (at < to) {
    if (at + 4 <= to && !startsOfRuns(at)) {
      increment(COUNTS, load<u8>(at));
      increment(MORE_COUNTS, load<u8>(at, 1));
      increment(MORE_COUNTS + 4 * 256, load<u8>(at, 2));
      increment(MORE_COUNTS + 8 * 256, load<u8>(at, 3));
      at += 4;
      continue;
    }
    if (load<u32>(at - 1) != load<u32>(at) || at + LEAST_RUN > to) {
      increment(COUNTS, load<u8>(at++));
      continue;
    }
    const length = runLength(at, min(to - at, LONGEST_RUN));
    increment(COUNTS, lengthSymbol(<u32>length));
    store<u32>(runs, <u32>at);
    store<u32>(runs, <u32>length, 4);
    runs += 8;
    at += length;
  }
  for (let place = MORE_COUNTS; place < MORE_COUNTS + 4 * 256; place += 4) {
    const count = COUNTS + place - MORE_COUNTS;
    store<u32>(count, load<u32>(count) + load<u32>(place) + load<u32>(place, 4 * 256) + load<u32>(place, 8 * 256));
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
  // The distance of a run is 1: one bit for that, one for a second code, because some readers refuse a code of one symbol, and none for the others.
  addToken(1, 0);
  addToken(1, 0);
  addToken(18, DISTANCES - 2 - 11);
  prefixCode(LENGTH_COUNTS, LENGTH_CODES, LONGEST_LENGTH_CODE, 1, LENGTH_CODE);
  put((2 << 1) | ((SYMBOLS - 257) << 3) | ((DISTANCES - 1) << 8) | ((LENGTH_CODES - 4) << 13), 17);
  for (let i = 0; i < LENGTH_CODES; i++) put(load<u16>(LENGTH_CODE + (<usize>load<u8>(ORDER + i) << 2), 2), 3);
  for (let at = TOKENS; at < tokens; at += 4) {
    const token = load<u32>(at);
    putCode(LENGTH_CODE, token & 255);
    if (token >= 16) put(token >> 8, (token & 255) == 18 ? 7 : (token & 255) - 14);
  }
}

/** Writes the literals of a block from `at` to `to` and its runs from `run` on. */
function writeSymbols(at: usize, to: usize, run: usize): void {
  let some = bits;
  let count = held;
  let out = target;
  for (; ; run += 8) {
    const stop = run < runs ? <usize>load<u32>(run) : to;
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
    if (run == runs) break;
    const length = load<u32>(run, 4);
    const code = load<u32>(CODES + (<usize>lengthSymbol(length) << 2));
    some |= <u64>(code & 0xffff) << count;
    count += <u64>(code >> 16);
    const extra = lengthExtra(length);
    some |= <u64>((length - 3) & ((1 << extra) - 1)) << count;
    // The code of the distance is a bit of 0.
    count += <u64>(extra + 1);
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
 * Compresses `count` bytes, one at least, as a deflate block that ends on a byte and is not the last of its stream. `scratch`: 2 * count bytes.
 * `out`: 2 * count + 1024 bytes. Reads up to 8 bytes behind the last.
 * @returns the number of bytes
 */
export function deflate(bytes: usize, count: i32, scratch: usize, out: usize): i32 {
  const end = bytes + <usize>count;
  memory.fill(COUNTS, 0, 4 * 288);
  memory.fill(MORE_COUNTS, 0, 3 * 4 * 256);
  bits = held = 0;
  target = out;
  runs = scratch;
  findRuns(bytes, end);
  increment(COUNTS, END);
  prefixCode(COUNTS, SYMBOLS, LONGEST_CODE, 1, CODES);
  writeCodes();
  writeSymbols(bytes, end, scratch);
  putCode(CODES, END);
  // An empty stored block.
  put(0, 3 + ((5 - <u32>held) & 7));
  put(0xffff0000, 32);
  return <i32>(target - out);
}
