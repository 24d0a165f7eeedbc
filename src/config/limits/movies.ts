// Limits of movies: selection of images, queue, and jobs of the movie workers.

import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../util/durations.ts';
/** Selection of the images of a movie. */
export const MOVIE_PLANNING = {
  /** Images of a layer up to which all rows are read, and up to which they are counted: four for each frame. */
  readImages: 1200,
  /** Times sampled of layers with more images: two for each frame, so that gaps in the data cost no frames. */
  sampledTimes: 600,
  /** Bisections of the gaps between found images, when uneven gaps leave too few of them. */
  refinements: 10,
} as const;

/** Lifetimes of rows. Those of the files and of the plans of movies are rules of the bucket (`EXPIRY_DAYS`), which they follow. */
export const MOVIE_LIFE = {
  /** Milliseconds after its last use when a movie is forgotten: as long, its plan is kept after a build. Shared movies are kept. */
  unusedMs: 365 * DAY_MS,
  /** Milliseconds between uses that are recorded. */
  sameUseMs: 30 * DAY_MS,
  /** Milliseconds after it was queued when a build is deleted that no movie has any more: as long, its files are kept. */
  buildMs: 90 * DAY_MS,
} as const;

export const MOVIE_QUEUE = {
  /** Milliseconds after its last request for work for which a worker counts as available. */
  workerSeenMs: 10 * MINUTE_MS,
  /** Finished builds on which estimates are based, as in the original service. */
  timedBuilds: 100,
  /** Seconds of the Retry-After of a rejected movie: by then, one of ten workers is free. */
  retryAfterSeconds: 60,
  /** Milliseconds over which the cost of a client's movies is summed. */
  clientPeriodMs: HOUR_MS,
  /** Minimum cost of a request in megapixels, also for one that joins an existing build: each is a row, 3456 in an hour. */
  minCost: 10,
  /**
   * Characters of stored recipe and request for which the minimum cost is charged once: those of most movies. With events, both can have
   * 34,000, of which a client can then store 3.5 MB in an hour.
   */
  charactersPerMinCost: 1024,
} as const;

/** getMovieStatus with `wait`. All waiting requests of an isolate for a movie share its reading. */
export const MOVIE_STATUS_WAIT = {
  mostSeconds: 30,
  /** Time between readings of a movie, and that after a while: a worker reports every five seconds. */
  intervalMs: 1_000,
  laterIntervalMs: 2_000,
  laterAfterMs: 10_000,
  /** Time between countings of the builds ahead of a queued one. */
  placeIntervalMs: 5_000,
  /** Waiting requests of an isolate, and of a client in it. Further ones look once more, after `unwatchedMs`. */
  mostWaiters: 200,
  mostWaitersOfClient: 8,
  unwatchedMs: 5_000,
  /** Time for which requests share a reading that has begun. */
  shareMs: 3_000,
} as const;

/** Seconds after which the page of an unfinished movie reloads. */
export const MOVIE_PAGE_REFRESH_SECONDS = 10;

export const MOVIE_JOBS = {
  /** Default of MOVIE_LEASE_SECONDS in milliseconds. */
  leaseMs: 30_000,
  /** Attempts at a movie whose workers report failures: a third failure is taken as permanent. */
  attempts: 3,
  /** Attempts at a movie whose workers fall silent: a worker may be stopped for unrelated reasons, but not ten in a row. */
  silentAttempts: 10,
  /** Milliseconds after its last request for work after which a worker is deleted from the register. */
  forgetWorkerMs: DAY_MS,
  /** Frames in one request for markers: each needs an event search, and a Worker has a thousand subrequests. */
  framesOfMarkers: 50,
  /** Bytes of a sidecar that a worker rebuilt: those of 4096-pixel images have up to 40 kB. */
  sidecarBytes: 4 << 20,
  /** Bytes of a worker's report: the longest holds the names and sizes of nine files. */
  reportBytes: 64 << 10,
  /** Characters of the failure reason that a worker reports. */
  reasonCharacters: 300,
  /** Milliseconds that a movie worker may take to respond to a wake request. */
  wakeDeadlineMs: 5_000,
  /** Milliseconds that a container may take for it, its start included. */
  containerStartMs: MINUTE_MS,
} as const;
