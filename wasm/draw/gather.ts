// Samples of a window at places between them: bilinear, four pixels at a time. Places are pixels of the image, f32, not numbers where it shows
// nothing.

/** The two samples from an address on. */
@inline
function pairAt(at: usize): u32 {
  return <u32>load<u16>(at);
}

@inline
export function lerp(a: v128, b: v128, part: v128): v128 {
  return f32x4.add(a, f32x4.mul(f32x4.sub(b, a), part));
}

@inline
function low(pairs: v128): v128 {
  return f32x4.convert_i32x4_s(v128.and(pairs, i32x4.splat(0xff)));
}

@inline
function high(pairs: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.shr_u(pairs, 8));
}

/** Columns or rows of samples at four places, within the window, so that the last has a neighbour. */
@inline
function placed(at: v128, scale: v128, from: v128, last: v128): v128 {
  return f32x4.pmin(f32x4.pmax(f32x4.sub(f32x4.mul(at, scale), from), f32x4.splat(0)), last);
}

/** Places along a side of a pixel, at most, and samples by which it may be wider than one place. */
const MOST: f32 = 4;
const SLACK: f32 = 0.1;

/** Places along a side of four pixels, from corner to corner of each: as many as leave no aliasing in the widest. */
@inline
function placesAlong(x: v128, y: v128, scale: f32): i32 {
  // Numbers come first, because a comparison with what is none keeps the first.
  const squares = f32x4.pmax(f32x4.splat(0), f32x4.add(f32x4.mul(x, x), f32x4.mul(y, y)));
  if (!v128.any_true(f32x4.gt(f32x4.mul(squares, f32x4.splat(scale * scale)), f32x4.splat(1)))) return 1;
  const first = max(f32x4.extract_lane(squares, 0), f32x4.extract_lane(squares, 1));
  const widest = max(first, max(f32x4.extract_lane(squares, 2), f32x4.extract_lane(squares, 3)));
  return <i32>min<f32>(MOST, max<f32>(1, ceil<f32>(sqrt<f32>(widest) * scale - SLACK)));
}

/** Stores four whole numbers as bytes. */
@inline
export function storeBytes(at: usize, numbers: v128): void {
  const words = i16x8.narrow_i32x4_u(numbers, numbers);
  v128.store_lane<u32>(at, i8x16.narrow_i16x8_u(words, words), 0);
}

/**
 * Writes `count` pixels, a multiple of four: the means of their places as bytes, and as alpha the share of these that is in the image.
 *
 * `samples`: rows of `width` samples of a resolution level from column `left` and row `top` on, each 1 / `scale` pixels apart; readable `width` + 2
 * bytes behind the last. `right`, `bottom`: pixels of the image. `upper`, `lower`: x of the corners of pixels, and y `ys` bytes behind; `next`:
 * bytes from a corner to the one at its right, 0 where each pixel has one place.
 */
export function gather(
  samples: usize, width: i32, height: i32, left: f32, top: f32, scale: f32, right: f32, bottom: f32, upper: usize, lower: usize,
  ys: usize, next: usize, count: i32, out: usize, alpha: usize,
): void {
  const edge = f32x4.splat(-0.5);
  const rightEdge = f32x4.splat(right - 0.5);
  const bottomEdge = f32x4.splat(bottom - 0.5);
  const scales = f32x4.splat(scale);
  const lefts = f32x4.splat(left);
  const tops = f32x4.splat(top);
  const lastX = f32x4.splat(<f32>(width - 1));
  const lastY = f32x4.splat(<f32>(height - 1));
  const lastColumn = i32x4.splat(max(width - 2, 0));
  const lastRow = i32x4.splat(max(height - 2, 0));
  const stride = i32x4.splat(width);
  const half = f32x4.splat(0.5);
  const end = upper + (<usize>count << 2);
  for (; upper < end; upper += 16, lower += 16, out += 4, alpha += 4) {
    const xa = v128.load(upper);
    if (!v128.any_true(f32x4.eq(xa, xa))) {
      store<u32>(out, 0);
      store<u32>(alpha, 0);
      continue;
    }
    const xb = v128.load(upper + next);
    const xc = v128.load(lower);
    const ya = v128.load(upper + ys);
    const yb = v128.load(upper + ys + next);
    const yc = v128.load(lower + ys);
    let sum = f32x4.splat(0);
    let seen = f32x4.splat(0);
    const across = placesAlong(f32x4.sub(xb, xa), f32x4.sub(yb, ya), scale);
    const down = placesAlong(f32x4.sub(xc, xa), f32x4.sub(yc, ya), scale);
    for (let row = 0; row < down; row++) {
      const v = f32x4.splat((<f32>row + 0.5) / <f32>down);
      const xl = lerp(xa, xc, v);
      const yl = lerp(ya, yc, v);
      const xr = lerp(xb, v128.load(lower + next), v);
      const yr = lerp(yb, v128.load(lower + ys + next), v);
      for (let column = 0; column < across; column++) {
        const u = f32x4.splat((<f32>column + 0.5) / <f32>across);
        const x = lerp(xl, xr, u);
        const y = lerp(yl, yr, u);
        const inX = v128.and(f32x4.ge(x, edge), f32x4.lt(x, rightEdge));
        const inside = v128.and(inX, v128.and(f32x4.ge(y, edge), f32x4.lt(y, bottomEdge)));
        if (!v128.any_true(inside)) continue;
        const sx = placed(x, scales, lefts, lastX);
        const sy = placed(y, scales, tops, lastY);
        const sampleX = i32x4.min_u(i32x4.trunc_sat_f32x4_s(sx), lastColumn);
        const sampleY = i32x4.min_u(i32x4.trunc_sat_f32x4_s(sy), lastRow);
        const at = i32x4.add(i32x4.mul(sampleY, stride), sampleX);
        const a = samples + <usize>i32x4.extract_lane(at, 0);
        const b = samples + <usize>i32x4.extract_lane(at, 1);
        const c = samples + <usize>i32x4.extract_lane(at, 2);
        const d = samples + <usize>i32x4.extract_lane(at, 3);
        const below = <usize>width;
        const above = i32x4.replace_lane(
          i32x4.replace_lane(i32x4.replace_lane(i32x4.splat(pairAt(a)), 1, pairAt(b)), 2, pairAt(c)),
          3,
          pairAt(d),
        );
        const under = i32x4.replace_lane(
          i32x4.replace_lane(i32x4.replace_lane(i32x4.splat(pairAt(a + below)), 1, pairAt(b + below)), 2, pairAt(c + below)),
          3,
          pairAt(d + below),
        );
        const partX = f32x4.sub(sx, f32x4.convert_i32x4_s(sampleX));
        const partY = f32x4.sub(sy, f32x4.convert_i32x4_s(sampleY));
        const value = lerp(lerp(low(above), high(above), partX), lerp(low(under), high(under), partX), partY);
        sum = f32x4.add(sum, v128.and(value, inside));
        seen = f32x4.add(seen, v128.and(f32x4.splat(1), inside));
      }
    }
    // A pixel without places is not a number, which becomes 0.
    storeBytes(out, i32x4.trunc_sat_f32x4_s(f32x4.add(f32x4.div(sum, seen), half)));
    const share = f32x4.div(f32x4.mul(seen, f32x4.splat(255)), f32x4.splat(<f32>(across * down)));
    storeBytes(alpha, i32x4.trunc_sat_f32x4_s(f32x4.add(share, half)));
  }
}
