// Frames that cannot be drawn, and how many of them a movie bears.

/** More than this share of the frames, and the movie would not show what was asked for. */
const MOST_SKIPPED_SHARE = 0.1;
const FEWEST_FRAMES = 2;

/** No attempt will do better. The message is a sentence for the user. */
export class ImpossibleMovie extends Error {
  override readonly name = 'ImpossibleMovie';
}

/** @throws ImpossibleMovie when too many of `planned` frames are skipped */
export function checkSkipped(skipped: number, planned: number): void {
  if (skipped <= planned * MOST_SKIPPED_SHARE && planned - skipped >= FEWEST_FRAMES) return;
  const least = Math.max(FEWEST_FRAMES, Math.ceil(planned * (1 - MOST_SKIPPED_SHARE)));
  throw new ImpossibleMovie(
    `Expected images that can be drawn for at least ${least} of the ${planned} frames, got ${skipped} with damaged or missing ones.`,
  );
}
