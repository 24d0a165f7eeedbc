// Selects the images of a JPX file: those of a time range, or one for each of many intervals.
import { JPX, JPX_COST, MAX_JPX_FRAMES } from '../platform/limits/jpx.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../platform/util/durations.ts';
import { Failure } from '../platform/util/errors.ts';
import type { TimeRange } from '../sun/bins.ts';
import { findSource } from '../sun/catalogue/sources.ts';
import type { ArchivedImage } from '../sun/image.ts';
import { formatDateTime, throughSecond } from '../sun/time.ts';
import { imagesAt } from './find-image.ts';
import type { ImageIndex } from './image-index/d1-image-index.ts';
import { passed } from './image-list.ts';

export const MAX_INTERVALS = 360;

type Interval = { readonly startMs: number; readonly middleMs: number; readonly endMs: number };

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

type Timed = { readonly takenAtMs: number };

const distanceSeconds = (image: Timed, { middleMs }: Interval) => Math.abs(Math.floor(image.takenAtMs / 1000) - middleMs / 1000);

/** The image nearest to the middle of an interval without its ends, in whole seconds: the last before or the first after; the earlier of equals. */
export function imageOfInterval<T extends Timed>(interval: Interval, before: T | null, after: T | null): T | null {
  const earlier = before && before.takenAtMs > interval.startMs ? before : null;
  const later = after && after.takenAtMs < interval.endMs ? after : null;
  if (!earlier || !later) return earlier ?? later;
  return distanceSeconds(later, interval) < distanceSeconds(earlier, interval) ? later : earlier;
}

/**
 * A frame for each second that has an image, ascending: desktop clients refuse movies whose times in whole seconds repeat or descend. `message`:
 * what differs from one frame for each image in their order.
 */
