// The range of the timeline, which the list of images has as well.
import { signal } from '@preact/signals';
import { DAY_MS, HOUR_MS } from '../../../util/durations.ts';

const SPANS_MS = [
  2 * HOUR_MS,
  6 * HOUR_MS,
  23 * HOUR_MS,
  3 * DAY_MS,
  10 * DAY_MS,
  30 * DAY_MS,
  180 * DAY_MS,
  730 * DAY_MS,
  3650 * DAY_MS,
  10_950 * DAY_MS,
];
const DAY_INDEX = 2;
/** The range moves with the time that is shown when that leaves its middle half. */
export const MIDDLE = 0.25;

const spanIndex = signal(DAY_INDEX);
export const centreMs = signal<number | null>(null);

export const spanMs = (): number => SPANS_MS[spanIndex.value]!;
export const isShortest = (): boolean => spanIndex.value === 0;
export const isLongest = (): boolean => spanIndex.value === SPANS_MS.length - 1;

export function zoomTimeline(by: -1 | 1): void {
  spanIndex.value = Math.min(Math.max(spanIndex.value + by, 0), SPANS_MS.length - 1);
}

/** The middle of the range around a time: it stays while the time is in its middle half. */
export function middleAround(atMs: number): number {
  const present = centreMs.value;
  return present !== null && Math.abs(present - atMs) <= spanMs() * MIDDLE ? present : atMs;
}
