// Intervals of getJPXClosestToMidPoint, which has one frame for each.
import { Failure } from '../../platform/util/errors.ts';

export const MAX_INTERVALS = 360;

export type Interval = { readonly startMs: number; readonly middleMs: number; readonly endMs: number };

/** Pairs times (whole seconds since 1970) in order; middles are whole seconds. @throws Failure (no-frames) for empty or unequal lists */
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
export type IntervalFrames<T> = { readonly frames: T[]; readonly message: string | null };

type Dated = { readonly takenAtMs: number };

const distanceSeconds = (image: Dated, { middleMs }: Interval) => Math.abs(Math.floor(image.takenAtMs / 1000) - middleMs / 1000);

/** The image nearest to the middle of an interval without its ends, in whole seconds: the last before or the first after; the earlier of equals. */
export function imageOfInterval<T extends Dated>(interval: Interval, before: T | null, after: T | null): T | null {
  const earlier = before && before.takenAtMs > interval.startMs ? before : null;
  const later = after && after.takenAtMs < interval.endMs ? after : null;
  if (!earlier || !later) return earlier ?? later;
  return distanceSeconds(later, interval) < distanceSeconds(earlier, interval) ? later : earlier;
}

/** A frame for each second that has an image, ascending: desktop clients refuse movies whose times in whole seconds repeat or descend. */
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
