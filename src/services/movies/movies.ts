// Movies on request: planned, queued, found again, and built again when their files have gone.
import { MOVIE_QUEUE } from '../../config/limits/movies.ts';
import type { MovieSettings } from '../../config/settings/movies.ts';
import { Failure } from '../../domain/errors.ts';
import { estimateSeconds, secondsLeft } from '../../domain/movies/eta.ts';
import type { MovieFileName } from '../../domain/movies/formats.ts';
import { isMovieId, newMovieId } from '../../domain/movies/movie-id.ts';
import { parseMovieRequest, type RequestedMovie } from '../../domain/movies/movie-request.ts';
import { MOVIE_STATUS } from '../../domain/movies/state.ts';
import { dayParts } from '../../domain/time.ts';
import type { BuildPlan, Movie, MovieBuild, MovieNudge, MovieRegister } from '../../ports/movies.ts';
import type { ObjectStore, StoredObject } from '../../ports/objects.ts';
import type { Clock } from '../../ports/timing.ts';
import { movieFileKey } from '../../storage/keys.ts';
import { hmacSha256Hex, randomHex } from '../../util/digest.ts';
import type { MovieIndex } from './movie-images.ts';
import { planMovie } from './movie-plan.ts';

export interface MoviePorts {
  readonly index: MovieIndex;
  readonly objects: Pick<ObjectStore, 'head'>;
  readonly register: MovieRegister;
  readonly nudge: MovieNudge;
  readonly clock: Clock;
  readonly settings: MovieSettings;
  /** Known to the service alone: clients are remembered by hashes that nobody else can make. */
  readonly secret: string;
}

/** What the service has to know of who asks. */
export interface MovieCall {
  /** Address of the client. */
  readonly client: string;
  readonly waitUntil: (work: Promise<unknown>) => void;
}

export interface FoundMovie {
  readonly movie: Movie;
  readonly build: MovieBuild;
}

/** Where a build stands. */
export interface Outlook {
  /** Its place among those that wait, from 1; 0 when it does not wait. */
  readonly position: number;
  /** How many places it is beyond the workers that are free; 0 when it starts at once or has started. */
  readonly queue: number;
  /** Until it is finished. */
  readonly seconds: number;
}

export interface QueuedMovie extends Outlook {
  readonly movie: Movie;
  /** What is not as it was asked for. */
  readonly message: string | null;
}

const { queued, processing, finished } = MOVIE_STATUS;
const TOKEN_BYTES = 16;

/**
 * Hashes of a client's address on the UTC days of `timesMs`, without duplicates and in order. They change every day, so that
 * addresses are not stored and clients cannot be tracked.
 */
export async function clientHashes(client: string, secret: string, timesMs: readonly number[]): Promise<string[]> {
  const days = new Set(timesMs.map((ms) => dayParts(ms).join('-')));
  return Promise.all([...days].map((day) => hmacSha256Hex(secret, `${day} ${client}`)));
}

export class MovieService {
  readonly #ports: MoviePorts;

  constructor(ports: MoviePorts) {
    this.#ports = ports;
  }

