// Encoder of the quad code (docs/sidecar-format.md): a code-block as t1.ts leaves it, to bytes that decode.ts reads.
import { COEFFICIENTS } from '../t1';
import {
  CONTEXTS, entryOf, FIRST_RANK, FREQUENCY, LOG2_STATES, MOST_LOW_BITS, RARE, RARE_SUM, leftClass, spreadSymbols, STATE_SYMBOLS,
  STATES, sumOf, SYMBOLS, upperClass,
} from './tables';

/** Samples above this have no exact reconstruction point in f32. */
const MOST_MAGNITUDE: u32 = (1 << 22) - 1;

/** State of every rank of every symbol, by context. */
const RANKED: usize = memory.data(9 * 1024 * 2, 16);
const NEXT_RANK: usize = memory.data(257 * 2, 16);

/** Numbers of the quantiser cells with signs, in rows of the padded width; 0 in the padding. */
const CELLS: usize = memory.data(4096 * 4, 16);
/** Low bits of every 16 x 16 samples of the upper half, then of the lower one. */
const LOW_BITS: usize = memory.data(2 * 1024, 16);
/** Sums of a row of quads of each half. */
const LOWER_HALF: usize = 544;
const SUMS: usize = memory.data(2 * 544, 16);
/** Context and symbol (context * SYMBOLS + symbol) of every quad in order, and the bits of its step. */
const STEPS: usize = memory.data(1024 * 2, 16);
const STEP_BITS: usize = memory.data(1024 * 2, 16);
const STEP_LENGTHS: usize = memory.data(1024, 16);

/** Bytes of both streams in the worst case: 4096 samples of 24 low bits and an escape of 45, a pattern for each quad. */
const MOST_BYTES: usize = 48 << 10;
const OUT: usize = memory.data(48 << 10, 16);

function fillRanked(context: u32): void {
  spreadSymbols(context);
  memory.copy(NEXT_RANK, entryOf(FIRST_RANK, context, 0), SYMBOLS << 1);
  for (let state: u32 = 0; state < STATES; state++) {
    const symbol = <usize>load<u16>(STATE_SYMBOLS + (state << 1)) << 1;
    const rank: u32 = load<u16>(NEXT_RANK + symbol);
    store<u16>(NEXT_RANK + symbol, <u16>(rank + 1));
    store<u16>(RANKED + ((context * STATES + rank) << 1), <u16>state);
  }
}
for (let context: u32 = 0; context < CONTEXTS; context++) fillRanked(context);

let word: u64 = 0;
let filled: u32 = 0;
let writtenB: usize = 0;

@inline
function put(value: u32, bits: u32): void {
  word = (word << bits) | value;
  filled += bits;
  if (filled >= 32) {
    filled -= 32;
    writtenB -= 4;
    store<u32>(writtenB, <u32>(word >> filled));
  }
}

/** Exp-Golomb code of `value`, at least 1. */
function putEscape(value: u32): void {
  const zeros = 31 - clz(value);
  put(0, zeros);
  put(value, zeros + 1);
}

/** Ends stream B at a whole byte. */
function closeB(): void {
  const rest = (filled + 7) & ~7;
  word <<= rest - filled;
  for (let left = rest; left > 0; left -= 8) store<u8>(--writtenB, <u8>(word >> (left - 8)));
}

/** Number of a sample: its magnitude; with low bits 0, -1, +1, -2, ... are 0, 1, 2, 3, ... */
@inline
function numberOf(s: i32, k: u32): u32 {
  return k ? <u32>((s << 1) ^ (s >> 31)) : <u32>abs(s);
}

/**
 * Quantiser cells from signs and doubled magnitudes, of which those of plane `plane` are the last. Where only its significance
 * propagation pass was coded, cell 1 is a sample that became significant in it, and s > 1 is 2s - 1 half steps of the plane before.
 * Returns false when a magnitude is too large.
 */
