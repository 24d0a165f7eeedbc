// The three coding passes over the bit-planes of a code-block (ISO/IEC 15444-1 Annex D).
//
// A code-block is scanned in stripes of four rows. FLAGS holds one u32 for each stripe column, with a border of one column
// left and right and one stripe above and below:
//   bits 0-17   significance of the 3 x 6 neighbourhood, row by row from the row above the stripe: bit 3 * row + column
//   bit 18      sign of the coefficient above the stripe, 31 the one below
//   bits 19, 22, 25, 28   sign of the four coefficients
//   bits 20, 23, 26, 29   refined at least once
//   bits 21, 24, 27, 30   coded in the significance propagation pass of this bit-plane
// So the flags of row k of a stripe have the same layout after a right shift by 3k. Rows are counted in that shift: 0, 3, 6, 9.
//
// COEFFICIENTS holds four rows of a column side by side, as sign and magnitude: bit 31 the sign, the magnitude doubled, with
// half of the last decoded bit-plane added, which is the reconstruction point r = 0.5 of equation E-6.
import { bit } from './bio';
import { SIGN_CODING, ZERO_CODING } from './t1tables';
import { CONTEXT_REFINEMENT, CONTEXT_RUN, CONTEXT_UNIFORM, CONTEXTS, mqDecode, mqSkipRuns } from './mqc';
import { VERTICALLY_CAUSAL } from './t2';

/** Most samples of a code-block (B.10.7: log2 width + log2 height at most 12), most columns or rows 1024. */
const MAX_SAMPLES: i32 = 4096;

/** Widest is 1024 x 4: (1024 + 2) x 3 words; tallest 4 x 1024: 6 x 258. */
const FLAGS: usize = memory.data(1026 * 3 * 4, 16);
/** Heights are rounded up to whole stripes; that never passes MAX_SAMPLES since nominal sizes are powers of two of at least 4. */
export const COEFFICIENTS: usize = memory.data(4096 * 4, 16);

const SELF: u32 = 0x10;
const SIGN: i32 = 19;
const REFINED: u32 = 0x100000;
const VISITED: u32 = 0x200000;
const ALL_VISITED: u32 = 0x49200000;
/** Neighbours of the coefficient in row 0. */
const NEIGHBOURS: u32 = 0x1ef;
/** Bit 3k for each of the four rows. */
const ROWS: u32 = 0x249;

let width: i32 = 0;
let height: i32 = 0;
let flagStride: usize = 0;
let zeroCoding: usize = 0;
let verticallyCausal: bool = false;

/** Clears the state for a code-block of w x h; `orientation` 0 LL, 1 HL, 2 LH, 3 HH. */
export function t1Open(w: i32, h: i32, orientation: i32, style: i32): void {
  width = w;
  height = h;
  flagStride = (<usize>w + 2) << 2;
  zeroCoding = ZERO_CODING + (<usize>orientation << 9);
  verticallyCausal = (style & VERTICALLY_CAUSAL) != 0;
  const stripes = (h + 3) >> 2;
  memory.fill(FLAGS, 0, <usize>((w + 2) * (stripes + 2)) << 2);
  memory.fill(COEFFICIENTS, 0, <usize>(w * stripes) << 4);
}

export function t1Fits(w: i32, h: i32): bool {
  return w > 0 && h > 0 && w <= 1024 && h <= 1024 && w * ((h + 3) & ~3) <= MAX_SAMPLES;
}

/** Flags of the first column of the stripe that begins at row `y`. */
@inline
function stripe(y: i32): usize {
  return FLAGS + flagStride * <usize>((y >> 2) + 1) + 4;
}

/** The bits 3k of the rows that the stripe at `y` has. */
@inline
function rowsOf(y: i32): u32 {
  const left = height - y;
  return left >= 4 ? ROWS : ROWS & ((1 << (3 * left)) - 1);
}

/** Address of the coefficient in row `row` (0, 3, 6, 9) of the column at `column`. */
@inline
function coefficient(column: usize, row: u32): usize {
  return column + <usize>(((row * 11) >>> 5) << 2);
}

/** Sign bit (D.3.2) of the coefficient in row `row` of the column with flags `f` at `fp`, with the arithmetic decoder. */
@inline
function decodeSign(fp: usize, f: u32, row: u32): u32 {
  const neighbourhood =
    ((f >>> row) & 0xaa) |
    ((load<u32>(fp - 4) >>> (SIGN + row)) & 1) |
    ((load<u32>(fp, 4) >>> (17 + row)) & 4) |
    ((f >>> (12 + row + (<u32>(row == 0) << 1))) & 0x10) |
    ((f >>> (16 + row)) & 0x40);
  const entry: u32 = load<u8>(SIGN_CODING + <usize>neighbourhood);
  return <u32>mqDecode(CONTEXTS + <usize>(entry & 0xf8)) ^ (entry & 1);
}

/**
 * Makes a coefficient significant: reads its sign, stores it with the magnitude `value`, and updates the flags of its eight neighbours. Returns the
 * new flags of its column. `raw`, a constant: with the arithmetic coder bypassed.
 */
