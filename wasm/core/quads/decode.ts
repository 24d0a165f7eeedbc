// Decoder of the quad code (docs/sidecar-format.md): a code-block to dequantised samples.
//
// A block is padded to multiples of 4 and cut into quads of 2 x 2 samples. Its upper and its lower half are decoded in lock-step:
// two independent chains of look-ups, which the processor overlaps. A quad is one look-up in a table of states (tANS) that its left
// and upper neighbours choose; it yields all four magnitudes, clipped at 3.
//
// Stream A, forwards, least significant bit first: two first states, then the bits of the steps.
// Stream B, backwards from the end, most significant bit first: signs, low bits, magnitudes above the clip.
import { BAD_QUADS } from '../status';
import { t1Fits } from '../t1';
import {
  CONTEXTS, entryOf, FREQUENCY, LOG2_STATES, MOST_LOW_BITS, RARE, RARE_SUM, leftClass, spreadSymbols, STATE_SYMBOLS, STATES,
  sumOf, SYMBOLS, upperClass,
} from './tables';

/**
 * Entries of all contexts: the class of the upper neighbours at bit 14 of an address, that of the left neighbour at bit 12, the state
 * at bit 2. An entry: bits 0-11 base of the next state times 4, 12-13 class of this quad as left neighbour, 14-17 bits to read, 18-25
 * magnitudes of 2 bits, 26-29 their sum, 30 special (a magnitude of 3, or rare), 31 rare: the magnitudes are in B.
 */
const TABLES: usize = memory.data(3 << 14, 64);
const STATE_MASK: u32 = (STATES - 1) << 2;
const NEXT: u32 = 0x3fff;
const SPECIAL: u32 = 1 << 30;
const IS_RARE: u32 = 1 << 31;

/** Reconstruction points of the 256 patterns as f32x4, for blocks that end with a whole bit-plane and for others. */
const POINTS: usize = memory.data(256 * 16, 64);
const POINTS_PARTIAL: usize = memory.data(256 * 16, 64);
/** The four magnitudes as i32x4. */
const MAGNITUDES: usize = memory.data(256 * 16, 64);
/** Sign bits as i32x4: index is the mask of non-zero lanes << 4 | the next four bits of B. */
const SIGNS: usize = memory.data(256 * 16, 64);
/** Mask of non-zero lanes << 4. */
const NON_ZERO: usize = memory.data(256, 64);

/** Sums and classes of a row of quads of each half, for blocks of up to 1024 columns, with room for whole vectors. */
const LOWER_HALF: usize = 512 + 32;
const SUMS: usize = memory.data(2 * (512 + 32), 16);
const CLASSES: usize = memory.data(2 * (512 + 32), 16);
/** Low bits of every 16 x 16 samples of both halves. */
const LOW_BITS: usize = memory.data(2 * 1024, 16);
const LOWER_LOW_BITS: usize = 1024;
/** A block at a position that is not a whole block of the target. */
const STAGE: usize = memory.data(4096 * 4 + 64, 64);
const LANES: usize = memory.data(16, 16);

/** Bits of the flags of a block. */
const PARTIAL: u32 = 0x80;
const DENSE: u32 = 0x40;
const PLANE: u32 = 0x1f;

/** Bits that have been read of B, and the address of its last eight bytes. */
let positionB: usize = 0;
let endB: usize = 0;

function fillPatterns(): void {
  for (let pattern: u32 = 0; pattern < 256; pattern++) {
    let mask: u32 = 0;
    for (let lane: u32 = 0; lane < 4; lane++) {
      const s = (pattern >> (2 * lane)) & 3;
      const at = (<usize>pattern << 4) + (lane << 2);
      store<u32>(MAGNITUDES + at, s);
      if (!s) continue;
      mask |= 1 << lane;
      const twice = <f32>s * 2;
      store<f32>(POINTS + at, twice + 1);
      store<f32>(POINTS_PARTIAL + at, s == 1 ? 1.5 : twice - 1);
    }
    store<u8>(NON_ZERO + pattern, <u8>(mask << 4));
    let bit: u32 = 8;
    for (let lane: u32 = 0; lane < 4; lane++) {
      if (!((pattern >> (4 + lane)) & 1)) continue;
      if (pattern & bit) store<u32>(SIGNS + (<usize>pattern << 4) + (lane << 2), 0x80000000);
      bit >>= 1;
    }
  }
}
fillPatterns();

