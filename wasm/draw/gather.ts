// Samples of a window at places between them: bilinear, four pixels at a time. Places are pixels of the image, f32, not numbers where it shows
// nothing.

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

/** Columns or rows of samples at four places, within the window; 0 for what is not a number. */
@inline
function placed(at: v128, scale: v128, from: v128, last: v128): v128 {
  return f32x4.pmin(f32x4.pmax(f32x4.splat(0), f32x4.sub(f32x4.mul(at, scale), from)), last);
}

/** What whole numbers of 0 to 2^23 become by adding 2^23, of which they are the lowest bits. */
const RAISED: f32 = 8388608;

/** Places along a side of a pixel, at most, and samples by which it may be wider than one place. */
const MOST: f32 = 4;
const SLACK: f32 = 0.1;

/** Places along a side of four pixels, from corner to corner of each: as many as leave no aliasing in the widest. */
@inline
function placesAlong(x: v128, y: v128, scale: f32): i32 {
  const sums = f32x4.add(f32x4.mul(x, x), f32x4.mul(y, y));
  const squares = v128.and(sums, f32x4.eq(sums, sums));
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
  // So that the last has a neighbour.
  const lastColumn = f32x4.splat(<f32>max(width - 2, 0));
  const lastRow = f32x4.splat(<f32>max(height - 2, 0));
  const stride = i32x4.splat(width);
  const half = f32x4.splat(0.5);
  const raised = f32x4.splat(RAISED);
  const origin = samples - <usize>reinterpret<i32>(RAISED) * <usize>(width + 1);
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
    let seen = i32x4.splat(0);
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
        const before = v128.and(f32x4.lt(x, rightEdge), f32x4.lt(y, bottomEdge));
        const inside = v128.and(f32x4.ge(f32x4.pmin(x, y), edge), before);
        if (!v128.any_true(inside)) continue;
        const sx = placed(x, scales, lefts, lastX);
        const sy = placed(y, scales, tops, lastY);
        const sampleX = f32x4.pmin(f32x4.floor(sx), lastColumn);
        const sampleY = f32x4.pmin(f32x4.floor(sy), lastRow);
        const at = i32x4.add(i32x4.mul(f32x4.add(sampleY, raised), stride), f32x4.add(sampleX, raised));
        const below = <usize>width;
        let above = f32x4.splat(0);
        let under = above;
        const a = origin + <usize>i32x4.extract_lane(at, 0);
        above = v128.load_lane<u16>(a, above, 0);
        under = v128.load_lane<u16>(a + below, under, 0);
        const b = origin + <usize>i32x4.extract_lane(at, 1);
        above = v128.load_lane<u16>(b, above, 2);
        under = v128.load_lane<u16>(b + below, under, 2);
        const c = origin + <usize>i32x4.extract_lane(at, 2);
        above = v128.load_lane<u16>(c, above, 4);
        under = v128.load_lane<u16>(c + below, under, 4);
        const d = origin + <usize>i32x4.extract_lane(at, 3);
        above = v128.load_lane<u16>(d, above, 6);
        under = v128.load_lane<u16>(d + below, under, 6);
        const partX = f32x4.sub(sx, sampleX);
        const partY = f32x4.sub(sy, sampleY);
        const value = lerp(lerp(low(above), high(above), partX), lerp(low(under), high(under), partX), partY);
        sum = f32x4.add(sum, v128.and(value, inside));
        seen = i32x4.sub(seen, inside);
      }
    }
    const places = f32x4.convert_i32x4_s(seen);
    // A pixel without places is not a number, which becomes 0.
    storeBytes(out, i32x4.trunc_sat_f32x4_s(f32x4.add(f32x4.div(sum, places), half)));
    const share = f32x4.div(f32x4.mul(places, f32x4.splat(255)), f32x4.splat(<f32>(across * down)));
    storeBytes(alpha, i32x4.trunc_sat_f32x4_s(f32x4.add(share, half)));
  }
}

/** Cells along a side between nodes, and bytes of the block of an exact cell, of one axis and of a row: as in src/sun/coordinates/nodes.ts. */
const NODE: i32 = 8;
const ROW: usize = 40;
const AXIS: usize = 9 * ROW;
const BLOCK: usize = 2 * AXIS;

