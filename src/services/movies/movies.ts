// Movies on request: planning, queueing, lookup, and rebuilding when their files have expired.
import { MOVIE_LIFE, MOVIE_QUEUE } from '../../config/limits/movies.ts';
import type { MovieSettings } from '../../config/settings/movies.ts';
import { Failure } from '../../domain/errors.ts';
import { estimateSeconds, secondsLeft } from '../../domain/movies/eta.ts';
import type { MovieFileName } from '../../domain/movies/formats.ts';
import { isMovieId, newMovieId } from '../../domain/movies/movie-id.ts';
import type { PlannedFrame } from '../../domain/movies/movie-recipe.ts';
import { parseMovieRequest, type RequestedMovie } from '../../domain/movies/movie-request.ts';
import { MOVIE_STATUS } from '../../domain/movies/state.ts';
import type {
  BuildPlan,
  ExpiringMovies,
  Movie,
  MovieBuild,
  MovieNudge,
  MoviePlans,
  MovieRegister,
  Requeued,
} from '../../ports/movies.ts';
import type { ObjectStore, StoredObject } from '../../ports/objects.ts';
import type { Clock } from '../../ports/timing.ts';
import { movieFileKey } from '../../storage/keys.ts';
import { randomHex } from '../../util/digest.ts';
import { DAY_MS } from '../../util/durations.ts';
import type { MovieIndex } from './movie-images.ts';
import { type ClientLimits, MovieLimits, minimumCost } from './movie-limits.ts';
import { planMovie } from './movie-plan.ts';
import { MovieWatch, type Waiting } from './movie-watch.ts';

export interface MoviePorts {
  readonly index: MovieIndex;
  readonly objects: Pick<ObjectStore, 'head'>;
  readonly register: MovieRegister;
  readonly plans: MoviePlans;
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

export interface EstimatedMovie extends Outlook {
  readonly plan: BuildPlan;
  /** Deviations from the request as sentences; null without any. */
  readonly message: string | null;
}

const END_OF_QUEUE = { turn: Number.MAX_SAFE_INTEGER, arrival: Number.MAX_SAFE_INTEGER };

const { queued, processing, finished } = MOVIE_STATUS;
const TOKEN_BYTES = 16;

function unknownMovie(id: string): Failure {
  const days = Math.round(MOVIE_LIFE.unusedMs / DAY_MS);
  const sentence = `No movie has the id ${id}. queueMovie returns the ids of movies, which expire ${days} days after their last use.`;
  return new Failure('unknown-movie', sentence, { parameter: 'id' });
}

/** Deletes movies and builds that have not been used for long; returns their number. */
export function sweepUnusedMovies({
  expiring,
  clock,
}: {
  readonly expiring: ExpiringMovies;
  readonly clock: Clock;
}): Promise<number> {
  const nowMs = clock();
  return expiring.expire({ nowMs, moviesBeforeMs: nowMs - MOVIE_LIFE.unusedMs, buildsBeforeMs: nowMs - MOVIE_LIFE.buildMs });
}

export class MovieService {
  readonly #ports: MoviePorts;
  readonly #limits: MovieLimits;
  readonly #watch: MovieWatch;

