// Which frames getJPX takes of a range of time.

/** Frames of a JPX file at most. */
export const MOST_JPX_FRAMES = 1000;

/** From the first image at or after the requested start to the last one at or before the requested end, milliseconds. */
export interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

export type RangePlan =
  /** The images of the span from its start on. */
  | { readonly take: 'all'; readonly isCut: boolean }
  /** The images nearest to times `cadenceSeconds` apart, walked backwards from the end, and the first one. */
  | { readonly take: 'sampled'; readonly cadenceSeconds: number; readonly steps: number; readonly isChanged: boolean };

/** The finest cadence, in whole seconds, that keeps to the maximum. */
function widened({ startMs, endMs }: Span): RangePlan {
  const cadenceSeconds = Math.max(1, Math.floor((endMs - startMs) / 1000 / MOST_JPX_FRAMES));
  const steps = Math.min(MOST_JPX_FRAMES, stepsOf({ startMs, endMs }, cadenceSeconds));
  return { take: 'sampled', cadenceSeconds, steps, isChanged: true };
}

function stepsOf({ startMs, endMs }: Span, cadenceSeconds: number): number {
  return Math.ceil((endMs - startMs) / (cadenceSeconds * 1000));
}

/**
 * `cadenceSeconds`: undefined for every image, or as many as there may be evenly spread; zero and below for every image until
 * there are as many as there may be. `imageCount`: images in the span; counting may stop above the maximum.
 */
export function planRange(span: Span, cadenceSeconds: number | undefined, imageCount: number): RangePlan {
  const isTooMany = imageCount > MOST_JPX_FRAMES;
  if (cadenceSeconds === undefined) return isTooMany ? widened(span) : { take: 'all', isCut: false };
  if (cadenceSeconds <= 0) return { take: 'all', isCut: isTooMany };
  const steps = stepsOf(span, cadenceSeconds);
  return steps > MOST_JPX_FRAMES ? widened(span) : { take: 'sampled', cadenceSeconds, steps, isChanged: false };
}

/** The times of a sampled plan: from the end of the span backwards. */
export function sampleTimes({ endMs }: Span, { cadenceSeconds, steps }: { cadenceSeconds: number; steps: number }): number[] {
  return Array.from({ length: steps }, (_, i) => endMs - i * cadenceSeconds * 1000);
}

/** What is looked at of an image. */
interface Dated {
  readonly fileName: string;
  readonly takenAtMs: number;
}

const isSame = (a: Dated | undefined, b: Dated) => a?.fileName === b.fileName || a?.takenAtMs === b.takenAtMs;

/** Ascending images without those that have the file or the time of the one before: clients refuse a time that stands twice. */
export function withoutRepeats<T extends Dated>(ascending: readonly T[]): T[] {
  return ascending.filter((image, i) => i === 0 || !isSame(ascending[i - 1], image));
}

/**
 * Ascending frames of a sampled plan from `nearest`, the images nearest to its times, newest first, and `first`, the first image
 * of the span, which always is a frame: where there would be one too many, it takes the place of its neighbour.
 */
export function sampledFrames<T extends Dated>(nearest: readonly T[], first: T): T[] {
  const frames = withoutRepeats(nearest.toReversed());
  if (isSame(frames[0], first)) return frames;
  return [first, ...frames.slice(Math.max(0, frames.length + 1 - MOST_JPX_FRAMES))];
}
