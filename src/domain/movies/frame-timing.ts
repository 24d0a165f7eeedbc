// The number of frames of a movie, their times and their playback rate. The reference layer is the one with the most images.

/** Limits of a movie. Those of the queue and of its clients are in config/limits/movies.ts and config/settings/movies.ts. */
export const MOVIE_LIMITS = {
  /** Smallest number of images in the range of a movie, all layers together. */
  leastImages: 4,
  /** Range of maxFrames; a longer movie would occupy its worker for too long. */
  frames: { least: 10, most: 300 },
  /** Maximum frames from a number of queued movies on, from the longest queue down. */
  throttled: [
    { fromQueued: 50, frames: 150 },
    { fromQueued: 20, frames: 225 },
  ],
  /** Largest accepted value of maxFrames; values above the maximum number of frames are lowered to it. */
  requestedFrames: 1_000_000,
  /** Frames per second: screens show at most 60. */
  frameRate: { min: 1, max: 60 },
  /** Requested length in seconds; at the lowest rate, an hour already exceeds the maximum number of frames. */
  lengthSeconds: { min: 0.1, max: 3600 },
} as const;

/** Frames per second of a movie that names neither a rate nor a length. */
const DEFAULT_FRAME_RATE = 15;

/** Frames per second that a requested length can result in. */
const LENGTH_FRAME_RATE = { min: 1, max: 30 };

/** Maximum frames of a movie that is planned while `queued` movies wait. */
export function frameCap(queued: number): number {
  return MOVIE_LIMITS.throttled.find(({ fromQueued }) => queued >= fromQueued)?.frames ?? MOVIE_LIMITS.frames.most;
}

/**
 * Number of frames of a movie whose layers have `imageCounts` images in its range. `cap` limits the images of all layers
 * together: two full layers have half as many frames each, and a sparse layer leaves its unused share to the others. The
 * result is at least MOVIE_LIMITS.frames.least where the reference layer has as many images.
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

/** `count` evenly spread items of a list, including the first and the last; the whole list where it has no more. */
export function spread<T>(list: readonly T[], count: number): T[] {
  if (count >= list.length) return [...list];
  if (count <= 1) return list.slice(0, count);
  return Array.from({ length: count }, (_, i) => list[Math.round((i * (list.length - 1)) / (count - 1))]!);
}

/** `count` evenly spread times in milliseconds, including both ends. */
export function spreadTimes(fromMs: number, toMs: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => fromMs + ((toMs - fromMs) * i) / (count - 1));
}

export interface PlaybackRequest {
  /** Frames per second; takes precedence over `movieLength`. */
  readonly frameRate?: number | undefined;
  /** Seconds. */
  readonly movieLength?: number | undefined;
}

/** A thousandth keeps a length of minutes within a tenth of a second. */
const toThousandths = (rate: number): number => Math.round(rate * 1000) / 1000;

/** Playback rate in frames per second of `frames` frames, and whether it results in another length than the requested one. */
export function playbackRate(
  { frameRate, movieLength }: PlaybackRequest,
  frames: number,
): { frameRate: number; isOtherLength: boolean } {
  if (frameRate !== undefined) return { frameRate: toThousandths(frameRate), isOtherLength: false };
  if (movieLength === undefined) return { frameRate: DEFAULT_FRAME_RATE, isOtherLength: false };
  const requested = toThousandths(frames / movieLength);
  const { min, max } = LENGTH_FRAME_RATE;
  const clamped = Math.min(Math.max(requested, min), max);
  return { frameRate: clamped, isOtherLength: clamped !== requested };
}
