// Moves through the frames of a range as a pointer or keys ask for: what is loaded is shown at once, and the exact picture at the end.

import type { Range } from '../model/timeline.ts';
import type { scrubbed } from '../motion/player.ts';
import { begin, change, pause, present, report, seek, wished } from '../store/open.ts';
import { baseSourceId, motion, type Shown, trouble } from '../store/state.ts';
import { type Moments, momentsIn } from './moments.ts';
import { buffered, loop, loopAround } from './range.ts';

type Place = { readonly atMs: number } | { readonly by: number };

interface Scrub {
  readonly signal: AbortSignal;
  atMs: number;
  /** Frames to move on from there, requested before the frames were known. */
  by: number;
  isEnded: boolean;
  /** Null before they are known. */
  moments: Moments | null;
  /** Null where the browser cannot draw them. */
  show: ReturnType<typeof scrubbed>;
}

let scrubbing: Scrub | null = null;

const nearestTo = ({ list }: Moments, atMs: number): number =>
  list.reduce((best, moment, i) => (Math.abs(moment.atMs - atMs) < Math.abs(list[best]!.atMs - atMs) ? i : best), 0);

/** Shows what there is of the frame that is asked for, and at the end the exact picture. */
function showWanted(scrub: Scrub): void {
  const { moments, show } = scrub;
  if (!moments) return;
  const { list } = moments;
  const index = Math.min(Math.max(nearestTo(moments, scrub.atMs) + scrub.by, 0), list.length - 1);
  scrub.atMs = list[index]!.atMs;
  scrub.by = 0;
  const isShown = show?.(index) === index;
  if (!scrub.isEnded) return;
  scrubbing = null;
  if (isShown || scrub.atMs === present()?.view.atMs) pause();
  else void change({ atMs: scrub.atMs });
}

function start(state: Shown, otherwise: Range): Scrub {
  seek();
  const begun: Scrub = { signal: begin(), atMs: state.view.atMs, by: 0, isEnded: false, moments: null, show: null };
  motion.value = 'scrub';
  trouble.value = null;
  buffered.value = [];
  const find = async () => {
    const range = loopAround(state.view.atMs) ?? otherwise;
    const player = import('../motion/player.ts').catch(() => null);
    const moments = await momentsIn(state, range, begun.signal);
    const show = moments && (await player)?.scrubbed(moments, nearestTo(moments, begun.atMs), begun.signal);
    begun.signal.throwIfAborted();
    if (!moments) return pause();
    loop.value = range;
    showWanted(Object.assign(begun, { moments, show: show ?? null }));
  };
  void find().catch((error: unknown) => {
    if (begun.signal.aborted) return;
    report(error);
    pause();
  });
  return begun;
}

/** Moves to the frame nearest to a time, or by a number of frames. `otherwise`: the range where that of play is elsewhere. */
export function scrubTo(place: Place, otherwise: Range): void {
  const state = wished();
  if (!state || baseSourceId.value === null) return;
  if (!scrubbing || scrubbing.signal.aborted) scrubbing = start(state, otherwise);
  scrubbing.isEnded = false;
  if ('atMs' in place) scrubbing.atMs = place.atMs;
  scrubbing.by = 'atMs' in place ? 0 : scrubbing.by + place.by;
  showWanted(scrubbing);
}

export function endScrub(): void {
  if (!scrubbing || scrubbing.signal.aborted) return;
  scrubbing.isEnded = true;
  showWanted(scrubbing);
}
