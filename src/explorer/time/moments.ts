// The frames of a range of time: their times, which the images of the lowest layer give, and the images of every layer at them.
import { signal } from '@preact/signals';
import { frameOperations } from '../../picture/operations/operations.ts';
import { pictureKey } from '../../picture/picture.ts';
import { DAY_MS } from '../../platform/util/durations.ts';
import { isSourceGroup } from '../../sun/catalogue/datasource.ts';
import { closestImage, type ImageRecord, type ImageTimes, listImages } from '../api/images.ts';
import type { Range } from '../model/timeline.ts';
import { STEPS_MS, type StepUnit } from '../store/actions.ts';
import { imagesOfTimes, withReferences } from '../store/images-of-view.ts';
import { baseImage, baseSourceId, type Shown } from '../store/state.ts';
import { loop, loopAround, showLoop } from './range.ts';

export const stepUnit = signal<StepUnit>('image');

/** Frames of a loop; a range with more images is played and saved in equal steps. A frame of one layer has some 0.3 MB. */
export const MOST_FRAMES = 96;
/** Lengths of a range that play chooses, by step; longer ones follow where the archive has fewer than two images in it. */
const LENGTHS_MS: Readonly<Record<StepUnit, number>> = {
  image: DAY_MS,
  hour: DAY_MS,
  day: 30 * DAY_MS,
  rotation: 13 * STEPS_MS.rotation,
};
const LONGER_MS = [30 * DAY_MS, 3650 * DAY_MS] as const;

export interface Moment {
  readonly atMs: number;
  /** Images by layer; null for a hidden layer and for a source without images. */
  readonly images: readonly (ImageRecord | null)[];
}

export interface Playable {
  readonly atMs: number;
  show(): void;
}

/** Frames by time, ascending. */
export interface Moments {
  /** The state of the page whose layers they have. */
  readonly since: Shown;
  readonly list: readonly Moment[];
}

/** The moments that were found last, and what their images and frames depend on. */
let known: { readonly key: string; readonly list: readonly Moment[] } | null = null;

const keyOf = ({ view, keys }: Shown, range: Range) =>
  pictureKey([
    range,
    stepUnit.value,
    keys,
    view.layers.map((layer) => [layer.isVisible, layer.difference, frameOperations(layer)]),
  ]);

/** The first images of a range; of a group of sources, which has no list, its ends. */
async function listed(sourceId: number, range: Range, signal: AbortSignal): Promise<ImageTimes> {
  if (isSourceGroup({ id: sourceId })) return { times: [range.startMs, range.endMs], isCut: true };
  return listImages({ sourceId, ...range }, signal, MOST_FRAMES);
}

/** Times of frames within a range, ascending, by its images; none where it has fewer than two. */
function timesOf({ times, isCut }: ImageTimes, { endMs }: Range): readonly number[] {
  const [first, second] = times;
  if (first === undefined || second === undefined) return [];
  const lengthMs = (isCut ? endMs : times.at(-1)!) - first;
  const stepMs = stepUnit.value === 'image' ? 0 : STEPS_MS[stepUnit.value];
  const steps = stepMs > 0 ? Math.floor(lengthMs / stepMs) : 0;
  if (steps === 0 && !isCut) return times;
  const count = Math.min(steps > 0 ? steps + 1 : MOST_FRAMES, MOST_FRAMES);
  return Array.from({ length: count }, (_, i) => Math.round(first + (lengthMs * i) / (count - 1)));
}

/** Frames of which the lowest layer has another image than before: equal steps beyond the newest image have it again. */
const withoutRepeats = (list: readonly Moment[]): Moment[] =>
  list.filter(({ images }, i) => i === 0 || images.some((image, layer) => image?.id !== list[i - 1]!.images[layer]?.id));

const hasImage = ({ images }: Moment) => images.some((image) => image !== null);

/** The frames of a range whose images are listed, which is known or a request; null where it has fewer than two. */
async function momentsOf(state: Shown, range: Range, list: () => Promise<ImageTimes>, signal: AbortSignal) {
  const key = keyOf(state, range);
  if (known?.key === key) return { since: state, list: known.list };
  const times = timesOf(await list(), range);
  if (times.length === 0) return null;
  const { layers } = state.view;
  const images = await withReferences(layers, await imagesOfTimes(layers, times, signal), signal);
  const frames = withoutRepeats(times.map((atMs, i) => ({ atMs, images: images[i]! })).filter(hasImage));
  if (frames.length < 2) return null;
  known = { key, list: frames };
  return { since: state, list: frames };
}

/** The frames of a range; null where it has fewer than two. */
export const momentsIn = (state: Shown, range: Range, signal: AbortSignal): Promise<Moments | null> =>
  momentsOf(state, range, () => listed(baseSourceId.value!, range, signal), signal);

/** A range of a length up to the newest image, else from the shown time on; its images are listed while that is found out. */
async function rangeFrom(state: Shown, length: number, signal: AbortSignal) {
  const sourceId = baseSourceId.value!;
  const list = (range: Range) => listed(sourceId, range, signal);
  const upTo = (endMs: number): Range => ({ startMs: endMs - length, endMs });
  if (state.isNewest && baseImage.value) {
    const range = upTo(Date.parse(baseImage.value.takenAt));
    return { range, list: () => list(range) };
  }
  const { atMs } = state.view;
  const latestMs = atMs + length;
  const [last, before, after] = await Promise.all([
    closestImage(sourceId, latestMs, signal),
    list(upTo(atMs)),
    list(upTo(latestMs)),
  ]);
  const lastMs = Date.parse(last.takenAt);
  if (lastMs > latestMs - length / MOST_FRAMES) return { range: upTo(latestMs), list: async () => after };
  const range = upTo(Math.max(lastMs, atMs));
  if (before.isCut || after.isCut) return { range, list: () => list(range) };
  const times = [...new Set([...before.times, ...after.times])];
  return { range, list: async () => ({ times: times.filter((ms) => ms >= range.startMs && ms <= range.endMs), isCut: false }) };
}

/**
 * The frames of the range of play; where there is none or the shown time is outside it, of a range from that time on, at most to the
 * newest image, which becomes the range of play. Null where there is nothing to play.
 * @param isSet Whether the user has just set the range, which then holds also where the shown time is outside
 */
export async function momentsToPlay(state: Shown, isSet: boolean, signal: AbortSignal): Promise<Moments | null> {
  const { atMs } = state.view;
  const present = isSet ? loop.value : loopAround(atMs);
  const kept = present && (await momentsIn(state, present, signal));
  if (kept) return kept;
  const lengthMs = LENGTHS_MS[stepUnit.value];
  for (const length of [lengthMs, ...LONGER_MS.filter((longer) => longer > lengthMs)]) {
    const { range, list } = await rangeFrom(state, length, signal);
    const moments = await momentsOf(state, range, list, signal);
    if (!moments) continue;
    showLoop(range);
    return moments;
  }
  return null;
}

export const shownAt = ({ atMs, images }: Moment, state: Shown): Shown => ({
  ...state,
  view: { ...state.view, atMs },
  isNewest: false,
  images,
});
