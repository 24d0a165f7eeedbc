// Plays the images of a range in a loop: frames are loaded and decoded ahead, and shown at a steady rate.
import { signal } from '@preact/signals';
import { DAY_MS } from '../../../util/durations.ts';
import { delay } from '../../../util/retry.ts';
import { listImages } from '../api/image-lists.ts';
import { closestImage } from '../api/images.ts';
import { PageError } from '../api/request.ts';
import type { Playable } from '../motion/player.ts';
import { STEPS_MS, type StepUnit } from '../store/actions.ts';
import { begin, commit, load, pause, present, type Ready, ready, report } from '../store/open.ts';
import type { Shown } from '../store/shown.ts';
import { baseSourceId, isPlaying, trouble } from '../store/state.ts';
import { texts } from '../texts.ts';
import { buffered, type Loop, loop, showLoop } from './range.ts';

/** The step of the time bar, of play and of the shortcuts. */
export const stepUnit = signal<StepUnit>('image');

export const SPEEDS = [2, 5, 10, 15, 30] as const;
export const speed = signal<number>(10);

/** Frames that load while one is shown. */
const AHEAD = 10;
/** Frames of a loop; a range with more images is played in equal steps. A frame of one layer has some 0.3 MB. */
const MOST_FRAMES = 96;
/** How long the last frame stays, in frames. */
const LAST_FRAMES = 5;
/** Lengths of a range that play chooses, by step; longer ones follow where the archive has fewer than two images in it. */
const LENGTHS_MS: Readonly<Record<StepUnit, number>> = {
  image: DAY_MS,
  hour: DAY_MS,
  day: 30 * DAY_MS,
  rotation: 13 * STEPS_MS.rotation,
};
const LONGER_MS = [30 * DAY_MS, 3650 * DAY_MS] as const;

/** Times of frames within a range, ascending; none where it has fewer than two images. */
async function timesIn(sourceId: number, { startMs, endMs }: Loop, signal: AbortSignal): Promise<readonly number[]> {
  const { times, isCut } = await listImages({ sourceId, startMs, endMs }, signal);
  const [first, second] = times;
  if (first === undefined || second === undefined) return [];
  const lengthMs = (isCut ? endMs : times.at(-1)!) - first;
  const stepMs = stepUnit.value === 'image' ? 0 : STEPS_MS[stepUnit.value];
  const steps = stepMs > 0 ? Math.floor(lengthMs / stepMs) : 0;
  if (steps === 0 && !isCut && times.length <= MOST_FRAMES) return times;
  const count = Math.min(steps > 0 ? steps + 1 : MOST_FRAMES, MOST_FRAMES);
  return Array.from({ length: count }, (_, i) => first + (lengthMs * i) / (count - 1));
}

/** The range from a time on, at most to the newest image, with the times of its frames; empty where there is nothing to play. */
async function loopAt(sourceId: number, atMs: number, isSet: boolean, signal: AbortSignal): Promise<readonly number[]> {
  const present = loop.value;
  const isKept = present && (isSet || (atMs >= present.startMs && atMs <= present.endMs));
  const lengthMs = LENGTHS_MS[stepUnit.value];
  const ranges = [lengthMs, ...LONGER_MS.filter((longer) => longer > lengthMs)].map((length) => async (): Promise<Loop> => {
    const last = await closestImage(sourceId, atMs + length, signal);
    const endMs = Math.max(Math.min(Date.parse(last.takenAt), atMs + length), atMs);
    return { startMs: endMs - length, endMs };
  });
  for (const range of isKept ? [async () => present, ...ranges] : ranges) {
    const found = await range();
    const times = await timesIn(sourceId, found, signal);
    if (times.length === 0) continue;
    if (found !== present) showLoop(found);
    return times;
  }
  return [];
}

/** The place and the levels of detail of the screen, for which frames are buffered. */
function placeOf({ view: { centre, imageScale } }: Shown): string {
  return JSON.stringify([centre, imageScale]);
}

/** Yields the tiles of a loop without end, from an index on. */
async function* tiles(times: readonly number[], from: number, signal: AbortSignal): AsyncGenerator<Ready> {
  /** Images of the frames that have been found; any change of the layers ends play. */
  const known = new Map<number, Shown>();
  const queue: Promise<Ready>[] = [];
  let place = '';
  let next = from;
  const prepare = async (atMs: number): Promise<Ready> => {
    const now = present()!;
    const key = placeOf(now);
    if (key !== place) {
      place = key;
      buffered.value = [];
    }
    const found = known.get(atMs);
    const view = { ...now.view, atMs };
    const frame = await (found
      ? ready({ ...now, view, images: found.images, isNewest: false }, signal, now)
      : load(view, signal, now));
    known.set(atMs, frame.next);
    if (key === place && !buffered.value.includes(atMs)) buffered.value = [...buffered.value, atMs];
    return frame;
  };
  while (true) {
    while (queue.length < Math.min(AHEAD, times.length)) {
      const frame = prepare(times[next]!);
      frame.catch(() => undefined);
      queue.push(frame);
      next = (next + 1) % times.length;
    }
    yield await queue.shift()!;
  }
}

/** Yields the frames of a loop without end, from an index on: grey ones, or tiles where the browser cannot colour those. */
async function* frames(times: readonly number[], from: number, signal: AbortSignal): AsyncGenerator<Playable> {
  const player = await import('../motion/player.ts').catch(() => null);
  if (player) yield* player.playedFrames(times, from, signal);
  for await (const frame of tiles(times, from, signal)) yield { atMs: frame.next.view.atMs, show: () => commit(frame, 'none') };
}

/**
 * Plays until `pause` or another picture. Place, opacities and overlays stay with the user.
 * @param isSet Whether the user has just set the range, which then holds also where the shown time is outside
 */
export async function play(isSet = false): Promise<void> {
  const [state, sourceId] = [present(), baseSourceId.value];
  if (!state || sourceId === null) return;
  const signal = begin();
  isPlaying.value = true;
  trouble.value = null;
  buffered.value = [];
  try {
    const times = await loopAt(sourceId, state.view.atMs, isSet, signal);
    if (times.length === 0) throw new PageError(texts.time.nothingToPlay);
    const lastMs = times.at(-1)!;
    const fromMs = state.view.atMs >= lastMs ? times[0]! : state.view.atMs;
    const from = Math.max(
      times.findIndex((atMs) => atMs >= fromMs),
      0,
    );
    let dueMs = performance.now();
    for await (const frame of frames(times, from, signal)) {
      await delay(Math.max(dueMs - performance.now(), 0), signal);
      frame.show();
      const frameMs = 1000 / speed.value;
      const heldMs = frame.atMs === lastMs ? LAST_FRAMES * frameMs : frameMs;
      dueMs = Math.max(dueMs, performance.now() - frameMs) + heldMs;
    }
  } catch (error) {
    if (signal.aborted) return;
    report(error, () => void play(isSet));
    pause();
  }
}
