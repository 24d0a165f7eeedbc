// RGB to limited-range Y'CbCr 4:2:0 (ITU-R BT.709, 3.2 to 3.5 of the 8-bit system), as video encoders take it.
import { storeBytes } from './gather';

/** Luma coefficients times 219 / 255 in units of 2^-15; their sum maps white to 235 exactly. */
const Y_RED: i16 = 5983;
const Y_GREEN: i16 = 20127;
const Y_BLUE: i16 = 2032;

/** Coefficients of both chroma components times 224 / 255 in units of 2^-15; each triple has the sum 0. */
const CB_RED: i16 = -3298;
const CB_GREEN: i16 = -11094;
const CHROMA_HALF: i16 = 14392;
const CR_GREEN: i16 = -13072;
const CR_BLUE: i16 = -1320;

const LUMA_SHIFT: i32 = 15;
/** Chroma sums are of eight pixel weights. */
const CHROMA_SHIFT: i32 = 18;

/** Luma of four pixels, whose bytes start the vector, in lanes of 32 bits. */
@inline
function luma(bytes: v128): v128 {
  const zero = i64x2.splat(0);
  const redGreen = i8x16.shuffle(bytes, zero, 0, 16, 1, 16, 3, 16, 4, 16, 6, 16, 7, 16, 9, 16, 10, 16);
  const blue = i8x16.shuffle(bytes, zero, 2, 16, 16, 16, 5, 16, 16, 16, 8, 16, 16, 16, 11, 16, 16, 16);
  const sum = i32x4.add(
    i32x4.dot_i16x8_s(redGreen, i16x8(Y_RED, Y_GREEN, Y_RED, Y_GREEN, Y_RED, Y_GREEN, Y_RED, Y_GREEN)),
    i32x4.dot_i16x8_s(blue, i16x8(Y_BLUE, 0, Y_BLUE, 0, Y_BLUE, 0, Y_BLUE, 0)),
  );
  return i32x4.shr_u(i32x4.add(sum, i32x4.splat(33 << (LUMA_SHIFT - 1))), LUMA_SHIFT);
}

@inline
function lumaOf(rgb: usize, pixels: i32, out: usize): void {
  for (let x = 0; x < pixels; x += 16, rgb += 48, out += 16) {
    const low = i16x8.narrow_i32x4_u(luma(v128.load(rgb)), luma(v128.load(rgb, 12)));
    const high = i16x8.narrow_i32x4_u(luma(v128.load(rgb, 24)), luma(v128.load(rgb, 36)));
    v128.store(out, i8x16.narrow_i16x8_u(low, high));
  }
}

/** Sums two rows to 16 bits a channel at `sums`, and repeats their first pixel before it. Whole vectors of sixteen bytes. */
@inline
function sumPair(upper: usize, lower: usize, bytes: i32, sums: usize): void {
  for (let x: usize = 0; x < <usize>bytes; x += 16) {
    const a = v128.load(upper + x);
    const b = v128.load(lower + x);
    v128.store(sums + 2 * x, i16x8.add(i16x8.extend_low_i8x16_u(a), i16x8.extend_low_i8x16_u(b)));
    v128.store(sums + 2 * x, i16x8.add(i16x8.extend_high_i8x16_u(a), i16x8.extend_high_i8x16_u(b)), 16);
  }
  store<u32>(sums - 6, load<u32>(sums));
  store<u16>(sums - 2, load<u16>(sums, 4));
}

/** R, G, B of the chroma sample whose pixel has its sums at `at`: neighbours left and right with weight 1, the pixel with 2. */
@inline
function chromaSums(at: usize): v128 {
  const pixel = v128.load64_zero(at);
  const sides = i16x8.add(v128.load64_zero(at - 6), v128.load64_zero(at, 6));
  return i16x8.add(sides, i16x8.shl(pixel, 1));
}

/** One component of four chroma samples, from two vectors of two times R, G, B and one lane that counts nothing. */
@inline
function component(two: v128, others: v128, red: i16, green: i16, blue: i16): v128 {
  const factors = i16x8(red, green, blue, 0, red, green, blue, 0);
  const a = i32x4.dot_i16x8_s(two, factors);
  const b = i32x4.dot_i16x8_s(others, factors);
  const sum = i32x4.add(i32x4.shuffle(a, b, 0, 2, 4, 6), i32x4.shuffle(a, b, 1, 3, 5, 7));
  return i32x4.shr_u(i32x4.add(sum, i32x4.splat(257 << (CHROMA_SHIFT - 1))), CHROMA_SHIFT);
}

@inline
function chromaRow(sums: usize, samples: i32, cb: usize, cr: usize): void {
  for (let x = 0; x < samples; x += 4, sums += 48, cb += 4, cr += 4) {
    const two = i64x2.shuffle(chromaSums(sums), chromaSums(sums + 12), 0, 2);
    const others = i64x2.shuffle(chromaSums(sums + 24), chromaSums(sums + 36), 0, 2);
    storeBytes(cb, component(two, others, CB_RED, CB_GREEN, CHROMA_HALF));
    storeBytes(cr, component(two, others, CHROMA_HALF, CR_GREEN, CR_BLUE));
  }
}

/**
 * Converts `rows` x `columns` pixels of RGB without gaps to three planes without gaps; both counts are even. Chroma samples lie on
 * the even columns, between two rows (the siting of MPEG-2 and H.264): weights 1, 2, 1 along x, 1, 1 along y. Rows are converted
 * from the top, and each plane is written up to 15 bytes beyond. `rgb` may be read up to 64 bytes beyond.
 * `scratch`: 6 * columns + 128 bytes, followed by 16 spare ones.
 */
export function toYuv420(rgb: usize, columns: i32, rows: i32, y: usize, cb: usize, cr: usize, scratch: usize): void {
  const rowBytes = <usize>(3 * columns);
  const half = columns >> 1;
  const sums = scratch + 16;
  for (let row = 0; row < rows; row += 2, rgb += 2 * rowBytes, cb += half, cr += half) {
    lumaOf(rgb, 2 * columns, y);
    y += 2 * columns;
    sumPair(rgb, rgb + rowBytes, 3 * columns, sums);
    chromaRow(sums, half, cb, cr);
  }
}
