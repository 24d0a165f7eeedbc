// Plays the images of a range in a loop: frames are loaded and decoded ahead, and shown at a steady rate.
import { signal } from '@preact/signals';
import { pictureKey } from '../../picture/picture.ts';
import { inOrder } from '../../platform/util/concurrency.ts';
import { delay } from '../../platform/util/retry.ts';
import { PageError } from '../api/request.ts';
import { begin, commit, pause, present, type Ready, ready, report, seek, wished } from '../store/open.ts';
import { baseSourceId, motion, type Shown, trouble } from '../store/state.ts';
import { texts } from '../texts.ts';
import { type Moment, type Moments, momentsToPlay, type Playable, shownAt } from './moments.ts';
import { buffered } from './range.ts';

export const SPEEDS = [2, 5, 10, 15, 30] as const;
export const speed = signal<number>(10);

/** Frames of tiles that load while one is shown. */
const AHEAD = 10;
/** How long the last frame stays, in frames. */
const LAST_FRAMES = 5;

const placeOf = ({ view: { projection, centre, imageScale } }: Shown): string => pictureKey([projection, centre, imageScale]);

/** Yields the tiles of a loop without end, from an index on. */
async function* tiles({ list }: Moments, from: number, signal: AbortSignal): AsyncGenerator<Ready> {
  let place = '';
  const prepare = async (moment: Moment): Promise<Ready> => {
    const now = present()!;
    const key = placeOf(now);
    if (key !== place) {
      place = key;
      buffered.value = [];
    }
    const frame = await ready(shownAt(moment, now), signal, now);
    const { atMs } = moment;
    if (key === place && !buffered.value.includes(atMs)) buffered.value = [...buffered.value, atMs];
    return frame;
  };
  const lap = [...list.slice(from), ...list.slice(0, from)];
  for (;;) yield* inOrder(lap, AHEAD, prepare);
}

const loadPlayer = () => import('../motion/player.ts').catch(() => null);

/** Yields the frames of a loop without end, from an index on: grey ones, or tiles where the browser cannot colour those. */
async function* frames(moments: Moments, from: number, signal: AbortSignal): AsyncGenerator<Playable> {
  const player = await loadPlayer();
  if (player) yield* player.playedFrames(moments, from, signal);
  for await (const frame of tiles(moments, from, signal)) {
    yield { atMs: frame.next.view.atMs, show: () => commit(frame, 'none') };
  }
}

/**
 * Plays until `pause` or another picture. Place, opacities and overlays stay with the user.
 * @param isSet Whether the user has just set the range, which then holds also where the shown time is outside
 */
export async function play(isSet = false): Promise<void> {
  const state = wished();
  if (!state || baseSourceId.value === null) return;
  const { atMs } = state.view;
  seek();
  const signal = begin();
  motion.value = 'play';
  trouble.value = null;
  buffered.value = [];
  // While the images are found.
  void loadPlayer();
  try {
    const moments = await momentsToPlay(state, isSet, signal);
    if (!moments) throw new PageError(texts.time.nothingToPlay);
    const times = moments.list.map(({ atMs }) => atMs);
    const lastMs = times.at(-1)!;
    const from = atMs >= lastMs ? 0 : times.findIndex((ms) => ms >= atMs);
    let dueMs = performance.now();
    for await (const frame of frames(moments, from, signal)) {
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
