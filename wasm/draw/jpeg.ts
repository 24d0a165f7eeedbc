// Baseline JPEG (ISO/IEC 10918-1): rows of pixels to tokens, and tokens to bits. src/picture/encode/jpeg.ts makes the tables and the file.
//
// A token is 8 bits of symbol, 8 bits of table number (DC and AC of luminance, then of chrominance), and in the upper half the bits that
// follow the symbol.

const TABLE_SHIFT: u32 = 8;
const EXTRA_SHIFT: u32 = 16;
const SYMBOLS: u32 = 256;
/** Components in colour; grey has luminance alone. */
const COLOUR: i32 = 3;

/** Side of a block, and its values. */
const SIDE: usize = 8;
const VALUES: usize = 64;

/** Added before truncation so that a quantised value is rounded; far above any coefficient. */
const ROUNDING: i32 = 32768;

/** Constants of structural similarity (Wang et al. 2004) for 255 levels: (0.01 * 255)^2 and (0.03 * 255)^2. */
const MEAN_CONSTANT: f64 = 6.5025;
const VARIANCE_CONSTANT: f64 = 58.5225;

/** Constants of the transform of Arai, Agui and Nakajima: five multiplications a row; the remaining scaling is part of the factors. */
const C4: f64 = 0.7071067811865476;
const C6: f64 = 0.38268343236508984;
const C2_MINUS_C6: f64 = 0.5411961001461969;
const C2_PLUS_C6: f64 = 1.3065629648763766;

/** 64 values of the transform, and 64 quantised coefficients in zigzag order. */
const BLOCK = memory.data(512, 16);
const ZIGZAG = memory.data(256, 16);

/** Transforms eight values (A.3.3), `stride` bytes apart. */
@inline
function transformLine(at: usize, stride: usize): void {
  const i1 = at + stride;
  const i2 = i1 + stride;
  const i3 = i2 + stride;
  const i4 = i3 + stride;
  const i5 = i4 + stride;
  const i6 = i5 + stride;
  const i7 = i6 + stride;
  const a0 = load<f64>(at);
  const a1 = load<f64>(i1);
  const a2 = load<f64>(i2);
  const a3 = load<f64>(i3);
  const a4 = load<f64>(i4);
  const a5 = load<f64>(i5);
  const a6 = load<f64>(i6);
  const a7 = load<f64>(i7);
  const sum07 = a0 + a7;
  const sum16 = a1 + a6;
  const sum25 = a2 + a5;
  const sum34 = a3 + a4;
  const outer = sum07 + sum34;
  const inner = sum16 + sum25;
  const outerDifference = sum07 - sum34;
  const turned = (sum16 - sum25 + outerDifference) * C4;
  store<f64>(at, outer + inner);
  store<f64>(i4, outer - inner);
  store<f64>(i2, outerDifference + turned);
  store<f64>(i6, outerDifference - turned);

  const difference07 = a0 - a7;
  const low = a3 - a4 + a2 - a5;
  const middle = (a2 - a5 + a1 - a6) * C4;
  const high = a1 - a6 + difference07;
  const shared = (low - high) * C6;
  const lowTurned = C2_MINUS_C6 * low + shared;
  const highTurned = C2_PLUS_C6 * high + shared;
  const plus = difference07 + middle;
  const minus = difference07 - middle;
  store<f64>(i5, minus + lowTurned);
  store<f64>(i3, minus - lowTurned);
  store<f64>(i1, plus + highTurned);
  store<f64>(i7, plus - highTurned);
}

/** Converts rows to Y around zero, and Cb and Cr in colour (JFIF), and repeats the last pixel and the last row to the end of the block. */
function convertRows(pixels: usize, width: i32, rows: i32, stride: i32, components: i32, planes: usize): void {
  const rowBytes = <usize>stride << 2;
  const planeBytes = rowBytes * SIDE;
  for (let row = 0; row < rows; row++) {
    let to = planes + <usize>row * rowBytes;
    const end = to + rowBytes;
    for (let x = 0; x < width; x++, pixels += <usize>components, to += 4) {
      if (components !== COLOUR) {
        store<f32>(to, <f32>(<i32>load<u8>(pixels) - 128));
        continue;
      }
      const r = <f64>load<u8>(pixels);
      const g = <f64>load<u8>(pixels, 1);
      const b = <f64>load<u8>(pixels, 2);
      const y = 0.299 * r + 0.587 * g + 0.114 * b;
      store<f32>(to, <f32>(y - 128));
      store<f32>(to + planeBytes, <f32>((b - y) / 1.772));
      store<f32>(to + 2 * planeBytes, <f32>((r - y) / 1.402));
    }
    for (; to < end; to += 4) {
      for (let plane: usize = 0; plane < <usize>components; plane++) {
        const at = to + plane * planeBytes;
        store<f32>(at, load<f32>(at - 4));
      }
    }
  }
  for (let plane: usize = 0; plane < <usize>components; plane++) {
    const last = planes + plane * planeBytes + <usize>(rows - 1) * rowBytes;
    for (let row = rows; row < <i32>SIDE; row++) memory.copy(last + <usize>(row - rows + 1) * rowBytes, last, rowBytes);
  }
}

