// Inverse reversible wavelet transform (ISO/IEC 15444-1 Annex F, F.4.8.1) of a window, in i32. Buffers as in dwt97.ts.
import { highHalf, interleave, loadStrip, lowHalf, mirrorRow, mirrorStrip, openHalves, storeStripRow, stripRow } from './strips';

/** low - floor((left + right + 2) / 4): equation F-5. */
@inline
function updateLow(low: v128, left: v128, right: v128): v128 {
  return i32x4.sub(low, i32x4.shr_s(i32x4.add(i32x4.add(left, right), i32x4.splat(2)), 2));
}

/** high + floor((left + right) / 2): equation F-6. */
@inline
function predictHigh(high: v128, left: v128, right: v128): v128 {
  return i32x4.add(high, i32x4.shr_s(i32x4.add(left, right), 1));
}

@inline
function liftRowLow(target: usize, source: usize, count: i32): void {
  const end = target + (<usize>count << 2);
  for (; target < end; target += 16, source += 16) v128.store(target, updateLow(v128.load(target), v128.load(source), v128.load(source, 4)));
}

@inline
function liftRowHigh(target: usize, source: usize, count: i32): void {
  const end = target + (<usize>count << 2);
  for (; target < end; target += 16, source += 16) v128.store(target, predictHigh(v128.load(target), v128.load(source), v128.load(source, 4)));
}

/** As horizontal97. */
export function horizontal53(buffer: usize, stride: usize, rows: i32, nL: i32, nH: i32, odd: i32): bool {
  if (!openHalves(max(nL, nH), 2)) return false;
  const L = lowHalf;
  const H = highHalf;
  for (let y = 0, row = buffer; y < rows; y++, row += stride) {
    memory.copy(L, row, <usize>nL << 2);
    memory.copy(H, row + (<usize>nL << 2), <usize>nH << 2);
    mirrorRow(H, nH);
    liftRowLow(L, H - (<usize>(1 - odd) << 2), nL);
    mirrorRow(L, nL);
    liftRowHigh(H, L - (<usize>odd << 2), nH);
    interleave(odd ? H : L, odd ? L : H, nL + nH, row);
  }
  return true;
}

@inline
function liftStripLow(target: usize, source: usize, count: i32): void {
  const end = target + (<usize>count << 5);
  for (; target < end; target += 16, source += 16) v128.store(target, updateLow(v128.load(target), v128.load(source), v128.load(source, 32)));
}

@inline
function liftStripHigh(target: usize, source: usize, count: i32): void {
  const end = target + (<usize>count << 5);
  for (; target < end; target += 16, source += 16) v128.store(target, predictHigh(v128.load(target), v128.load(source), v128.load(source, 32)));
}

/** As vertical97, without a scale. */
export function vertical53(
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
): bool {
  if (!openHalves(max(nL, nH), 5)) return false;
  const L = lowHalf;
  const H = highHalf;
  for (let x = x0; x < x1; x += 8) {
    const from = buffer + (<usize>x << 2);
    loadStrip(L, from, stride, nL);
    loadStrip(H, from + <usize>nL * stride, stride, nH);
    mirrorStrip(H, nH);
    liftStripLow(L, H - (<usize>(1 - odd) << 5), nL);
    mirrorStrip(L, nL);
    liftStripHigh(H, L - (<usize>odd << 5), nH);
    let out = target + (<usize>(x - x0) << 2);
    for (let y = y0; y < y1; y++, out += targetStride) {
      const row = stripRow(L, H, y, odd);
      storeStripRow(out, v128.load(row), v128.load(row, 16), x1 - x);
    }
  }
  return true;
}
