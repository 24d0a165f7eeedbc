// Pseudo-random numbers as pure functions of their keys; value noise in space and its fractal sums; a repeating tile of fine grain.

const SEED = 20_240_510;

/** Hash of integers, 0 to 2^32 - 1. */
export function hash(...keys: number[]): number {
  let h = SEED;
  for (const key of keys) {
    h = Math.imul(h ^ (key | 0), 0x9e3779b1);
    h = Math.imul(h ^ (h >>> 15), 0x85ebca6b);
    h ^= h >>> 13;
  }
  return h >>> 0;
}

export type RandomStream = ReturnType<typeof randomStream>;

export function randomStream(...keys: number[]) {
  let state = hash(...keys);
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    /** Uniform from `low` to `high`. */
    between: (low: number, high: number) => low + (high - low) * next(),
    normal: (mean: number, deviation: number) =>
      mean + deviation * Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  };
}

const LATTICE = 256;
const lattice = Float32Array.from({ length: LATTICE }, (_, i) => hash(100, i) / 2 ** 31 - 1);
const shuffle = new Uint8Array(LATTICE * 2);
for (let i = 0; i < LATTICE; i++) shuffle[i] = i;
for (let i = LATTICE - 1; i > 0; i--) {
  const j = hash(101, i) % (i + 1);
  [shuffle[i], shuffle[j]] = [shuffle[j]!, shuffle[i]!];
}
shuffle.copyWithin(LATTICE, 0, LATTICE);

/** Value noise in space, -1 to 1, smooth, repeating every 256. */
export function noise3(x: number, y: number, z: number): number {
  const fx = Math.floor(x);
  const fy = Math.floor(y);
  const fz = Math.floor(z);
  const sx = smooth(x - fx);
  const sy = smooth(y - fy);
  const near = plane(fx & 255, (fx + 1) & 255, fy & 255, (fy + 1) & 255, fz & 255, sx, sy);
  const far = plane(fx & 255, (fx + 1) & 255, fy & 255, (fy + 1) & 255, (fz + 1) & 255, sx, sy);
  return near + (far - near) * smooth(z - fz);
}

const smooth = (t: number) => t * t * (3 - 2 * t);

function plane(x0: number, x1: number, y0: number, y1: number, z: number, sx: number, sy: number): number {
  const p = shuffle[z]!;
  const a = shuffle[y0 + p]!;
  const b = shuffle[y1 + p]!;
  const v00 = lattice[shuffle[x0 + a]!] as number;
  const v10 = lattice[shuffle[x1 + a]!] as number;
  const v01 = lattice[shuffle[x0 + b]!] as number;
  const v11 = lattice[shuffle[x1 + b]!] as number;
  const top = v00 + (v10 - v00) * sx;
  return top + (v01 + (v11 - v01) * sx - top) * sy;
}

/** The sum of octaves, each with `gain` times the amplitude of the one before and `step` times its frequency. */
function octaves(count: number, frequency: number, gain: number, step: number, at: (f: number, i: number) => number): number {
  let [sum, amplitude, f] = [0, 1, frequency];
  for (let i = 0; i < count; i++, amplitude *= gain, f *= step) sum += amplitude * at(f, i);
  return sum;
}

export const fractal = (x: number, y: number, z: number, frequency: number, count: number, gain: number): number =>
  octaves(count, frequency, gain, 2.03, (f, i) => noise3(x * f + 17 * i, y * f + 31 * i, z * f + 47 * i));

/** Thin bright ridges for networks and threads. */
export const ridges = (x: number, y: number, z: number, frequency: number, count: number): number =>
  octaves(count, frequency, 0.6, 2.1, (f, i) => 1 - 3.2 * Math.abs(noise3(x * f + 13 * i, y * f + 29 * i, z * f + 7 * i)));

const TILE = 1024;
let grain: Float32Array | undefined;

/** Flat noise that repeats every 1024 in both directions, about -1 to 1, with details from 4 down to 1. */
export function sampleGrain(u: number, v: number): number {
  grain ??= Float32Array.from({ length: TILE * TILE }, (_, i) => {
    const [x, y] = [(i % TILE) / 4, Math.floor(i / TILE) / 4];
    return 0.9 * noise3(x, y, 0.5) + 0.7 * noise3(2 * x, 2 * y, 9.5) + 0.5 * noise3(4 * x + 0.5, 4 * y + 0.5, 17.5);
  });
  const fu = Math.floor(u);
  const fv = Math.floor(v);
  const tu = u - fu;
  const x0 = fu & (TILE - 1);
  const x1 = (fu + 1) & (TILE - 1);
  const a = (fv & (TILE - 1)) * TILE;
  const b = ((fv + 1) & (TILE - 1)) * TILE;
  return bilinear(grain, a + x0, a + x1, b + x0, b + x1, tu, v - fv);
}

/** The value between those at `a` and `b` of one row and at `c` and `d` of the next. */
export function bilinear(values: Float32Array, a: number, b: number, c: number, d: number, tx: number, ty: number): number {
  const near = values[a]! * (1 - tx) + values[b]! * tx;
  const far = values[c]! * (1 - tx) + values[d]! * tx;
  return near + (far - near) * ty;
}
