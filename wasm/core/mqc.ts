// The MQ arithmetic decoder (ISO/IEC 15444-1 Annex C).
//
// Registers have 64 bits, so that bytes are read 32 bits at a time instead of one by one: A and Chigh of the
// standard's figures are in bits 47 to 62 of `a` and `c`, and `available` counts the valid bits of C below them, less 15.
// A context is one u64: bits 47 to 62 the Qe of its state, bits 1 to 31 the address of its row in STATES, bit 0 its MPS.
// A row of STATES holds three such words: the state itself, the state after an MPS exchange and the one after an LPS.

/** Table C.2: Qe, next state after an MPS, next state after an LPS (bit 7: switch the MPS). */
const QE: usize = memory.data<u16>([
  0x5601, 0x3401, 0x1801, 0x0ac1, 0x0521, 0x0221, 0x5601, 0x5401, 0x4801, 0x3801, 0x3001, 0x2401, 0x1c01, 0x1601, 0x5601,
  0x5401, 0x5101, 0x4801, 0x3801, 0x3401, 0x3001, 0x2801, 0x2401, 0x2201, 0x1c01, 0x1801, 0x1601, 0x1401, 0x1201, 0x1101,
  0x0ac1, 0x09c1, 0x08a1, 0x0521, 0x0441, 0x02a1, 0x0221, 0x0141, 0x0111, 0x0085, 0x0049, 0x0025, 0x0015, 0x0009, 0x0005,
  0x0001, 0x5601,
]);
const NEXT_MPS: usize = memory.data<u8>([
  1, 2, 3, 4, 5, 38, 7, 8, 9, 10, 11, 12, 13, 29, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32,
  33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 45, 46,
]);
const SWITCH: u8 = 0x80;
const NEXT_LPS: usize = memory.data<u8>([
  1 | SWITCH, 6, 9, 12, 29, 33, 6 | SWITCH, 14, 14, 14, 17, 18, 20, 21, 14 | SWITCH, 14, 15, 16, 17, 18, 19, 19, 20, 21, 22,
  23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 46,
]);
const STATE_COUNT: i32 = 47;
const ROW_BYTES: usize = 32;
const STATES: usize = memory.data(STATE_COUNT * 2 * 32, 32);

/** Context labels of table D.1 to D.5 in the order of their words: 9 zero coding, 5 sign, 3 refinement, run-length, uniform. */
export const CONTEXTS: usize = memory.data(19 * 8, 8);
export const CONTEXT_REFINEMENT: usize = CONTEXTS + 14 * 8;
export const CONTEXT_RUN: usize = CONTEXTS + 17 * 8;
export const CONTEXT_UNIFORM: usize = CONTEXTS + 18 * 8;

/** Writable bytes required after a segment, which the decoder terminates with 0xFF so that it never reads past the end. */
export const SEGMENT_PADDING: usize = 8;

const A_START: i64 = 0x4000000000000000;

let a: i64 = 0;
let c: i64 = 0;
let available: i32 = 0;
let next: usize = 0;

function contextWord(state: i32, mps: i32): u64 {
  const row = <u32>STATES + (((<u32>state << 1) | <u32>mps) << 5);
  return (<u64>load<u16>(QE + (<usize>state << 1)) << 47) | <u64>(row | <u32>mps);
}

function fillStates(): void {
  for (let state = 0; state < STATE_COUNT; state++) {
    for (let mps = 0; mps < 2; mps++) {
      const row = STATES + <usize>((state << 1) | mps) * ROW_BYTES;
      const lps = load<u8>(NEXT_LPS + state);
      store<u64>(row, contextWord(state, mps));
      store<u64>(row, contextWord(load<u8>(NEXT_MPS + state), mps), 8);
      store<u64>(row, contextWord(lps & ~SWITCH, mps ^ i32(lps >= SWITCH)), 16);
    }
  }
}
fillStates();

/** Initial states of table D.7. */
export function mqResetContexts(): void {
  for (let i = 0; i < 19; i++) store<u64>(CONTEXTS + (<usize>i << 3), contextWord(i == 0 ? 4 : i == 17 ? 3 : i == 18 ? 46 : 0, 0));
}

/** INITDEC (figure C.10) over `length` bytes; SEGMENT_PADDING bytes behind them are overwritten. */
export function mqOpen(start: usize, length: usize): void {
  store<u64>(start + length, 0xffffffffffffffff);
  const first: i32 = length ? load<u8>(start) : 0xff;
  c = <i64>first << 54;
  available = -7;
  next = start;
  mqByteIn();
  a = A_START;
}

@inline
function hasByteFF(word: u32): bool {
  const inverted = ~word;
  return ((inverted - 0x01010101) & ~inverted & 0x80808080) != 0;
}

/** BYTEIN (figure C.19), four bytes at once where none of them is 0xFF. `next` is the last byte read. */
function mqByteIn(): void {
  const word = bswap(load<u32>(next, 1));
  if (load<u8>(next) != 0xff && !hasByteFF(word)) {
    c += <i64>word << (15 - available);
    available += 32;
    next += 4;
    return;
  }
  do {
    const byte: i32 = load<u8>(next, 1);
    if (load<u8>(next) != 0xff) {
      next++;
      c += <i64>byte << (39 - available);
      available += 8;
    } else if (byte > 0x8f) {
      c += <i64>0xff << (39 - available);
      available += 8;
    } else {
      next++;
      c += <i64>byte << (40 - available);
      available += 7;
    }
  } while (available < 32);
}

/** DECODE (figures C.15 to C.18) without branches on the decision. `context` is the address of its word. */
@inline
export function mqDecode(context: usize): i32 {
  const word = load<i64>(context);
  const qe: i64 = word & 0x7fff800000000000;
  const row: usize = <usize>(<u32>word & 0xfffffffe);
  const afterMps = load<i64>(row, 8);
  const afterLps = load<i64>(row, 16);
  const aLeft: i64 = a - qe;
  const cLeft: i64 = c - qe;
  const lower: bool = cLeft < 0;
  const exchanged: bool = (cLeft ^ (aLeft - qe)) < 0;
  const renormalised: bool = (cLeft | (aLeft - A_START)) < 0;
  store<i64>(context, select<i64>(select<i64>(afterLps, afterMps, exchanged), word, renormalised));
  const aNext = select<i64>(qe, aLeft, lower);
  const cNext = select<i64>(c, cLeft, lower);
  const shift: i64 = clz(aNext) - 1;
  a = aNext << shift;
  c = cNext << shift;
  available -= <i32>shift;
  if (available < 15) mqByteIn();
  return (<i32>word & 1) ^ i32(exchanged);
}

/**
 * Decodes zeros of the run-length context over columns whose flags are 0, from the one at `column` on, for as long as they
 * are the MPS and need no renormalisation. Returns the first remaining column. A third of all decisions are such zeros,
 * and here each costs a comparison and two subtractions.
 */
export function mqSkipRuns(column: usize, end: usize): usize {
  const word = load<i64>(CONTEXT_RUN);
  if (word & 1) return column;
  const qe: i64 = word & 0x7fff800000000000;
  let aLeft = a - qe;
  let cLeft = c - qe;
  while ((cLeft | (aLeft - A_START)) >= 0 && column < end && load<u32>(column) == 0) {
    aLeft -= qe;
    cLeft -= qe;
    column += 4;
  }
  a = aLeft + qe;
  c = cLeft + qe;
  return column;
}