/** Rank that the next state of each symbol has, plus its frequency. */
const NEXT_RANK: usize = memory.data(257 * 2, 16);

function fillTable(context: u32): void {
  const table = TABLES + ((context / 3) << 14) + ((context % 3) << 12);
  spreadSymbols(context);
  memory.copy(NEXT_RANK, entryOf(FREQUENCY, context, 0), SYMBOLS << 1);
  for (let state: u32 = 0; state < STATES; state++) {
    const symbol: u32 = load<u16>(STATE_SYMBOLS + (state << 1));
    const rank: u32 = load<u16>(NEXT_RANK + (symbol << 1));
    store<u16>(NEXT_RANK + (symbol << 1), <u16>(rank + 1));
    const bits: u32 = clz(rank) - (31 - LOG2_STATES);
    const base = (rank << bits) - STATES;
    const isRare = symbol == RARE;
    const pattern = isRare ? 0 : symbol;
    const sum = isRare ? RARE_SUM : sumOf(pattern);
    const special = isRare || (pattern & (pattern >> 1) & 0x55) != 0;
    const entry = (base << 2) | (leftClass(sum) << 12) | (bits << 14) | (pattern << 18) | (sum << 26);
    store<u32>(table + (state << 2), entry | (special ? SPECIAL : 0) | (isRare ? IS_RARE : 0));
  }
}
for (let context: u32 = 0; context < CONTEXTS; context++) fillTable(context);

/** The bits of B from `position` on, at least 57 of them, at the top. */
@inline
function bitsFrom(position: usize): u64 {
  return load<u64>(endB - (position >> 3)) << (position & 7);
}

/** Entry of the quad at `x` of a half, from the class of its upper neighbours and the state with the class of its left one. */
@inline
function lookUp(classes: usize, x: usize, state: u32): u32 {
  return load<u32>(TABLES + (<usize>load<u8>(classes + x) << 14) + state);
}

@inline
function bitsOf(entry: u32): u32 {
  return (entry >> 14) & 15;
}

@inline
function patternOf(entry: u32): usize {
  return (entry >> 18) & 0xff;
}

/** Classes of the upper neighbours for a row of quads, from the sums of the row above. */
@inline
function classify(sums: usize, classes: usize, quads: usize): void {
  for (let x: usize = 0; x < quads; x += 16) {
    const above = v128.load(sums + x);
    const v = i8x16.add(i8x16.add(above, above), v128.load(sums + x, 1));
    v128.store(classes + x, i8x16.neg(i8x16.add(i8x16.gt_u(v, i8x16.splat(0)), i8x16.gt_u(v, i8x16.splat(4)))));
  }
}

/** Reconstruction points, signs and the step size to samples: f32, or i32 when reversible. */
@inline
function samplesOf(points: v128, signs: v128, scales: v128, reversible: bool): v128 {
  const scaled = f32x4.mul(points, scales);
  if (!reversible) return v128.or(scaled, signs);
  const negative = i32x4.shr_s(signs, 31);
  return i32x4.sub(v128.xor(i32x4.trunc_sat_f32x4_s(scaled), negative), negative);
}

/** Reconstruction points of magnitudes that are no pattern: 2s + 1; in blocks that end within a bit-plane 1.5 and 2s - 1. */
@inline
function pointsOf(s: v128, partial: bool): v128 {
  // All bits, which are -1, where there is a magnitude. Vectors that are computed take fewer bytes of the core than constants.
  const significant = i32x4.shr_s(i32x4.neg(s), 31);
  const twice = i32x4.add(s, s);
  if (!partial) return f32x4.convert_i32x4_s(i32x4.sub(twice, significant));
  const single = v128.and(i32x4.eq(s, i32x4.neg(significant)), significant);
  // The bits of 0.5.
  const half = i32x4.shr_u(i32x4.shl(single, 26), 2);
  return f32x4.add(f32x4.convert_i32x4_s(i32x4.add(twice, significant)), half);
}

