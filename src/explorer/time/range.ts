// The range of play, and the length and the middle of the range of the timeline around it.
import { signal } from '@preact/signals';
import { DAY_MS, HOUR_MS } from '../../platform/util/durations.ts';
import type { Range } from '../model/timeline.ts';

export const SPANS_MS = [
  ...[2, 6, 23].map((hours) => hours * HOUR_MS),
  ...[3, 10, 30, 180, 730, 3650, 10_950].map((days) => days * DAY_MS),
];
const DAY_INDEX = 2;
/** The range moves with the time that is shown when that leaves its middle half. */
export const MIDDLE = 0.25;
export const spanIndex = signal(DAY_INDEX);
export const centreMs = signal<number | null>(null);
export const loop = signal<Range | null>(null);
/** The range of play around a time; null where it is elsewhere. */
export const loopAround = (atMs: number): Range | null =>
  loop.value && atMs >= loop.value.startMs && atMs <= loop.value.endMs ? loop.value : null;
/** Times of the frames of the loop that have loaded for the present place. */
export const buffered = signal<readonly number[]>([]);

/** Sets the range of play, and shows all of it on the timeline with as much around it. */
export function showLoop({ startMs, endMs }: Range): void {
  loop.value = { startMs, endMs };
  const index = SPANS_MS.findIndex((span) => span * 2 * MIDDLE >= endMs - startMs);
  spanIndex.value = index < 0 ? SPANS_MS.length - 1 : index;
  centreMs.value = (startMs + endMs) / 2;
}
