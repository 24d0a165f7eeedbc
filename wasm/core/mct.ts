// Inverse multiple component transforms (ISO/IEC 15444-1 Annex G), DC level shift and clamping; scaling and clearing of planes.
import { bytesOf, rounded } from './synthesis';

/** Inverse RCT (equations G-6 to G-8) of three i32 planes of `count` samples in place. */
export function inverseRct(p0: usize, p1: usize, p2: usize, count: i32): void {
  for (let i = 0; i < count; i++, p0 += 4, p1 += 4, p2 += 4) {
    const u = load<i32>(p1);
    const v = load<i32>(p2);
    const green = load<i32>(p0) - ((u + v) >> 2);
    store<i32>(p0, v + green);
    store<i32>(p1, green);
    store<i32>(p2, u + green);
  }
}

/** Inverse ICT (equations G-12 to G-14) of three f32 planes of `count` samples in place. */
export function inverseIct(p0: usize, p1: usize, p2: usize, count: i32): void {
  for (let i = 0; i < count; i++, p0 += 4, p1 += 4, p2 += 4) {
    const y = load<f32>(p0);
    const cb = load<f32>(p1);
    const cr = load<f32>(p2);
    store<f32>(p0, y + 1.402 * cr);
    store<f32>(p1, y - 0.344136 * cb - 0.714136 * cr);
    store<f32>(p2, y + 1.772 * cb);
  }
}

/**
 * DC level shift (G.1.2) by `shift` and clamping to [low, high] of `count` samples of a plane, to i32 in place.
 * The plane must be padded to whole vectors of four.
 */
export function finishIntegers(plane: usize, count: i32, reversible: bool, shift: i32, low: i32, high: i32): void {
  const shifts = i32x4.splat(shift);
  const lows = i32x4.splat(low - shift);
  const highs = i32x4.splat(high - shift);
  const end = plane + (<usize>count << 2);
  for (; plane < end; plane += 16) {
    const v = i32x4.min_s(i32x4.max_s(rounded(v128.load(plane), reversible), lows), highs);
    v128.store(plane, i32x4.add(v, shifts));
  }
}

/**
 * Level shift and clamping of `count` unsigned samples of at most 8 bits to bytes at `out`, which may be the plane itself.
 * Both must be padded to whole vectors of sixteen samples.
 */
export function finishBytes(plane: usize, count: i32, reversible: bool, shift: i32, high: i32, out: usize): void {
  const end = out + <usize>count;
  for (; out < end; plane += 64, out += 16) {
    const a = rounded(v128.load(plane), reversible);
    const b = rounded(v128.load(plane, 16), reversible);
    const c = rounded(v128.load(plane, 32), reversible);
    const d = rounded(v128.load(plane, 48), reversible);
    v128.store(out, bytesOf(a, b, c, d, shift, high));
  }
}

/** Multiplies f32 samples in place; rows are `stride` bytes apart. */
export function scalePlane(at: usize, stride: usize, columns: i32, rows: i32, scale: f32): void {
  for (; rows > 0; rows--, at += stride) {
    for (let x: usize = 0; x < <usize>columns << 2; x += 4) store<f32>(at + x, load<f32>(at + x) * scale);
  }
}

export function clearPlane(at: usize, stride: usize, columns: i32, rows: i32): void {
  for (let y = 0; y < rows; y++, at += stride) memory.fill(at, 0, <usize>columns << 2);
}
