// MGN, multi-scale Gaussian normalisation (Morgan and Druckmüller 2014), of a piece of a resolution level. Wide Gaussians run on means of blocks
// of pixels, at places that do not depend on the piece, so that neighbouring pieces agree in every bit.
import { loadBytes, storeBytes } from './gather';

/** k of the paper: how strongly contrasts are compressed. */
const CONTRAST_GAIN: f32 = 0.7;
/** Squared levels below which an area is even, but for rounding. */
const LEAST_VARIANCE: f32 = 1e-6;

/** The arctangent, within 2e-5. */
@inline
function arctangent(x: v128): v128 {
  const size = f32x4.abs(x);
  const one = f32x4.splat(1);
  const isLarge = f32x4.gt(size, one);
  const y = v128.bitselect(f32x4.div(one, size), size, isLarge);
  const z = f32x4.mul(y, y);
  let p = f32x4.add(f32x4.splat(0.05265332), f32x4.mul(z, f32x4.splat(-0.0117212)));
  p = f32x4.add(f32x4.splat(-0.11643287), f32x4.mul(z, p));
  p = f32x4.add(f32x4.splat(0.19354346), f32x4.mul(z, p));
  p = f32x4.add(f32x4.splat(-0.33262347), f32x4.mul(z, p));
  p = f32x4.mul(y, f32x4.add(f32x4.splat(0.99997726), f32x4.mul(z, p)));
  const angle = v128.bitselect(f32x4.sub(f32x4.splat(<f32>(Math.PI / 2)), p), p, isLarge);
  return v128.bitselect(x, angle, i32x4.splat(<i32>0x80000000));
}

@inline
function cell(plane: usize, stride: i32, x: i32, y: i32): usize {
  return plane + (<usize>(y * stride + x) << 2);
}

/** Bytes of `width` x `height` pixels, `stride` a row, as f32. `width` is a multiple of four. */
export function widenPlane(bytes: usize, stride: i32, width: i32, height: i32, out: usize): void {
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x += 4) v128.store(cell(out, width, x, y), loadBytes(bytes + <usize>(y * stride + x)));
}

/** Means of the cells of 2 x 2 pixels of bytes, `stride` a row. Sides are even. */
export function halveBytes(bytes: usize, stride: i32, width: i32, height: i32, out: usize): void {
  for (let y = 0; y < height; y += 2)
    for (let x = 0; x < width; x += 2, out += 4) {
      const at = bytes + <usize>(y * stride + x);
      const below = at + <usize>stride;
      store<f32>(out, <f32>(<i32>load<u8>(at) + <i32>load<u8>(at, 1) + <i32>load<u8>(below) + <i32>load<u8>(below, 1)) * 0.25);
    }
}

/** Means of the cells of 2 x 2 pixels of a plane, whose sides are even. */
export function halvePlane(plane: usize, width: i32, height: i32, out: usize): void {
  for (let y = 0; y < height; y += 2)
    for (let x = 0; x < width; x += 2, out += 4) {
      const at = cell(plane, width, x, y);
      const below = at + (<usize>width << 2);
      store<f32>(out, (load<f32>(at) + load<f32>(at, 4) + load<f32>(below) + load<f32>(below, 4)) * 0.25);
    }
}

/** Weighted sums for `count` cells, each of `taps` cells from it on, `step` bytes apart. Up to 7 behind the last are written. */
function weigh(from: usize, step: usize, count: i32, weights: usize, taps: i32, out: usize): void {
  for (; count > 0; count -= 8, from += 32, out += 32) {
    let a = f32x4.splat(0);
    let b = f32x4.splat(0);
    for (let t = 0, at = from; t < taps; t++, at += step) {
      const weight = v128.load32_splat(weights + (<usize>t << 2));
      a = f32x4.add(a, f32x4.mul(v128.load(at), weight));
      b = f32x4.add(b, f32x4.mul(v128.load(at, 16), weight));
    }
    v128.store(out, a);
    v128.store(out, b, 16);
  }
}

/**
 * Filters the cells [x0, x1) x [y0, y1) of a plane of `width` x `height` by a Gaussian of `radius` cells, along x into `scratch`, which has 2
 * `radius` rows more, then along y into `out`; both are as wide as the plane. Cells beyond its edges are those at the edges. Up to 7 cells
 * behind the last of a row are written.
 */
