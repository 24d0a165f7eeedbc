// Annuli about the Sun's centre: counts of their bytes, and tables of levels, by the byte of a pixel and its distance from the centre.

/** Added to a whole number below 2^16, it leaves that in the lowest bits, and its own above them. */
const WHOLE: f32 = 8388608;
const WHOLE_BITS: usize = 0x4b000000;

/** The places of four squares of distances among the annuli. */
@inline
function placesOf(squares: v128, first: f32, annuli: i32): v128 {
  const beyond = f32x4.sub(f32x4.sqrt(squares), f32x4.splat(first));
  return f32x4.pmin(f32x4.pmax(beyond, i64x2.splat(0)), f32x4.splat(<f32>(annuli - 1)));
}

/** The lowest four bytes as integers. */
@inline
function wide(bytes: v128): v128 {
  return i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(bytes));
}

/**
 * Replaces the levels of `columns` x `rows` pixels without gaps. `across`, `down`: squares of the distances of the columns (padded to whole
 * vectors of four) and rows from the Sun's centre in widths of an annulus, f32. `table`: `annuli` levels of each byte, from the inner
 * annulus to the outer one, those of byte 0 all 0, and a byte to spare. `first`: place of the centre of the inner annulus, in the same unit.
 */
export function applyAnnuli(
  samples: usize, columns: i32, rows: i32, across: usize, down: usize, table: usize, annuli: i32, first: f32,
): void {
  const zero = i64x2.splat(0);
  const levels = table - WHOLE_BITS;
  for (let j = 0; j < rows; j++) {
    const dy = v128.load32_splat(down + (<usize>j << 2));
    for (let i = 0; i < columns; i += 4) {
      const at = samples + <usize>i;
      const own = v128.load32_zero(at);
      // Byte 0 stays 0.
      if (!v128.any_true(own)) continue;
      const place = placesOf(f32x4.add(v128.load(across + (<usize>i << 2)), dy), first, annuli);
      const row = f32x4.floor(place);
      const index = i32x4.add(i32x4.dot_i16x8_s(wide(own), i32x4.splat(annuli)), f32x4.add(row, f32x4.splat(WHOLE)));
      let pairs = v128.load16_lane(levels + <usize>i32x4.extract_lane(index, 0), zero, 0);
      pairs = v128.load16_lane(levels + <usize>i32x4.extract_lane(index, 1), pairs, 2);
      pairs = v128.load16_lane(levels + <usize>i32x4.extract_lane(index, 2), pairs, 4);
      pairs = v128.load16_lane(levels + <usize>i32x4.extract_lane(index, 3), pairs, 6);
      const upper = i32x4.shr_u(pairs, 8);
      const inner = f32x4.convert_i32x4_s(i32x4.sub(pairs, i32x4.shl(upper, 8)));
      const outer = f32x4.convert_i32x4_s(upper);
      const level = f32x4.add(f32x4.add(inner, f32x4.mul(f32x4.sub(place, row), f32x4.sub(outer, inner))), f32x4.splat(0.5));
      const words = f32x4.add(f32x4.floor(level), f32x4.splat(WHOLE));
      const bytes = i8x16.shuffle(words, words, 0, 4, 8, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
      if (i + 4 <= columns) store<u32>(at, <u32>i32x4.extract_lane(bytes, 0));
      else for (let k = 0; i + k < columns; k++) store<u8>(at + <usize>k, <u8>(i32x4.extract_lane(bytes, 0) >>> (k << 3)));
    }
    samples += <usize>columns;
  }
}

/** The annulus of a square of a distance, the search for which begins at `annulus`. `ends`: squares of the outer radii, f64, the last infinite. */
@inline
function annulusOf(square: f64, ends: usize, annulus: usize): usize {
  while (square >= load<f64>(ends + (annulus << 3))) annulus++;
  while (annulus > 0 && square < load<f64>(ends + (annulus << 3) - 8)) annulus--;
  return annulus;
}

/**
 * Counts `count` bytes of a row in their annuli. `across`: squares of the distances of the columns from the Sun's centre, f64; `near`: the same in
 * widths of an annulus, f32, padded to whole vectors of four. `down`, `nearDown`: square of the distance of the row. `ends`: as in `annulusOf`, of
 * `annuli` that begin at `first` widths. `doubt`: distance from the end of an annulus below which f32 does not tell the side. `counts`: 256
 * of each annulus, u32.
 */
export function countAnnuli(
  samples: usize, count: i32, across: usize, near: usize, down: f64, nearDown: f32, ends: usize, annuli: i32, first: f32,
  doubt: f32, counts: usize,
): void {
  for (let i = 0; i < count; i += 4, samples += 4, across += 32, near += 16) {
    const place = placesOf(f32x4.add(v128.load(near), f32x4.splat(nearDown)), first, annuli);
    const row = f32x4.floor(place);
    const apart = f32x4.abs(f32x4.sub(f32x4.sub(place, row), f32x4.splat(0.5)));
    if (i + 4 > count || v128.any_true(f32x4.gt(apart, f32x4.splat(0.5 - doubt)))) {
      let annulus = <usize>f32x4.extract_lane(row, 0);
      for (let k: usize = 0; k < 4 && i + <i32>k < count; k++) {
        annulus = annulusOf(load<f64>(across + (k << 3)) + down, ends, annulus);
        increment(counts + (annulus << 10) + (<usize>load<u8>(samples + k) << 2));
      }
      continue;
    }
    // The shift removes the bits of WHOLE.
    const tables = i32x4.shl(f32x4.add(row, f32x4.splat(WHOLE)), 10);
    const index = i32x4.add(tables, i32x4.shl(wide(v128.load32_zero(samples)), 2));
    increment(counts + <usize>i32x4.extract_lane(index, 0));
    increment(counts + <usize>i32x4.extract_lane(index, 1));
    increment(counts + <usize>i32x4.extract_lane(index, 2));
    increment(counts + <usize>i32x4.extract_lane(index, 3));
  }
}

@inline
function increment(count: usize): void {
  store<u32>(count, load<u32>(count) + 1);
}
