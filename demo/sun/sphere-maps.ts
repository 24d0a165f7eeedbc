// Noise patterns on the sphere as maps in shared memory, so that a pixel costs one look-up; the threads compute each once, together.
import { bilinear, fractal, noise3, ridges } from './noise.ts';

export const MAP_WIDTH = 2048;
export const MAP_HEIGHT = 1024;

type Pattern = (x: number, y: number, z: number) => number;

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

type PatternName = keyof typeof PATTERNS;
const NAMES = Object.keys(PATTERNS) as PatternName[];
/** Patterns in a texel: a look-up of all of them touches two cache lines. */
const CHANNELS = NAMES.length;

const NEXT_ROW = MAP_WIDTH * CHANNELS;
const BLOCK_ROWS = 64;
const BLOCKS = MAP_HEIGHT / BLOCK_ROWS;
const TEXEL_BYTES = MAP_WIDTH * MAP_HEIGHT * CHANNELS * Float32Array.BYTES_PER_ELEMENT;
const STATE_BYTES = CHANNELS * BLOCKS * Int32Array.BYTES_PER_ELEMENT;
const [FREE, TAKEN, DONE] = [0, 1, 2];
/** Wait for a block (about 50 ms of work) of another thread before this thread computes it, because the other may have ended. */
const BLOCK_TIMEOUT_MS = 2_000;

let memory: SharedArrayBuffer | undefined;
let texels: Float32Array = new Float32Array(0);
let states: Int32Array = new Int32Array(0);

/** Makes this thread use shared maps. Call it before its first image. */
export function shareMaps(shared: SharedArrayBuffer): void {
  memory = shared;
  texels = new Float32Array(shared, 0, TEXEL_BYTES / Float32Array.BYTES_PER_ELEMENT);
  states = new Int32Array(shared, TEXEL_BYTES);
}

/** Memory of this thread's maps, 32 MiB of address space until they are computed. */
export function mapMemory(): SharedArrayBuffer {
  const maps = memory ?? new SharedArrayBuffer(TEXEL_BYTES + STATE_BYTES);
  if (!memory) shareMaps(maps);
  return maps;
}

/** Computes the maps at their first use (a second), then keeps them: longitude 0 to 360 by columns, latitude -90 to 90 by rows. */
export function sphereMaps(): void {
  mapMemory();
  for (let channel = 0; channel < CHANNELS; channel++) {
    const first = channel * BLOCKS;
    for (let block = 0; block < BLOCKS; block++)
      if (Atomics.compareExchange(states, first + block, FREE, TAKEN) === FREE) computeBlock(channel, block);
    for (let block = 0; block < BLOCKS; block++)
      if (Atomics.wait(states, first + block, TAKEN, BLOCK_TIMEOUT_MS) === 'timed-out') computeBlock(channel, block);
  }
}

function computeBlock(channel: number, block: number): void {
  const pattern: Pattern = PATTERNS[NAMES[channel] as PatternName];
  const columns = Array.from({ length: MAP_WIDTH }, (_, i) => (i / MAP_WIDTH) * 2 * Math.PI);
  const cosines = columns.map(Math.cos);
  const sines = columns.map(Math.sin);
  for (let row = block * BLOCK_ROWS; row < (block + 1) * BLOCK_ROWS; row++) {
    const latitude = ((row + 0.5) / MAP_HEIGHT - 0.5) * Math.PI;
    const [c, s] = [Math.cos(latitude), Math.sin(latitude)];
    for (let column = 0; column < MAP_WIDTH; column++)
      texels[(row * MAP_WIDTH + column) * CHANNELS + channel] = pattern(
        c * cosines[column]! + 40,
        s + 40,
        c * sines[column]! + 40,
      );
  }
  Atomics.store(states, channel * BLOCKS + block, DONE);
  Atomics.notify(states, channel * BLOCKS + block);
}

/** All patterns at a position in map pixels, the column wrapping, in the order of `PATTERNS`: about -1 to 1. */
export function sampleMaps(column: number, row: number, out: Float64Array): void {
  const fc = Math.floor(column);
  const fr = Math.floor(row);
  const r0 = fr < 0 ? 0 : fr > MAP_HEIGHT - 2 ? MAP_HEIGHT - 2 : fr;
  const tc = column - fc;
  const tr = row < 0 ? 0 : row - r0;
  let a = (r0 * MAP_WIDTH + (fc & (MAP_WIDTH - 1))) * CHANNELS;
  let b = (r0 * MAP_WIDTH + ((fc + 1) & (MAP_WIDTH - 1))) * CHANNELS;
  for (let i = 0; i < CHANNELS; i++, a++, b++) out[i] = bilinear(texels, a, b, a + NEXT_ROW, b + NEXT_ROW, tc, tr);
}
