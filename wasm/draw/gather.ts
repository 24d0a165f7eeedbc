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

/** What whole numbers of 0 to 2^23 become by adding 2^23, of which they are the lowest bits. */
const RAISED: f32 = 8388608;

/** Squares of distances; 0 for what is not a number. */
@inline
function squares(x: v128, y: v128): v128 {
  const sums = f32x4.add(f32x4.mul(x, x), f32x4.mul(y, y));
  return v128.and(sums, f32x4.eq(sums, sums));
}

/**
 * Places along a side of a pixel: as many as leave no aliasing, two from 1.1 samples on, three from 2.1, and four from 3.1. `square`: of its
 * samples, in all four lanes.
 */
@inline
function placesAlong(square: v128): i32 {
  return 1 + popcnt(i32x4.bitmask(f32x4.gt(square, f32x4(1.21000016, 4.41, 9.61, Infinity))));
}

/** Whether one of four corners of pixels is not from `least` up to `most`, both 0 or more. Numbers below 0 and what is no number are not. */
@inline
function isBeyond(a: v128, b: v128, c: v128, d: v128, least: v128, most: v128): bool {
  // Bits of numbers from 0 up have their order.
  const lowest = i32x4.min_s(i32x4.min_s(a, b), i32x4.min_s(c, d));
  const highest = i32x4.max_s(i32x4.max_s(a, b), i32x4.max_s(c, d));
  return v128.any_true(v128.or(i32x4.gt_s(least, lowest), i32x4.gt_s(highest, most)));
}

/** Middles of parts of a side, f32: of one, of two, three and four, each in four numbers. */
const MIDDLES = memory.data<f32>([0.5, 0, 0, 0, 0.25, 0.75, 0, 0, 0.16666667, 0.5, 0.8333333, 0, 0.125, 0.375, 0.625, 0.875]);

/** Places of four pixels, at most 16: addresses of their samples, how far they are to the right and below, and whether they are in the image. */
const PLACE: usize = 64;
const PLACES = memory.data(16 * 64);

