import { DAY_MS, HOUR_MS, MINUTE_MS } from '../util/durations.ts';

/** Most frames of a movie: a longer one would occupy its worker for too long. */
const MOST_FRAMES = 300;

export const MOVIE_LIMITS = {
  /** Fewest images in the range of a movie, all layers together. */
  leastImages: 4,
  frames: { least: 10, most: MOST_FRAMES },
  /** Most frames while this many movies are queued, longest queue first. */
  throttled: [
    { fromQueued: 50, frames: MOST_FRAMES / 2 },
    { fromQueued: 20, frames: (MOST_FRAMES * 3) / 4 },
  ],
  /** Largest accepted maxFrames; values above the maximum number of frames are lowered to it. */
  requestedFrames: 1_000_000,
  /** Frames per second: screens show at most 60. */
  frameRate: { min: 1, max: 60 },
  defaultFrameRate: 15,
  /** Requested length in seconds; at the lowest rate, an hour already exceeds the maximum number of frames. */
  lengthSeconds: { min: 0.1, max: 3600 },
} as const;

/** Movies that a browser encodes itself, with the frames of its play. Longer and larger ones are made by the service. */
export const SAVED_MOVIE = {
  /** Longest side in pixels: moving frames have at most 1280, and are enlarged beyond that. */
  sidePixels: 1920,
  /** Bits of the file for each pixel of a frame, at most: with twice as many, frames are no nearer to the screen (2.4 of 256 levels on average). */
  bitsPerPixel: 0.4,
  /** Frames from one that is whole to the next, among which players seek. */
  keyFrames: 30,
  /** Frames that are loaded while one is drawn. */
  ahead: 4,
  /** Frames that wait for the encoder. */
  waiting: 4,
} as const;

export const MOVIE_PLANNING = {
  /** Images of a layer up to which all rows are read, and up to which they are counted: four for each frame. */
  readImages: 4 * MOST_FRAMES,
  /** Records of lists as which the plan of a layer counts: about the rows that one of differences reads. */
  layerRecords: 16 * MOST_FRAMES,
  /** Times sampled of layers with more images: two for each frame, so that gaps in the data cost no frames. */
  sampledTimes: 2 * MOST_FRAMES,
  /** Bisections of the gaps between found images, when uneven gaps leave too few of them. */
  refinements: 10,
} as const;

/** Lifetimes of rows. They follow the rules of the bucket for files and frames (`EXPIRY_DAYS`). */
export const MOVIE_LIFE = {
  /** A movie unused for this long is deleted, unless it is shared. Its frames are kept equally long after a build. */
  unusedMs: 365 * DAY_MS,
  /** Age at which a build without movies is deleted. Its files live as long. */
  buildMs: 90 * DAY_MS,
} as const;

export const MOVIE_QUEUE = {
  /** A worker counts as available for this long after its last request for work, in ms. */
  workerSeenMs: 10 * MINUTE_MS,
  /** Finished builds on which estimates are based, as in the original service. */
  timedBuilds: 100,
  /** Retry-After of a rejected movie, in seconds: by then, one of ten workers is free. */
  retryAfterSeconds: 60,
  /** Milliseconds over which the cost of a client's movies is summed. */
  clientPeriodMs: HOUR_MS,
  /** Minimum cost of a request in megapixels, also for one that joins an existing build: each is a row, 3456 in an hour. */
  minCost: 10,
  /** Characters of recipe and request in one minimum cost. With events they have up to 34,000: a client can store 3.5 MB in an hour. */
  charactersPerMinCost: 1024,
} as const;

/** getMovieStatus with `wait`. All waiting requests of an isolate for a movie share its reading. */
export const MOVIE_STATUS_WAIT = {
  mostSeconds: 30,
  /** Time between readings of a movie, at first and later: a worker reports every `reportMs`. */
  intervalMs: 1_000,
  laterIntervalMs: 2_000,
  laterAfterMs: 10_000,
  /** Time between countings of the builds ahead of a queued one. */
  positionIntervalMs: 5_000,
  /** Waiting requests of an isolate, and of a client in it. Further ones look once more, after `unwatchedMs`. */
  mostWaiters: 200,
  mostWaitersOfClient: 8,
  unwatchedMs: 5_000,
  /** Time for which requests share a reading that has begun. */
  shareMs: 3_000,
} as const;

export const MOVIE_PAGE_REFRESH_SECONDS = 10;

export const MAX_CONTAINERS = 100;

export const MOVIE_BUILDS = {
  /** Default of MOVIE_LEASE_SECONDS in milliseconds. */
  leaseMs: 30_000,
  /** Interval of a worker's reports: each writes a row. */
  reportMs: 5_000,
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
  reasonCharacters: 300,
  /** Milliseconds that a movie worker may take to respond to a wake request. */
  wakeDeadlineMs: 5_000,
  /** Milliseconds that a container may take to respond, its start included. */
  containerStartMs: MINUTE_MS,
} as const;
