// What a layer shows of an image and an older one of its source. The difference is that of tiles (subtract in src/imaging/resample.ts).

/** Level of no change. */
export const UNCHANGED = 128;

/** Changes that a difference tells apart, and the levels it shows for each. */
export const CHANGE = { least: -64, most: 63, gain: 2 } as const;

/** The level of a difference: 2 * (newer - older + 64), with the change clamped to -64..63. */
export function differenceLevel(newer: number, older: number): number {
  return UNCHANGED + CHANGE.gain * Math.min(Math.max(newer - older, CHANGE.least), CHANGE.most);
}
