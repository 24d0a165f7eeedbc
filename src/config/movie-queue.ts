// Limits and settings of the queue of movies and of the workers that build them.
import { Failure } from '../domain/errors.ts';

export const MOVIE_JOBS = {
  /** Milliseconds without a word from its worker after which a movie goes to another one: workers report each second. */
  leaseMs: 30_000,
  /** Attempts at one movie whose worker says that it failed: what fails three times fails for a reason. */
  attempts: 3,
  /** Attempts at one movie when its workers fall silent: they may be stopped for reasons of their own, but one of ten is not. */
  silentAttempts: 10,
  /** Milliseconds after which a worker that no longer asks for work is forgotten. */
  forgetWorkerMs: 86_400_000,
  /** Frames in one question for markers: the events of each are searched, and a Worker has a thousand subrequests. */
  framesOfMarkers: 50,
  /** Bytes of a sidecar that a worker made again: those of 4096 images have up to 40 kB. */
  sidecarBytes: 4 << 20,
  /** Bytes of a report of a worker: the longest holds the names and sizes of nine files. */
  reportBytes: 64 << 10,
  /** Characters of the reason for a failure that a worker gives. */
  reasonCharacters: 300,
  /** Milliseconds that a movie worker may take to say that it is awake. */
  wakeDeadlineMs: 5_000,
  /** Milliseconds that a container may take for it: it has to be started first. */
  containerStartMs: 60_000,
} as const;

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
