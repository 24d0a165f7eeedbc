// The range of the timeline, which the list of images has as well, around a time.
import { MINUTE_MS } from '../../platform/util/durations.ts';
import type { Range } from '../model/timeline.ts';
import { adjacent, baseImage, isMoving, shown } from '../store/state.ts';
import { centreMs, MIDDLE, SPANS_MS, spanIndex } from './range.ts';

export type ShownSpan = { readonly startMs: number; readonly spanMs: number };

/** While images play, it stays for a range of play in nearly all of it. */
const PLAYED = 0.48;
/** Shortest range of play, in parts of the timeline and at least a minute. */
const LEAST_LOOP = 1 / 40;

export const spanMs = (): number => SPANS_MS[spanIndex.value]!;
export const canZoom = (by: -1 | 1): boolean => spanIndex.value + by in SPANS_MS;

export function zoomTimeline(by: -1 | 1): void {
  spanIndex.value = Math.min(Math.max(spanIndex.value + by, 0), SPANS_MS.length - 1);
}

/** The shown time for which the user has placed the range by a pointer: it stays there until another time is shown. */
let placedFor: number | null = null;

export function placeRange(middleMs: number, atMs: number): void {
  placedFor = atMs;
  centreMs.value = middleMs;
}

/** Changes the length of the range around a time, which stays where it is. */
export function zoomAround(by: -1 | 1, fixedMs: number, atMs: number): void {
  const [middle, before] = [middleAround(atMs), spanMs()];
  zoomTimeline(by);
  placeRange(fixedMs + ((middle - fixedMs) * spanMs()) / before, atMs);
}

/** Part of the range that may be later than the newest image, and the part beyond the end, in which the needle has room. */
const LATER = 0.35;
const ROOM = 0.02;

/** The end of a range with the newest image: now, or this image where it is old. Infinite for a range of which more images follow. */
function latestMs(): number {
  const image = baseImage.value;
  const isLast = shown.value?.isNewest || (adjacent.value.imageId === image?.id && adjacent.value.nextMs === null);
  if (!image || !isLast) return Number.POSITIVE_INFINITY;
  const [lastMs, nowMs] = [Date.parse(image.takenAt), Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS];
  return nowMs > lastMs && nowMs - lastMs < LATER * spanMs() ? nowMs : lastMs;
}

/** The middle of the range around a time: it stays while the time is in its middle half. The range ends with the newest image. */
export function middleAround(atMs: number): number {
  const present = centreMs.value;
  const reach = spanMs() * (isMoving.value ? PLAYED : MIDDLE);
  const isKept = present !== null && (placedFor === atMs || Math.abs(present - atMs) <= reach);
  return Math.min(isKept ? present : atMs, Math.max(latestMs(), atMs) - spanMs() * (0.5 - ROOM));
}

/** The range of the timeline around a time, in whole seconds. */
export function timelineAround(atMs: number): Range {
  const startMs = Math.round((middleAround(atMs) - spanMs() / 2) / 1000) * 1000;
  return { startMs, endMs: startMs + spanMs() };
}

/** A range of play whose start, end or both have moved; each end stops before the other. */
export function movedLoop({ startMs, endMs }: Range, what: 'start' | 'end' | 'both', byMs: number): Range {
  const least = Math.max(spanMs() * LEAST_LOOP, MINUTE_MS);
  if (what === 'both') return { startMs: startMs + byMs, endMs: endMs + byMs };
  return what === 'start'
    ? { startMs: Math.min(startMs + byMs, endMs - least), endMs }
    : { startMs, endMs: Math.max(endMs + byMs, startMs + least) };
}