  /**
   * Queues a requested movie, or joins an existing build of the same movie.
   * @throws Failure `queue-full`, `no-frames`, `too-few-images`, `no-image`, `no-earlier-image` or `too-costly`
   */
  async queue(requested: RequestedMovie, call: MovieCall): Promise<QueuedMovie> {
    const { register, clock } = this.#ports;
    const { plan, message, waiting } = await this.#plan(requested);
    const isThere = await register.isThere(plan.key);
    if (!isThere) this.#checkQueue(waiting);
    const client = await this.#checkClient(call, isThere ? 0 : plan.cost);
    const nowMs = clock();
    const { request, scene } = requested;
    const entry = { id: newMovieId(), createdAtMs: nowMs, token: randomHex(TOKEN_BYTES), request, layers: scene.layers, client };
    const added = await register.add(entry, plan, { nowMs, minCost: MOVIE_QUEUE.minCost });
    if (added.build.status !== finished || (await this.#isWhole(added.build))) return this.#queued(added, message, call);
    await this.#again(added.build, call);
    return this.#queued(await this.find(added.movie.id), message, call);
  }

  /**
   * Builds a movie again: one whose files have gone or that could not be built, or, with `isForced`, any, planned anew with the
   * images that there are now. Movies of others that are the same stay as they are.
   * @param addressOf Where the file of a movie is, for the refusal
   * @throws Failure `unknown-movie`, `movie-under-way`, `movie-exists`, or what `queue` does
   */
  async requeue(id: string, isForced: boolean, call: MovieCall, addressOf: (found: FoundMovie) => string): Promise<QueuedMovie> {
    const { register, clock } = this.#ports;
    const found = await this.find(id);
    const { movie, build } = found;
    if (build.status === queued || build.status === processing) {
      const state = build.status === queued ? 'queued' : 'being built';
      throw new Failure('movie-under-way', `Expected a movie that is not under way, got one that is ${state}.`);
    }
    if (!isForced && (await this.#isWhole(build))) {
      throw new Failure(
        'movie-exists',
        `Expected a movie that has to be built again, got one that is there: ${addressOf(found)}`,
      );
    }
    if (!isForced) {
      await this.#again(build, call);
      return this.#queued(await this.find(id), null, call);
    }
    const { plan, message, waiting } = await this.#plan(parseMovieRequest(movie.request));
    this.#checkQueue(waiting);
    const client = await this.#checkClient(call, plan.cost);
    await register.replan(id, plan, { nowMs: clock(), fresh: true });
    await this.#charge(client, plan);
    return this.#queued(await this.find(id), message, call);
  }

  /** @throws Failure `unknown-movie` */
  async find(id: string): Promise<FoundMovie> {
    const found = isMovieId(id) ? await this.#ports.register.find(id) : null;
    if (found) return found;
    throw new Failure('unknown-movie', 'Expected the id of a movie for id, got another one.', { parameter: 'id' });
  }

  /** Where a file of a build is, or null when it has not been made or has gone. */
  async file({ id, files }: MovieBuild, name: MovieFileName): Promise<{ key: string; stored: StoredObject } | null> {
    if (!files.some((file) => file.name === name)) return null;
    const key = movieFileKey(id, name);
    const stored = await this.#ports.objects.head(key);
    return stored && { key, stored };
  }

  /**
   * Queues a build whose files have gone, as it was planned.
   * @throws Failure `queue-full`, `too-costly`
   */
  async rebuild(build: MovieBuild, call: MovieCall): Promise<void> {
    await this.#again(build, call);
    call.waitUntil(this.#ports.nudge.nudge());
  }

  async outlook(build: MovieBuild): Promise<Outlook> {
    const { register, clock } = this.#ports;
    const over = { position: 0, queue: 0, seconds: 0 };
    if (build.status !== queued && build.status !== processing) return over;
    const recent = register.recentBuilds(MOVIE_QUEUE.timedBuilds);
    if (build.status === processing) {
      const { cost, framesDone, frameCount, startedAtMs } = build;
      const elapsedSeconds = (clock() - startedAtMs!) / 1000;
      return { ...over, seconds: secondsLeft({ cost, drawn: framesDone / frameCount, elapsedSeconds, recent: await recent }) };
    }
    const [running, seen, ahead] = await Promise.all([
      register.queueLength(),
      register.workersSince(clock() - MOVIE_QUEUE.workerSeenMs),
      register.ahead(build.arrival),
    ]);
    const workers = Math.max(1, seen, running.processing);
    const builds = ahead.waiting + running.processing;
    return {
      position: ahead.waiting + 1,
      queue: Math.max(0, builds + 1 - workers),
      seconds: estimateSeconds({ cost: build.cost, ahead: { builds, cost: ahead.cost }, workers, recent: await recent }),
    };
  }

  async #again(build: MovieBuild, call: MovieCall): Promise<void> {
    this.#checkQueue(await this.#waiting());
    const client = await this.#checkClient(call, build.cost);
    if (await this.#ports.register.requeue(build.id, this.#ports.clock())) await this.#charge(client, build);
  }

  #charge(client: string, { cost }: Pick<BuildPlan, 'cost'>): Promise<void> {
    const nowMs = this.#ports.clock();
    return this.#ports.register.charge(client, cost, nowMs, nowMs - MOVIE_QUEUE.clientPeriodMs);
  }

  async #plan(requested: RequestedMovie) {
    const waiting = await this.#waiting();
    return { ...(await planMovie(this.#ports.index, requested, waiting)), waiting };
  }

  /** How many builds wait. */
  async #waiting(): Promise<number> {
    return (await this.#ports.register.queueLength()).queued;
  }

  /** @throws Failure `queue-full` */
  #checkQueue(waiting: number): void {
    const { queueLimit } = this.#ports.settings;
    if (waiting < queueLimit) return;
    const sentence = `Expected fewer than ${queueLimit} movies in the queue, got ${waiting}; try again later.`;
    throw new Failure('queue-full', sentence, { retryAfterSeconds: MOVIE_QUEUE.retryAfterSeconds });
  }

  /** The hash of the client. @throws Failure `too-costly` when the movie is more than it may have built in an hour */
  async #checkClient({ client }: MovieCall, cost: number): Promise<string> {
    const { register, settings, clock, secret } = this.#ports;
    const sinceMs = clock() - MOVIE_QUEUE.clientPeriodMs;
    const hashes = await clientHashes(client, secret, [clock(), sinceMs]);
    const costs = await Promise.all(hashes.map((hash) => register.costSince(hash, sinceMs)));
    const total = costs.reduce((sum, each) => sum + each, Math.max(cost, MOVIE_QUEUE.minCost));
    if (total <= settings.clientCost) return hashes[0]!;
    const sentence =
      `Expected at most ${settings.clientCost} megapixels of movies from one address in an hour, got ${Math.ceil(total)}; ` +
      'try again later, or with fewer or smaller frames.';
    throw new Failure('too-costly', sentence, { retryAfterSeconds: MOVIE_QUEUE.retryAfterSeconds });
  }

  async #isWhole(build: MovieBuild): Promise<boolean> {
    if (build.status !== finished) return false;
    const files = await Promise.all(build.files.map(({ name }) => this.file(build, name)));
    return files.length > 0 && files.every((file) => file !== null);
  }

  async #queued({ movie, build }: FoundMovie, message: string | null, { waitUntil }: MovieCall): Promise<QueuedMovie> {
    if (build.status === queued) waitUntil(this.#ports.nudge.nudge());
    return { movie, message, ...(await this.outlook(build)) };
  }
}
