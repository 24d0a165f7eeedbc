// Inverse wavelet transform of one resolution level in one pass over its rows (ISO/IEC 15444-1 Annex F, F.3): the parts that
// both filters share.
//
// Every row of the subbands is read once. Its horizontal synthesis goes into a row of scratch, which stays in the first-level
// cache, and from there through the vertical lifting steps, whose state is a few rows. A level may therefore be given in stripes:
// while one is synthesised, the next need not have been decoded. Where the standard extends a signal between the lifting steps,
// rows and their ends are extended beforehand (whole-sample symmetry, F.3.7), which yields the same operands.
import { allocZeroed } from './arena';

/** Bytes before and behind a row of scratch: vectors reach up to 64 bytes beyond its samples. */
const ROOM: usize = 64;

/** Rows of scratch: two halves, two new rows, four of state. */
const SCRATCH_ROWS: usize = 8;

/** Low-pass and high-pass samples of a row, whether the first is high-pass (0 or 1), and the same for columns. */
export let columnsLow: i32 = 0;
export let columnsHigh: i32 = 0;
export let columnsOdd: i32 = 0;
export let rowCount: i32 = 0;
export let rowsOdd: i32 = 0;

/** The halves of a row, extended by three samples on both sides. */
export let lowHalf: usize = 0;
export let highHalf: usize = 0;
/** First of the rows behind the halves, and the distance of two. */
export let scratchRows: usize = 0;
export let rowBytes: usize = 0;

/** Which of two rows is the older one; alternates with every step. */
export let flip: bool = false;

/** Whole LL, and a stripe of the other subbands: low-pass rows from `firstLow`, high-pass rows from `firstHigh` on. */
let ll: usize = 0;
let llStride: usize = 0;
let hl: usize = 0;
let lh: usize = 0;
let hh: usize = 0;
let bandStride: usize = 0;
let firstLow: i32 = 0;
let firstHigh: i32 = 0;

/** Columns [x0, x1) and rows [y0, y1) of the result and their destination. */
export let x0: i32 = 0;
export let y0: i32 = 0;
export let x1: i32 = 0;
export let y1: i32 = 0;
export let target: usize = 0;
export let targetStride: usize = 0;
/** Factor of f32 samples. */
export let scale: f32 = 1;
/** Highest byte, when the result is bytes; 0 when it is samples of four bytes. Level shift of bytes. */
export let highest: i32 = 0;
export let shift: i32 = 0;

/**
 * Opens the synthesis of `nL` low-pass and `nH` high-pass columns, the first of them high-pass when `oddX` is 1, and of `rows`
 * rows, the first of them high-pass when `oddY` is 1. Returns false when memory is out.
 */
export function openSynthesis(nL: i32, nH: i32, oddX: i32, rows: i32, oddY: i32): bool {
  rowBytes = ((<usize>(nL + nH) << 2) + 2 * ROOM + 63) & ~63;
  const scratch = allocZeroed(SCRATCH_ROWS * rowBytes);
  if (!scratch) return false;
  lowHalf = scratch + ROOM;
  highHalf = lowHalf + rowBytes;
  scratchRows = highHalf + rowBytes;
  columnsLow = nL;
  columnsHigh = nH;
  columnsOdd = oddX;
  rowCount = rows;
  rowsOdd = oddY;
  flip = false;
  return true;
}

/** Addresses of the subbands of the stripe that comes next; `lowRow`, `highRow`: numbers of its first rows. */
export function setStripe(
  llAt: usize, llRowBytes: usize, hlAt: usize, lhAt: usize, hhAt: usize, rowBytesOfBands: usize, lowRow: i32, highRow: i32,
): void {
  ll = llAt;
  llStride = llRowBytes;
  hl = hlAt;
  lh = lhAt;
  hh = hhAt;
  bandStride = rowBytesOfBands;
  firstLow = lowRow;
  firstHigh = highRow;
}

/**
 * Columns [left, right), rows [top, bottom) of the result go to `at`. With `high` 0 they are samples of four bytes, f32 ones times
 * `factor`; else bytes of at most `high` after a level shift by `levelShift`.
 */
export function setResult(
  left: i32, top: i32, right: i32, bottom: i32, at: usize, stride: usize, factor: f32, levelShift: i32, high: i32,
): void {
  x0 = left;
  y0 = top;
  x1 = right;
  y1 = bottom;
  target = at;
  targetStride = stride;
  scale = factor;
  shift = levelShift;
  highest = high;
}

