// Buffers of both inverse transforms: rows, and strips of eight columns, padded for the mirrored neighbours.
import { alloc } from './arena';

/** Bytes of padding before and after each half: one sample (or strip row) for the mirrored neighbour, the rest for whole vectors. */
const ROOM: usize = 32;

/** The low-pass and the high-pass half that the last `openHalves` made. */
export let lowHalf: usize = 0;
export let highHalf: usize = 0;

/** Allocates two halves of `count` samples of `log2Bytes` each. Returns false when out of memory. */
export function openHalves(count: i32, log2Bytes: i32): bool {
  const half = ((<usize>count << log2Bytes) + 2 * ROOM + 15) & ~15;
  const scratch = alloc(2 * half);
  if (!scratch) return false;
  lowHalf = scratch + ROOM;
  highHalf = scratch + half + ROOM;
  return true;
}

/** Symmetric extension by one sample on both sides (F.3.7 reduces to this between lifting steps). */
@inline
export function mirrorRow(half: usize, count: i32): void {
  store<u32>(half - 4, load<u32>(half));
  const end = half + (<usize>count << 2);
  store<u32>(end, load<u32>(end - 4));
}

/** The same for strips: a row of a strip is 32 bytes. */
@inline
export function mirrorStrip(half: usize, count: i32): void {
  memory.copy(half - 32, half, 32);
  const end = half + (<usize>count << 5);
  memory.copy(end, end - 32, 32);
}

/** Writes the two halves to `row`, sample by sample in turn. Up to 7 samples behind the last are overwritten. */
@inline
export function interleave(first: usize, second: usize, count: i32, row: usize): void {
  for (let i = 0; i < count; i += 8, first += 16, second += 16, row += 32) {
    const u = v128.load(first);
    const v = v128.load(second);
    v128.store(row, i32x4.shuffle(u, v, 0, 4, 1, 5));
    v128.store(row, i32x4.shuffle(u, v, 2, 6, 3, 7), 16);
  }
}

/** Loads `count` rows of eight columns into a strip. */
@inline
export function loadStrip(strip: usize, from: usize, stride: usize, count: i32): void {
  for (let i = 0; i < count; i++, from += stride, strip += 32) {
    v128.store(strip, v128.load(from));
    v128.store(strip, v128.load(from, 16), 16);
  }
}

/** Address of row `y` of the result in the two halves of a strip. */
@inline
export function stripRow(L: usize, H: usize, y: i32, odd: i32): usize {
  return ((y ^ odd) & 1 ? H : L) + (<usize>(y >> 1) << 5);
}

/** Stores the first `count` of eight samples. */
@inline
export function storeStripRow(at: usize, low: v128, high: v128, count: i32): void {
  if (count >= 8) {
    v128.store(at, low);
    v128.store(at, high, 16);
    return;
  }
  for (let i = 0; i < count; i++, at += 4) {
    v128.store_lane<u32>(at, low, 0);
    low = i32x4.shuffle(low, high, 1, 2, 3, 4);
    high = i32x4.shuffle(high, high, 1, 2, 3, 3);
  }
}