/** Magnitudes of a special quad: pattern, if rare, and an Exp-Golomb number for each that is clipped. */
@inline
function specialMagnitudes(entry: u32): v128 {
  let position = positionB;
  let pattern = patternOf(entry);
  if (entry & IS_RARE) {
    pattern = <usize>(bitsFrom(position) >> 56);
    position += 8;
  }
  let clipped: u32 = <u32>(pattern & (pattern >> 1) & 0x55);
  v128.store(LANES, v128.load(MAGNITUDES + (pattern << 4)));
  while (clipped) {
    const lane: usize = ctz(clipped) >> 1;
    clipped &= clipped - 1;
    const bits = bitsFrom(position);
    const length = 2 * min<u64>(clz(bits), 28) + 1;
    store<u32>(LANES + (lane << 2), 2 + <u32>(bits >> (64 - length)));
    position += <usize>length;
  }
  positionB = position;
  return v128.load(LANES);
}

/** A quad of a dense part with the magnitudes `high` above `k` low bits: its numbers 0, 1, 2, 3, ... are 0, -1, +1, -2, ... */
@inline
function denseQuad(high: v128, k: u32, partial: bool, scales: v128, reversible: bool): v128 {
  const down: u64 = 64 - k;
  const up: u64 = k;
  let bits = bitsFrom(positionB);
  let low = i32x4.splat(<i32>(bits >> down));
  bits <<= up;
  low = i32x4.replace_lane(low, 1, <i32>(bits >> down));
  // 57 bits hold four numbers of up to 14 bits.
  if (k > 14) bits = bitsFrom(positionB + 2 * k);
  else bits <<= up;
  low = i32x4.replace_lane(low, 2, <i32>(bits >> down));
  bits <<= up;
  low = i32x4.replace_lane(low, 3, <i32>(bits >> down));
  positionB += 4 * k;
  const numbers = v128.or(i32x4.shl(high, k), low);
  const s = i32x4.shr_u(i32x4.sub(numbers, i32x4.eq(numbers, numbers)), 1);
  return samplesOf(pointsOf(s, partial), i32x4.shl(numbers, 31), scales, reversible);
}

/** A quad of a part that may be sparse, dense or special. */
function anyQuad(entry: u32, k: u32, partial: bool, scales: v128, reversible: bool): v128 {
  const s = entry & SPECIAL ? specialMagnitudes(entry) : v128.load(MAGNITUDES + (patternOf(entry) << 4));
  if (k) return denseQuad(s, k, partial, scales, reversible);
  const mask: u32 = i32x4.bitmask(i32x4.gt_s(s, i32x4.splat(0)));
  const signs: usize = (mask << 4) | <u32>(bitsFrom(positionB) >> 60);
  positionB += popcnt(mask);
  return samplesOf(pointsOf(s, partial), v128.load(SIGNS + (signs << 4)), scales, reversible);
}

/** Low bits of all parts of both halves, each as the difference from the part before: 0, +1, -1, +2, ... in unary. */
function readLowBits(parts: usize): void {
  for (let half: usize = 0; half < 2; half++) {
    let k: i32 = 0;
    for (let i: usize = 0; i < parts; i++) {
      const unary = <i32>min<u64>(clz(bitsFrom(positionB)), 56);
      positionB += unary + 1;
      k += unary & 1 ? (unary + 1) >> 1 : -(unary >> 1);
      k = min(max(k, 0), <i32>MOST_LOW_BITS);
      store<u8>(LOW_BITS + half * LOWER_LOW_BITS + i, <u8>k);
    }
  }
}

/**
 * Decodes `rows` rows of quads of both halves of a block of w x h samples to `target`. Returns 0 or BAD_QUADS. The bytes are counted after
 * every row, so a damaged block reads at most 2 kB behind its bytes in stream A and 48 kB before them in stream B.
 */