  constructor(ports: MoviePorts) {
    this.#ports = ports;
    this.#limits = new MovieLimits(ports);
    this.#watch = new MovieWatch({
      find: (id) => this.find(id),
      place: async (build) => (await ports.register.ahead(build)).waiting + 1,
    });
  }

  /**
   * Queues a requested movie, or joins an existing build of the same movie.
   * @throws Failure `queue-full`, `no-frames`, `too-few-images`, `no-image`, `no-earlier-image` or `too-costly`
   */
  async queue(requested: RequestedMovie, call: MovieCall): Promise<QueuedMovie> {
    const { register, clock } = this.#ports;
    const { plan, message } = await this.#plan(requested);
    const { request, scene } = requested;
    const limits = await this.#limits.of(call.client);
    const { client } = limits;
    const minCost = minimumCost(plan, request);
    const hasBuild = await register.hasBuild(plan.key);
    if (!hasBuild) await this.#keepPlan(plan, minCost, limits);
    const nowMs = clock();
    const entry = { id: newMovieId(), createdAtMs: nowMs, token: randomHex(TOKEN_BYTES), request, layers: scene.layers, client };
    const added = await register.add(entry, plan, { nowMs, minCost, limits });
    if (!added) throw await this.#limits.rejection(Math.max(hasBuild ? 0 : plan.cost, minCost), limits);
    return this.#queued(await this.#withFiles(added, plan.frames, call), message, call);
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
    const { register, clock } = this.#ports;
    const found = isMovieId(id) ? await register.find(id) : null;
    if (!found) throw unknownMovie(id);
    const nowMs = clock();
    if (found.movie.usedAtMs < nowMs - MOVIE_LIFE.sameUseMs) await register.use(id, nowMs);
    return found;
  }

  /** See `MovieWatch.changed`. @throws Failure `unknown-movie` */
  changed(waiting: Waiting): Promise<FoundMovie> {
    return this.#watch.changed(waiting);
  }

  /** Object of a file of a build; null when it does not exist yet or has expired. */
  async file(build: MovieBuild, name: MovieFileName): Promise<{ key: string; stored: StoredObject } | null> {
    if (!build.files.some((file) => file.name === name)) return null;
    const key = movieFileKey(build, name);
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
    if (build.status === processing) {
      const { cost, framesDone, frameCount, startedAtMs } = build;
      const recent = await register.recentBuilds(MOVIE_QUEUE.timedBuilds);
      const elapsedSeconds = (clock() - startedAtMs!) / 1000;
      return { ...none, seconds: secondsLeft({ cost, drawn: framesDone / frameCount, elapsedSeconds, recent }) };
    }
    return this.#queueOutlook(build, build.cost);
  }

  /**
   * What `queue` would make, at the end of the present queue. Queues nothing.
   * @throws Failure `no-frames`, `too-few-images`, `no-image` or `no-earlier-image`
   */
  async estimate(requested: RequestedMovie): Promise<EstimatedMovie> {
    const { plan, message } = await this.#plan(requested);
    return { plan, message, ...(await this.#queueOutlook(END_OF_QUEUE, plan.cost)) };
  }

  /** The outlook of a build of this cost at a place in the queue. */
  async #queueOutlook(place: Pick<MovieBuild, 'turn' | 'arrival'>, cost: number): Promise<Outlook> {
    const { register, clock } = this.#ports;
    const [recent, running, seen, ahead] = await Promise.all([
      register.recentBuilds(MOVIE_QUEUE.timedBuilds),
      register.queueLength(),
      register.workersSince(clock() - MOVIE_QUEUE.workerSeenMs),
      register.ahead(place),
    ]);
    const workers = Math.max(1, seen, running.processing);
    const builds = ahead.waiting + running.processing;
    return {
      position: ahead.waiting + 1,
      queue: Math.max(0, builds + 1 - workers),
      seconds: estimateSeconds({ cost, ahead: { builds, cost: ahead.cost }, workers, recent }),
    };
  }

  /** Returns the deviations of a new plan as sentences; null without any. */
  async #buildAgain(found: FoundMovie, isForced: boolean, call: MovieCall): Promise<string | null> {
    const { movie, build } = found;
    const { register, plans } = this.#ports;
    const frames = isForced ? null : await plans.find(build.key);
    if (frames && !(await this.#hasWithdrawnImages(frames))) {
      await this.#requeue(found, frames, call);
      return null;
    }
    const { plan, message } = await this.#plan(parseMovieRequest(movie.request));
    const minCost = minimumCost(plan, movie.request);
    const limits = await this.#limits.of(call.client);
    await this.#keepPlan(plan, minCost, limits);
    const options = { client: limits.client, limits, minCost, nowMs: this.#ports.clock(), fresh: isForced };
    await this.#expectQueued(await register.replan(movie.id, plan, options), Math.max(plan.cost, minCost), limits);
    await this.#withFiles(await this.find(movie.id), plan.frames, call);
    return message;
  }

  async #hasWithdrawnImages(frames: readonly PlannedFrame[]): Promise<boolean> {
    const ids = new Set(frames.flatMap(({ images }) => images.flat()));
    return (await this.#ports.index.withdrawn([...ids])).length > 0;
  }

  /** The movie, whose build is queued again if its files have expired. */
  async #withFiles(found: FoundMovie, frames: readonly PlannedFrame[], call: MovieCall): Promise<FoundMovie> {
    if (found.build.status !== finished || (await this.#hasAllFiles(found.build))) return found;
    await this.#requeue(found, frames, call);
    return this.find(found.movie.id);
  }

  /** Queues a build again, and renews its plan. */
  async #requeue({ movie, build }: FoundMovie, frames: readonly PlannedFrame[], call: MovieCall): Promise<void> {
    const { register, plans, clock } = this.#ports;
    await plans.keep(build.key, frames);
    const limits = await this.#limits.of(call.client);
    const minCost = minimumCost(build, movie.request);
    const outcome = await register.requeue(build.id, { client: limits.client, limits, minCost, nowMs: clock() });
    await this.#expectQueued(outcome, Math.max(build.cost, minCost), limits);
  }

  /** @throws Failure `queue-full` or `too-costly` */
  async #expectQueued(outcome: Requeued, cost: number, limits: ClientLimits): Promise<void> {
    if (outcome === 'over-limit') throw await this.#limits.rejection(cost, limits);
  }

  /**
   * Stores the plan of a new build before a worker can claim it. Tests the limits before, because a rejected movie leaves no plan.
   * @throws Failure `queue-full` or `too-costly`
   */
  async #keepPlan({ key, frames, cost }: BuildPlan, minCost: number, limits: ClientLimits): Promise<void> {
    await this.#limits.expectRoom(Math.max(cost, minCost), limits);
    await this.#ports.plans.keep(key, frames);
  }

  async #plan(requested: RequestedMovie) {
    const { queued: waiting } = await this.#ports.register.queueLength();
    return planMovie(this.#ports.index, requested, waiting);
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
