// Inverse wavelet transforms of a level (ISO/IEC 15444-1 Annex F): the reversible one (F.4.8.1) in i32, the irreversible one (F.4.8.2) in f32.
//
// The scaling by K and 1/K of the irreversible one (steps 1 and 2 of the standard) is not done here: it is in the step sizes of the
// subbands and in the scale with which the LL samples were written. `reversible` is a constant wherever it is passed on.
import {
  columnsHigh, columnsLow, columnsOdd, flip, highest, highHalf, loadHalves, lowHalf, rounded, rowBytes, rowCount, rowsOdd, scale,
  scratchRows, storeBytes, storeSamples, target, targetStride, turn, x0, x1, y0, y1,
} from './synthesis';

const ALPHA: f32 = -1.586134342;
const BETA: f32 = -0.052980118;
const GAMMA: f32 = 0.882911075;
const DELTA: f32 = 0.443506852;

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

/** target - k * (a + b) */
@inline
function lift(target: v128, a: v128, b: v128, k: v128): v128 {
  return f32x4.sub(target, f32x4.mul(k, f32x4.add(a, b)));
}

/** Horizontal synthesis of the row in both halves to `out`, up to eight samples beyond its end: as below, one turn later. */
@inline
function synthesiseRow53(out: usize): void {
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

/**
 * Horizontal synthesis of the row in both halves to `out`, up to eight samples beyond its end. Each turn takes four low-pass and
 * four high-pass samples (d, s, in the letters of lifting); their results leave it two turns later, because every one of the four
 * steps reaches one sample further.
 */
@inline
function synthesiseRow97(out: usize): void {
  const alpha = f32x4.splat(ALPHA);
  const beta = f32x4.splat(BETA);
  const gamma = f32x4.splat(GAMMA);
  const delta = f32x4.splat(DELTA);
  let d = v128.load(highHalf - 32);
  let s1 = lift(v128.load(lowHalf - 32), v128.load(highHalf - 36), d, delta);
  let d1 = d;
  let s2 = s1;
  const turns = (columnsLow + 3) >> 2;
  const odd = columnsOdd;
  let to = out - 96 + (<usize>odd << 2);
  for (let i = -1; i <= turns + 1; i++, to += 32) {
    const at = <usize>(i << 4);
    const dNext = v128.load(highHalf + at);
    const s1Next = lift(v128.load(lowHalf + at), v128.load(highHalf + at - 4), dNext, delta);
    const d1Next = lift(d, s1, i32x4.shuffle(s1, s1Next, 1, 2, 3, 4), gamma);
    const s2Next = lift(s1, i32x4.shuffle(d1, d1Next, 3, 4, 5, 6), d1Next, beta);
    const d2 = lift(d1, s2, i32x4.shuffle(s2, s2Next, 1, 2, 3, 4), alpha);
    if (i > 1) {
      v128.store(to, i32x4.shuffle(s2, d2, 0, 4, 1, 5));
      v128.store(to, i32x4.shuffle(s2, d2, 2, 6, 3, 7), 16);
    } else if (i == 1 && odd) v128.store_lane<u32>(out, d2, 3);
    d = dNext;
    s1 = s1Next;
    d1 = d1Next;
    s2 = s2Next;
  }
}

/** Half of a sample, toward zero: a single high-pass one (F.3.6). */
@inline
function half(v: v128, reversible: bool): v128 {
  return reversible ? i32x4.shr_s(i32x4.add(v, i32x4.shr_u(v, 31)), 1) : f32x4.mul(v, f32x4.splat(0.5));
}

/** A row of one column passes unchanged when it is low-pass and halved when it is high-pass. */
@inline
function synthesiseRow(out: usize, reversible: bool): void {
  if (columnsLow + columnsHigh == 1) {
    const v = columnsOdd ? half(v128.load32_zero(highHalf - 4), reversible) : v128.load32_zero(lowHalf);
    v128.store_lane<u32>(out, v, 0);
  } else if (reversible) synthesiseRow53(out);
  else synthesiseRow97(out);
}

@inline
function scaled(v: v128, reversible: bool): v128 {
  return reversible ? v : f32x4.mul(v, f32x4.splat(scale));
}

/** Results of sixteen columns of an even and an odd row. */
const EVENS: usize = memory.data(64, 16);
const ODDS: usize = memory.data(64, 16);

/** A level of a single row, which passes unchanged when it is low-pass and halved when it is high-pass (F.3.6). */
@inline
function synthesiseSingleRow(row: usize, reversible: bool): void {
  loadHalves(0);
  synthesiseRow(row, reversible);
  for (let x = x0; x < x1; x += 16) {
    for (let part = 0; part < 16; part += 4) {
      const left = x1 - x - part;
      let v = v128.load(row + (<usize>(x + part) << 2));
      if (rowsOdd) v = half(v, reversible);
      v = scaled(v, reversible);
      if (!highest && left > 0) storeSamples(target + (<usize>(x + part - x0) << 2), v, left);
      v128.store(EVENS + (<usize>part << 2), rounded(v, reversible));
    }
    if (highest) storeBytes(target + <usize>(x - x0), EVENS, x1 - x);
  }
}

/** Steps before the one whose low-pass row a step finishes. */
@inline
function lagOf(reversible: bool): i32 {
  return reversible ? 0 : 1;
}

/** First and last step for rows [y0, y1) of the result: see `synthesise`. */
export function firstStep(reversible: bool): i32 {
  return ((y0 - rowsOdd) >> 1) - 1 - lagOf(reversible);
}

export function lastStep(reversible: bool): i32 {
  return ((y1 - rowsOdd) >> 1) + lagOf(reversible);
}

/** The even row of a step of the irreversible transform, whose state is in the rows S1 and D1. */
@inline
function evenRow97(low: v128, d: v128, next: v128, S1: usize, D1: usize): v128 {
  const s1 = v128.load(S1);
  const d1 = v128.load(D1);
  const s1Next = lift(low, d, next, f32x4.splat(DELTA));
  const d1Next = lift(d, s1, s1Next, f32x4.splat(GAMMA));
  v128.store(S1, s1Next);
  v128.store(D1, d1Next);
  return lift(s1, d1, d1Next, f32x4.splat(BETA));
}

@inline
function synthesiseRows(first: i32, last: i32, reversible: bool): void {
  const low = scratchRows;
  if (rowCount == 1) {
    synthesiseSingleRow(low, reversible);
    return;
  }
  let next = low + (flip ? 2 * rowBytes : rowBytes);
  let previous = low + (flip ? rowBytes : 2 * rowBytes);
  // State: the even row before, and of the irreversible transform two more.
  const S2 = low + 3 * rowBytes;
  const S1 = S2 + rowBytes;
  const D1 = S1 + rowBytes;
  const end = <usize>x1 << 2;
  for (let n = first; n <= last; n++) {
    loadHalves(2 * n + rowsOdd);
    synthesiseRow(low, reversible);
    loadHalves(2 * n + 1 + rowsOdd);
    synthesiseRow(next, reversible);
    const evenY = 2 * (n - lagOf(reversible)) + rowsOdd;
    const hasEven = evenY >= y0 && evenY < y1;
    const hasOdd = evenY - 1 >= y0 && evenY - 1 < y1;
    const asBytes = highest != 0 && (hasEven || hasOdd);
    let toEven = target + <usize>(evenY - y0) * targetStride;
    let toOdd = toEven - targetStride;
    for (let x = <usize>x0 << 2; x < end; x += 64) {
      const left = <i32>(end - x) >> 2;
      const stop = asBytes ? x + 64 : min(x + 64, end);
      for (let at = x; at < stop; at += 16) {
        const d = v128.load(previous + at);
        const before = v128.load(S2 + at);
        const middle = reversible ? d : v128.load(D1 + at);
        const even = reversible
          ? updateLow(v128.load(low + at), d, v128.load(next + at))
          : evenRow97(v128.load(low + at), d, v128.load(next + at), S1 + at, D1 + at);
        const odd = reversible ? predictHigh(middle, before, even) : lift(middle, before, even, f32x4.splat(ALPHA));
        v128.store(S2 + at, even);
        if (asBytes) {
          v128.store(EVENS + (at - x), rounded(even, reversible));
          v128.store(ODDS + (at - x), rounded(odd, reversible));
          continue;
        }
        const samples = <i32>(end - at) >> 2;
        if (hasOdd) storeSamples(toOdd, scaled(odd, reversible), samples);
        if (hasEven) storeSamples(toEven, scaled(even, reversible), samples);
        toEven += 16;
        toOdd += 16;
      }
      if (!asBytes) continue;
      if (hasOdd) storeBytes(toOdd, ODDS, left);
      if (hasEven) storeBytes(toEven, EVENS, left);
      toEven += 16;
      toOdd += 16;
    }
    const older = previous;
    previous = next;
    next = older;
    turn();
  }
}

/**
 * Steps [first, last] of the vertical synthesis. Step n reads low-pass and high-pass row n and finishes rows 2n - 1 and 2n of the reversible
 * transform, 2n - 3 and 2n - 2 of the other, each one later when the first row is high-pass. The first steps of a level fill the state only.
 */
export function synthesise(first: i32, last: i32, reversible: bool): void {
  if (reversible) synthesiseRows(first, last, true);
  else synthesiseRows(first, last, false);
}