@inline
function decodeHalves(
  from: usize, length: usize, w: usize, h: usize, flags: u32, rows: usize, target: usize, stride: usize, scale: f32,
  reversible: bool,
): i32 {
  const partial = (flags & PARTIAL) != 0;
  const dense = (flags & DENSE) != 0;
  const scales = f32x4.splat(scale);
  const points = partial ? POINTS_PARTIAL : POINTS;
  const quads = ((w + 3) & ~3) >> 1;
  const half = ((h + 3) & ~3) >> 1;
  const across = (quads + 7) >> 3;
  const down = (half + 15) >> 4;
  const lastBit = length << 3;
  endB = from + length - 8;
  positionB = 0;
  if (dense) readLowBits(across * down);
  else {
    memory.fill(LOW_BITS, 0, across);
    memory.fill(LOW_BITS + LOWER_LOW_BITS, 0, across);
  }
  memory.fill(SUMS, 0, quads + 17);
  memory.fill(SUMS + LOWER_HALF, 0, quads + 17);

  let b = positionB;
  let a: usize = 2 * LOG2_STATES;
  const first = load<u32>(from);
  let upper: u32 = (first & (STATES - 1)) << 2;
  let lower: u32 = ((first >> LOG2_STATES) & (STATES - 1)) << 2;
  let parts: usize = LOW_BITS;
  const far = half * stride;

  for (let row: usize = 0; row < rows; row++) {
    classify(SUMS, CLASSES, quads);
    classify(SUMS + LOWER_HALF, CLASSES + LOWER_HALF, quads);
    // Clears the class of the left neighbour, which the first quad does not have.
    upper &= STATE_MASK;
    lower &= STATE_MASK;
    parts = dense ? LOW_BITS + (row >> 3) * across : LOW_BITS;
    let out = target + 2 * row * stride;
    for (let x: usize = 0; x < quads; parts++) {
      const end = min(quads, x + 8);
      const k0: u32 = load<u8>(parts);
      const k1: u32 = load<u8>(parts, LOWER_LOW_BITS);
      const sparse = (k0 | k1) == 0;
      const bothDense = k0 != 0 && k1 != 0;
      for (; x < end; x += 2, out += 16) {
        // Two quads of each half. The bits are two bits further up, because states in addresses are.
        let bitsA = (load<u64>(from + (a >> 3)) >> (a & 7)) << 2;
        const e0 = lookUp(CLASSES, x, upper);
        const e1 = lookUp(CLASSES + LOWER_HALF, x, lower);
        const n0 = bitsOf(e0);
        const n1 = bitsOf(e1);
        upper = (e0 & NEXT) + (<u32>bitsA & ((4 << n0) - 4));
        bitsA >>= n0;
        lower = (e1 & NEXT) + (<u32>bitsA & ((4 << n1) - 4));
        bitsA >>= n1;
        const e2 = lookUp(CLASSES, x + 1, upper);
        const e3 = lookUp(CLASSES + LOWER_HALF, x + 1, lower);
        const n2 = bitsOf(e2);
        const n3 = bitsOf(e3);
        upper = (e2 & NEXT) + (<u32>bitsA & ((4 << n2) - 4));
        bitsA >>= n2;
        lower = (e3 & NEXT) + (<u32>bitsA & ((4 << n3) - 4));
        a += n0 + n1 + n2 + n3;
        store<u16>(SUMS + x, <u16>(((e0 >> 26) & 15) | ((e2 >> 18) & 0xf00)));
        store<u16>(SUMS + LOWER_HALF + x, <u16>(((e1 >> 26) & 15) | ((e3 >> 18) & 0xf00)));

        let q0: v128, q1: v128, q2: v128, q3: v128;
        const plain = ((e0 | e1 | e2 | e3) & SPECIAL) == 0;
        if (plain && sparse) {
          let bitsB = bitsFrom(b);
          const p0 = patternOf(e0);
          const p1 = patternOf(e1);
          const p2 = patternOf(e2);
          const p3 = patternOf(e3);
          const z0: u32 = load<u8>(NON_ZERO + p0);
          const z1: u32 = load<u8>(NON_ZERO + p1);
          const z2: u32 = load<u8>(NON_ZERO + p2);
          const z3: u32 = load<u8>(NON_ZERO + p3);
          const s0: usize = z0 | <u32>(bitsB >> 60);
          bitsB <<= popcnt(z0);
          const s1: usize = z1 | <u32>(bitsB >> 60);
          bitsB <<= popcnt(z1);
          const s2: usize = z2 | <u32>(bitsB >> 60);
          bitsB <<= popcnt(z2);
          const s3: usize = z3 | <u32>(bitsB >> 60);
          b += popcnt(z0 | (z1 << 8) | (z2 << 16) | (z3 << 24));
          q0 = samplesOf(v128.load(points + (p0 << 4)), v128.load(SIGNS + (s0 << 4)), scales, reversible);
          q1 = samplesOf(v128.load(points + (p1 << 4)), v128.load(SIGNS + (s1 << 4)), scales, reversible);
          q2 = samplesOf(v128.load(points + (p2 << 4)), v128.load(SIGNS + (s2 << 4)), scales, reversible);
          q3 = samplesOf(v128.load(points + (p3 << 4)), v128.load(SIGNS + (s3 << 4)), scales, reversible);
        } else {
          positionB = b;
          if (plain && bothDense) {
            q0 = denseQuad(v128.load(MAGNITUDES + (patternOf(e0) << 4)), k0, partial, scales, reversible);
            q1 = denseQuad(v128.load(MAGNITUDES + (patternOf(e1) << 4)), k1, partial, scales, reversible);
            q2 = denseQuad(v128.load(MAGNITUDES + (patternOf(e2) << 4)), k0, partial, scales, reversible);
            q3 = denseQuad(v128.load(MAGNITUDES + (patternOf(e3) << 4)), k1, partial, scales, reversible);
          } else {
            q0 = anyQuad(e0, k0, partial, scales, reversible);
            q1 = anyQuad(e1, k1, partial, scales, reversible);
            q2 = anyQuad(e2, k0, partial, scales, reversible);
            q3 = anyQuad(e3, k1, partial, scales, reversible);
          }
          b = positionB;
        }
        v128.store(out, i64x2.shuffle(q0, q2, 0, 2));
        v128.store(out + stride, i64x2.shuffle(q0, q2, 1, 3));
        v128.store(out + far, i64x2.shuffle(q1, q3, 0, 2));
        v128.store(out + far + stride, i64x2.shuffle(q1, q3, 1, 3));
      }
    }
    if (a + b > lastBit) return BAD_QUADS;
  }
  // The encoder begins with state 0 in both halves, so a whole block ends with it.
  return rows == half >> 1 && ((upper | lower) & STATE_MASK) != 0 ? BAD_QUADS : 0;
}

