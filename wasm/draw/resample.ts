// Resampling of a window of bytes to output pixels: along x into a ring of f32 rows, then along y. All sums are in f32.

/** Room after a row of widened samples, so that the last output can load four of them. */
const ROW_PADDING: i32 = 16;

/** Writes `count` bytes, rounded up to whole vectors of sixteen, as f32, and zeros into the padding. */
@inline
function widenRow(from: usize, count: i32, to: usize): void {
  const end = from + <usize>count;
  for (; from < end; from += 16, to += 64) {
    const bytes = v128.load(from);
    const low = i16x8.extend_low_i8x16_u(bytes);
    const high = i16x8.extend_high_i8x16_u(bytes);
    v128.store(to, f32x4.convert_i32x4_u(i32x4.extend_low_i16x8_u(low)));
    v128.store(to, f32x4.convert_i32x4_u(i32x4.extend_high_i16x8_u(low)), 16);
    v128.store(to, f32x4.convert_i32x4_u(i32x4.extend_low_i16x8_u(high)), 32);
    v128.store(to, f32x4.convert_i32x4_u(i32x4.extend_high_i16x8_u(high)), 48);
  }
  memory.fill(to, 0, <usize>ROW_PADDING << 2);
}

/** Sum of `groups` times four products of one output: four partial sums, lane by lane. */
@inline
function products(samples: usize, weights: usize, groups: i32): v128 {
  let sums = f32x4.mul(v128.load(samples), v128.load(weights));
  for (let g = 1; g < groups; g++) {
    samples += 16;
    weights += 16;
    sums = f32x4.add(sums, f32x4.mul(v128.load(samples), v128.load(weights)));
  }
  return sums;
}

/** Filters a widened row to `columns` outputs, four at a time: (lane 0 + lane 2) + (lane 1 + lane 3) of each. */
@inline
function filterRow(row: usize, starts: usize, weights: usize, groups: i32, columns: i32, out: usize): void {
  const bytes = <usize>groups << 4;
  for (let i = 0; i < columns; i += 4, starts += 16, weights += bytes << 2, out += 16) {
    const a = products(row + (<usize>load<u32>(starts) << 2), weights, groups);
    const b = products(row + (<usize>load<u32>(starts, 4) << 2), weights + bytes, groups);
    const c = products(row + (<usize>load<u32>(starts, 8) << 2), weights + 2 * bytes, groups);
    const d = products(row + (<usize>load<u32>(starts, 12) << 2), weights + 3 * bytes, groups);
    const ab = f32x4.add(i32x4.shuffle(a, b, 0, 4, 1, 5), i32x4.shuffle(a, b, 2, 6, 3, 7));
    const cd = f32x4.add(i32x4.shuffle(c, d, 0, 4, 1, 5), i32x4.shuffle(c, d, 2, 6, 3, 7));
    v128.store(out, f32x4.add(i32x4.shuffle(ab, cd, 0, 1, 4, 5), i32x4.shuffle(ab, cd, 2, 3, 6, 7)));
  }
}

/** Weighted sum of `count` rows to bytes. `rows`: pairs of address and weight. Up to 15 bytes behind the last are written. */
@inline
function sumRows(rows: usize, count: i32, columns: i32, out: usize): void {
  const end = rows + (<usize>count << 3);
  for (let x: usize = 0; x < <usize>columns << 2; x += 64, out += 16) {
    let a = f32x4.splat(0.5);
    let b = a;
    let c = a;
    let d = a;
    for (let tap = rows; tap < end; tap += 8) {
      const row = <usize>load<u32>(tap) + x;
      const weight = v128.load32_splat(tap, 4);
      a = f32x4.add(a, f32x4.mul(v128.load(row), weight));
      b = f32x4.add(b, f32x4.mul(v128.load(row, 16), weight));
      c = f32x4.add(c, f32x4.mul(v128.load(row, 32), weight));
      d = f32x4.add(d, f32x4.mul(v128.load(row, 48), weight));
    }
    const low = i16x8.narrow_i32x4_u(i32x4.trunc_sat_f32x4_u(a), i32x4.trunc_sat_f32x4_u(b));
    const high = i16x8.narrow_i32x4_u(i32x4.trunc_sat_f32x4_u(c), i32x4.trunc_sat_f32x4_u(d));
    v128.store(out, i8x16.narrow_i16x8_u(low, high));
  }
}

/** Bytes of a row of filtered samples, in whole vectors of sixteen. */
@inline
function ringRowBytes(columns: i32): usize {
  return <usize>((columns + 15) & ~15) << 2;
}

/** Bytes of scratch that `resample` needs. */
export function resampleScratch(width: i32, columns: i32, yTaps: i32): usize {
  return (<usize>(((width + 15) & ~15) + ROW_PADDING) << 2) + ringRowBytes(columns) * <usize>yTaps + (<usize>yTaps << 3);
}

/**
 * Filters rows of `width` samples without gaps to `rows` x `columns` bytes at `out`, `stride` a row (at least `columns` rounded
 * up to 16). `xStarts`: first sample of each output (u32), `xWeights`: `xGroups` times four weights of each, both padded to whole
 * vectors of four outputs. `yStarts`: first row of each output row (u32, ascending), `yWeights`: `yTaps` of each. Samples are
 * read up to 15 bytes behind the last.
 */
export function resample(
  samples: usize, width: i32, xStarts: usize, xWeights: usize, xGroups: i32, columns: i32, yStarts: usize, yWeights: usize,
  yTaps: i32, rows: i32, scratch: usize, out: usize, stride: usize,
): void {
  const widened = scratch;
  const ring = scratch + (<usize>(((width + 15) & ~15) + ROW_PADDING) << 2);
  const rowBytes = ringRowBytes(columns);
  const taps = ring + rowBytes * <usize>yTaps;
  let next = 0;
  for (let j = 0; j < rows; j++, out += stride) {
    const start = load<i32>(yStarts + (<usize>j << 2));
    if (next < start) next = start;
    for (; next < start + yTaps; next++) {
      widenRow(samples + <usize>next * <usize>width, width, widened);
      filterRow(widened, xStarts, xWeights, xGroups, columns, ring + <usize>(next % yTaps) * rowBytes);
    }
    let used = 0;
    for (let t = 0; t < yTaps; t++, yWeights += 4) {
      const weight = load<f32>(yWeights);
      if (weight == 0) continue;
      const tap = taps + (<usize>used << 3);
      store<u32>(tap, <u32>(ring + <usize>((start + t) % yTaps) * rowBytes));
      store<f32>(tap, weight, 4);
      used++;
    }
    sumRows(taps, used, columns, out);
  }
}