@inline
function becomeSignificant(column: usize, fp: usize, f: u32, row: u32, value: u32, raw: bool): u32 {
  const sign = raw ? bit() : decodeSign(fp, f, row);
  store<u32>(coefficient(column, row), (sign << 31) | value);
  store<u32>(fp - 4, load<u32>(fp - 4) | (0x20 << row));
  store<u32>(fp, load<u32>(fp, 4) | (0x08 << row), 4);
  if (row == 0) {
    if (!verticallyCausal) {
      const above = fp - flagStride;
      store<u32>(above, load<u32>(above) | (sign << 31) | 0x10000);
      store<u32>(above - 4, load<u32>(above - 4) | 0x20000);
      store<u32>(above, load<u32>(above, 4) | 0x8000, 4);
    }
  } else if (row == 9) {
    const below = fp + flagStride;
    store<u32>(below, load<u32>(below) | (sign << 18) | 2);
    store<u32>(below - 4, load<u32>(below - 4) | 4);
    store<u32>(below, load<u32>(below, 4) | 1, 4);
  }
  return f | (((sign << SIGN) | SELF) << row);
}

/** Rows with a significant neighbour that are not significant themselves. */
@inline
function propagationCandidates(f: u32): u32 {
  const across = f | (f >>> 1) | (f >>> 2);
  return (across | (across >>> 3) | (across >>> 6)) & ~(f >>> 4);
}

/**
 * Significance propagation pass (D.3.1) of the bit-plane of weight 1 << plane; plane is at least 1. `raw`, a constant: with the arithmetic
 * coder bypassed (D.6).
 */
@inline
function propagateSignificance(plane: i32, raw: bool): void {
  const value: u32 = (1 << plane) | ((1 << plane) >> 1);
  let column = COEFFICIENTS;
  for (let y = 0; y < height; y += 4) {
    const rows = rowsOf(y);
    let fp = stripe(y);
    const end = fp + (<usize>width << 2);
    for (; fp < end; fp += 4, column += 16) {
      let f = load<u32>(fp);
      let candidates = propagationCandidates(f) & rows;
      if (candidates == 0) continue;
      do {
        const row: u32 = ctz(candidates);
        candidates &= candidates - 1;
        const significant = raw
          ? <i32>bit()
          : mqDecode(CONTEXTS + <usize>load<u8>(zeroCoding + <usize>((f >>> row) & NEIGHBOURS)));
        f |= VISITED << row;
        if (significant) {
          f = becomeSignificant(column, fp, f, row, value, raw);
          candidates |= (8 << row) & ~(f >>> 4) & rows;
        }
      } while (candidates);
      store<u32>(fp, f);
    }
  }
}

export function significancePass(plane: i32, raw: bool): void {
  if (raw) propagateSignificance(plane, true);
  else propagateSignificance(plane, false);
}

/** Magnitude refinement pass (D.3.3). `raw`: as above. */
@inline
function refine(plane: i32, raw: bool): void {
  const half: i32 = (1 << plane) >> 1;
  let column = COEFFICIENTS;
  for (let y = 0; y < height; y += 4) {
    let fp = stripe(y);
    const end = fp + (<usize>width << 2);
    for (; fp < end; fp += 4, column += 16) {
      let f = load<u32>(fp);
      // Rows that are significant and were not coded in the significance propagation pass of this bit-plane.
      let candidates = (f >>> 4) & ~(f >>> 21) & ROWS;
      if (candidates == 0) continue;
      do {
        const row: u32 = ctz(candidates);
        candidates &= candidates - 1;
        const shifted = f >>> row;
        // Table D.4: 16 once refined, else 15 with a significant neighbour, else 14.
        const context = CONTEXT_REFINEMENT + select<usize>(16, <usize>((shifted & NEIGHBOURS) != 0) << 3, (shifted & REFINED) != 0);
        const one = raw ? <i32>bit() : mqDecode(context);
        const at = coefficient(column, row);
        store<i32>(at, load<i32>(at) + (one << plane) - half);
        f |= REFINED << row;
      } while (candidates);
      store<u32>(fp, f);
    }
  }
}

export function refinementPass(plane: i32, raw: bool): void {
  if (raw) refine(plane, true);
  else refine(plane, false);
}

/** Cleanup pass (D.3.4), with run-length coding of columns that have no significant neighbour at all. */
export function cleanupPass(plane: i32): void {
  const value: u32 = (1 << plane) | ((1 << plane) >> 1);
  let column = COEFFICIENTS;
  for (let y = 0; y < height; y += 4) {
    const rows = rowsOf(y);
    let fp = stripe(y);
    const end = fp + (<usize>width << 2);
    for (; fp < end; fp += 4, column += 16) {
      let f = load<u32>(fp);
      let candidates: u32;
      if (f == 0 && rows == ROWS) {
        const stop = mqSkipRuns(fp, end);
        if (stop != fp) {
          column += (stop - fp - 4) << 2;
          fp = stop - 4;
          continue;
        }
        if (!mqDecode(CONTEXT_RUN)) continue;
        let row: u32 = mqDecode(CONTEXT_UNIFORM) << 1;
        row = (row | mqDecode(CONTEXT_UNIFORM)) * 3;
        f = becomeSignificant(column, fp, f, row, value, false);
        candidates = (ROWS << row << 3) & ROWS;
      } else candidates = ~(f >>> 4) & ~(f >>> 21) & rows;
      while (candidates) {
        const row: u32 = ctz(candidates);
        candidates &= candidates - 1;
        const isOne = mqDecode(CONTEXTS + <usize>load<u8>(zeroCoding + <usize>((f >>> row) & NEIGHBOURS)));
        if (isOne) f = becomeSignificant(column, fp, f, row, value, false);
      }
      store<u32>(fp, f & ~ALL_VISITED);
    }
  }
}