/**
 * Decodes rows [y0, y1), columns [x0, x1) of a block of w x h samples to `target`, the address of (x0, y0): i32 when reversible, else f32.
 * The block is `length` bytes at `from`; 2 kB behind them must be readable, as the static data before them is. `step`: step size including the scaling
 * of the inverse transform. Returns 0 or BAD_QUADS.
 */
export function decodeQuads(
  from: usize, length: usize, w: i32, h: i32, flags: u32, x0: i32, y0: i32, x1: i32, y1: i32, target: usize, stride: usize,
  reversible: bool, step: f32,
): i32 {
  const plane: i32 = flags & PLANE;
  if (plane == 0 || length < 3 || !t1Fits(w, h)) return BAD_QUADS;
  // Half the step times the weight of the last bit-plane: a power of two, so that every product rounds as in quant.ts.
  const exponent = plane - 2 + i32((flags & PARTIAL) != 0);
  const scale: f32 = (reversible ? <f32>1 : step) * reinterpret<f32>((exponent + 127) << 23);
  const half = ((h + 3) & ~3) >> 1;
  const last = y0 >= half ? y1 - half : min(y1, half);
  const rows = (last + 1) >> 1;
  const whole = x0 == 0 && y0 == 0 && x1 == w && y1 == h && ((w | h) & 3) == 0;
  const room = <usize>((w + 3) & ~3) << 2;
  const to = whole ? target : STAGE;
  const toStride = whole ? stride : room;
  const status = reversible
    ? decodeHalves(from, length, w, h, flags, rows, to, toStride, scale, true)
    : decodeHalves(from, length, w, h, flags, rows, to, toStride, scale, false);
  if (status < 0 || whole) return status;
  const bytes = <usize>(x1 - x0) << 2;
  let source = STAGE + <usize>y0 * room + (<usize>x0 << 2);
  for (let y = y0; y < y1; y++, source += room, target += stride) memory.copy(target, source, bytes);
  return 0;
}
