// Tables of levels in annuli: the level of a pixel by its byte and its distance from the Sun's centre.

/**
 * Replaces the levels of `columns` x `rows` pixels without gaps. `across`, `down`: squares of the distances of the columns (padded to whole
 * vectors of four) and rows from the Sun's centre in widths of an annulus, f32. `table`: `tableRows` levels of each byte, from the inner
 * annulus to the outer one, and a byte to spare. `first`: place of the centre of the inner annulus, in the same unit.
 */
export function applyAnnuli(
  samples: usize, columns: i32, rows: i32, across: usize, down: usize, table: usize, tableRows: i32, first: f32,
): void {
  const last = f32x4.splat(<f32>(tableRows - 1));
  const zero = f32x4.splat(0);
  const from = f32x4.splat(first);
  const half = f32x4.splat(0.5);
  for (let j = 0; j < rows; j++) {
    const dy = v128.load32_splat(down + (<usize>j << 2));
    for (let i = 0; i < columns; i += 4) {
      const at = samples + <usize>i;
      const radius = f32x4.sqrt(f32x4.add(v128.load(across + (<usize>i << 2)), dy));
      const place = f32x4.min(f32x4.max(f32x4.sub(radius, from), zero), last);
      const row = i32x4.trunc_sat_f32x4_s(place);
      const share = f32x4.sub(place, f32x4.convert_i32x4_s(row));
      let pairs = i32x4.splat(0);
      pairs = v128.load_lane<u16>(table + <usize>(<i32>load<u8>(at) * tableRows + i32x4.extract_lane(row, 0)), pairs, 0);
      pairs = v128.load_lane<u16>(table + <usize>(<i32>load<u8>(at, 1) * tableRows + i32x4.extract_lane(row, 1)), pairs, 2);
      pairs = v128.load_lane<u16>(table + <usize>(<i32>load<u8>(at, 2) * tableRows + i32x4.extract_lane(row, 2)), pairs, 4);
      pairs = v128.load_lane<u16>(table + <usize>(<i32>load<u8>(at, 3) * tableRows + i32x4.extract_lane(row, 3)), pairs, 6);
      const inner = f32x4.convert_i32x4_s(v128.and(pairs, i32x4.splat(255)));
      const outer = f32x4.convert_i32x4_s(i32x4.shr_u(pairs, 8));
      const level = f32x4.add(f32x4.add(inner, f32x4.mul(share, f32x4.sub(outer, inner))), half);
      const words = i16x8.narrow_i32x4_u(i32x4.trunc_sat_f32x4_s(level), i32x4.splat(0));
      const bytes = i8x16.narrow_i16x8_u(words, words);
      if (i + 4 <= columns) store<u32>(at, <u32>i32x4.extract_lane(bytes, 0));
      else for (let k = 0; i + k < columns; k++) store<u8>(at + <usize>k, <u8>(i32x4.extract_lane(bytes, 0) >>> (k << 3)));
    }
    samples += <usize>columns;
  }
}
