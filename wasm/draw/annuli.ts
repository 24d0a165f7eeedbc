// Annuli about the Sun's centre: counts of their bytes, and tables of levels, by the byte of a pixel and its distance from the centre.

/** Added to a whole number below 2^16, it leaves that in the lowest bits, and its own above them. */
const WHOLE: f32 = 8388608;
const WHOLE_BITS: usize = 0x4b000000;

/** The places of four squares of distances among the annuli, from 0 to `last`. */
@inline
function placesOf(squares: v128, first: v128, last: v128): v128 {
  return f32x4.pmin(f32x4.sub(f32x4.pmax(f32x4.sqrt(squares), first), first), last);
}

/** The lowest four bytes as integers. */
@inline
function wide(bytes: v128): v128 {
  return i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(bytes));
}

/**
 * Loaded before the loops, because V8 makes constants anew in each round: WHOLE; 256 - 2^-16, whose sum with a share below 1 has the steps of
 * 2^-15 in the share, or one less, in its lowest 16 bits; 255 as an integer.
 */
const LOADED = memory.data<u32>([<u32>WHOLE_BITS, 0x437fffff, 255], 16);

/**
 * Replaces the levels of `columns` x `rows` pixels without gaps. `across`, `down`: squares of the distances of the columns (padded to whole
 * vectors of eight) and rows from the Sun's centre in widths of an annulus, f32. `table`: `annuli` levels of each byte, from the inner
 * annulus to the outer one, those of byte 0 all 0, and a byte to spare. `first`: place of the centre of the inner annulus, in the same unit.
 */
export function applyAnnuli(
  samples: usize, columns: i32, rows: i32, across: usize, down: usize, table: usize, annuli: i32, first: f32,
): void {
  const whole = v128.load32_splat(LOADED);
  const steps = v128.load32_splat(LOADED, 4);
  const lower = v128.load16_splat(LOADED, 8);
  const bytes = i32x4.splat(annuli);
  const base = i32x4.splat(<i32>(table - WHOLE_BITS));
  const firsts = f32x4.splat(first);
  const last = <f32>(annuli - 1);
  const lasts = f32x4.splat(last);
  for (; rows > 0; rows--, samples += <usize>columns, down += 4) {
    const dy = v128.load32_splat(down);
    for (let i = 0; i < columns; i += 8) {
      const at = samples + <usize>i;
      const own = i16x8.extend_low_i8x16_u(v128.load64_zero(at));
      // Byte 0 stays 0.
      if (!v128.any_true(own)) continue;
      const squares = across + (<usize>i << 2);
      const near = placesOf(f32x4.add(v128.load(squares), dy), firsts, lasts);
      const far = placesOf(f32x4.add(v128.load(squares, 16), dy), firsts, lasts);
      const nearRow = f32x4.floor(near);
      const farRow = f32x4.floor(far);
      let index = i32x4.add(i32x4.dot_i16x8_s(i32x4.extend_low_i16x8_u(own), bytes), i32x4.add(f32x4.add(nearRow, whole), base));
      let pairs = v128.load16_lane(<usize>i32x4.extract_lane(index, 0), own, 0);
      pairs = v128.load16_lane(<usize>i32x4.extract_lane(index, 1), pairs, 1);
      pairs = v128.load16_lane(<usize>i32x4.extract_lane(index, 2), pairs, 2);
      pairs = v128.load16_lane(<usize>i32x4.extract_lane(index, 3), pairs, 3);
      index = i32x4.add(i32x4.dot_i16x8_s(i32x4.extend_high_i16x8_u(own), bytes), i32x4.add(f32x4.add(farRow, whole), base));
      pairs = v128.load16_lane(<usize>i32x4.extract_lane(index, 0), pairs, 4);
      pairs = v128.load16_lane(<usize>i32x4.extract_lane(index, 1), pairs, 5);
      pairs = v128.load16_lane(<usize>i32x4.extract_lane(index, 2), pairs, 6);
      pairs = v128.load16_lane(<usize>i32x4.extract_lane(index, 3), pairs, 7);
      const inner = v128.and(pairs, lower);
      const change = i16x8.sub(i16x8.shr_u(pairs, 8), inner);
      const nearShare = f32x4.add(f32x4.sub(near, nearRow), steps);
      const farShare = f32x4.add(f32x4.sub(far, farRow), steps);
      const share = i16x8.shuffle(nearShare, farShare, 0, 2, 4, 6, 8, 10, 12, 14);
      // The share is from this number of steps to one more: both give one level, but for one of some thousand pixels. A share below 2^-17 counts as 0.
      const least = i16x8.q15mulr_sat_s(share, change);
      const most = i16x8.q15mulr_sat_s(v128.not(share), i16x8.neg(change));
      if (i + 8 <= columns && !v128.any_true(v128.xor(least, most))) {
        const level = i16x8.add(inner, least);
        v128.store64_lane(at, i8x16.narrow_i16x8_u(level, level), 0);
        continue;
      }
      const stop = min(i + 8, columns);
      for (let k = i; k < stop; k++) {
        const place = min(max(sqrt(load<f32>(across + (<usize>k << 2)) + load<f32>(down)), first) - first, last);
        const row = floor(place);
        const pair = table + <usize>(load<u8>(samples + <usize>k) * annuli + <i32>row);
        const level = <f32>load<u8>(pair);
        store<u8>(samples + <usize>k, <u8>(level + (place - row) * (<f32>load<u8>(pair, 1) - level) + 0.5));
      }
    }
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
  const firsts = f32x4.splat(first);
  const lasts = f32x4.splat(<f32>(annuli - 1));
  const whole = v128.load32_splat(LOADED);
  for (let i = 0; i < count; i += 4, samples += 4, across += 32, near += 16) {
    const place = placesOf(f32x4.add(v128.load(near), f32x4.splat(nearDown)), firsts, lasts);
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
    const tables = i32x4.shl(f32x4.add(row, whole), 10);
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
