// Tables of levels in annuli: the level of a pixel by its byte and its distance from the Sun's centre.

/** Added to a whole number below 2^16, it leaves that in the lowest bits. */
const WHOLE: f32 = 8388608;
const WHOLE_BITS = 0xffff;

/**
 * Replaces the levels of `columns` x `rows` pixels without gaps. `across`, `down`: squares of the distances of the columns (padded to whole
 * vectors of four) and rows from the Sun's centre in widths of an annulus, f32. `table`: `tableRows` levels of each byte, from the inner
 * annulus to the outer one, those of byte 0 all 0, and a byte to spare. `first`: place of the centre of the inner annulus, in the same unit.
 */
export function applyAnnuli(
  samples: usize, columns: i32, rows: i32, across: usize, down: usize, table: usize, tableRows: i32, first: f32,
): void {
  const last = f32x4.splat(<f32>(tableRows - 1));
  const zero = f32x4.splat(0);
  const from = f32x4.splat(first);
  const half = f32x4.splat(0.5);
  const stride = i32x4.splat(tableRows);
  for (let j = 0; j < rows; j++) {
    const dy = v128.load32_splat(down + (<usize>j << 2));
    for (let i = 0; i < columns; i += 4) {
      const at = samples + <usize>i;
      const own = v128.load32_zero(at);
      // Byte 0 stays 0.
      if (!v128.any_true(own)) continue;
      const radius = f32x4.sqrt(f32x4.add(v128.load(across + (<usize>i << 2)), dy));
      const place = f32x4.pmin(f32x4.pmax(f32x4.sub(radius, from), zero), last);
      const row = f32x4.floor(place);
      const share = f32x4.sub(place, row);
      const levels = i16x8.extend_low_i8x16_u(own);
      const index = i32x4.add(
        i32x4.dot_i16x8_s(i32x4.extend_low_i16x8_u(levels), stride),
        v128.and(f32x4.add(row, f32x4.splat(WHOLE)), i32x4.splat(WHOLE_BITS)),
      );
      let pairs = v128.load16_lane(table + <usize>i32x4.extract_lane(index, 0), zero, 0);
      pairs = v128.load16_lane(table + <usize>i32x4.extract_lane(index, 1), pairs, 2);
      pairs = v128.load16_lane(table + <usize>i32x4.extract_lane(index, 2), pairs, 4);
      pairs = v128.load16_lane(table + <usize>i32x4.extract_lane(index, 3), pairs, 6);
      const inner = f32x4.convert_i32x4_s(v128.and(pairs, i32x4.splat(255)));
      const outer = f32x4.convert_i32x4_s(i32x4.shr_u(pairs, 8));
      const level = f32x4.add(f32x4.add(inner, f32x4.mul(share, f32x4.sub(outer, inner))), half);
      const words = i16x8.narrow_i32x4_u(v128.and(f32x4.add(f32x4.floor(level), f32x4.splat(WHOLE)), i32x4.splat(WHOLE_BITS)), zero);
      const bytes = i8x16.narrow_i16x8_u(words, words);
      if (i + 4 <= columns) store<u32>(at, <u32>i32x4.extract_lane(bytes, 0));
      else for (let k = 0; i + k < columns; k++) store<u8>(at + <usize>k, <u8>(i32x4.extract_lane(bytes, 0) >>> (k << 3)));
    }
    samples += <usize>columns;
  }
}
