// Means of what layers of several observers show, as alphas of layers that are drawn one over the other.
import { lerp, loadBytes, storeBytes } from './gather';

/** Pixels between nodes: WEIGHT_STEP of src/picture/projections/sharing.ts. */
const STEP: i32 = 8;

/**
 * Writes the weights of a row of pixels, a `part` of the way from a row of `columns` nodes to the next one, each times its alpha; `beside` where
 * the square of `x`, the distance of the first four pixels from the middle of the disc of the Sun, and of the others, is above `reach`.
 */
@inline
function weigh(nodes: usize, columns: i32, part: v128, beside: v128, x: v128, reach: v128, alpha: usize, out: usize): void {
  const bytes = <usize>columns << 2;
  const first = f32x4(0.0625, 0.1875, 0.3125, 0.4375);
  const four = f32x4.splat(4);
  for (const end = nodes + bytes - 4; nodes < end; nodes += 4) {
    const sides = lerp(v128.load64_zero(nodes), v128.load64_zero(nodes + bytes), part);
    const left = i32x4.shuffle(sides, sides, 0, 0, 0, 0);
    const right = i32x4.shuffle(sides, sides, 1, 1, 1, 1);
    let place = first;
    for (const next = out + 32; out < next; out += 16, alpha += 4) {
      const weight = v128.bitselect(lerp(left, right, place), beside, f32x4.le(f32x4.mul(x, x), reach));
      v128.store(out, f32x4.mul(weight, loadBytes(alpha)));
      x = f32x4.add(x, four);
      place = f32x4.add(place, f32x4.splat(0.5));
    }
  }
}

/** Writes the alphas of a row whose weights are at `own`, behind `count` rows of `bytes` of weights of layers below. */
@inline
function share(own: usize, count: i32, bytes: usize, alpha: usize, width: i32, out: usize): void {
  const whole = f32x4.splat(255);
  for (const end = out + <usize>width; out < end; out += 4, alpha += 4, own += 16) {
    let others = f32x4.splat(0);
    for (let i = 0, row = own - bytes; i < count; i++, row -= bytes) others = f32x4.add(others, v128.load(row));
    const weight = f32x4.mul(v128.load(own), whole);
    const shown = loadBytes(alpha);
    const mean = f32x4.div(f32x4.mul(shown, weight), f32x4.add(weight, f32x4.mul(others, shown)));
    const mixed = v128.bitselect(mean, shown, f32x4.gt(others, f32x4.splat(0)));
    storeBytes(out, i32x4.trunc_sat_f32x4_s(f32x4.add(mixed, f32x4.splat(0.5))));
  }
}

/**
 * Writes for each of `layers` that shares places its alphas in the mean, `width` x `height` bytes.
 *
 * `nodes`: f32 weights of every eighth pixel, `rows` x `columns` of each layer. `top`: pixels from the first row of nodes to that of pixels.
 * `alphas`, `out`: what layers show, a layer each `stride` bytes, at least 8 more than its pixels. `below`: i32, numbers of layers next below
 * with which each shares places. `besides`: f32, weights beside the disc of the Sun, whose middle is `x`, `y` and the square of whose radius
 * `square`, in pixels from the first one. `scratch`: 32 * `columns` bytes for each layer.
 */
export function shareAlphas(
  nodes: usize, columns: i32, rows: i32, top: i32, alphas: usize, stride: i32, width: i32, height: i32, below: usize, layers: i32,
  besides: usize, x: f32, y: f32, square: f32, scratch: usize, out: usize,
): void {
  const bytes = <usize>(columns * STEP) << 2;
  const first = f32x4.sub(f32x4(0.5, 1.5, 2.5, 3.5), f32x4.splat(x));
  for (let row = 0, from = 0; row < height; row++, from += width) {
    const place = (<f32>(top + row) + 0.5) / <f32>STEP;
    const above = <i32>place;
    const part = f32x4.splat(place - <f32>above);
    const down = <f32>row + 0.5 - y;
    const reach = f32x4.splat(square - down * down);
    for (let i = 0; i < layers; i++) {
      const upper = nodes + (<usize>((i * rows + above) * columns) << 2);
      const beside = v128.load32_splat(besides + (<usize>i << 2));
      weigh(upper, columns, part, beside, first, reach, alphas + <usize>(i * stride + from), scratch + <usize>i * bytes);
    }
    for (let i = 0; i < layers; i++) {
      const count = load<i32>(below + (<usize>i << 2));
      const at = <usize>(i * stride + from);
      if (count) share(scratch + <usize>i * bytes, count, bytes, alphas + at, width, out + at);
    }
  }
}