function readCells(w: i32, h: i32, padded: i32, plane: i32, partial: bool): bool {
  memory.fill(CELLS, 0, <usize>(padded * ((h + 3) & ~3)) << 2);
  const fresh: u32 = 3 << (plane - 1);
  for (let y = 0; y < h; y++) {
    const source = COEFFICIENTS + (<usize>((y >> 2) * w) << 4) + (<usize>(y & 3) << 2);
    const target = CELLS + (<usize>(y * padded) << 2);
    for (let x = 0; x < w; x++) {
      const v = load<u32>(source + (<usize>x << 4));
      const m = v & 0x7fffffff;
      if (m == 0) continue;
      const s: i32 = partial ? (m == fresh ? 1 : ((m >> plane) + 1) >> 1) : m >> plane;
      if (<u32>s > MOST_MAGNITUDE) return false;
      store<i32>(target + (<usize>x << 2), <i32>v < 0 ? -s : s);
    }
  }
  return true;
}

/**
 * Chooses the low bits of every 16 x 16 samples of both halves: 0 up to a mean magnitude of 1.5; above it as many as leave a mean of
 * at most 1.1 above them. Returns whether there are any.
 */
function chooseLowBits(w: i32, h: i32, padded: i32, half: i32, across: i32, down: i32): bool {
  let any: u32 = 0;
  for (let i = 0; i < 2 * across * down; i++) {
    const lower = i32(i >= across * down);
    const part = i - lower * across * down;
    const x0 = (part % across) << 4;
    const y0 = ((part / across) << 4) + lower * half;
    const y1 = min(min(h, y0 + 16), lower ? h : half);
    const x1 = min(w, x0 + 16);
    let sum: u64 = 0;
    for (let y = y0; y < y1; y++) {
      for (let x = x0; x < x1; x++) sum += abs(load<i32>(CELLS + (<usize>(y * padded + x) << 2)));
    }
    const count: u64 = max(0, y1 - y0) * (x1 - x0);
    let k: u32 = 0;
    if (2 * sum > 3 * count) for (k = 1; k < MOST_LOW_BITS && 20 * sum > (11 * count) << k; ) k++;
    store<u8>(LOW_BITS + i, <u8>k);
    any |= k;
  }
  return any != 0;
}

function putLowBits(parts: i32): void {
  for (let half = 0; half < 2; half++) {
    let before: i32 = 0;
    for (let i = 0; i < parts; i++) {
      const k: i32 = load<u8>(LOW_BITS + half * parts + i);
      const change = k - before;
      before = k;
      const unary = change > 0 ? 2 * change - 1 : -2 * change;
      if (unary > 31) {
        put(0, 31);
        put(1, unary - 30);
      } else put(1, unary + 1);
    }
  }
}

/** Models the quad at `at` (rows of `stride` bytes) with `k` low bits: writes its part of stream B and its step. Returns its sum. */
function putQuad(at: usize, stride: usize, k: u32, context: u32, step: i32): u32 {
  const a = load<i32>(at);
  const b = load<i32>(at, 4);
  const c = load<i32>(at + stride);
  const d = load<i32>(at + stride, 4);
  const na = numberOf(a, k);
  const nb = numberOf(b, k);
  const nc = numberOf(c, k);
  const nd = numberOf(d, k);
  const pa = min(na >> k, 3);
  const pb = min(nb >> k, 3);
  const pc = min(nc >> k, 3);
  const pd = min(nd >> k, 3);
  const pattern = pa | (pb << 2) | (pc << 4) | (pd << 6);
  const isRare = load<u16>(entryOf(FREQUENCY, context, pattern)) == 0;
  store<u16>(STEPS + (step << 1), <u16>(context * SYMBOLS + (isRare ? RARE : pattern)));
  if (isRare) put(pattern, 8);
  if (pa == 3) putEscape((na >> k) - 2);
  if (pb == 3) putEscape((nb >> k) - 2);
  if (pc == 3) putEscape((nc >> k) - 2);
  if (pd == 3) putEscape((nd >> k) - 2);
  if (k) {
    const mask: u32 = (1 << k) - 1;
    put(na & mask, k);
    put(nb & mask, k);
    put(nc & mask, k);
    put(nd & mask, k);
  } else {
    if (a) put(<u32>a >> 31, 1);
    if (b) put(<u32>b >> 31, 1);
    if (c) put(<u32>c >> 31, 1);
    if (d) put(<u32>d >> 31, 1);
  }
  return isRare ? RARE_SUM : sumOf(pattern);
}

