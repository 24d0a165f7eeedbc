// Requests that wait for a change of a movie. All requests of an isolate for a movie share its reading, and their number is limited.
import { MOVIE_STATUS_WAIT } from '../platform/limits/movies.ts';
import { delay } from '../platform/util/retry.ts';
import { Service } from '../platform/util/service.ts';
import { FreshValue } from '../platform/util/single-flight.ts';
import { MOVIE_STATUS, type Movie, type MovieBuild } from './movie.ts';

export type FoundMovie = { readonly movie: Movie; readonly build: MovieBuild };

export interface Waiting {
  readonly id: string;
  readonly client: string;
  readonly seconds: number;
  /** Text that changes with what the request waits for, besides the position in the queue. */
  readonly stateOf: (found: FoundMovie) => string;
}

interface Watched {
  readonly movie: FreshValue<FoundMovie>;
  readonly position: FreshValue<number>;
  /** Until when it may be needed. A Worker may be cancelled with its request, and its `finally` with it. */
  untilMs: number;
}

const { mostWaiters, mostWaitersOfClient, intervalMs, laterIntervalMs, laterAfterMs, positionIntervalMs, unwatchedMs, shareMs } =
  MOVIE_STATUS_WAIT;
/** Time after the end of a wait until which its request has certainly ended. */
const END_MS = 5_000;
/** A reading is shared for this fraction of the polling interval. */
const FRESH = 0.9;
const clock = () => performance.now();

const isQueued = ({ build }: FoundMovie): boolean => build.status === MOVIE_STATUS.queued;
const isOver = ({ build }: FoundMovie): boolean =>
  build.status === MOVIE_STATUS.finished || build.status === MOVIE_STATUS.invalid;

export class MovieWatch extends Service<{
  readonly find: (id: string) => Promise<FoundMovie>;
  readonly position: (build: MovieBuild) => Promise<number>;
}> {
  readonly #watched = new Map<string, Watched>();
  readonly #waiters = new Set<{ readonly client: string; readonly untilMs: number }>();

  /** The movie at once when it is over, else after a change or `seconds`; with too many requests, after a few. @throws Failure `unknown-movie` */
  async changed({ id, client, seconds, stateOf }: Waiting): Promise<FoundMovie> {
    const first = await this.ports.find(id);
    if (seconds === 0 || isOver(first)) return first;
    const untilMs = clock() + 1000 * seconds;
    const waiter = { client, untilMs: untilMs + END_MS };
    if (!this.#mayWait(client)) {
      await delay(Math.min(unwatchedMs, 1000 * seconds));
      return this.ports.find(id);
    }
    this.#waiters.add(waiter);
    try {
      return await this.#nextChange(this.#watch(id, waiter.untilMs), first, { untilMs, stateOf });
    } finally {
      this.#waiters.delete(waiter);
    }
  }

  async #nextChange(
    { movie, position }: Watched,
    first: FoundMovie,
    { untilMs, stateOf }: Pick<Waiting, 'stateOf'> & { readonly untilMs: number },
  ): Promise<FoundMovie> {
    const before = stateOf(first);
    const positionBefore = isQueued(first) ? await position.read() : null;
    for (const startMs = clock(); ; ) {
      const leftMs = untilMs - clock();
      const pauseMs = clock() - startMs < laterAfterMs ? intervalMs : laterIntervalMs;
      await delay(Math.max(0, Math.min(leftMs, pauseMs)));
      // A shared reading is younger than the first one only after a whole pause.
      if (leftMs <= pauseMs) return this.ports.find(first.movie.id);
      const found = await movie.read();
      if (isOver(found) || stateOf(found) !== before) return found;
      if (isQueued(found) && (await position.read()) !== positionBefore) return found;
    }
  }

  #mayWait(client: string): boolean {
    const nowMs = clock();
    for (const waiter of this.#waiters) if (waiter.untilMs < nowMs) this.#waiters.delete(waiter);
    const ofClient = [...this.#waiters].filter((waiter) => waiter.client === client).length;
    return this.#waiters.size < mostWaiters && ofClient < mostWaitersOfClient;
  }

  #watch(id: string, untilMs: number): Watched {
    const nowMs = clock();
    for (const [other, watched] of this.#watched) if (watched.untilMs < nowMs) this.#watched.delete(other);
    const watched = this.#watched.get(id) ?? this.#newlyWatched(id);
    watched.untilMs = Math.max(watched.untilMs, untilMs);
    this.#watched.set(id, watched);
    return watched;
  }

  #newlyWatched(id: string): Watched {
    const movie = new FreshValue(() => this.ports.find(id), { freshMs: FRESH * intervalMs, shareMs, clock });
    const positionOf = async () => this.ports.position((await movie.read()).build);
    return { movie, position: new FreshValue(positionOf, { freshMs: positionIntervalMs, shareMs, clock }), untilMs: 0 };
  }
}