export function turn(): void {
  flip = !flip;
}

/** Index `i` mirrored into [0, n). */
@inline
function mirrored(i: i32, n: i32): i32 {
  if (n == 1) return 0;
  while (i < 0 || i >= n) i = i < 0 ? -i : 2 * (n - 1) - i;
  return i;
}

/** Sample `i` of the row whose halves are at `low` and `high`. */
@inline
function sampleOf(low: usize, high: usize, i: i32): u32 {
  return load<u32>(((i ^ columnsOdd) & 1 ? high : low) + (<usize>(i >> 1) << 2));
}

/**
 * Loads row `i` before the horizontal synthesis into both halves, with `i` mirrored into the level. With a high-pass sample
 * first, that is sample -1 of the high half, so that in both cases low-pass sample k stands before high-pass sample k.
 */
export function loadHalves(i: i32): void {
  const row = mirrored(i, rowCount);
  const k = row >> 1;
  const isHigh = ((row ^ rowsOdd) & 1) != 0;
  const from = <usize>(k - (isHigh ? firstHigh : firstLow)) * bandStride;
  const low = isHigh ? lh + from : ll + <usize>k * llStride;
  const high = isHigh ? hh + from : hl + from;
  const n = columnsLow + columnsHigh;
  const odd = columnsOdd;
  const firstOfHigh = highHalf - (<usize>odd << 2);
  memory.copy(lowHalf, low, <usize>columnsLow << 2);
  memory.copy(firstOfHigh, high, <usize>columnsHigh << 2);
  if (n == 1) return;
  for (let j = 1; j <= 3; j++) {
    store<u32>(lowHalf - (<usize>j << 2), sampleOf(low, high, mirrored(odd - 2 * j, n)));
    store<u32>(highHalf - (<usize>(j + odd) << 2), sampleOf(low, high, mirrored(1 - odd - 2 * j, n)));
  }
  for (let j = 0; j < 3; j++) {
    store<u32>(lowHalf + (<usize>(columnsLow + j) << 2), sampleOf(low, high, mirrored(2 * (columnsLow + j) + odd, n)));
    store<u32>(firstOfHigh + (<usize>(columnsHigh + j) << 2), sampleOf(low, high, mirrored(2 * (columnsHigh + j) + 1 - odd, n)));
  }
}

/** Stores the first `count` of four samples. */
@inline
export function storeSamples(at: usize, v: v128, count: i32): void {
  if (count >= 4) {
    v128.store(at, v);
    return;
  }
  v128.store_lane<u32>(at, v, 0);
  if (count > 1) v128.store_lane<u32>(at, v, 1, 4);
  if (count > 2) v128.store_lane<u32>(at, v, 2, 8);
}

const LAST_BYTES: usize = memory.data(16, 16);

/** Rounds four f32 samples to the nearest integer; integers pass unchanged. */
@inline
export function rounded(v: v128, reversible: bool): v128 {
  return reversible ? v : i32x4.trunc_sat_f32x4_s(f32x4.nearest(v));
}

/** Sixteen integers as bytes, after a level shift by `up` (G.1.2) and clamping to at most `high`. */
@inline
export function bytesOf(a: v128, b: v128, c: v128, d: v128, up: i32, high: i32): v128 {
  const shifts = i32x4.splat(up);
  const low = i32x4.splat(-up);
  const ab = i16x8.narrow_i32x4_s(i32x4.add(i32x4.max_s(a, low), shifts), i32x4.add(i32x4.max_s(b, low), shifts));
  const cd = i16x8.narrow_i32x4_s(i32x4.add(i32x4.max_s(c, low), shifts), i32x4.add(i32x4.max_s(d, low), shifts));
  return i8x16.min_u(i8x16.narrow_i16x8_u(ab, cd), i8x16.splat(<i8>high));
}

/** Stores the first `left` of sixteen integers at `results` as bytes of the result. */
@inline
export function storeBytes(at: usize, results: usize, left: i32): void {
  const bytes = bytesOf(v128.load(results), v128.load(results, 16), v128.load(results, 32), v128.load(results, 48), shift, highest);
  if (left >= 16) v128.store(at, bytes);
  else {
    v128.store(LAST_BYTES, bytes);
    memory.copy(at, LAST_BYTES, left);
  }
}