/** Transforms the block at `plane` into BLOCK. */
function transformBlock(plane: usize, rowBytes: usize): void {
  for (let row: usize = 0; row < SIDE; row++) {
    for (let x: usize = 0; x < SIDE; x++) {
      store<f64>(BLOCK + (row << 6) + (x << 3), <f64>load<f32>(plane + row * rowBytes + (x << 2)));
    }
    transformLine(BLOCK + (row << 6), 8);
  }
  for (let column: usize = 0; column < SIDE; column++) transformLine(BLOCK + (column << 3), 64);
}

/** Value `i` of the transform in quantisation steps, rounded (A.3.4). */
@inline
function quantised(i: usize, factors: usize): i32 {
  return <i32>(load<f64>(BLOCK + (i << 3)) * load<f64>(factors + (i << 3)) + (<f64>ROUNDING + 0.5)) - ROUNDING;
}

/** Transforms and quantises the block at `plane` into ZIGZAG. */
function quantiseBlock(plane: usize, rowBytes: usize, factors: usize, order: usize): void {
  transformBlock(plane, rowBytes);
  for (let i: usize = 0; i < VALUES; i++) store<i32>(ZIGZAG + (i << 2), quantised(<usize>load<u8>(order + i), factors));
}

/** Stores the token of symbol `run`/size (F.1.2.2) with the bits of `value` (F.1.2.1), and counts its symbol. */
@inline
function addToken(token: usize, table: u32, run: i32, value: i32, counts: usize): void {
  const size = 32 - clz<i32>(abs<i32>(value));
  const symbol = <u32>((run << 4) | size);
  const extra = value < 0 ? value + (1 << size) - 1 : value;
  store<u32>(token, (<u32>extra << EXTRA_SHIFT) | (table << TABLE_SHIFT) | symbol);
  const count = counts + (<usize>(table * SYMBOLS + symbol) << 2);
  store<u32>(count, load<u32>(count) + 1);
}

/** Codes the quantised block (F.1.2) as tokens. @returns the end of the tokens */
function tokensOfBlock(dcDifference: i32, kind: u32, tokens: usize, counts: usize): usize {
  addToken(tokens, kind * 2, 0, dcDifference, counts);
  tokens += 4;
  const table = kind * 2 + 1;
  let last: i32 = VALUES - 1;
  while (last > 0 && load<i32>(ZIGZAG + (<usize>last << 2)) === 0) last--;
  let zeros = 0;
  for (let i = 1; i <= last; i++) {
    const value = load<i32>(ZIGZAG + (<usize>i << 2));
    if (value === 0) {
      zeros++;
      continue;
    }
    for (; zeros > 15; zeros -= 16, tokens += 4) addToken(tokens, table, 15, 0, counts);
    addToken(tokens, table, zeros, value, counts);
    tokens += 4;
    zeros = 0;
  }
  if (last < <i32>VALUES - 1) {
    addToken(tokens, table, 0, 0, counts);
    tokens += 4;
  }
  return tokens;
}

/**
 * Codes 1 to 8 rows of grey (`components` 1) or RGB (3) as tokens, 65 at most for each component of a block of eight columns. `stride`:
 * width in whole blocks. `factors`: 64 numbers of 64 bits for luminance, then for chrominance. `order`: 64 bytes, the zigzag sequence.
 * `planes`: 32 * components * stride bytes. `lastDc`: as many integers of 32 bits, and `counts`: four tables of 256, both updated. @returns the count of tokens
 */
