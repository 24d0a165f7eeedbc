import { MAX_CONTAINERS, MOVIE_BUILDS, MOVIE_LIMITS } from '../limits/movies.ts';
import { MIN_TOKEN_CHARACTERS } from './service.ts';
import { httpBase, list, secret, type ValuesOf, type Variables, wholeNumber } from './variable.ts';

const { frames } = MOVIE_LIMITS;
const CLIENT_MOVIES = 25;
const QUEUED_MOVIES = 500;
/** Megapixels drawn and encoded for the longest movie of 1920x1200 with one layer. */
const LONGEST_MOVIE = (frames.most * 2 * 1920 * 1200) / 1e6;

export const MOVIE_QUEUE_VARIABLES = {
  MOVIE_TOKEN: {
    type: secret(MIN_TOKEN_CHARACTERS),
    description: 'Secret shared by the service and its movie workers.',
    unset: 'no movies are built',
    isSecret: true,
    isChosenByStart: true,
  },
  MOVIE_WORKER_URL: {
    type: list(httpBase('http addresses separated by commas')).default([]),
    description: 'Movie workers outside of Cloudflare. They take the place of the containers.',
    isChosenByStart: true,
  },
  MOVIE_CONTAINERS: {
    type: wholeNumber(0, MAX_CONTAINERS).default(0),
    description: 'Containers that build movies at the same time; at most their `max_instances`.',
    deployed: '4',
    isChosenByStart: true,
  },
  MOVIE_LEASE_SECONDS: {
    type: wholeNumber(4, 600).default(MOVIE_BUILDS.leaseMs / 1000),
    description: `Time without a report after which a movie passes to another worker; workers report every ${MOVIE_BUILDS.reportMs / 1000} seconds.`,
    isInternal: true,
  },
} as const satisfies Variables;

export const MOVIE_VARIABLES = {
  MOVIE_QUEUE_COST: {
    type: wholeNumber(1, 999_999_999, 'a whole number above 0').default(QUEUED_MOVIES * LONGEST_MOVIE),
    unit: 'megapixels',
    description: `Pixels to be drawn and encoded of the movies that may wait: ${QUEUED_MOVIES} of the longest, which ten workers finish in a night.`,
  },
  MOVIE_CLIENT_COST: {
    type: wholeNumber(1, 999_999_999, 'a whole number above 0').default(CLIENT_MOVIES * LONGEST_MOVIE),
    unit: 'megapixels per hour',
    description: `Pixels that may be drawn and encoded for one client: ${CLIENT_MOVIES} movies of ${frames.most} frames of 1920x1200 with one layer. As many of them may wait.`,
  },
} as const satisfies Variables;

export type MovieSettings = ValuesOf<typeof MOVIE_VARIABLES>;
export type MovieQueueSettings = ValuesOf<typeof MOVIE_QUEUE_VARIABLES>;
