// Fractal noise on the sphere, kept as maps of longitude and latitude, so that a pixel costs one look-up.

import { hash } from './random.ts';

export const MAP_WIDTH = 2048;
export const MAP_HEIGHT = 1024;

/** A map over longitude 0 to 360 (columns, wrapping) and latitude -90 to 90 (rows), about -1 to 1. */
export type SphereMap = Float32Array;

const LATTICE = 256;
const lattice = Float32Array.from({ length: LATTICE }, (_, i) => hash(100, i) / 2 ** 31 - 1);
const shuffle = new Uint8Array(LATTICE * 2);
for (let i = 0; i < LATTICE; i++) shuffle[i] = i;
for (let i = LATTICE - 1; i > 0; i--) {
  const j = hash(101, i) % (i + 1);
  [shuffle[i], shuffle[j]] = [shuffle[j] as number, shuffle[i] as number];
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
  const p = shuffle[z] as number;
  const a = shuffle[y0 + p] as number;
  const b = shuffle[y1 + p] as number;
  const v00 = lattice[shuffle[x0 + a] as number] as number;
  const v10 = lattice[shuffle[x1 + a] as number] as number;
  const v01 = lattice[shuffle[x0 + b] as number] as number;
  const v11 = lattice[shuffle[x1 + b] as number] as number;
  const top = v00 + (v10 - v00) * sx;
  return top + (v01 + (v11 - v01) * sx - top) * sy;
}

type Pattern = (x: number, y: number, z: number) => number;

function fractal(x: number, y: number, z: number, frequency: number, octaves: number, gain: number): number {
  let sum = 0;
  let amplitude = 1;
  let f = frequency;
  for (let i = 0; i < octaves; i++) {
    sum += amplitude * noise3(x * f + 17 * i, y * f + 31 * i, z * f + 47 * i);
    amplitude *= gain;
    f *= 2.03;
  }
  return sum;
}

/** Thin bright ridges, as of a network or of threads. */
function ridges(x: number, y: number, z: number, frequency: number, octaves: number): number {
  let sum = 0;
  let amplitude = 1;
  let f = frequency;
  for (let i = 0; i < octaves; i++) {
    sum += amplitude * (1 - 3.2 * Math.abs(noise3(x * f + 13 * i, y * f + 29 * i, z * f + 7 * i)));
    amplitude *= 0.6;
    f *= 2.1;
  }
  return sum;
}

const PATTERNS = {
  /** Quiet corona: clouds of all sizes. */
  clouds: (x, y, z) => fractal(x, y, z, 3.1, 6, 0.62),
  /** Threads that swirl: ridges in a space bent by noise. */
  threads: (x, y, z) => {
    const bend = 0.13;
    const [u, v, w] = [noise3(5 * x + 9, 5 * y, 5 * z), noise3(5 * x, 5 * y + 19, 5 * z), noise3(5 * x, 5 * y, 5 * z + 29)];
    return ridges(x + bend * u, y + bend * v, z + bend * w, 9, 3);
  },
  /** Chromospheric network: cells of some 30 Mm. */
  network: (x, y, z) => {
    const [u, v, w] = [noise3(45 * x, 45 * y, 45 * z), noise3(45 * x + 50, 45 * y, 45 * z), noise3(45 * x, 45 * y + 50, 45 * z)];
    return ridges(x + 0.01 * u, y + 0.01 * v, z + 0.01 * w, 29, 2) + 0.45 * noise3(110 * x, 110 * y, 110 * z);
  },
  /** The finest that a map can hold. */
  mottles: (x, y, z) => fractal(x, y, z, 62, 2, 0.8),
} satisfies Record<string, Pattern>;

export type PatternName = keyof typeof PATTERNS;
const maps = new Map<PatternName, SphereMap>();

/** The map of a pattern, made at its first use (some tenths of a second), then kept. */
export function sphereMap(name: PatternName): SphereMap {
  const kept = maps.get(name);
  if (kept) return kept;
  const pattern: Pattern = PATTERNS[name];
  const map = new Float32Array(MAP_WIDTH * MAP_HEIGHT);
  const columns = Array.from({ length: MAP_WIDTH }, (_, i) => (i / MAP_WIDTH) * 2 * Math.PI);
  const cosines = columns.map(Math.cos);
  const sines = columns.map(Math.sin);
  for (let row = 0; row < MAP_HEIGHT; row++) {
    const latitude = ((row + 0.5) / MAP_HEIGHT - 0.5) * Math.PI;
    const [c, s] = [Math.cos(latitude), Math.sin(latitude)];
    for (let column = 0; column < MAP_WIDTH; column++)
      map[row * MAP_WIDTH + column] = pattern(c * (cosines[column] as number) + 40, s + 40, c * (sines[column] as number) + 40);
  }
  maps.set(name, map);
  return map;
}

/** Bilinear look-up; column and row in map pixels, the column wrapping. */
export function sampleMap(map: SphereMap, column: number, row: number): number {
  const fc = Math.floor(column);
  const fr = Math.floor(row);
  const c0 = fc & (MAP_WIDTH - 1);
  const c1 = (c0 + 1) & (MAP_WIDTH - 1);
  const r0 = fr < 0 ? 0 : fr > MAP_HEIGHT - 2 ? MAP_HEIGHT - 2 : fr;
  const tc = column - fc;
  const tr = row < 0 ? 0 : row - r0;
  const a = r0 * MAP_WIDTH;
  const b = a + MAP_WIDTH;
  const top = (map[a + c0] as number) * (1 - tc) + (map[a + c1] as number) * tc;
  const bottom = (map[b + c0] as number) * (1 - tc) + (map[b + c1] as number) * tc;
  return top + (bottom - top) * tr;
}

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
  const top = (grain[a + x0] as number) * (1 - tu) + (grain[a + x1] as number) * tu;
  const bottom = (grain[b + x0] as number) * (1 - tu) + (grain[b + x1] as number) * tu;
  return top + (bottom - top) * (v - fv);
}
