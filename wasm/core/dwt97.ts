// Inverse irreversible wavelet transform of a level (ISO/IEC 15444-1 Annex F, F.4.8.2), in f32.
//
// The scaling by K and 1/K (steps 1 and 2 of the standard) is not done here: it is in the step sizes of the subbands and in the
// scale with which the LL samples were written.
import {
  columnsHigh, columnsLow, columnsOdd, flip, highest, highHalf, loadHalves, lowHalf, rowBytes, rowCount, rowsOdd, scale,
  scratchRows, storeBytes, storeSamples, target, targetStride, turn, x0, x1, y0, y1,
} from './synthesis';

const ALPHA: f32 = -1.586134342;
const BETA: f32 = -0.052980118;
const GAMMA: f32 = 0.882911075;
const DELTA: f32 = 0.443506852;

/** target - k * (a + b) */
@inline
function lift(target: v128, a: v128, b: v128, k: v128): v128 {
  return f32x4.sub(target, f32x4.mul(k, f32x4.add(a, b)));
}

/**
 * Horizontal synthesis of the row in both halves to `out`, up to eight samples beyond its end. Each turn takes four low-pass and
 * four high-pass samples (d, s, in the letters of lifting); their results leave it two turns later, because every one of the four
 * steps reaches one sample further.
 */
@inline
function synthesiseRow(out: usize): void {
  if (columnsLow + columnsHigh == 1) {
    store<f32>(out, columnsOdd ? load<f32>(highHalf - 4) * 0.5 : load<f32>(lowHalf));
    return;
  }
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

@inline
function rounded(v: v128): v128 {
  return i32x4.trunc_sat_f32x4_s(f32x4.nearest(v));
}

/** Results of sixteen columns of an even and an odd row. */
const EVENS: usize = memory.data(64, 16);
const ODDS: usize = memory.data(64, 16);

/** A level of a single row, which passes unchanged when it is low-pass and halved when it is high-pass (F.3.6). */
function synthesiseSingleRow(row: usize): void {
  loadHalves(0);
  synthesiseRow(row);
  const factor = f32x4.splat(scale * (rowsOdd ? <f32>0.5 : 1));
  for (let x = x0; x < x1; x += 16) {
    const at = row + (<usize>x << 2);
    for (let part: usize = 0; part < 64; part += 16) {
      const v = f32x4.mul(v128.load(at + part), factor);
      const left = x1 - x - <i32>(part >> 2);
      if (!highest && left > 0) storeSamples(target + (<usize>(x - x0) << 2) + part, v, left);
      v128.store(EVENS + part, rounded(v));
    }
    if (!highest) continue;
    const to = target + <usize>(x - x0);
    storeBytes(to, v128.load(EVENS), v128.load(EVENS, 16), v128.load(EVENS, 32), v128.load(EVENS, 48), x1 - x);
  }
}

/** First and last step for rows [y0, y1) of the result: see `synthesise97`. */
export function firstStep97(): i32 {
  return ((y0 - rowsOdd) >> 1) - 2;
}

export function lastStep97(): i32 {
  return ((y1 - rowsOdd) >> 1) + 1;
}

/**
 * Steps [first, last] of the vertical synthesis. Step n reads low-pass and high-pass row n and finishes rows 2n - 3 and 2n - 2, each
 * one later when the first row is high-pass. The first two steps of a level fill the state only.
 */
export function synthesise97(first: i32, last: i32): void {
  const low = scratchRows;
  if (rowCount == 1) return synthesiseSingleRow(low);
  const alpha = f32x4.splat(ALPHA);
  const beta = f32x4.splat(BETA);
  const gamma = f32x4.splat(GAMMA);
  const delta = f32x4.splat(DELTA);
  const scales = f32x4.splat(scale);
  let next = low + (flip ? 2 * rowBytes : rowBytes);
  let previous = low + (flip ? rowBytes : 2 * rowBytes);
  const S1 = low + 3 * rowBytes;
  const D1 = S1 + rowBytes;
  const S2 = D1 + rowBytes;
  const end = <usize>x1 << 2;
  for (let n = first; n <= last; n++) {
    loadHalves(2 * n + rowsOdd);
    synthesiseRow(low);
    loadHalves(2 * n + 1 + rowsOdd);
    synthesiseRow(next);
    const even = 2 * n - 2 + rowsOdd;
    const hasEven = even >= y0 && even < y1;
    const hasOdd = even - 1 >= y0 && even - 1 < y1;
    let toEven = target + <usize>(even - y0) * targetStride;
    let toOdd = toEven - targetStride;
    if (highest && (hasEven || hasOdd)) {
      for (let x = <usize>x0 << 2; x < end; x += 64, toEven += 16, toOdd += 16) {
        for (let part: usize = 0; part < 64; part += 16) {
          const at = x + part;
          const d = v128.load(previous + at);
          const s1 = v128.load(S1 + at);
          const d1 = v128.load(D1 + at);
          const s1Next = lift(v128.load(low + at), d, v128.load(next + at), delta);
          const d1Next = lift(d, s1, s1Next, gamma);
          const s2Next = lift(s1, d1, d1Next, beta);
          const d2 = lift(d1, v128.load(S2 + at), s2Next, alpha);
          v128.store(S1 + at, s1Next);
          v128.store(D1 + at, d1Next);
          v128.store(S2 + at, s2Next);
          v128.store(EVENS + part, rounded(s2Next));
          v128.store(ODDS + part, rounded(d2));
        }
        const left = <i32>(end - x) >> 2;
        if (hasOdd) storeBytes(toOdd, v128.load(ODDS), v128.load(ODDS, 16), v128.load(ODDS, 32), v128.load(ODDS, 48), left);
        if (hasEven) storeBytes(toEven, v128.load(EVENS), v128.load(EVENS, 16), v128.load(EVENS, 32), v128.load(EVENS, 48), left);
      }
    } else {
      for (let at = <usize>x0 << 2; at < end; at += 16, toEven += 16, toOdd += 16) {
        const d = v128.load(previous + at);
        const s1 = v128.load(S1 + at);
        const d1 = v128.load(D1 + at);
        const s1Next = lift(v128.load(low + at), d, v128.load(next + at), delta);
        const d1Next = lift(d, s1, s1Next, gamma);
        const s2Next = lift(s1, d1, d1Next, beta);
        const d2 = lift(d1, v128.load(S2 + at), s2Next, alpha);
        v128.store(S1 + at, s1Next);
        v128.store(D1 + at, d1Next);
        v128.store(S2 + at, s2Next);
        const left = <i32>(end - at) >> 2;
        if (hasOdd) storeSamples(toOdd, f32x4.mul(d2, scales), left);
        if (hasEven) storeSamples(toEven, f32x4.mul(s2Next, scales), left);
      }
    }
    const older = previous;
    previous = next;
    next = older;
    turn();
  }
}
