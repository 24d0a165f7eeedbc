// Settings of making movies.
import { Failure } from '../../domain/errors.ts';

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

/** What an operator may set. */
export interface MovieQueueSettings {
  /** `MOVIE_TOKEN`: the secret between the service and its movie workers, at least 16 characters. Unset: no movies are built. */
  readonly movieToken: string | null;
  /** `MOVIE_WORKER_URL`: where movie workers listen, separated by commas. Set, it counts before the containers. */
  readonly movieWorkerUrls: readonly string[];
  /** `MOVIE_CONTAINERS`: how many containers build movies at once, 0 to 100. Unset: none. */
  readonly movieContainers: number;
}

const MIN_TOKEN_CHARACTERS = 16;
const MOST_CONTAINERS = 100;

function text(env: Readonly<Record<string, unknown>>, name: string): string {
  const value = env[name];
  return typeof value === 'string' ? value.trim() : '';
}

function workerUrl(text: string): string {
  const url = URL.parse(text);
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username) return url.href.replace(/\/+$/, '');
  throw new Failure('internal', `Expected http addresses separated by commas for MOVIE_WORKER_URL, got ${text}.`);
}

/**
 * Settings from environment variables.
 * @throws Failure that names the variable and what it has to be; the secret is never in it
 */
export function readMovieQueueSettings(env: Readonly<Record<string, unknown>>): MovieQueueSettings {
  const movieToken = text(env, 'MOVIE_TOKEN') || null;
  if (movieToken !== null && movieToken.length < MIN_TOKEN_CHARACTERS) {
    const sentence = `Expected at least ${MIN_TOKEN_CHARACTERS} characters for MOVIE_TOKEN, got ${movieToken.length}.`;
    throw new Failure('internal', sentence);
  }
  const urls = text(env, 'MOVIE_WORKER_URL').split(',');
  const movieWorkerUrls = urls.flatMap((url) => (url.trim() ? [workerUrl(url.trim())] : []));
  const containers = text(env, 'MOVIE_CONTAINERS') || '0';
  if (!/^\d{1,3}$/.test(containers) || Number(containers) > MOST_CONTAINERS) {
    throw new Failure('internal', `Expected a number from 0 to ${MOST_CONTAINERS} for MOVIE_CONTAINERS, got ${containers}.`);
  }
  return { movieToken, movieWorkerUrls, movieContainers: Number(containers) };
}
