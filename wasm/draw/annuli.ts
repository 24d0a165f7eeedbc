// Annuli about the Sun's centre: counts of their bytes, and tables of levels, by the byte of a pixel and its distance from the centre.
import { increment } from './prefix';

/** Added to a whole number below 2^16, it leaves that in the lowest bits, and its own above them. */
const WHOLE: f32 = 8388608;
const WHOLE_BITS: usize = 0x4b000000;

/** The places of four squares of distances among the annuli, from 0 to `last`. */
@inline
function placesOf(squares: v128, first: v128, last: v128): v128 {
  return f32x4.pmin(f32x4.sub(f32x4.pmax(f32x4.sqrt(squares), first), first), last);
}

/** Bits of a share of the way from an annulus to the next, in whose steps the levels of eight pixels at a time are found, and annuli for which f32 has them. */
const SHARE_BITS = 13;
const MOST_ANNULI = 1024;
/** The bits of MOST_ANNULI less half a step: its sum with a place is the annulus and its share, which is the one of the place or up to a step less. */
const STEPS_BITS = 0x447fffff;
/** What those bits are above the share, for the first annulus. */
const FIRST_BITS = 0x44800000 >> SHARE_BITS;
const SHARES = (1 << SHARE_BITS) - 1;

/** Loaded before the loops, because V8 makes constants anew in each round. */
const LOADED = memory.data<u32>([<u32>WHOLE_BITS, STEPS_BITS, SHARES, 255, 1 << (SHARE_BITS - 1), ~SHARES], 16);
/** Where in the table the levels of byte 0 are for eight pixels. */
const PLACES = memory.data(32, 16);

/** `applyAnnuli` for `count` pixels of a row, one after the other. */
function applyOneByOne(samples: usize, count: i32, across: usize, down: usize, table: usize, annuli: i32, first: f32): void {
  const last = <f32>(annuli - 1);
  for (const end = samples + <usize>count; samples < end; samples++, across += 4) {
    const place = min(max(sqrt(load<f32>(across) + load<f32>(down)), first) - first, last);
    const row = floor(place);
    const pair = table + <usize>(load<u8>(samples) * annuli + <i32>row);
    const level = <f32>load<u8>(pair);
    store<u8>(samples, <u8>(level + (place - row) * (<f32>load<u8>(pair, 1) - level) + 0.5));
  }
}

/** The address in the table of a byte of the pixel whose place is `at` among the PLACES. */
@inline
function pairOf(byte: i32, annuli: i32, at: usize): usize {
  return <usize>(byte * annuli) + <usize>load<u32>(PLACES + at);
}

/**
 * Replaces the levels of `columns` x `rows` pixels without gaps. `across`, `down`: squares of the distances of the columns (padded to whole
 * vectors of eight) and rows from the Sun's centre in widths of an annulus, f32. `table`: `annuli` levels of each byte, from the inner
 * annulus to the outer one, those of byte 0 all 0, and a byte to spare. `first`: place of the centre of the inner annulus, in the same unit.
 */
