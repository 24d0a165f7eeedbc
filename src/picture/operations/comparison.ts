// What a layer shows of an image and an older one of its source, as tiles do (subtract and divide in src/imaging/resample.ts).

/** Level of no change. */
export const UNCHANGED = 128;

/** Changes that a difference tells apart, and the levels it shows for each. */
export const CHANGE = { least: -64, most: 63, gain: 2 } as const;

/** The level of a difference: 2 * (newer - older + 64), with the change clamped to -64..63. */
export function differenceLevel(newer: number, older: number): number {
  return UNCHANGED + CHANGE.gain * Math.min(Math.max(newer - older, CHANGE.least), CHANGE.most);
}

/** Levels for a ratio of 1. */
export const RATIO_GAIN = 256;

/** The level of a ratio: 256 * newer / older - 128 to the nearest level, clamped to 0..255; no change for two levels of 0. */
export function ratioLevel(newer: number, older: number): number {
  if (newer === older) return UNCHANGED;
  return Math.min(Math.max(Math.floor((RATIO_GAIN * newer) / older + 0.5) - UNCHANGED, 0), 255);
}