function blur(
  plane: usize, width: i32, height: i32, weights: usize, radius: i32, x0: i32, y0: i32, x1: i32, y1: i32, scratch: usize,
  out: usize,
): void {
  const taps = 2 * radius + 1;
  // A row with the cells beyond the edges of the plane, behind the scratch plane, which begins with the row y0 - radius.
  const row = cell(scratch, width, 0, height + 2 * radius) + 64;
  const left = max(x0 - radius, 0);
  const inside = row + (<usize>(left - x0 + radius) << 2);
  const length = <usize>(min(x1 + radius, width) - left) << 2;
  for (let y = y0 - radius, to = cell(scratch, width, x0, 0); y < y1 + radius; y++, to += <usize>width << 2) {
    memory.copy(inside, cell(plane, width, left, min(max(y, 0), height - 1)), length);
    for (let at = row; at < inside; at += 4) store<f32>(at, load<f32>(inside));
    for (let i = 0; i < 64; i += 4) store<f32>(inside + length + i, load<f32>(inside + length - 4));
    weigh(row, 4, x1 - x0, weights, taps, to);
  }
  for (let y = y0; y < y1; y++) weigh(cell(scratch, width, x0, y - y0), <usize>width << 2, x1 - x0, weights, taps, cell(out, width, x0, y));
}

/**
 * The pixels [x0, x1) of row `y` between the cells of a plane, each of `side` x `side` pixels, linear between their centres. `spare` has room for a
 * row of cells, `out` for 3 pixels more. Returns where they are.
 */
function expanded(plane: usize, width: i32, height: i32, side: i32, y: i32, x0: i32, x1: i32, spare: usize, out: usize): usize {
  if (side == 1) return cell(plane, width, x0, y);
  const step: f32 = 1 / <f32>side;
  const half = side >> 1;
  const above = (y + side - half) / side - 1;
  const share = f32x4.splat((<f32>(y - half - above * side) + 0.5) * step);
  const upper = cell(plane, width, 0, min(max(above, 0), height - 1));
  const lower = cell(plane, width, 0, min(max(above + 1, 0), height - 1));
  const first = (x0 + side - half) / side - 1;
  const last = (x1 - 1 + side - half) / side;
  for (let i = min(max(first, 0), width - 1); i <= min(max(last, 0), width - 1); i += 4) {
    const a = v128.load(upper + (<usize>i << 2));
    v128.store(spare + (<usize>i << 2), f32x4.add(a, f32x4.mul(share, f32x4.sub(v128.load(lower + (<usize>i << 2)), a))));
  }
  let x = x0;
  for (let i = first; i <= last && x < x1; i++) {
    const left = load<f32>(spare + (<usize>min(max(i, 0), width - 1) << 2));
    const slope = (load<f32>(spare + (<usize>min(max(i + 1, 0), width - 1) << 2)) - left) * step;
    const from = i * side + half;
    const end = min(x1, from + side);
    for (; x < end; x += 4) {
      const places = f32x4.add(f32x4.splat(<f32>(x - from)), f32x4(0.5, 1.5, 2.5, 3.5));
      v128.store(out + (<usize>(x - x0) << 2), f32x4.add(f32x4.splat(left), f32x4.mul(places, f32x4.splat(slope))));
    }
    x = end;
  }
  return out;
}

/**
 * Adds the arctangent of 0.7 times the normalised local contrast of one scale to `sums`, of the pixels [x0, x1) x [y0, y1) of a window of bytes,
 * `stride` a row. The image has the pixels [left, right) x [top, bottom) of it; those beyond repeat its edges. `cells`: means of its cells of
 * `side` x `side` pixels, `width` x `height` of them. `weights`: of a Gaussian of `radius` cells. `smooth`, `squares`: room for as many cells;
 * `scratch`: for as many, 2 `radius` rows of them more, and three rows of pixels with 64 more.
 */
