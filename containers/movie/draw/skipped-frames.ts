// Frames that cannot be drawn, and how many of them a movie bears.

/** More than this share of the frames, and the movie would not show what was asked for. */
const MOST_SKIPPED_SHARE = 0.1;
/** Frames that any movie bears to lose, as in the original service: a share of few frames would be none. */
const SKIPPED = 3;
const FEWEST_FRAMES = 2;

/** No attempt will do better. The message is a sentence for the user. */
export class ImpossibleMovie extends Error {
  override readonly name = 'ImpossibleMovie';
}

/** @throws ImpossibleMovie when too many of `planned` frames are skipped */
export function checkSkipped(skipped: number, planned: number): void {
  const most = Math.max(SKIPPED, Math.floor(planned * MOST_SKIPPED_SHARE));
  const least = Math.max(FEWEST_FRAMES, planned - most);
  if (planned - skipped >= least) return;
  throw new ImpossibleMovie(
    `Expected images that can be drawn for at least ${least} of the ${planned} frames, got ${skipped} with damaged or missing ones.`,
  );
}
