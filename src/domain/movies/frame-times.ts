// How many frames a movie has, and which images of its reference layer they are (reference layer: that with the most images).
import { MOVIE_LIMITS } from './limits.ts';

/** The most frames while `queued` movies wait. */
export function frameCap(queued: number): number {
  return MOVIE_LIMITS.throttled.find(({ fromQueued }) => queued >= fromQueued)?.frames ?? MOVIE_LIMITS.frames.most;
}

/**
 * Frames of layers with so many images in the range, of which one movie may take `cap`: a cap of layer images rather than of
 * frames, so that two full layers have half as many frames each, to which a sparse layer adds what it does not need. At least
 * MOVIE_LIMITS.frames.least where the richest layer has as many.
 */
export function frameCount(imageCounts: readonly number[], cap: number): number {
  let remaining = cap;
  let frames = 0;
  for (const [i, count] of imageCounts.toSorted((a, b) => a - b).entries()) {
    frames = Math.min(count, remaining / (imageCounts.length - i));
    remaining -= frames;
  }
  return Math.max(Math.floor(frames), Math.min(MOVIE_LIMITS.frames.least, Math.max(...imageCounts)));
}

/** `count` members of a list, evenly spread, among them the first and the last; all of them where there are no more. */
export function spread<T>(list: readonly T[], count: number): T[] {
  if (count >= list.length) return [...list];
  if (count <= 1) return list.slice(0, count);
  return Array.from({ length: count }, (_, i) => list[Math.round((i * (list.length - 1)) / (count - 1))]!);
}

/** `count` times from the one to the other, both included, evenly spread; milliseconds. */
export function spreadTimes(fromMs: number, toMs: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => fromMs + ((toMs - fromMs) * i) / (count - 1));
}
