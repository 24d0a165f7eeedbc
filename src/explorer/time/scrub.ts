// Moves through the frames of a range as a pointer or keys ask for: what is loaded is shown at once, and the exact picture at the end.

import type { Range } from '../model/timeline.ts';
import type { Scrubbed } from '../motion/player.ts';
import { begin, change, pause, present, report } from '../store/open.ts';
import { baseSourceId, motion, type Shown, trouble } from '../store/state.ts';
import { type Moments, momentsIn } from './moments.ts';
import { buffered, loop } from './range.ts';

type Place = { readonly atMs: number } | { readonly by: number };

interface Frames {
  readonly moments: Moments;
  /** Null where the browser cannot draw them. */
  readonly shown: Scrubbed | null;
}

interface Scrub {
  readonly signal: AbortSignal;
  atMs: number;
  /** Frames to move on from there, requested before the frames were known. */
  by: number;
  isEnded: boolean;
  frames: Frames | null;
}

let scrubbing: Scrub | null = null;

const nearestTo = ({ list }: Moments, atMs: number): number =>
  list.reduce((best, moment, i) => (Math.abs(moment.atMs - atMs) < Math.abs(list[best]!.atMs - atMs) ? i : best), 0);

/** Shows what there is of the frame that is asked for, and at the end the exact picture. */
function showWanted(scrub: Scrub): void {
  const { frames } = scrub;
  if (!frames) return;
  const { list } = frames.moments;
  const index = Math.min(Math.max(nearestTo(frames.moments, scrub.atMs) + scrub.by, 0), list.length - 1);
  scrub.atMs = list[index]!.atMs;
  scrub.by = 0;
  const isShown = frames.shown?.show(index) === index;
  if (!scrub.isEnded) return;
  scrubbing = null;
  if (isShown || scrub.atMs === present()?.view.atMs) pause();
  else void change({ atMs: scrub.atMs });
}

/** The range of play around a time, else the one that is given. */
function rangeAround(atMs: number, otherwise: Range): Range {
  const present = loop.value;
  return present && atMs >= present.startMs && atMs <= present.endMs ? present : otherwise;
}

function start(state: Shown, otherwise: Range): Scrub {
  const begun: Scrub = { signal: begin(), atMs: state.view.atMs, by: 0, isEnded: false, frames: null };
  motion.value = 'scrub';
  trouble.value = null;
  buffered.value = [];
  const find = async () => {
    const range = rangeAround(state.view.atMs, otherwise);
    const player = import('../motion/player.ts').catch(() => null);
    const moments = await momentsIn(state, range, begun.signal);
    const shown = moments && (await player)?.scrubbed(moments, nearestTo(moments, begun.atMs), begun.signal);
    begun.signal.throwIfAborted();
    if (!moments) return pause();
    loop.value = range;
    begun.frames = { moments, shown: shown ?? null };
    showWanted(begun);
  };
  void find().catch((error: unknown) => {
    if (begun.signal.aborted) return;
    report(error);
    pause();
  });
  return begun;
}

/** The present scrub; a new one where none is under way, or null without a picture. `otherwise`: its range where the range of play is elsewhere. */
function scrubIn(otherwise: Range): Scrub | null {
  if (scrubbing && !scrubbing.signal.aborted) return scrubbing;
  const state = present();
  scrubbing = state && baseSourceId.value !== null ? start(state, otherwise) : null;
  return scrubbing;
}

/** Moves to the frame nearest to a time, or by a number of frames. `range`: that of the timeline. */
export function scrubTo(place: Place, range: Range): void {
  const scrub = scrubIn(range);
  if (!scrub) return;
  scrub.isEnded = false;
  if ('atMs' in place) scrub.atMs = place.atMs;
  scrub.by = 'atMs' in place ? 0 : scrub.by + place.by;
  showWanted(scrub);
}

export function endScrub(): void {
  if (!scrubbing || scrubbing.signal.aborted) return;
  scrubbing.isEnded = true;
  showWanted(scrubbing);
}
