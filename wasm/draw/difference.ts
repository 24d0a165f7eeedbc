// Comparisons of two planes of bytes.

/** 2 * (newer - older + 64) for eight differences, with the change clamped to -64..63. */
@inline
function scaled(newer: v128, older: v128): v128 {
  const change = i16x8.max_s(i16x8.min_s(i16x8.sub(newer, older), i16x8.splat(63)), i16x8.splat(-64));
  return i16x8.shl(i16x8.add(change, i16x8.splat(64)), 1);
}

/** 256 * newer / older - 128 for four ratios, to the nearest level; 128 for equal levels, also for two of 0. */
@inline
function ratios(newer: v128, older: v128): v128 {
  const scaled = f32x4.mul(f32x4.convert_i32x4_s(newer), f32x4.splat(256));
  const quotient = f32x4.div(scaled, f32x4.convert_i32x4_s(older));
  const level = i32x4.sub(i32x4.trunc_sat_f32x4_s(f32x4.floor(f32x4.add(quotient, f32x4.splat(0.5)))), i32x4.splat(128));
  return v128.bitselect(i32x4.splat(128), level, i32x4.eq(newer, older));
}

/** `ratios` of eight levels of 16 bits. */
@inline
function eightRatios(newer: v128, older: v128): v128 {
  const low = ratios(i32x4.extend_low_i16x8_u(newer), i32x4.extend_low_i16x8_u(older));
  const high = ratios(i32x4.extend_high_i16x8_u(newer), i32x4.extend_high_i16x8_u(older));
  return i16x8.narrow_i32x4_s(low, high);
}

/** Compares two planes of `count` bytes by their difference or, with levels clamped to 0..255, by their ratio: over `newer`. Both are padded to eight bytes. */
export function compare(newer: usize, older: usize, count: i32, isRatio: bool): void {
  const end = newer + <usize>count;
  for (; newer < end; newer += 8, older += 8) {
    const a = v128.load_ext<u8>(newer);
    const b = v128.load_ext<u8>(older);
    const levels = isRatio ? eightRatios(a, b) : scaled(a, b);
    v128.store_lane<u64>(newer, i8x16.narrow_i16x8_u(levels, levels), 0);
  }
}