/** Four bytes as f32. */
@inline
export function loadBytes(at: usize): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(at))));
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
  const scales = f32x4.splat(scale);
  const edge = f32x4.splat(-0.5 * scale);
  const rightEdge = f32x4.splat((right - 0.5) * scale);
  const bottomEdge = f32x4.splat((bottom - 0.5) * scale);
  const lefts = f32x4.splat(left);
  const tops = f32x4.splat(top);
  const lastX = f32x4.splat(<f32>(width - 1));
  const lastY = f32x4.splat(<f32>(height - 1));
  // So that the last has a neighbour.
  const lastColumn = f32x4.splat(<f32>max(width - 2, 0));
  const lastRow = f32x4.splat(<f32>max(height - 2, 0));
  const mostX = f32x4.min(f32x4.add(lefts, lastColumn), f32x4.sub(rightEdge, scales));
  const mostY = f32x4.min(f32x4.add(tops, lastRow), f32x4.sub(bottomEdge, scales));
  const stride = f32x4.splat(<f32>width);
  const zero = f32x4.splat(0);
  const half = f32x4.splat(0.5);
  const raised = f32x4.splat(RAISED);
  const origin = i32x4.splat(<i32>samples - reinterpret<i32>(RAISED));
  const below = <usize>width;
  const end = upper + (<usize>count << 2);
  for (; upper < end; upper += 16, lower += 16, out += 4, alpha += 4) {
    const first = v128.load(upper);
    if (!v128.any_true(f32x4.eq(first, first))) {
      store<u32>(out, 0);
      store<u32>(alpha, 0);
      continue;
    }
    const xa = f32x4.mul(first, scales);
    const xb = f32x4.mul(v128.load(upper + next), scales);
    const xc = f32x4.mul(v128.load(lower), scales);
    const xd = f32x4.mul(v128.load(lower + next), scales);
    const ya = f32x4.mul(v128.load(upper + ys), scales);
    const yb = f32x4.mul(v128.load(upper + ys + next), scales);
    const yc = f32x4.mul(v128.load(lower + ys), scales);
    const yd = f32x4.mul(v128.load(lower + ys + next), scales);
    const isCut = isBeyond(xa, xb, xc, xd, lefts, mostX) || isBeyond(ya, yb, yc, yd, tops, mostY);
    let sum = zero;
    let seen = zero;
    // The widest of the four pixels.
    const widths = squares(f32x4.sub(xb, xa), f32x4.sub(yb, ya));
    const heights = squares(f32x4.sub(xc, xa), f32x4.sub(yc, ya));
    const pairs = f32x4.pmax(i32x4.shuffle(widths, heights, 0, 1, 4, 5), i32x4.shuffle(widths, heights, 2, 3, 6, 7));
    const widest = f32x4.pmax(pairs, i32x4.shuffle(pairs, pairs, 1, 0, 3, 2));
    const across = placesAlong(i32x4.shuffle(widest, widest, 0, 0, 0, 0));
    const down = placesAlong(i32x4.shuffle(widest, widest, 2, 2, 2, 2));
    const middlesDown = MIDDLES - 16 + (<usize>down << 4);
    const middlesAcross = MIDDLES - 16 + (<usize>across << 4);
    let place = PLACES;
    for (let row = 0; row < down; row++) {
      const v = v128.load32_splat(middlesDown + (<usize>row << 2));
      const xl = lerp(xa, xc, v);
      const yl = lerp(ya, yc, v);
      const dx = f32x4.sub(lerp(xb, xd, v), xl);
      const dy = f32x4.sub(lerp(yb, yd, v), yl);
      for (let column = 0; column < across; column++) {
        const u = v128.load32_splat(middlesAcross + (<usize>column << 2));
        const x = f32x4.add(xl, f32x4.mul(dx, u));
        const y = f32x4.add(yl, f32x4.mul(dy, u));
        let sx = f32x4.sub(x, lefts);
        let sy = f32x4.sub(y, tops);
        if (isCut) {
          const before = v128.and(f32x4.lt(x, rightEdge), f32x4.lt(y, bottomEdge));
          const inside = v128.and(f32x4.ge(f32x4.pmin(x, y), edge), before);
          v128.store(place, inside, 48);
          seen = i32x4.sub(seen, inside);
          // Within the window; 0 for what is not a number.
          sx = f32x4.pmin(f32x4.pmax(zero, sx), lastX);
          sy = f32x4.pmin(f32x4.pmax(zero, sy), lastY);
        }
        const sampleX = f32x4.pmin(f32x4.floor(sx), lastColumn);
        const sampleY = f32x4.pmin(f32x4.floor(sy), lastRow);
        // A window has at most 2^22 samples.
        const at = f32x4.add(f32x4.add(f32x4.mul(sampleY, stride), sampleX), raised);
        v128.store(place, i32x4.add(at, origin));
        v128.store(place, f32x4.sub(sx, sampleX), 16);
        v128.store(place, f32x4.sub(sy, sampleY), 32);
        place += PLACE;
      }
    }
    for (let from: usize = PLACES; from < place; from += PLACE) {
      let above = zero;
      let under = zero;
      const a = load<usize>(from);
      above = v128.load_lane<u16>(a, above, 0);
      under = v128.load_lane<u16>(a + below, under, 0);
      const b = load<usize>(from, 4);
      above = v128.load_lane<u16>(b, above, 2);
      under = v128.load_lane<u16>(b + below, under, 2);
      const c = load<usize>(from, 8);
      above = v128.load_lane<u16>(c, above, 4);
      under = v128.load_lane<u16>(c + below, under, 4);
      const d = load<usize>(from, 12);
      above = v128.load_lane<u16>(d, above, 6);
      under = v128.load_lane<u16>(d + below, under, 6);
      const partX = v128.load(from, 16);
      let value = lerp(lerp(low(above), high(above), partX), lerp(low(under), high(under), partX), v128.load(from, 32));
      if (isCut) value = v128.and(value, v128.load(from, 48));
      sum = f32x4.add(sum, value);
    }
    const all = f32x4.splat(<f32>(across * down));
    let places = all;
    if (isCut) {
      places = f32x4.convert_i32x4_s(seen);
      const share = f32x4.div(f32x4.mul(places, f32x4.splat(255)), all);
      storeBytes(alpha, i32x4.trunc_sat_f32x4_s(f32x4.add(share, half)));
    } else store<u32>(alpha, -1);
    // A pixel without places is not a number, which becomes 0.
    storeBytes(out, i32x4.trunc_sat_f32x4_s(f32x4.add(f32x4.div(sum, places), half)));
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
      const from = block + <usize>(number - 1) * BLOCK;
      v128.store(out, v128.load(from));
      v128.store(out, v128.load(from, 16), 16);
      store<u64>(out, load<u64>(from, 32), 32);
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

/** Which of four places are numbers. */
@inline
function isPlace(at: usize): v128 {
  const places = v128.load(at);
  return f32x4.eq(places, places);
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
      for (let i = 0; i < wide; i += 4) {
        // Pixels with all of their places are not at an edge.
        if (load<i32>(alpha + <usize>i) == -1) continue;
        const above = upper + (<usize>i << 2);
        const below = lower + (<usize>i << 2);
        const some = v128.or(v128.or(isPlace(above), isPlace(above + 4)), v128.or(isPlace(below), isPlace(below + 4)));
        const all = v128.and(v128.and(isPlace(above), isPlace(above + 4)), v128.and(isPlace(below), isPlace(below + 4)));
        const cut = i32x4.bitmask(v128.andnot(some, all));
        for (let k = 0; cut >> k; k++) {
          if ((cut & (1 << k)) == 0 || i + k >= wide) continue;
          store<i32>(edges, pixels + i + k);
          edges += 4;
        }
      }
      pixels += wide;
      out += wide;
      alpha += wide;
    }
    const next = lower;
    lower = upper;
    upper = next;
  }
  return <i32>((edges - first) >> 2);
}
