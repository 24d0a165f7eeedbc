// Backward references of lossless WebP (RFC 9649, 3.6.2.2). Only two kinds are searched for, to the pixel on the left and to the row
// above: flat areas and graphics need these, and solar noise has no others.

/** Shorter runs cost more bits than their pixels. */
const MIN_RUN = 16;
/** Limit of the format. */
const MAX_RUN = 4096;

/** Distance codes as stored: index in the neighbourhood table, minus one. */
const DISTANCE_ABOVE = 0;
const DISTANCE_LEFT = 1;

/** Runs in order, three numbers each: first pixel, length, distance code. */
export type Runs = readonly number[];

/** Number of pixels in [from, end) that equal, in all channels, those `distance` before them. */
function matchLength(channels: readonly Uint8Array[], from: number, end: number, distance: number): number {
  for (let at = from; at < end; at++) {
    for (const values of channels) if (values[at] !== values[at - distance]) return at - from;
  }
  return end - from;
}

/** Runs among the first `count` pixels of `channels`, rows of `width`. */
export function findRuns(channels: readonly Uint8Array[], count: number, width: number): Runs {
  const runs: number[] = [];
  for (let at = 1; at < count; ) {
    const end = Math.min(count, at + MAX_RUN);
    const left = matchLength(channels, at, end, 1);
    const above = at >= width ? matchLength(channels, at, end, width) : 0;
    const length = Math.max(left, above);
    if (length >= MIN_RUN) runs.push(at, length, left >= above ? DISTANCE_LEFT : DISTANCE_ABOVE);
    at += length >= MIN_RUN ? length : 1;
  }
  return runs;
}

/** Prefix symbol, extra bits and their number for the length of a run (3.6.2.2). */
export function lengthPrefix(length: number): { prefix: number; extra: number; extraBits: number } {
  const value = length - 1;
  if (value < 4) return { prefix: value, extra: 0, extraBits: 0 };
  const highest = 31 - Math.clz32(value);
  const extraBits = highest - 1;
  return { prefix: 2 * highest + ((value >> extraBits) & 1), extra: value & ((1 << extraBits) - 1), extraBits };
}
