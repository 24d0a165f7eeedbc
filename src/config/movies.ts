// Limits and settings of making movies.
import { Failure } from '../domain/errors.ts';

/** How the images of a movie are looked for. */
export const MOVIE_PLANNING = {
  /** Images of a layer up to which all of them are read, and up to which they are counted: four for each frame. */
  readImages: 1200,
  /** Times looked at of layers with more: two for each frame, so that gaps in the data cost no frames. */
  sampledTimes: 600,
  /** Times that the gaps between found images are halved, when they are so uneven that too few are found. */
  refinements: 10,
} as const;

/** How the queue is looked at. */
export const MOVIE_QUEUE = {
  /** Milliseconds for which a worker counts that has asked for work. */
  workerSeenMs: 10 * 60_000,
  /** Finished builds that estimates are made of: as many as the original service looks at. */
  timedBuilds: 100,
  /** Seconds after which a client whose movie was turned away may try again: one of ten workers is free by then. */
  retryAfterSeconds: 60,
  /** Milliseconds over which the cost of a client's movies adds up. */
  clientPeriodMs: 3_600_000,
  /** Megapixels that count for a request at least, also for one that joins the build of others: each is a row, 3456 in an hour. */
  leastCost: 10,
} as const;

/** Seconds after which a page shows whether its movie is ready. */
export const MOVIE_PAGE_REFRESH_SECONDS = 10;

export interface MovieSettings {
  /** `MOVIE_QUEUE_LIMIT`: builds that may wait. Unset: 500, which ten workers get done in a night. */
  readonly queueLimit: number;
  /**
   * `MOVIE_CLIENT_COST`: megapixels that one client may have drawn and encoded in an hour. Unset: 34560, which are 25 movies of
   * 300 frames of 1920x1200 with one layer.
   */
  readonly clientCost: number;
}

const DEFAULTS = { MOVIE_QUEUE_LIMIT: 500, MOVIE_CLIENT_COST: 34_560 } as const;

function positive(env: Readonly<Record<string, unknown>>, name: keyof typeof DEFAULTS): number {
  const value = env[name];
  if (value === undefined || value === '') return DEFAULTS[name];
  if (typeof value === 'string' && /^[1-9]\d{0,8}$/.test(value)) return Number(value);
  throw new Failure('internal', `Expected a whole number above 0 for ${name}, got ${value}.`);
}

/** @throws Failure that names the variable and what it has to be */
export function readMovieSettings(env: Readonly<Record<string, unknown>>): MovieSettings {
  return { queueLimit: positive(env, 'MOVIE_QUEUE_LIMIT'), clientCost: positive(env, 'MOVIE_CLIENT_COST') };
}
