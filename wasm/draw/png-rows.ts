// Rows of a PNG as its compressor takes them: filters Average and Paeth (ISO/IEC 15948, 9.2), and the checksum of the zlib stream.

const FILTER_AVERAGE: u8 = 3;
const FILTER_PAETH: u8 = 4;

/** Largest number of bytes, in whole vectors, whose Adler-32 sums stay below 2^32 without a modulo (RFC 1950). */
const ADLER_BYTES: usize = 5536;
const ADLER_MODULUS: u32 = 65521;

/** floor((a + b) / 2) of sixteen bytes. */
@inline
function mean(a: v128, b: v128): v128 {
  return i8x16.sub(i8x16.avgr_u(a, b), v128.and(v128.xor(a, b), i8x16.splat(1)));
}

@inline
function distance(a: v128, b: v128): v128 {
  return v128.or(i8x16.sub_sat_u(a, b), i8x16.sub_sat_u(b, a));
}

/** The nearest of `left`, `up` and `corner` to left + up - corner, the first of equal ones (ISO/IEC 15948, 9.4). */
@inline
function paeth(left: v128, up: v128, corner: v128): v128 {
  const a = distance(up, corner);
  const b = distance(left, corner);
  // Where left and up lie on one side of the corner, no other is as far from their sum as it.
  const isFarthest = v128.xor(i8x16.ge_u(left, corner), i8x16.ge_u(corner, up));
  const c = v128.or(distance(a, b), isFarthest);
  const other = v128.bitselect(up, corner, i8x16.le_u(b, c));
  return v128.bitselect(left, other, v128.and(i8x16.le_u(a, b), i8x16.le_u(a, c)));
}

/**
 * Filters `rows` rows of `rowBytes` bytes, the first below `above`, each to a byte with the filter type and the filtered row: Paeth for three bytes
 * per pixel, else Average. `size`: bytes per pixel. Reads up to 15 bytes behind the rows and writes as many behind `out`.
 */
export function filterRows(above: usize, pixels: usize, rowBytes: i32, rows: i32, size: i32, out: usize): void {
  const isPaeth = size == 3;
  for (let y = 0; y < rows; y++) {
    store<u8>(out++, isPaeth ? FILTER_PAETH : FILTER_AVERAGE);
    for (let x = 0; x < size; x++) store<u8>(out + x, load<u8>(pixels + x) - (load<u8>(above + x) >> (isPaeth ? 0 : 1)));
    for (let x = size; x < rowBytes; x += 16) {
      const p = pixels + <usize>x;
      const left = v128.load(p - <usize>size);
      const up = v128.load(above + <usize>x);
      const predicted = isPaeth ? paeth(left, up, v128.load(above + <usize>(x - size))) : mean(left, up);
      v128.store(out + <usize>x, i8x16.sub(v128.load(p), predicted));
    }
    above = pixels;
    pixels += <usize>rowBytes;
    out += <usize>rowBytes;
  }
}

/** Sum of the four lanes. */
@inline
function total(v: v128): u32 {
  const pairs = i32x4.add(v, i32x4.shuffle(v, v, 2, 3, 0, 1));
  return i32x4.extract_lane(pairs, 0) + i32x4.extract_lane(pairs, 1);
}

/** Continues the Adler-32 `sum` with `count` bytes. */
export function adler32(sum: u32, bytes: usize, count: i32): u32 {
  let a = sum & 0xffff;
  let b = sum >> 16;
  const zero = i64x2.splat(0);
  // The k-th byte of a vector enters the second sum 16 - k times.
  const lowFactors = i16x8(16, 15, 14, 13, 12, 11, 10, 9);
  const highFactors = i16x8(8, 7, 6, 5, 4, 3, 2, 1);
  const end = bytes + <usize>count;
  while (bytes + 16 <= end) {
    const stop = min(bytes + ADLER_BYTES, bytes + ((end - bytes) & ~15));
    b += a * <u32>(stop - bytes);
    let sums = zero;
    let before = zero;
    let weighted = zero;
    for (; bytes < stop; bytes += 16) {
      const v = v128.load(bytes);
      const low = i16x8.extend_low_i8x16_u(v);
      const high = i16x8.extend_high_i8x16_u(v);
      before = i32x4.add(before, sums);
      sums = i32x4.add(sums, i32x4.extadd_pairwise_i16x8_u(i16x8.add(low, high)));
      weighted = i32x4.add(weighted, i32x4.add(i32x4.dot_i16x8_s(low, lowFactors), i32x4.dot_i16x8_s(high, highFactors)));
    }
    a += total(sums);
    b += (total(before) << 4) + total(weighted);
    a %= ADLER_MODULUS;
    b %= ADLER_MODULUS;
  }
  for (; bytes < end; bytes++) {
    a += load<u8>(bytes);
    b += a;
  }
  return ((b % ADLER_MODULUS) << 16) | a % ADLER_MODULUS;
}
