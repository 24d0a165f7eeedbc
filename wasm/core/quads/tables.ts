// Tables of the quad code, the private lossless code of coefficient sidecars (docs/sidecar-format.md): states and symbols of its
// nine contexts, for the decoder and the encoder.
import { FREQUENCIES } from './frequencies';

/** log2 of the states of a context. */
export const LOG2_STATES: u32 = 10;
export const STATES: u32 = 1 << LOG2_STATES;
export const CONTEXTS: u32 = 9;

/** Symbols 0 to 255 are patterns of four magnitudes, 2 bits each, clipped at 3. This one stands for all patterns that have none. */
export const RARE: u32 = 256;
export const SYMBOLS: u32 = 257;

/** Sum that a rare quad has for its neighbours. */
export const RARE_SUM: u32 = 12;

/** Most low bits of a sample. */
export const MOST_LOW_BITS: u32 = 24;

/** Distance of the states of consecutive ranks: odd, so that all are reached. */
const SPREAD_STEP: u32 = (STATES >> 1) + (STATES >> 3) + 3;

/** For each context and symbol: its frequency, and the number of its first rank. */
export const FREQUENCY: usize = memory.data(9 * 257 * 2, 16);
export const FIRST_RANK: usize = memory.data(9 * 257 * 2, 16);

/** Symbol of every state of the context that is being built. */
export const STATE_SYMBOLS: usize = memory.data(1024 * 2, 16);

/** Address of the u16 of `symbol` of a context in one of the two tables above. */
@inline
export function entryOf(table: usize, context: u32, symbol: u32): usize {
  return table + ((context * SYMBOLS + symbol) << 1);
}

/** Class of a quad as left neighbour: from the sum of its clipped magnitudes. */
@inline
export function leftClass(sum: u32): u32 {
  return u32(sum > 0) + u32(sum > 2);
}

/** Class of the neighbours above: from twice the sum of the quad above and the sum of the quad right of it. */
@inline
export function upperClass(sum: u32): u32 {
  return u32(sum > 0) + u32(sum > 4);
}

/** Sum of the clipped magnitudes of a pattern. */
@inline
export function sumOf(pattern: u32): u32 {
  return (pattern & 3) + ((pattern >> 2) & 3) + ((pattern >> 4) & 3) + (pattern >> 6);
}

let readAt: usize = 0;

function varint(): u32 {
  let byte: u32 = load<u8>(readAt++);
  let value = byte & 127;
  for (let shift = 7; byte > 127; shift += 7) {
    byte = load<u8>(readAt++);
    value |= (byte & 127) << shift;
  }
  return value;
}

/**
 * Reads the frequencies: for each context, in LEB128, the symbols that have one: the number of symbols without one before it, and
 * its frequency. The frequencies of a context add up to STATES; the last one belongs to RARE.
 */
function readFrequencies(): void {
  readAt = FREQUENCIES;
  for (let context: u32 = 0; context < CONTEXTS; context++) {
    for (let symbol: u32 = 0; symbol < SYMBOLS; symbol++) {
      symbol += varint();
      store<u16>(entryOf(FREQUENCY, context, symbol), <u16>varint());
    }
    let rank: u32 = 0;
    for (let symbol: u32 = 0; symbol < SYMBOLS; symbol++) {
      store<u16>(entryOf(FIRST_RANK, context, symbol), <u16>rank);
      rank += load<u16>(entryOf(FREQUENCY, context, symbol));
    }
  }
}
readFrequencies();

/** Distributes the symbols of a context over its states, in their order, `SPREAD_STEP` apart. */
export function spreadSymbols(context: u32): void {
  let state: u32 = 0;
  for (let symbol: u32 = 0; symbol < SYMBOLS; symbol++) {
    const frequency: u32 = load<u16>(entryOf(FREQUENCY, context, symbol));
    for (let i: u32 = 0; i < frequency; i++) {
      store<u16>(STATE_SYMBOLS + (state << 1), <u16>symbol);
      state = (state + SPREAD_STEP) & (STATES - 1);
    }
  }
}
