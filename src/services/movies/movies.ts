// Movies on request: planning, queueing, lookup, and rebuilding when their files have expired.
import { MOVIE_QUEUE } from '../../config/limits/movies.ts';
import type { MovieSettings } from '../../config/settings/movies.ts';
import { Failure } from '../../domain/errors.ts';
import { estimateSeconds, secondsLeft } from '../../domain/movies/eta.ts';
import type { MovieFileName } from '../../domain/movies/formats.ts';
import { isMovieId, newMovieId } from '../../domain/movies/movie-id.ts';
import { parseMovieRequest, type RequestedMovie } from '../../domain/movies/movie-request.ts';
import { MOVIE_STATUS } from '../../domain/movies/state.ts';
import { dayParts } from '../../domain/time.ts';
import type {
  BuildPlan,
  Movie,
  MovieBuild,
  MovieNudge,
  MovieRegister,
  QueueLimits,
  Requeued,
  RequeueOptions,
} from '../../ports/movies.ts';
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
  /** Key of the hashes under which clients are stored, known to the service alone. */
  readonly secret: string;
}

/** Caller of an operation. */
export interface MovieCall {
  /** Network address. */
  readonly client: string;
  readonly waitUntil: (work: Promise<unknown>) => void;
}

export interface FoundMovie {
  readonly movie: Movie;
  readonly build: MovieBuild;
}

/** Queue position and remaining time of a build. */
export interface Outlook {
  /** Place among the queued builds, from 1; 0 for a build that is not queued. */
  readonly position: number;
  /** Builds that have to finish before it starts; 0 when it starts at once or has started. */
  readonly queue: number;
  /** Estimated seconds until it is finished. */
  readonly seconds: number;
}

export interface QueuedMovie extends Outlook {
  readonly movie: Movie;
  /** Deviations from the request as sentences; null without any. */
  readonly message: string | null;
}

