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
    throw new Failure('no-frames', `Expected equally many times, at least one, for startTimes and endTimes, got ${got}.`);
  }
  return startTimes.map((start, i) => {
    const end = endTimes[i]!;
    return { startMs: start * 1000, middleMs: Math.round((start + end) / 2) * 1000, endMs: end * 1000 };
  });
}

/** The images of intervals as the frames of a movie, and what differs from one frame for each interval in their order. */
export interface IntervalFrames<T> {
  readonly frames: T[];
  readonly message: string | null;
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

/**
 * The frames of a movie: one for each second that has an image, ascending, because desktop clients refuse a movie whose times, in
 * whole seconds, repeat or descend.
 *
 * @param images Images of the intervals, in the order of the intervals
 */
export function ascendingFrames<T extends Dated>(images: readonly T[]): IntervalFrames<T> {
  const secondOf = ({ takenAtMs }: T) => Math.floor(takenAtMs / 1000);
  const ascending = images.toSorted((a, b) => a.takenAtMs - b.takenAtMs);
  const frames = ascending.filter((image, i) => i === 0 || secondOf(image) > secondOf(ascending[i - 1]!));
  const repeated = images.length - frames.length;
  const isOrdered = images.every((image, i) => image === ascending[i]);
  const sentences = [
    ...(isOrdered ? [] : ['The frames are in ascending order of time, and not in that of the intervals.']),
    ...(repeated === 0
      ? []
      : [`${repeated} of ${images.length} frames were left out, because they repeat the time of another frame.`]),
  ];
  return { frames, message: sentences.length === 0 ? null : sentences.join(' ') };
}
