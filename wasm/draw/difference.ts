// Operations on planes of bytes.

/** 2 * (newer - older + 64) for eight differences, with the change clamped to -64..63. */
@inline
function scaled(newer: v128, older: v128): v128 {
  const change = i16x8.max_s(i16x8.min_s(i16x8.sub(newer, older), i16x8.splat(63)), i16x8.splat(-64));
  return i16x8.shl(i16x8.add(change, i16x8.splat(64)), 1);
}

/** Difference of two planes of `count` bytes, written over `newer`. Both are padded to whole vectors of sixteen. */
export function difference(newer: usize, older: usize, count: i32): void {
  const end = newer + <usize>count;
  for (; newer < end; newer += 16, older += 16) {
    const a = v128.load(newer);
    const b = v128.load(older);
    const low = scaled(i16x8.extend_low_i8x16_u(a), i16x8.extend_low_i8x16_u(b));
    const high = scaled(i16x8.extend_high_i8x16_u(a), i16x8.extend_high_i8x16_u(b));
    v128.store(newer, i8x16.narrow_i16x8_u(low, high));
  }
}