const { queued, processing, finished } = MOVIE_STATUS;
const { minCost } = MOVIE_QUEUE;
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
    const { plan, message } = await this.#plan(requested);
    const nowMs = clock();
    const { request, scene } = requested;
    const { client, ...limits } = await this.#limits(call);
    const entry = { id: newMovieId(), createdAtMs: nowMs, token: randomHex(TOKEN_BYTES), request, layers: scene.layers, client };
    const added = await register.add(entry, plan, { nowMs, minCost, limits });
    if (!added) throw await this.#exceededLimit((await register.hasBuild(plan.key)) ? 0 : plan.cost, limits);
    if (added.build.status !== finished || (await this.#hasAllFiles(added.build))) return this.#queued(added, message, call);
    await this.#requeue(added.build, call);
    return this.#queued(await this.find(added.movie.id), message, call);
  }

  /**
   * Builds a movie again that failed or whose files have expired. With `isForced`, or when one of its images has been withdrawn, it
   * plans the movie anew with the images that the archive has now; other movies that share the old build keep it.
   * @param addressOf URL of the movie, for the error when it exists
   * @throws Failure `unknown-movie`, `movie-under-way`, `movie-exists`, or any of `queue`
   */
  async requeue(id: string, isForced: boolean, call: MovieCall, addressOf: (found: FoundMovie) => string): Promise<QueuedMovie> {
    const found = await this.find(id);
    const { build } = found;
    if (build.status === queued || build.status === processing) {
      throw new Failure('movie-under-way', `This movie is already ${build.status === queued ? 'queued' : 'being built'}.`);
    }
    if (!isForced && (await this.#hasAllFiles(build))) {
      throw new Failure('movie-exists', `This movie already exists: ${addressOf(found)}`);
    }
    const message = await this.#buildAgain(found, isForced, call);
    return this.#queued(await this.find(id), message, call);
  }

  /** @throws Failure `unknown-movie` */
  async find(id: string): Promise<FoundMovie> {
    const found = isMovieId(id) ? await this.#ports.register.find(id) : null;
    if (found) return found;
    throw new Failure('unknown-movie', `No movie has the id ${id}.`, { parameter: 'id' });
  }

  /** Object of a file of a build; null when it does not exist yet or has expired. */
  async file({ id, files }: MovieBuild, name: MovieFileName): Promise<{ key: string; stored: StoredObject } | null> {
    if (!files.some((file) => file.name === name)) return null;
    const key = movieFileKey(id, name);
    const stored = await this.#ports.objects.head(key);
    return stored && { key, stored };
  }

  /**
   * Queues a movie again whose files have expired: with the same plan, or with a new one when one of its images has been withdrawn.
   * @throws Failure `queue-full`, `too-costly`, or with a new plan any of `queue`
   */
  async rebuild(found: FoundMovie, call: MovieCall): Promise<void> {
    await this.#buildAgain(found, false, call);
    call.waitUntil(this.#ports.nudge.nudge());
  }

  async outlook(build: MovieBuild): Promise<Outlook> {
    const { register, clock } = this.#ports;
    const none = { position: 0, queue: 0, seconds: 0 };
    if (build.status !== queued && build.status !== processing) return none;
    const recent = register.recentBuilds(MOVIE_QUEUE.timedBuilds);
    if (build.status === processing) {
      const { cost, framesDone, frameCount, startedAtMs } = build;
      const elapsedSeconds = (clock() - startedAtMs!) / 1000;
      return { ...none, seconds: secondsLeft({ cost, drawn: framesDone / frameCount, elapsedSeconds, recent: await recent }) };
    }
    const [running, seen, ahead] = await Promise.all([
      register.queueLength(),
      register.workersSince(clock() - MOVIE_QUEUE.workerSeenMs),
      register.ahead(build),
    ]);
    const workers = Math.max(1, seen, running.processing);
    const builds = ahead.waiting + running.processing;
    return {
      position: ahead.waiting + 1,
      queue: Math.max(0, builds + 1 - workers),
      seconds: estimateSeconds({ cost: build.cost, ahead: { builds, cost: ahead.cost }, workers, recent: await recent }),
    };
  }

  /** Returns the deviations of a new plan as sentences; null without any. */
  async #buildAgain({ movie, build }: FoundMovie, isForced: boolean, call: MovieCall): Promise<string | null> {
    const { register } = this.#ports;
    if (!isForced && !(await this.#hasWithdrawnImages(build))) {
      await this.#requeue(build, call);
      return null;
    }
    const { plan, message } = await this.#plan(parseMovieRequest(movie.request));
    await this.#charged(plan, call, (options) => register.replan(movie.id, plan, { ...options, fresh: isForced }));
    return message;
  }

  async #hasWithdrawnImages({ id }: MovieBuild): Promise<boolean> {
    const frames = await this.#ports.register.frames(id);
    const ids = new Set(frames.flatMap(({ images }) => images.flat()));
    return (await this.#ports.index.withdrawn([...ids])).length > 0;
  }

  #requeue(build: MovieBuild, call: MovieCall): Promise<void> {
    return this.#charged(build, call, (options) => this.#ports.register.requeue(build.id, options));
  }

  /** @throws Failure `queue-full` or `too-costly` */
  async #charged(
    { cost }: Pick<BuildPlan, 'cost'>,
    call: MovieCall,
    requeue: (options: RequeueOptions) => Promise<Requeued>,
  ): Promise<void> {
    const { client, ...limits } = await this.#limits(call);
    const outcome = await requeue({ client, limits, minCost, nowMs: this.#ports.clock() });
    if (outcome === 'over-limit') throw await this.#exceededLimit(cost, limits);
  }

  async #plan(requested: RequestedMovie) {
    return planMovie(this.#ports.index, requested, await this.#waiting());
  }

  /** Number of queued builds. */
  async #waiting(): Promise<number> {
    return (await this.#ports.register.queueLength()).queued;
  }

  /** Limits of a client, with the hash under which it is stored. */
  async #limits({ client }: MovieCall): Promise<QueueLimits & { readonly client: string }> {
    const { settings, clock, secret } = this.#ports;
    const sinceMs = clock() - MOVIE_QUEUE.clientPeriodMs;
    const clients = await clientHashes(client, secret, [clock(), sinceMs]);
    return { client: clients[0]!, queued: settings.queueLimit, clients, sinceMs, clientCost: settings.clientCost };
  }

  /** The failure of a movie of `cost` megapixels that the register has refused. */
  async #exceededLimit(cost: number, limits: QueueLimits): Promise<Failure> {
    const costs = await Promise.all(limits.clients.map((hash) => this.#ports.register.costSince(hash, limits.sinceMs)));
    const total = costs.reduce((sum, each) => sum + each, Math.max(cost, minCost));
    return total > limits.clientCost ? tooCostly(limits, total) : queueFull(await this.#waiting());
  }

  async #hasAllFiles(build: MovieBuild): Promise<boolean> {
    if (build.status !== finished) return false;
    const files = await Promise.all(build.files.map(({ name }) => this.file(build, name)));
    return files.length > 0 && files.every((file) => file !== null);
  }

  async #queued({ movie, build }: FoundMovie, message: string | null, { waitUntil }: MovieCall): Promise<QueuedMovie> {
    if (build.status === queued) waitUntil(this.#ports.nudge.nudge());
    return { movie, message, ...(await this.outlook(build)) };
  }
}

function queueFull(waiting: number): Failure {
  const sentence = `The movie queue is full (${waiting} waiting). Try again later.`;
  return new Failure('queue-full', sentence, { retryAfterSeconds: MOVIE_QUEUE.retryAfterSeconds });
}

function tooCostly({ clientCost }: QueueLimits, total: number): Failure {
  const sentence =
    `An address can have ${clientCost} megapixels of movies built in an hour; with this movie it would be ` +
    `${Math.ceil(total)}. Try again later, or request fewer or smaller frames.`;
  return new Failure('too-costly', sentence, { retryAfterSeconds: MOVIE_QUEUE.retryAfterSeconds });
}
