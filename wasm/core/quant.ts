// Dequantises the coefficients of a code-block into a window of its subband (ISO/IEC 15444-1 Annex E).
import { bandOf, Codeblock, codeblockOf, Piece, Precinct } from './precinct';
import { decodeCodeblock } from './codeblock';
import { COEFFICIENTS } from './t1';

const SIGN_BIT: i32 = <i32>0x80000000;

/**
 * Undoes the Maxshift scaling of a region of interest (H.1): magnitudes that reach above the background are shifted down.
 * Magnitudes are doubled, so the limit is 2^(shift + 1).
 */
function unshiftRegionOfInterest(samples: i32, shift: i32): void {
  if (shift > 30) return;
  const limit: u32 = 2 << shift;
  for (let i = 0; i < samples; i++) {
    const at = COEFFICIENTS + (<usize>i << 2);
    const value = load<u32>(at);
    const magnitude = value & 0x7fffffff;
    if (magnitude >= limit) store<u32>(at, (value & 0x80000000) | (magnitude >> shift));
  }
}

/** Stores the lanes of `v` that fall into columns [x0, x1), the first lane being column `x`. */
@inline
function storeLanes(at: usize, v: v128, x: i32, x0: i32, x1: i32): void {
  if (x >= x0 && x + 4 <= x1) {
    v128.store(at, v);
    return;
  }
  if (x >= x0 && x < x1) v128.store_lane<u32>(at, v, 0);
  if (x + 1 >= x0 && x + 1 < x1) v128.store_lane<u32>(at, v, 1, 4);
  if (x + 2 >= x0 && x + 2 < x1) v128.store_lane<u32>(at, v, 2, 8);
  if (x + 3 >= x0 && x + 3 < x1) v128.store_lane<u32>(at, v, 3, 12);
}

/** Sign and doubled magnitude to f32, times `step` (half the step size, since the magnitude is doubled). */
@inline
function toFloat(v: v128, step: v128): v128 {
  const sign = i32x4.splat(SIGN_BIT);
  return v128.or(v128.and(v, sign), f32x4.mul(f32x4.convert_i32x4_s(v128.andnot(v, sign)), step));
}

/** Sign and doubled magnitude to i32. */
@inline
function toInteger(v: v128): v128 {
  const negative = i32x4.shr_s(v, 31);
  const magnitude = i32x4.shr_u(v128.andnot(v, i32x4.splat(SIGN_BIT)), 1);
  return i32x4.sub(v128.xor(magnitude, negative), negative);
}

/**
 * Writes rows [y0, y1), columns [x0, x1) of the code-block (w columns) to `target`, the address of (x0, y0), with
 * `stride` bytes a row: i32 when reversible, else f32 scaled by `step`.
 */
export function dequantise(w: i32, x0: i32, y0: i32, x1: i32, y1: i32, target: usize, stride: usize, reversible: bool, step: f32): void {
  const steps = f32x4.splat(step * 0.5);
  for (let y = y0 & ~3; y < y1; y += 4) {
    const source = COEFFICIENTS + (<usize>((y >> 2) * w) << 4);
    for (let x = x0 & ~3; x < x1; x += 4) {
      const columns = source + (<usize>x << 4);
      const a = v128.load(columns);
      const b = v128.load(columns, 16);
      const c = v128.load(columns, 32);
      const d = v128.load(columns, 48);
      const ab01 = i32x4.shuffle(a, b, 0, 4, 1, 5);
      const cd01 = i32x4.shuffle(c, d, 0, 4, 1, 5);
      const ab23 = i32x4.shuffle(a, b, 2, 6, 3, 7);
      const cd23 = i32x4.shuffle(c, d, 2, 6, 3, 7);
      const row0 = i64x2.shuffle(ab01, cd01, 0, 2);
      const row1 = i64x2.shuffle(ab01, cd01, 1, 3);
      const row2 = i64x2.shuffle(ab23, cd23, 0, 2);
      const row3 = i64x2.shuffle(ab23, cd23, 1, 3);
      const at = target + <usize>(y - y0) * stride + (<usize>(x - x0) << 2);
      if (y >= y0) storeLanes(at, reversible ? toInteger(row0) : toFloat(row0, steps), x, x0, x1);
      if (y + 1 >= y0 && y + 1 < y1) storeLanes(at + stride, reversible ? toInteger(row1) : toFloat(row1, steps), x, x0, x1);
      if (y + 2 >= y0 && y + 2 < y1) storeLanes(at + 2 * stride, reversible ? toInteger(row2) : toFloat(row2, steps), x, x0, x1);
      if (y + 3 >= y0 && y + 3 < y1) storeLanes(at + 3 * stride, reversible ? toInteger(row3) : toFloat(row3, steps), x, x0, x1);
    }
  }
}

/** True when the block shares samples with the window. */
@inline
function touches(block: Codeblock, x0: i32, y0: i32, x1: i32, y1: i32): bool {
  return block.x0 < x1 && block.x1 > x0 && block.y0 < y1 && block.y1 > y0;
}

/**
 * Decodes the code-blocks of subband `index` of precinct `p` that touch the window [x0,x1) x [y0,y1) of the subband, into
 * `target`: the address of (x0, y0), `stride` bytes a row, zeroed before. `step` is the step size including the
 * scaling of the inverse transform. Returns the number of code-blocks decoded, or a status below 0.
 */
export function decodeBand(
  p: usize, index: i32, x0: i32, y0: i32, x1: i32, y1: i32, target: usize, stride: usize, roiShift: i32, style: i32,
  reversible: bool, step: f32,
): i32 {
  const band = bandOf(changetype<Precinct>(p), index);
  const count = band.columns * band.rows;
  let decoded = 0;
  for (let i = 0; i < count; i++) {
    const block = codeblockOf(band, i);
    if (!touches(block, x0, y0, x1, y1)) continue;
    const status = decodeCodeblock(block, band, style);
    if (status < 0) return status;
    if (status == 0) continue;
    decoded++;
    const w = block.x1 - block.x0;
    if (roiShift) unshiftRegionOfInterest(w * ((block.y1 - block.y0 + 3) & ~3), roiShift);
    const left = max(x0, block.x0);
    const top = max(y0, block.y0);
    const at = target + <usize>(top - y0) * stride + (<usize>(left - x0) << 2);
    const right = min(x1, block.x1) - block.x0;
    const bottom = min(y1, block.y1) - block.y0;
    dequantise(w, left - block.x0, top - block.y0, right, bottom, at, stride, reversible, step);
  }
  return decoded;
}

/**
 * Lists the codestream ranges of the code-blocks of subband `index` that touch the window: pairs of u32 offset and length
 * at `out`, at most `capacity` pairs. Returns how many there are, which may be more than were written.
 */
export function listBandRanges(p: usize, index: i32, x0: i32, y0: i32, x1: i32, y1: i32, out: usize, capacity: i32): i32 {
  const band = bandOf(changetype<Precinct>(p), index);
  const count = band.columns * band.rows;
  let found = 0;
  for (let i = 0; i < count; i++) {
    const block = codeblockOf(band, i);
    if (!touches(block, x0, y0, x1, y1)) continue;
    for (let q = block.firstPiece; q; q = changetype<Piece>(q).next) {
      const piece = changetype<Piece>(q);
      if (!piece.length) continue;
      if (found < capacity) {
        store<u32>(out + (<usize>found << 3), piece.offset);
        store<u32>(out + (<usize>found << 3), piece.length, 4);
      }
      found++;
    }
  }
  return found;
}
