// Plays the images after the shown one: frames are loaded and decoded ahead, and shown at a steady rate.
import { signal } from '@preact/signals';
import { delay } from '../../../util/retry.ts';
import { neighbours } from '../api/images.ts';
import { STEPS_MS, type StepUnit } from '../store/actions.ts';
import { begin, commit, load, pause, present, type Ready, report } from '../store/open.ts';
import { baseImage, baseSourceId, isPlaying, trouble } from '../store/state.ts';

/** The step of the time bar, of play and of the shortcuts. */
export const stepUnit = signal<StepUnit>('image');

export const SPEEDS = [2, 5, 10, 15] as const;
export const speed = signal<number>(5);

/** Frames that load while one is shown. */
const AHEAD = 6;

interface Moment {
  readonly atMs: number;
  /** Time of the image of the lowest layer. */
  readonly takenAt: string;
}

/** The time of the next frame; null after the last image. */
async function nextTime(sourceId: number, { atMs, takenAt }: Moment, signal: AbortSignal): Promise<number | null> {
  const unit = stepUnit.value;
  const { nextMs } = await neighbours(sourceId, takenAt, signal);
  if (nextMs === null) return null;
  return unit === 'image' ? nextMs : Math.max(atMs + STEPS_MS[unit], nextMs);
}

/** Yields frames in order. Searches follow each other, because each needs the time of the one before; tiles load in parallel. */
async function* frames(sourceId: number, start: Moment, signal: AbortSignal): AsyncGenerator<Ready> {
  const queue: Promise<Ready>[] = [];
  let moment: Moment | null = start;
  while (moment || queue.length > 0) {
    while (moment && queue.length < AHEAD) {
      const atMs: number | null = await nextTime(sourceId, moment, signal);
      moment = null;
      if (atMs === null) break;
      const frame = load({ ...present()!.view, atMs }, signal);
      frame.catch(() => undefined);
      queue.push(frame);
      moment = { atMs, takenAt: new Date(atMs).toISOString() };
      if (queue.length < AHEAD && stepUnit.value !== 'image') {
        const image = (await frame).next.images.find((one) => one !== null);
        if (image) moment = { atMs, takenAt: image.takenAt };
      }
    }
    const frame = queue.shift();
    if (frame) yield await frame;
  }
}

/** Plays until the last image, `pause`, or another picture. Place, opacities and overlays stay with the user. */
export async function play(): Promise<void> {
  const [state, image, sourceId] = [present(), baseImage.value, baseSourceId.value];
  if (!state || !image || sourceId === null) return;
  const signal = begin();
  isPlaying.value = true;
  trouble.value = null;
  let dueMs = performance.now();
  try {
    for await (const frame of frames(sourceId, { atMs: state.view.atMs, takenAt: image.takenAt }, signal)) {
      await delay(Math.max(dueMs - performance.now(), 0));
      if (signal.aborted) return;
      commit(frame, 'none');
      dueMs = Math.max(dueMs, performance.now() - 1000 / speed.value) + 1000 / speed.value;
    }
  } catch (error) {
    if (!signal.aborted) report(error, () => void play());
  } finally {
    if (!signal.aborted) pause();
  }
}