/** Steps of all quads in their order, and stream B. Returns the number of steps. */
function modelQuads(padded: i32, half: i32, across: i32, down: i32): i32 {
  const quads = padded >> 1;
  const stride = <usize>padded << 2;
  memory.fill(SUMS, 0, 2 * LOWER_HALF);
  let step = 0;
  for (let row = 0; row < half >> 1; row++) {
    let left0: u32 = 0;
    let left1: u32 = 0;
    for (let x = 0; x < quads; x++) {
      for (let lower = 0; lower < 2; lower++) {
        const k: u32 = load<u8>(LOW_BITS + (lower * down + (row >> 3)) * across + (x >> 3));
        const sums = SUMS + (lower ? LOWER_HALF : 0) + x;
        const above = upperClass(2 * <u32>load<u8>(sums) + load<u8>(sums, 1));
        const context = above * 3 + (lower ? left1 : left0);
        const sum = putQuad(CELLS + <usize>(2 * row + lower * half) * stride + (<usize>x << 3), stride, k, context, step++);
        store<u8>(sums, <u8>sum);
        if (lower) left1 = leftClass(sum);
        else left0 = leftClass(sum);
      }
    }
  }
  return step;
}

/** Codes the steps from the last to the first, and writes stream A to `out`. Returns the end of its bytes. */
function putSteps(steps: i32, out: usize): usize {
  let upper = STATES;
  let lower = STATES;
  for (let t = steps - 1; t >= 0; t--) {
    const step: u32 = load<u16>(STEPS + (t << 1));
    const frequency: u32 = load<u16>(FREQUENCY + (step << 1));
    const x = t & 1 ? lower : upper;
    let bits: u32 = clz(frequency) - (31 - LOG2_STATES);
    if (x >> bits < frequency) bits--;
    store<u16>(STEP_BITS + (t << 1), <u16>(x & ((1 << bits) - 1)));
    store<u8>(STEP_LENGTHS + t, <u8>bits);
    const rank = <u32>load<u16>(FIRST_RANK + (step << 1)) + (x >> bits) - frequency;
    const state = STATES + <u32>load<u16>(RANKED + (((step / SYMBOLS) * STATES + rank) << 1));
    if (t & 1) lower = state;
    else upper = state;
  }
  let bits: u64 = (upper - STATES) | ((lower - STATES) << LOG2_STATES);
  let count: i32 = 2 * LOG2_STATES;
  for (let t = 0; t < steps; t++) {
    bits |= <u64>load<u16>(STEP_BITS + (t << 1)) << count;
    count += load<u8>(STEP_LENGTHS + t);
    if (count >= 32) {
      store<u32>(out, <u32>bits);
      out += 4;
      bits >>= 32;
      count -= 32;
    }
  }
  for (; count > 0; count -= 8, bits >>= 8) store<u8>(out++, <u8>bits);
  return out;
}

/** Flags of the block that `encodeQuads` coded last. */
export let quadFlags: u32 = 0;

/** Address of its bytes. */
export function quadBytes(): usize {
  return OUT;
}

/**
 * Codes the code-block in COEFFICIENTS: w x h samples, of whose `planes` bit-planes the first `passes` coding passes were decoded.
 * Returns the number of bytes at `quadBytes()`, 0 when a magnitude is too large for the code.
 */
export function encodeQuads(w: i32, h: i32, passes: i32, planes: i32): i32 {
  const plane = planes - (passes + 1) / 3;
  const partial = (passes - 1) % 3 == 1;
  const padded = (w + 3) & ~3;
  const half = ((h + 3) & ~3) >> 1;
  const across = ((padded >> 1) + 7) >> 3;
  const down = (half + 15) >> 4;
  if (!readCells(w, h, padded, plane, partial)) return 0;
  const dense = chooseLowBits(w, h, padded, half, across, down);
  quadFlags = plane | (partial ? 0x80 : 0) | (dense ? 0x40 : 0);
  const end = OUT + MOST_BYTES;
  writtenB = end;
  word = 0;
  filled = 0;
  if (dense) putLowBits(across * down);
  const steps = modelQuads(padded, half, across, down);
  closeB();
  const endA = putSteps(steps, OUT);
  memory.copy(endA, writtenB, end - writtenB);
  return <i32>(endA + (end - writtenB) - OUT);
}
