// What a movie may ask for. Limits that depend on the service and on its clients are in config/limits/movies.ts and config/settings/movies.ts.

export const MOVIE_LIMITS = {
  /** Frames: fewer are no movie; more take a worker for longer than others should wait. */
  frames: { least: 10, most: 300 },
  /** The most frames while so many movies wait, from the longest queue down. */
  throttled: [
    { fromQueued: 50, frames: 150 },
    { fromQueued: 20, frames: 225 },
  ],
  /** Largest number that maxFrames may be; what is above the most frames is lowered to it. */
  requestedFrames: 1_000_000,
  /** Frames per second: screens show no more than 60. */
  frameRate: { min: 1, max: 60 },
  /** Seconds of a movie as asked for: at the slowest rate an hour has more frames than there may be. */
  lengthSeconds: { min: 0.1, max: 3600 },
} as const;

/** Frames per second of a movie that names neither rate nor length. */
export const DEFAULT_FRAME_RATE = 15;

/** Frames per second that a length may lead to. */
export const LENGTH_FRAME_RATE = { min: 1, max: 30 } as const;
