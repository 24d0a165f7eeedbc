// Inverse irreversible wavelet transform (ISO/IEC 15444-1 Annex F, F.4.8.2) of a window, in f32.
//
// A resolution window is stored in a buffer as four quadrants: low-pass columns left, high-pass columns right, low-pass rows above,
// high-pass rows below. The scaling by K and 1/K (steps 1 and 2 of the standard) is not done here: it is in the step sizes of
// the subbands and in the scale with which the LL quadrant is written. Rows need 8 samples of padding after their end.
import { highHalf, interleave, loadStrip, lowHalf, mirrorRow, mirrorStrip, openHalves, storeStripRow, stripRow } from './strips';

const ALPHA: f32 = -1.586134342;
const BETA: f32 = -0.052980118;
const GAMMA: f32 = 0.882911075;
const DELTA: f32 = 0.443506852;

/** target[i] -= k * (source[i] + source[i + 1]) */
@inline
function liftRow(target: usize, source: usize, count: i32, k: v128): void {
  const end = target + (<usize>count << 2);
  for (; target < end; target += 16, source += 16) {
    v128.store(target, f32x4.sub(v128.load(target), f32x4.mul(k, f32x4.add(v128.load(source), v128.load(source, 4)))));
  }
}

/**
 * Horizontal synthesis of `rows` rows in place: nL low-pass and nH high-pass samples become nL + nH interleaved ones, the
 * first of them high-pass when `odd` is 1. Both counts are at least 1. Returns false when memory is out.
 */
export function horizontal97(buffer: usize, stride: usize, rows: i32, nL: i32, nH: i32, odd: i32): bool {
  if (!openHalves(max(nL, nH), 2)) return false;
  const L = lowHalf;
  const H = highHalf;
  const toH: usize = <usize>(1 - odd) << 2;
  const toL: usize = <usize>odd << 2;
  const alpha = f32x4.splat(ALPHA);
  const beta = f32x4.splat(BETA);
  const gamma = f32x4.splat(GAMMA);
  const delta = f32x4.splat(DELTA);
  for (let y = 0, row = buffer; y < rows; y++, row += stride) {
    memory.copy(L, row, <usize>nL << 2);
    memory.copy(H, row + (<usize>nL << 2), <usize>nH << 2);
    mirrorRow(H, nH);
    liftRow(L, H - toH, nL, delta);
    mirrorRow(L, nL);
    liftRow(H, L - toL, nH, gamma);
    mirrorRow(H, nH);
    liftRow(L, H - toH, nL, beta);
    mirrorRow(L, nL);
    liftRow(H, L - toL, nH, alpha);
    interleave(odd ? H : L, odd ? L : H, nL + nH, row);
  }
  return true;
}

/** The same lifting step on strips. */
@inline
function liftStrip(target: usize, source: usize, count: i32, k: v128): void {
  const end = target + (<usize>count << 5);
  for (; target < end; target += 32, source += 32) {
    v128.store(target, f32x4.sub(v128.load(target), f32x4.mul(k, f32x4.add(v128.load(source), v128.load(source, 32)))));
    v128.store(target, f32x4.sub(v128.load(target, 16), f32x4.mul(k, f32x4.add(v128.load(source, 16), v128.load(source, 48)))), 16);
  }
}

/**
 * Vertical synthesis of nL low-pass rows above nH high-pass rows (the first row of the result is high-pass when `odd` is 1).
 * Rows [y0, y1), columns [x0, x1) of the result, times `scale`, go to `target`. Returns false when memory is out.
 */
export function vertical97(
  buffer: usize,
  stride: usize,
  nL: i32,
  nH: i32,
  odd: i32,
  x0: i32,
  y0: i32,
  x1: i32,
  y1: i32,
  target: usize,
  targetStride: usize,
  scale: f32,
): bool {
  if (!openHalves(max(nL, nH), 5)) return false;
  const L = lowHalf;
  const H = highHalf;
  const toH: usize = <usize>(1 - odd) << 5;
  const toL: usize = <usize>odd << 5;
  const alpha = f32x4.splat(ALPHA);
  const beta = f32x4.splat(BETA);
  const gamma = f32x4.splat(GAMMA);
  const delta = f32x4.splat(DELTA);
  const scales = f32x4.splat(scale);
  for (let x = x0; x < x1; x += 8) {
    const from = buffer + (<usize>x << 2);
    loadStrip(L, from, stride, nL);
    loadStrip(H, from + <usize>nL * stride, stride, nH);
    mirrorStrip(H, nH);
    liftStrip(L, H - toH, nL, delta);
    mirrorStrip(L, nL);
    liftStrip(H, L - toL, nH, gamma);
    mirrorStrip(H, nH);
    liftStrip(L, H - toH, nL, beta);
    mirrorStrip(L, nL);
    liftStrip(H, L - toL, nH, alpha);
    let out = target + (<usize>(x - x0) << 2);
    for (let y = y0; y < y1; y++, out += targetStride) {
      const row = stripRow(L, H, y, odd);
      storeStripRow(out, f32x4.mul(v128.load(row), scales), f32x4.mul(v128.load(row, 16), scales), x1 - x);
    }
  }
  return true;
}
