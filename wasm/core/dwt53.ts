// Inverse reversible wavelet transform of a level (ISO/IEC 15444-1 Annex F, F.4.8.1), in i32.
import {
  columnsHigh, columnsLow, columnsOdd, flip, highest, highHalf, loadHalves, lowHalf, rowBytes, rowCount, rowsOdd, scratchRows,
  storeBytes, storeSamples, target, targetStride, turn, x0, x1, y0, y1,
} from './synthesis';

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

/** Horizontal synthesis of the row in both halves to `out`, up to eight samples beyond its end; as in dwt97.ts, one turn later. */
@inline
function synthesiseRow(out: usize): void {
  if (columnsLow + columnsHigh == 1) {
    store<i32>(out, columnsOdd ? load<i32>(highHalf - 4) / 2 : load<i32>(lowHalf));
    return;
  }
  let d = v128.load(highHalf - 16);
  let s = updateLow(v128.load(lowHalf - 16), v128.load(highHalf - 20), d);
  const turns = (columnsLow + 3) >> 2;
  let to = out - 32 + (<usize>columnsOdd << 2);
  for (let i = 0; i <= turns; i++, to += 32) {
    const at = <usize>(i << 4);
    const dNext = v128.load(highHalf + at);
    const sNext = updateLow(v128.load(lowHalf + at), v128.load(highHalf + at - 4), dNext);
    const d1 = predictHigh(d, s, i32x4.shuffle(s, sNext, 1, 2, 3, 4));
    if (i > 0) {
      v128.store(to, i32x4.shuffle(s, d1, 0, 4, 1, 5));
      v128.store(to, i32x4.shuffle(s, d1, 2, 6, 3, 7), 16);
    } else if (columnsOdd) v128.store_lane<u32>(out, d1, 3);
    d = dNext;
    s = sNext;
  }
}

/** Results of sixteen columns of an even and an odd row. */
const EVENS: usize = memory.data(64, 16);
const ODDS: usize = memory.data(64, 16);

/** A level of a single row, which passes unchanged when it is low-pass and halved when it is high-pass (F.3.6). */
function synthesiseSingleRow(row: usize): void {
  loadHalves(0);
  synthesiseRow(row);
  if (rowsOdd) for (let x = x0; x < x1; x++) store<i32>(row + (<usize>x << 2), load<i32>(row + (<usize>x << 2)) / 2);
  for (let x = x0; x < x1; x += 16) {
    const at = row + (<usize>x << 2);
    if (highest) storeBytes(target + <usize>(x - x0), v128.load(at), v128.load(at, 16), v128.load(at, 32), v128.load(at, 48), x1 - x);
    else memory.copy(target + (<usize>(x - x0) << 2), at, <usize>min(16, x1 - x) << 2);
  }
}

/** First and last step for rows [y0, y1) of the result: see `synthesise53`. */
export function firstStep53(): i32 {
  return ((y0 - rowsOdd) >> 1) - 1;
}

export function lastStep53(): i32 {
  return (y1 - rowsOdd) >> 1;
}

/**
 * Steps [first, last] of the vertical synthesis. Step n reads low-pass and high-pass row n and finishes rows 2n - 1 and 2n, each one
 * later when the first row is high-pass. The first step of a level fills the state only.
 */
export function synthesise53(first: i32, last: i32): void {
  const low = scratchRows;
  if (rowCount == 1) return synthesiseSingleRow(low);
  let next = low + (flip ? 2 * rowBytes : rowBytes);
  let previous = low + (flip ? rowBytes : 2 * rowBytes);
  const S = low + 3 * rowBytes;
  const end = <usize>x1 << 2;
  for (let n = first; n <= last; n++) {
    loadHalves(2 * n + rowsOdd);
    synthesiseRow(low);
    loadHalves(2 * n + 1 + rowsOdd);
    synthesiseRow(next);
    const even = 2 * n + rowsOdd;
    const hasEven = even >= y0 && even < y1;
    const hasOdd = even - 1 >= y0 && even - 1 < y1;
    let toEven = target + <usize>(even - y0) * targetStride;
    let toOdd = toEven - targetStride;
    if (highest && (hasEven || hasOdd)) {
      for (let x = <usize>x0 << 2; x < end; x += 64, toEven += 16, toOdd += 16) {
        for (let part: usize = 0; part < 64; part += 16) {
          const at = x + part;
          const d = v128.load(previous + at);
          const s = updateLow(v128.load(low + at), d, v128.load(next + at));
          v128.store(ODDS + part, predictHigh(d, v128.load(S + at), s));
          v128.store(EVENS + part, s);
          v128.store(S + at, s);
        }
        const left = <i32>(end - x) >> 2;
        if (hasOdd) storeBytes(toOdd, v128.load(ODDS), v128.load(ODDS, 16), v128.load(ODDS, 32), v128.load(ODDS, 48), left);
        if (hasEven) storeBytes(toEven, v128.load(EVENS), v128.load(EVENS, 16), v128.load(EVENS, 32), v128.load(EVENS, 48), left);
      }
    } else {
      for (let at = <usize>x0 << 2; at < end; at += 16, toEven += 16, toOdd += 16) {
        const d = v128.load(previous + at);
        const s = updateLow(v128.load(low + at), d, v128.load(next + at));
        const left = <i32>(end - at) >> 2;
        if (hasOdd) storeSamples(toOdd, predictHigh(d, v128.load(S + at), s), left);
        if (hasEven) storeSamples(toEven, s, left);
        v128.store(S + at, s);
      }
    }
    const older = previous;
    previous = next;
    next = older;
    turn();
  }
}
