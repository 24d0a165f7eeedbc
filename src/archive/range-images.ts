// Selects the images of a JPX file: those of a time range, or one for each of many intervals.
import { ascendingFrames, type Interval, imageOfInterval } from '../jp2/jpx/intervals.ts';
import {
  MAX_JPX_FRAMES,
  planMessage,
  planRange,
  type RangePlan,
  sampledFrames,
  sampleTimes,
  withoutRepeats,
} from '../jp2/jpx/range-plan.ts';
import { JPX } from '../platform/limits/jpx.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../platform/util/durations.ts';
import { Failure } from '../platform/util/errors.ts';
import type { TimeRange } from '../sun/bins.ts';
import { findSource } from '../sun/catalogue/sources.ts';
import type { ArchivedImage } from '../sun/image.ts';
import { formatDateTime, throughSecond } from '../sun/time.ts';
import { imagesAt } from './find-image.ts';
import type { ImageIndex } from './ports.ts';

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
  for (let fromMs = startMs, isLast = false; !isLast; fromMs = (found.at(-1)?.takenAtMs ?? endMs) + 1) {
    const limit = Math.min(JPX.queryImages, most - found.length);
    const some = await index.inRange(sourceId, fromMs, endMs, limit);
    found.push(...some);
    isLast = some.length < limit || found.length >= most;
  }
  return found;
}

async function imagesOf(
  index: Index,
  { sourceId, most = MAX_JPX_FRAMES }: RangeRequest,
  span: TimeRange,
  plan: RangePlan,
  first: ArchivedImage,
) {
  if (plan.take === 'all') return withoutRepeats(await everyImage(index, sourceId, span, most));
  const times = sampleTimes(span, plan);
  const nearest: ArchivedImage[] = [];
  for (let from = 0; from < times.length; from += JPX.queryImages) {
    const found = await imagesAt(index, sourceId, times.slice(from, from + JPX.queryImages));
    nearest.push(...found.flatMap((image) => image ?? []));
  }
  return sampledFrames(nearest, first, most);
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
  const images = await imagesOf(index, request, span, plan, first);
  const lastFrameMs = images.at(-1)!.takenAtMs;
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