/**
 * Writes the places of a row along one axis, nine of each cell, so that the last has that of its far side.
 *
 * `nodes`: f64 of the nodes above the row, those below `stride` bytes behind, bends `plane` bytes behind each other. `v`: how far the row is in its
 * cells. `exact`: numbers of their blocks, from 1, the row of the first of which is at `block`.
 */
function placeAxis(nodes: usize, stride: usize, plane: usize, v: f64, exact: usize, block: usize, out: usize): void {
  const far = 1 - v;
  for (const end = nodes + stride - 8; nodes < end; nodes += 8, exact += 4, out += 32) {
    const number = load<i32>(exact);
    if (number) {
      memory.copy(out, block + <usize>(number - 1) * BLOCK, ROW);
      continue;
    }
    const upper = f64x2.mul(f64x2.splat(far), v128.load(nodes));
    const sides = f64x2.add(upper, f64x2.mul(f64x2.splat(v), v128.load(nodes + stride)));
    const bend = load<f64>(nodes + plane);
    const left = f64x2.extract_lane(sides, 0);
    const across = f64x2.splat(f64x2.extract_lane(sides, 1) - left - bend);
    const first = f64x2.splat(left - v * far * load<f64>(nodes + 2 * plane));
    const bends = f64x2.splat(bend);
    let u = f64x2(0, 0.125);
    for (let k: usize = 0; k < ROW; k += 8) {
      const place = f64x2.add(first, f64x2.mul(u, f64x2.add(across, f64x2.mul(u, bends))));
      v128.store_lane<u64>(out + k, f32x4.demote_f64x2_zero(place), 0);
      u = f64x2.add(u, f64x2.splat(0.25));
    }
  }
}

/**
 * Draws a grid through a table of `columns` x `rows` nodes: `wide` x `high` pixels as in `gather`. Returns how many of them the edge of what is seen
 * goes through, whose numbers are written to `edges`, i32.
 *
 * `nodes`: f64, of x and then of y the nodes, and the bends of cells across and down. `exact`, `blocks`: numbers of the blocks of cells, from 1 or 0
 * for none, and these. `scratch`: 4 * (8 * `columns` + 8) places.
 */
export function gatherTable(
  samples: usize, width: i32, height: i32, left: f32, top: f32, scale: f32, right: f32, bottom: f32, nodes: usize, columns: i32,
  rows: i32, exact: usize, blocks: usize, wide: i32, high: i32, scratch: usize, out: usize, alpha: usize, edges: usize,
): i32 {
  const stride = <usize>columns << 3;
  const plane = stride * <usize>rows;
  const ys = (stride + 8) << 2;
  const first = edges;
  let lower = scratch;
  let upper = scratch + 2 * ys;
  for (let row = 0, pixels = 0; row <= high; row++) {
    const above = min(row / NODE, rows - 2);
    const down = row - above * NODE;
    const v = <f64>down / <f64>NODE;
    for (let axis: usize = 0; axis < 2; axis++) {
      const own = nodes + 3 * axis * plane + <usize>above * stride;
      const block = blocks + axis * AXIS + <usize>down * ROW;
      placeAxis(own, stride, plane, v, exact + ((<usize>above * stride) >> 1), block, lower + axis * ys);
    }
    // Beyond the last pixel there are no places.
    v128.store(lower + (<usize>(wide + 1) << 2), f32x4.splat(NaN));
    if (row) {
      gather(samples, width, height, left, top, scale, right, bottom, upper, lower, ys, 4, wide, out, alpha);
      for (let i = 0; i < wide; i++, pixels++) {
        const x = <usize>i << 2;
        const corners = i32x4.shuffle(v128.load64_zero(upper + x), v128.load64_zero(lower + x), 0, 1, 4, 5);
        const seen = i32x4.bitmask(f32x4.eq(corners, corners));
        if (seen == 0 || seen == 15) continue;
        store<i32>(edges, pixels);
        edges += 4;
      }
      out += wide;
      alpha += wide;
    }
    const next = lower;
    lower = upper;
    upper = next;
  }
  return <i32>((edges - first) >> 2);
}