export function applyAnnuli(
  samples: usize, columns: i32, rows: i32, across: usize, down: usize, table: usize, annuli: i32, first: f32,
): void {
  const steps = v128.load32_splat(LOADED, 4);
  const shares = v128.load32_splat(LOADED, 8);
  const lower = v128.load16_splat(LOADED, 12);
  const half = v128.load16_splat(LOADED, 16);
  const whole = v128.load16_splat(LOADED, 20);
  const base = i32x4.splat(<i32>table - FIRST_BITS);
  const firsts = f32x4.splat(first);
  const lasts = f32x4.splat(<f32>(annuli - 1));
  const eights = annuli > MOST_ANNULI ? 0 : columns & ~7;
  for (; rows > 0; rows--, samples += <usize>columns, down += 4) {
    const dy = v128.load32_splat(down);
    for (let i = 0; i < eights; i += 8) {
      const at = samples + <usize>i;
      // Byte 0 stays 0.
      if (!load<u64>(at)) continue;
      const squares = across + (<usize>i << 2);
      const near = f32x4.add(placesOf(f32x4.add(v128.load(squares), dy), firsts, lasts), steps);
      const far = f32x4.add(placesOf(f32x4.add(v128.load(squares, 16), dy), firsts, lasts), steps);
      v128.store(PLACES, i32x4.add(i32x4.shr_u(near, SHARE_BITS), base));
      v128.store(PLACES, i32x4.add(i32x4.shr_u(far, SHARE_BITS), base), 16);
      let pairs = v128.load16_lane(pairOf(load<u8>(at), annuli, 0), near, 0);
      pairs = v128.load16_lane(pairOf(load<u8>(at, 1), annuli, 4), pairs, 1);
      pairs = v128.load16_lane(pairOf(load<u8>(at, 2), annuli, 8), pairs, 2);
      pairs = v128.load16_lane(pairOf(load<u8>(at, 3), annuli, 12), pairs, 3);
      pairs = v128.load16_lane(pairOf(load<u8>(at, 4), annuli, 16), pairs, 4);
      pairs = v128.load16_lane(pairOf(load<u8>(at, 5), annuli, 20), pairs, 5);
      pairs = v128.load16_lane(pairOf(load<u8>(at, 6), annuli, 24), pairs, 6);
      pairs = v128.load16_lane(pairOf(load<u8>(at, 7), annuli, 28), pairs, 7);
      const inner = v128.and(pairs, lower);
      const change = i16x8.sub(i16x8.shr_u(pairs, 8), inner);
      const share = i16x8.narrow_i32x4_u(v128.and(near, shares), v128.and(far, shares));
      // Where a step more has another whole part, the level is not certain: for one of some hundred pixels.
      const least = i16x8.add(i16x8.mul(share, change), half);
      if (v128.any_true(v128.and(v128.xor(least, i16x8.add(least, change)), whole))) {
        applyOneByOne(at, 8, squares, down, table, annuli, first);
        continue;
      }
      const level = i16x8.add(inner, i16x8.q15mulr_sat_s(share, i16x8.shl(change, 15 - SHARE_BITS)));
      v128.store64_lane(at, i8x16.narrow_i16x8_u(level, level), 0);
    }
    const rest = <usize>eights;
    applyOneByOne(samples + rest, columns - eights, across + (rest << 2), down, table, annuli, first);
  }
}

/** Replaces changes from byte to byte of each annulus by their sums. */
export function addChanges(bytes: usize, annuli: i32): void {
  for (; annuli > 0; annuli--) {
    let sum = 0;
    for (const end = bytes + 256; bytes < end; bytes++) {
      sum += load<u8>(bytes);
      store<u8>(bytes, sum);
    }
  }
}

/**
 * Makes a table for `applyAnnuli`. `codes`: places of the bytes of an annulus among its `levels`, which are f64, with the bytes from an annulus to
 * the next, of both 0 where all have the same. A level counts by the first of two `clarities` of its annulus, and by the second times the height of its
 * byte, all f64; what is left to 1 the byte itself.
 */
export function makeTable(
  codes: usize, codeStride: usize, levels: usize, levelStride: usize, clarities: usize, heights: usize, annuli: i32, table: usize,
): void {
  memory.fill(table, 0, annuli);
  for (let row = 0; row < annuli; row++, codes += codeStride, levels += levelStride, clarities += 16, table++) {
    const even = load<f64>(clarities);
    const dark = load<f64>(clarities, 8);
    let out = table;
    for (let byte: usize = 1; byte < 256; byte++) {
      out += <usize>annuli;
      const own = <f64>(<i32>byte);
      const clarity = even + dark * load<f64>(heights + (byte << 3));
      const level = load<f64>(levels + (<usize>load<u8>(codes + byte) << 3));
      store<u8>(out, <u8>(own + clarity * (level - own) + 0.5));
    }
  }
}

/** Squares of the distances of `count` pixels from the Sun's centre in a unit, f32. `start`: edge of the first, `step`: from one to the next. */
export function squareDistances(count: i32, start: f64, step: f64, centre: f64, unit: f64, out: usize): void {
  for (let i = 0; i < count; i++, out += 4) {
    const distance = (start + (<f64>i + 0.5) * step - centre) / unit;
    store<f32>(out, <f32>(distance * distance));
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
        increment(counts + (annulus << 10), load<u8>(samples + k));
      }
      continue;
    }
    // The shift removes the bits of WHOLE.
    const bytes = i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(samples)));
    const index = i32x4.add(i32x4.shl(f32x4.add(row, whole), 8), bytes);
    increment(counts, i32x4.extract_lane(index, 0));
    increment(counts, i32x4.extract_lane(index, 1));
    increment(counts, i32x4.extract_lane(index, 2));
    increment(counts, i32x4.extract_lane(index, 3));
  }
}
