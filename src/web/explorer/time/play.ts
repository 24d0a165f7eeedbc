// Plays the images after the shown one: frames are loaded and decoded ahead, and shown at a steady rate.
import { signal } from '@preact/signals';
import type { View } from '../../../domain/explorer/view.ts';
import { DAY_MS, HOUR_MS } from '../../../util/durations.ts';
import { neighbours } from '../api/images.ts';
import { CARRINGTON_DAYS } from '../store/actions.ts';
import { recordAddress } from '../store/address.ts';
import { afterwards, commit, load, type Ready, report } from '../store/open.ts';
import { baseImage, baseSourceId, isPlaying, shown } from '../store/state.ts';
import { stepUnit } from './step-unit.ts';

export const SPEEDS = [2, 5, 10, 15] as const;
export const speed = signal<number>(5);

/** Frames that load while one is shown. */
const AHEAD = 6;

let playing: AbortController | null = null;

interface Moment {
  readonly atMs: number;
  /** Time of the image of the lowest layer. */
  readonly takenAt: string;
}

const STEP_MS = { hour: HOUR_MS, day: DAY_MS, rotation: CARRINGTON_DAYS * DAY_MS };

/** The view of the next frame; null after the last image. */
async function nextView(view: View, sourceId: number, { atMs, takenAt }: Moment, signal: AbortSignal): Promise<View | null> {
  const unit = stepUnit.value;
  const { nextMs } = await neighbours(sourceId, takenAt, signal);
  if (nextMs === null) return null;
  return { ...view, atMs: unit === 'image' ? nextMs : Math.max(atMs + STEP_MS[unit], nextMs) };
}

/** Yields frames in order. Searches follow each other, because each needs the time of the one before; tiles load in parallel. */
async function* frames(view: View, sourceId: number, start: Moment, signal: AbortSignal): AsyncGenerator<Ready> {
  const queue: Promise<Ready>[] = [];
  let moment: Moment | null = start;
  while (moment || queue.length > 0) {
    while (moment && queue.length < AHEAD) {
      const next: View | null = await nextView(view, sourceId, moment, signal);
      moment = null;
      if (!next) break;
      const frame = load(next, signal);
      frame.catch(() => undefined);
      queue.push(frame);
      const atMs = next.atMs!;
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

const rest = (ms: number) => new Promise((resolve) => setTimeout(resolve, Math.max(ms, 0)));

export async function play(): Promise<void> {
  const [state, image, sourceId] = [shown.value, baseImage.value, baseSourceId.value];
  if (!state || !image || sourceId === null) return;
  const mine = new AbortController();
  playing = mine;
  isPlaying.value = true;
  let dueMs = performance.now();
  try {
    for await (const frame of frames(state.view, sourceId, { atMs: state.view.atMs, takenAt: image.takenAt }, mine.signal)) {
      await rest(dueMs - performance.now());
      if (mine.signal.aborted) return;
      commit(frame, 'none');
      dueMs = Math.max(dueMs, performance.now() - 1000 / speed.value) + 1000 / speed.value;
    }
  } catch (error) {
    if (!mine.signal.aborted) report(error, () => void play());
  } finally {
    if (playing === mine) pause();
  }
}

export function pause(): void {
  playing?.abort();
  playing = null;
  isPlaying.value = false;
  recordAddress('replace');
  void afterwards();
}
