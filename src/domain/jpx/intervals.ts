// Intervals of getJPXClosestToMidPoint: one frame for each.
import { Failure } from '../errors.ts';

/** Intervals in a request. */
export const MOST_INTERVALS = 360;

/** Milliseconds. */
export interface Interval {
  readonly startMs: number;
  readonly middleMs: number;
  readonly endMs: number;
}

/**
 * Pairs of `startTimes` and `endTimes`, whole seconds since 1970, in their order. The middle is rounded to a whole second.
 * @throws Failure `no-frames` when there are none or one list is longer
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
 * The image of an interval. `before`: the last one before the middle, `after`: the first one at or after it. Both ends of the
 * interval are outside, but for its middle; the smaller distance in whole seconds wins, on equal ones the earlier image.
 */
export function imageOfInterval<T extends Dated>(interval: Interval, before: T | null, after: T | null): T | null {
  const earlier = before && before.takenAtMs > interval.startMs ? before : null;
  const later = after && after.takenAtMs < interval.endMs ? after : null;
  if (!earlier || !later) return earlier ?? later;
  return distanceSeconds(later, interval) < distanceSeconds(earlier, interval) ? later : earlier;
}
