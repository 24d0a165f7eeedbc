// Intervals of getJPXClosestToMidPoint, which has one frame for each.
import { Failure } from '../errors.ts';

/** Maximum intervals of a request. */
export const MAX_INTERVALS = 360;

/** Milliseconds. */
export interface Interval {
  readonly startMs: number;
  readonly middleMs: number;
  readonly endMs: number;
}

/**
 * Pairs `startTimes` and `endTimes` (whole seconds since 1970) in order. The middle is rounded to a whole second.
 *
 * @throws Failure (no-frames) when the lists are empty or differ in length
 */
export function pairIntervals(startTimes: readonly number[], endTimes: readonly number[]): Interval[] {
  if (startTimes.length === 0 || startTimes.length !== endTimes.length) {
    const got = `${startTimes.length} and ${endTimes.length}`;
    throw new Failure('no-frames', `Expected as many startTimes as endTimes, at least one, got ${got}.`);
  }
  return startTimes.map((start, i) => {
    const end = endTimes[i]!;
    return { startMs: start * 1000, middleMs: Math.round((start + end) / 2) * 1000, endMs: end * 1000 };
  });
}

interface Dated {
  readonly takenAtMs: number;
}

const distanceSeconds = (image: Dated, { middleMs }: Interval) => Math.abs(Math.floor(image.takenAtMs / 1000) - middleMs / 1000);

/**
 * The image nearest to the middle of an interval, whose ends are exclusive. Distances are compared in whole seconds; on equal ones
 * the earlier image wins.
 *
 * @param before Last image before the middle
 * @param after First image at or after the middle
 */
export function imageOfInterval<T extends Dated>(interval: Interval, before: T | null, after: T | null): T | null {
  const earlier = before && before.takenAtMs > interval.startMs ? before : null;
  const later = after && after.takenAtMs < interval.endMs ? after : null;
  if (!earlier || !later) return earlier ?? later;
  return distanceSeconds(later, interval) < distanceSeconds(earlier, interval) ? later : earlier;
}
