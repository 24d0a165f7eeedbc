// Samples of a window at places between them: bilinear, four places at a time. Places are pixels of the image, f32, not numbers where it shows
// nothing.

/** The two samples from an address on. */
@inline
function pairAt(at: usize): u32 {
  return <u32>load<u16>(at);
}

@inline
function lerp(a: v128, b: v128, part: v128): v128 {
  return f32x4.add(a, f32x4.mul(f32x4.sub(b, a), part));
}

@inline
function low(pairs: v128): v128 {
  return f32x4.convert_i32x4_u(v128.and(pairs, i32x4.splat(0xff)));
}

@inline
function high(pairs: v128): v128 {
  return f32x4.convert_i32x4_u(i32x4.shr_u(pairs, 8));
}

/** Columns or rows of samples at four places, within the window, so that the last has a neighbour. */
@inline
function placed(at: v128, scale: v128, from: v128, last: v128): v128 {
  return f32x4.pmin(f32x4.pmax(f32x4.sub(f32x4.mul(at, scale), from), f32x4.splat(0)), last);
}

/**
 * Adds to `sums` the values at `count` places, a multiple of four, and to `counts` 1 for each that is in the image, all f32.
 *
 * `samples`: rows of `width` samples of a resolution level from column `left` and row `top` on, of which each is `scale` pixels or less wide;
 * readable `width` + 2 bytes behind the last. `right`, `bottom`: pixels of the image.
 */
export function gather(
  samples: usize,
  width: i32,
  height: i32,
  left: f32,
  top: f32,
  scale: f32,
  right: f32,
  bottom: f32,
  xs: usize,
  ys: usize,
  count: i32,
  sums: usize,
  counts: usize,
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
  const end = xs + (<usize>count << 2);
  for (; xs < end; xs += 16, ys += 16, sums += 16, counts += 16) {
    const x = v128.load(xs);
    const y = v128.load(ys);
    const inX = v128.and(f32x4.ge(x, edge), f32x4.lt(x, rightEdge));
    const inside = v128.and(inX, v128.and(f32x4.ge(y, edge), f32x4.lt(y, bottomEdge)));
    if (!v128.any_true(inside)) continue;
    const u = placed(x, scales, lefts, lastX);
    const v = placed(y, scales, tops, lastY);
    const column = i32x4.min_u(i32x4.trunc_sat_f32x4_u(u), lastColumn);
    const row = i32x4.min_u(i32x4.trunc_sat_f32x4_u(v), lastRow);
    const at = i32x4.add(i32x4.mul(row, stride), column);
    const a = samples + <usize>i32x4.extract_lane(at, 0);
    const b = samples + <usize>i32x4.extract_lane(at, 1);
    const c = samples + <usize>i32x4.extract_lane(at, 2);
    const d = samples + <usize>i32x4.extract_lane(at, 3);
    const above = i32x4.replace_lane(i32x4.replace_lane(i32x4.replace_lane(i32x4.splat(pairAt(a)), 1, pairAt(b)), 2, pairAt(c)), 3, pairAt(d));
    const down = <usize>width;
    const below = i32x4.replace_lane(
      i32x4.replace_lane(i32x4.replace_lane(i32x4.splat(pairAt(a + down)), 1, pairAt(b + down)), 2, pairAt(c + down)),
      3,
      pairAt(d + down),
    );
    const partX = f32x4.sub(u, f32x4.convert_i32x4_u(column));
    const partY = f32x4.sub(v, f32x4.convert_i32x4_u(row));
    const value = lerp(lerp(low(above), high(above), partX), lerp(low(below), high(below), partX), partY);
    v128.store(sums, f32x4.add(v128.load(sums), v128.and(value, inside)));
    v128.store(counts, f32x4.add(v128.load(counts), v128.and(f32x4.splat(1), inside)));
  }
}

/** Writes means as bytes, and as alpha the share of `most` places that are in the image. Returns the sum of the alphas. */
export function gathered(sums: usize, counts: usize, count: i32, most: i32, out: usize, alpha: usize): u32 {
  let whole: u32 = 0;
  for (let i: usize = 0; i < <usize>count; i++) {
    const seen = load<f32>(counts + (i << 2));
    const share: f32 = (seen * 255.0) / <f32>most;
    const mean: f32 = load<f32>(sums + (i << 2)) / seen;
    const part = <u32>(share + 0.5);
    store<u8>(out + i, seen > 0 ? <u8>(mean + 0.5) : 0);
    store<u8>(alpha + i, <u8>part);
    whole += part;
  }
  return whole;
}