export function jpegTokens(
  pixels: usize, width: i32, rows: i32, stride: i32, components: i32, factors: usize, order: usize, planes: usize, lastDc: usize,
  counts: usize, tokens: usize,
): i32 {
  const rowBytes = <usize>stride << 2;
  const start = tokens;
  convertRows(pixels, width, rows, stride, components, planes);
  for (let x: usize = 0; x < rowBytes; x += SIDE << 2) {
    for (let component = 0; component < components; component++) {
      const kind: u32 = component === 0 ? 0 : 1;
      quantiseBlock(planes + <usize>component * rowBytes * SIDE + x, rowBytes, factors + (<usize>kind << 9), order);
      const dc = load<i32>(ZIGZAG);
      const before = lastDc + (<usize>component << 2);
      tokens = tokensOfBlock(dc - load<i32>(before), kind, tokens, counts);
      store<i32>(before, dc);
    }
  }
  return <i32>((tokens - start) >> 2);
}

/**
 * Structural similarity of the block in BLOCK to what is left of it after quantisation (Wang et al. 2004), from the coefficients: the
 * transform is orthonormal, so that sums of their products are those of samples.
 */
function similarityOfBlock(factors: usize, steps: usize): f64 {
  let before: f64 = 0;
  let after: f64 = 0;
  let both: f64 = 0;
  for (let i: usize = 1; i < VALUES; i++) {
    const step = <f64>load<u8>(steps + i);
    const value = load<f64>(BLOCK + (i << 3)) * load<f64>(factors + (i << 3)) * step;
    const left = <f64>quantised(i, factors) * step;
    before += value * value;
    after += left * left;
    both += value * left;
  }
  const step = <f64>load<u8>(steps);
  const mean = (load<f64>(BLOCK) * load<f64>(factors) * step) / <f64>SIDE + 128;
  const meanLeft = (<f64>quantised(0, factors) * step) / <f64>SIDE + 128;
  const means = (2 * mean * meanLeft + MEAN_CONSTANT) / (mean * mean + meanLeft * meanLeft + MEAN_CONSTANT);
  const count = <f64>VALUES;
  return (means * ((2 * both) / count + VARIANCE_CONSTANT)) / ((before + after) / count + VARIANCE_CONSTANT);
}

/**
 * Sum of the structural similarities of the blocks of 1 to 8 rows of grey to what is left of them after quantisation. `stride`: width in
 * whole blocks. `factors`: 64 numbers of 64 bits. `steps`: 64 bytes, row by row as the factors. `planes`: 32 * stride bytes.
 */
export function jpegSimilarity(
  pixels: usize, width: i32, rows: i32, stride: i32, factors: usize, steps: usize, planes: usize,
): f64 {
  const rowBytes = <usize>stride << 2;
  convertRows(pixels, width, rows, stride, 1, planes);
  let sum: f64 = 0;
  for (let x: usize = 0; x < rowBytes; x += SIDE << 2) {
    transformBlock(planes + x, rowBytes);
    sum += similarityOfBlock(factors, steps);
  }
  return sum;
}

/** Bits that are not a byte yet, and their number. */
let bits: u32 = 0;
let held: u32 = 0;

/** Appends at most 16 bits, most significant first, with a zero byte after each 0xff (F.1.2.3). @returns the end of the bytes */
@inline
function addBits(value: u32, count: u32, out: usize): usize {
  bits = (bits << count) | value;
  held += count;
  while (held >= 8) {
    held -= 8;
    const byte = (bits >> held) & 255;
    store<u8>(out++, byte);
    if (byte === 255) store<u8>(out++, 0);
  }
  return out;
}

/**
 * Writes `count` tokens as bits: 7 bytes a token at most, and 8.
 * `codes`: four tables of 256 numbers, length << 16 | code. `pending`: bits that are not a byte yet and their number, updated.
 * @returns the count of bytes
 */
export function jpegBits(tokens: usize, count: i32, codes: usize, pending: usize, out: usize): i32 {
  const start = out;
  const end = tokens + (<usize>count << 2);
  bits = load<u32>(pending);
  held = load<u32>(pending, 4);
  for (; tokens < end; tokens += 4) {
    const token = load<u32>(tokens);
    const code = load<u32>(codes + (<usize>(token & 0xffff) << 2));
    out = addBits(code & 0xffff, code >> 16, out);
    out = addBits(token >> EXTRA_SHIFT, token & 15, out);
  }
  store<u32>(pending, bits);
  store<u32>(pending, held, 4);
  return <i32>(out - start);
}
