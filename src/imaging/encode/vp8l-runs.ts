// Backward references of lossless WebP (RFC 9649, 3.6.2.2), of which two kinds are looked for: to the pixel on the left and
// to the row above. That is what flat areas and graphics need; solar noise has no others.

/** Shorter runs cost more than their pixels, most of which take a bit or two. */
const SHORTEST_RUN = 16;
/** The format's longest. */
const LONGEST_RUN = 4096;

/** Distance codes as they stand in the file: places in the neighbourhood, less one. */
export const DISTANCE_ABOVE = 0;
export const DISTANCE_LEFT = 1;

/** Runs in order, three numbers each: first pixel, pixels, distance code. */
export type Runs = readonly number[];

/** How many pixels from `from` on, before `end`, equal those `distance` before them in all planes. */
function matchLength(planes: readonly Uint8Array[], from: number, end: number, distance: number): number {
  for (let at = from; at < end; at++) {
    for (const plane of planes) if (plane[at] !== plane[at - distance]) return at - from;
  }
  return end - from;
}

/** Runs among the first `count` pixels of `planes`, rows of `width`. */
export function findRuns(planes: readonly Uint8Array[], count: number, width: number): Runs {
  const runs: number[] = [];
  for (let at = 1; at < count; ) {
    const end = Math.min(count, at + LONGEST_RUN);
    const left = matchLength(planes, at, end, 1);
    const above = at >= width ? matchLength(planes, at, end, width) : 0;
    const length = Math.max(left, above);
    if (length >= SHORTEST_RUN) runs.push(at, length, left >= above ? DISTANCE_LEFT : DISTANCE_ABOVE);
    at += length >= SHORTEST_RUN ? length : 1;
  }
  return runs;
}

/** Prefix, extra bits and their number of a run's length (3.6.2.2). */
export function lengthPrefix(length: number): { prefix: number; extra: number; extraBits: number } {
  const value = length - 1;
  if (value < 4) return { prefix: value, extra: 0, extraBits: 0 };
  const highest = 31 - Math.clz32(value);
  const extraBits = highest - 1;
  return { prefix: 2 * highest + ((value >> extraBits) & 1), extra: value & ((1 << extraBits) - 1), extraBits };
}