export function addScale(
  bytes: usize, stride: i32, left: i32, top: i32, right: i32, bottom: i32, x0: i32, y0: i32, x1: i32, y1: i32, cells: usize,
  width: i32, height: i32, side: i32, weights: usize, radius: i32, smooth: usize, squares: usize, scratch: usize, sums: usize,
): void {
  // Cells around the pixels, cells that their Gaussian needs, and cells around the pixels of these.
  const sx0 = max(x0 / side - 1, 0);
  const sy0 = max(y0 / side - 1, 0);
  const sx1 = min((x1 - 1) / side + 2, width);
  const sy1 = min((y1 - 1) / side + 2, height);
  const ex0 = max(sx0 - radius, 0);
  const ey0 = max(sy0 - radius, 0);
  const ex1 = min(sx1 + radius, width);
  const ey1 = min(sy1 + radius, height);
  blur(cells, width, height, weights, radius, max(ex0 - 1, 0), max(ey0 - 1, 0), min(ex1 + 1, width), min(ey1 + 1, height), scratch, smooth);

  const spare = cell(scratch, width, 0, height + 2 * radius) + 64;
  const rowBytes = (<usize>(width * side) << 2) + 256;
  const row = spare + rowBytes;
  const other = row + rowBytes;
  const px0 = ex0 * side;
  const px1 = ex1 * side;
  const share: f32 = 1 / <f32>(side * side);
  for (let j = ey0; j < ey1; j++) {
    const own = cell(squares, width, ex0, j);
    memory.fill(own, 0, <usize>(ex1 - ex0) << 2);
    // Cells of a pixel are their means.
    const contrasts = side == 1 ? own : other;
    for (let k = 0; k < side; k++) {
      const y = min(max(j * side + k, top), bottom - 1);
      const means = expanded(smooth, width, height, side, y, px0, px1, spare, row);
      for (let x = px0; x < px1; x += 4) {
        const at = <usize>(x - px0) << 2;
        const contrast = f32x4.sub(loadBytes(bytes + <usize>(y * stride + x)), v128.load(means + at));
        v128.store(contrasts + at, f32x4.mul(contrast, contrast));
      }
      const first = contrasts + (<usize>(left - px0) << 2);
      for (let to = contrasts; px0 < left && to < first; to += 4) store<f32>(to, load<f32>(first));
      const end = contrasts + (<usize>(px1 - px0) << 2);
      for (let to = contrasts + (<usize>(right - px0) << 2); to < end; to += 4) store<f32>(to, load<f32>(to - 4));
      for (let i = ex0, from = other; side > 1 && i < ex1; i++) {
        let sum: f32 = 0;
        for (let x = 0; x < side; x++, from += 4) sum += load<f32>(from);
        const to = own + (<usize>(i - ex0) << 2);
        store<f32>(to, load<f32>(to) + sum * share);
      }
    }
  }
  blur(squares, width, height, weights, radius, sx0, sy0, sx1, sy1, scratch, squares);

  for (let y = y0; y < y1; y++) {
    const means = expanded(smooth, width, height, side, y, x0, x1, spare, row);
    const variances = expanded(squares, width, height, side, y, x0, x1, spare, other);
    for (let x = x0; x < x1; x += 4, sums += 16) {
      const at = <usize>(x - x0) << 2;
      const variance = v128.load(variances + at);
      const contrast = f32x4.sub(loadBytes(bytes + <usize>(y * stride + x)), v128.load(means + at));
      const normal = f32x4.div(contrast, f32x4.sqrt(variance));
      const angle = arctangent(f32x4.mul(normal, f32x4.splat(CONTRAST_GAIN)));
      v128.store(sums, f32x4.add(v128.load(sums), v128.and(angle, f32x4.gt(variance, f32x4.splat(LEAST_VARIANCE)))));
    }
  }
}

/**
 * Levels of `count` pixels: 255 times (v + 0.2) / 1.2 from 0 to 1, where v is `bright` of their bytes (256 f32) and `share` of their sums. Up to 3
 * behind the last are written.
 */
export function mgnLevels(bytes: usize, sums: usize, bright: usize, share: f32, count: i32, out: usize): void {
  for (let i = 0; i < count; i += 4, bytes += 4, sums += 16, out += 4) {
    let v = f32x4.splat(load<f32>(bright + (<usize>load<u8>(bytes) << 2)));
    v = f32x4.replace_lane(v, 1, load<f32>(bright + (<usize>load<u8>(bytes, 1) << 2)));
    v = f32x4.replace_lane(v, 2, load<f32>(bright + (<usize>load<u8>(bytes, 2) << 2)));
    v = f32x4.replace_lane(v, 3, load<f32>(bright + (<usize>load<u8>(bytes, 3) << 2)));
    const level = f32x4.add(f32x4.add(v, f32x4.mul(v128.load(sums), f32x4.splat(share))), f32x4.splat(0.2));
    const scaled = f32x4.add(f32x4.mul(level, f32x4.splat(255 / 1.2)), f32x4.splat(0.5));
    storeBytes(out, i32x4.trunc_sat_f32x4_s(scaled));
  }
}