function ascendingFrames<T extends Timed>(images: readonly T[]) {
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

type RangePlan =
  /** Every image of the span from its start on; `isCut` when the maximum ended it. */
  | { readonly take: 'all'; readonly isCut: boolean }
  /** The images nearest to times `cadenceSeconds` apart, counted backwards from the end, and the first image. */
  | { readonly take: 'sampled'; readonly cadenceSeconds: number; readonly steps: number; readonly isChanged: boolean };

/** The finest cadence in whole seconds that keeps within the maximum. */
function widened({ startMs, endMs }: TimeRange, most: number): RangePlan & { readonly take: 'sampled' } {
  const cadenceSeconds = Math.max(1, Math.floor((endMs - startMs) / 1000 / most));
  const steps = Math.min(most, stepsOf({ startMs, endMs }, cadenceSeconds));
  return { take: 'sampled', cadenceSeconds, steps, isChanged: true };
}

const stepsOf = ({ startMs, endMs }: TimeRange, cadenceSeconds: number): number =>
  Math.ceil((endMs - startMs) / (cadenceSeconds * 1000));

/**
 * Plans the frames of a span, at most `most`.
 * @param cadenceSeconds Undefined: every image, or the maximum evenly spread. Zero or below: every image up to the maximum
 * @param imageCount Images in the span; counting may stop above the maximum
 */
export function planRange(
  span: TimeRange,
  cadenceSeconds: number | undefined,
  imageCount: number,
  most = MAX_JPX_FRAMES,
): RangePlan {
  const isTooMany = imageCount > most;
  if (cadenceSeconds === undefined) return isTooMany ? widened(span, most) : { take: 'all', isCut: false };
  if (cadenceSeconds <= 0) return { take: 'all', isCut: isTooMany };
  const steps = stepsOf(span, cadenceSeconds);
  return steps > most ? widened(span, most) : { take: 'sampled', cadenceSeconds, steps, isChanged: false };
}

/** Estimates the frames of a request from its parameters alone, for its cost: at most `most`. @param cadenceSeconds As of `planRange` */
export function estimatedFrames(span: TimeRange, cadenceSeconds: number | undefined, most: number): number {
  const isStated = cadenceSeconds !== undefined && cadenceSeconds > 0;
  return Math.min(most, stepsOf(span, isStated ? cadenceSeconds : JPX_COST.cadenceSeconds) + 1);
}

/** The times of a sampled plan, backwards from the end of the span. */
export const sampleTimes = ({ endMs }: TimeRange, { cadenceSeconds, steps }: { cadenceSeconds: number; steps: number }) =>
  Array.from({ length: steps }, (_, i) => endMs - i * cadenceSeconds * 1000);

type Dated = { readonly fileName: string; readonly takenAtMs: number };

const isSame = (a: Dated | undefined, b: Dated) => a?.fileName === b.fileName || a?.takenAtMs === b.takenAtMs;

/** Ascending images without those that repeat the file or time of the previous one, because clients reject repeated times. */
export const withoutRepeats = <T extends Dated>(ascending: readonly T[]): T[] =>
  ascending.filter((image, i) => i === 0 || !isSame(ascending[i - 1], image));

/**
 * Ascending frames of a sampled plan.
 * @param nearest Images nearest to the times of the plan, newest first
 * @param first First image of the span, which is always a frame; it replaces its neighbour where the maximum is exceeded
 */
export function sampledFrames<T extends Dated>(nearest: readonly T[], first: T, most = MAX_JPX_FRAMES): T[] {
  const frames = withoutRepeats(nearest.toReversed());
  if (isSame(frames[0], first)) return frames;
  return [first, ...frames.slice(Math.max(0, frames.length + 1 - most))];
}

/** The requested range, and the time of the last frame, milliseconds. */
interface PlannedRange {
  readonly startMs: number;
  readonly endMs: number;
  readonly lastFrameMs: number;
  /** The requested cadence, or the mean one of the images for a request of every image. */
  readonly cadenceSeconds: number;
}

/** A length of time in the unit in which it is between 1 and 100 or so. */
function duration(seconds: number): string {
  const [name, length] = UNITS.find(([, unit]) => seconds >= unit) ?? UNITS.at(-1)!;
  return `${Math.floor((seconds / length) * 10) / 10} ${name}`;
}

const UNITS = [
  ['days', DAY_MS / SECOND_MS],
  ['hours', HOUR_MS / SECOND_MS],
  ['minutes', MINUTE_MS / SECOND_MS],
] as const;

/** Message for the client about a plan that deviates from its request; null when it does not. */
export function planMessage(
  plan: RangePlan,
  { startMs, endMs, lastFrameMs, cadenceSeconds }: PlannedRange,
  most = MAX_JPX_FRAMES,
): string | null {
  const start = formatDateTime(startMs);
  const fitting = `Ranges of up to ${duration(most * cadenceSeconds)} have every image that was requested`;
  if (plan.take === 'sampled' && plan.isChanged)
    return (
      `Movie cadence has been changed to one image every ${plan.cadenceSeconds} seconds between ${start} and ` +
      `${formatDateTime(endMs)}: the maximum is ${most} frames per request. ${fitting}.`
    );
  if (plan.take === 'all' && plan.isCut)
    return (
      `Movie has been cut at the maximum of ${most} frames per request: it has every image from ${start} ` +
      `through ${formatDateTime(lastFrameMs)}. ${fitting}; a cadence of ${widened({ startMs, endMs }, most).cadenceSeconds} seconds has the whole range.`
    );
  return null;
}

type Index = Pick<ImageIndex, 'ends' | 'inRange' | 'counts' | 'countInRange' | 'neighboursOfTimes'>;

/** Spans of which hours are counted: 744 rows. */
const COUNTED_HOURS_MS = 31 * DAY_MS;

interface RangeRequest {
  readonly sourceId: number;
  readonly startMs: number;
  readonly endMs: number;
  /** See `planRange`. */
  readonly cadenceSeconds?: number | undefined;
  /** Unset: `MAX_JPX_FRAMES`. */
  readonly most?: number;
}

const nicknameOf = (sourceId: number) => findSource(sourceId)?.nickname ?? '';

export function noFrames({ sourceId, startMs, endMs }: Pick<RangeRequest, 'sourceId' | 'startMs' | 'endMs'>): Failure {
  const range = `from ${formatDateTime(startMs)} to ${formatDateTime(endMs)}`;
  return new Failure('no-frames', `There are no images ${range} (${nicknameOf(sourceId)}).`);
}

/** The first `most` images of a span, but for more than one at the same time. */
async function everyImage(index: Index, sourceId: number, { startMs, endMs }: TimeRange, most: number): Promise<ArchivedImage[]> {
  const found: ArchivedImage[] = [];
  for (let fromMs = startMs, isLast = false; !isLast; fromMs = passed(found.at(-1)?.takenAtMs ?? endMs)) {
    const limit = Math.min(JPX.queryImages, most - found.length);
    const some = await index.inRange(sourceId, fromMs, endMs, limit);
    found.push(...some);
    isLast = some.length < limit || found.length >= most;
  }
  return found;
}

/** The images nearest to times, without those for which there is none. */
async function nearestImages(index: Index, sourceId: number, timesMs: readonly number[]): Promise<ArchivedImage[]> {
  const nearest: ArchivedImage[] = [];
  for (let from = 0; from < timesMs.length; from += JPX.queryImages) {
    const found = await imagesAt(index, sourceId, timesMs.slice(from, from + JPX.queryImages));
    nearest.push(...found.flatMap((image) => image ?? []));
  }
  return nearest;
}

/** Ascending images of a range, and a message where they deviate from the request. @throws Failure (no-frames) */
export async function imagesOfRange(index: Index, request: RangeRequest) {
  const { sourceId, startMs, endMs, cadenceSeconds, most = MAX_JPX_FRAMES } = request;
  const { first, last } = await index.ends(sourceId, startMs, throughSecond(endMs));
  if (!first || !last || first.takenAtMs > last.takenAtMs) throw noFrames(request);
  const span = { startMs: first.takenAtMs, endMs: last.takenAtMs };
  const isCounted = cadenceSeconds === undefined || cadenceSeconds <= 0;
  // One above the maximum, so that an excess is detected.
  const count = isCounted ? await index.countInRange(sourceId, span.startMs, span.endMs, most + 1) : 0;
  const plan = planRange(span, cadenceSeconds, count, most);
  const images =
    plan.take === 'all'
      ? withoutRepeats(await everyImage(index, sourceId, span, most))
      : sampledFrames(await nearestImages(index, sourceId, sampleTimes(span, plan)), first, most);
  const lastFrame = images.at(-1);
  // All images of a short range can be withdrawn between two statements.
  if (!lastFrame) throw noFrames(request);
  const lastFrameMs = lastFrame.takenAtMs;
  const isShorter = plan.take === 'sampled' ? plan.isChanged : plan.isCut;
  const stated = isCounted && isShorter ? await meanCadence(index, sourceId, span) : (cadenceSeconds ?? 0);
  return { images, message: planMessage(plan, { startMs, endMs, lastFrameMs, cadenceSeconds: stated }, most) };
}

/** Mean seconds between the images of a span, or a little less, from the counts of its hours or days. */
async function meanCadence(index: Pick<ImageIndex, 'counts'>, sourceId: number, { startMs, endMs }: TimeRange): Promise<number> {
  const widthMs = endMs - startMs < COUNTED_HOURS_MS ? HOUR_MS : DAY_MS;
  const [fromMs, toMs] = [Math.floor(startMs / widthMs) * widthMs, (Math.floor(endMs / widthMs) + 1) * widthMs];
  const [counted] = await index.counts([sourceId], [[fromMs, toMs]], widthMs);
  return (endMs - startMs) / SECOND_MS / Math.max(1, counted?.get(fromMs) ?? 0);
}

/** The images nearest to the middles of the intervals, as ascending frames; none for an empty one. @throws Failure (no-frames) without any */
export async function imagesOfIntervals(index: Index, sourceId: number, intervals: readonly Interval[]) {
  const neighbours = await index.neighboursOfTimes(
    sourceId,
    intervals.map(({ middleMs }) => middleMs),
  );
  const images = neighbours.flatMap(({ before, after }, i) => imageOfInterval(intervals[i]!, before, after) ?? []);
  if (images.length > 0) return ascendingFrames(images);
  const areSwapped = intervals.every(({ startMs, endMs }) => startMs > endMs);
  const hint = areSwapped ? ' Each ends before it starts. Are startTimes and endTimes swapped?' : '';
  throw new Failure('no-frames', `There are no images in the intervals (${nicknameOf(sourceId)}).${hint}`);
}
