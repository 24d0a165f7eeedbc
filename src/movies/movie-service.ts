// Movies on request: planning, queueing, lookup, and rebuilding. Limits, in megapixels, are tested in transactions of the register.
import type { ProjectionCheck } from '../archive/drawing/projection-check.ts';
import { movieFileKey } from '../archive/keys.ts';
import type { Admission } from '../platform/admission/admission.ts';
import { clientHashes } from '../platform/admission/budgets.ts';
import { BUILD_ROWS, EVICTED_UNUSED_MS, ROW_BYTES, SAME_USE_MS } from '../platform/limits/admission.ts';
import { MOVIE_LIFE, MOVIE_PLANNING, MOVIE_QUEUE, MOVIE_STATUS_WAIT } from '../platform/limits/movies.ts';
import type { Clock, Log, WaitUntil } from '../platform/ports/timing.ts';
import type { MovieSettings } from '../platform/settings/movies.ts';
import type { ObjectStore, StoredObject } from '../platform/storage/r2-object-store.ts';
import { randomHex } from '../platform/util/bytes.ts';
import { DAY_MS, SECOND_MS } from '../platform/util/durations.ts';
import { causeOf, Failure } from '../platform/util/errors.ts';
import { boundedMap } from '../platform/util/memory-budget.ts';
import { delay } from '../platform/util/retry.ts';
import { Service } from '../platform/util/service.ts';
import { fresh } from '../platform/util/single-flight.ts';
import type { D1Movies, QueueLimits, QueueLoad } from './d1-movies.ts';
import { isMovieId, MOVIE_STATUS, type MovieFileName, newMovieId } from './movie.ts';
import { estimateSeconds, type MovieIndex, planMovie, type R2MovieFrames, secondsLeft } from './movie-plan.ts';
import { type PlannedFrame, parseMovieRequest, type RequestedMovie } from './movie-recipe.ts';
import type { Movie, MovieBuild } from './movie-tables.ts';

/** Minimum charge of a request, by the text that it stores. */
function minimumCost({ recipeText }: { readonly recipeText: string }, { requestText }: { readonly requestText: string }): number {
  const characters = recipeText.length + requestText.length;
  return MOVIE_QUEUE.minCost * Math.ceil(characters / MOVIE_QUEUE.charactersPerMinCost);
}

const { retryAfterSeconds } = MOVIE_QUEUE;
const IN_SECONDS = `Try again in ${retryAfterSeconds} seconds`;

/** The failure of a build of `cost` megapixels that is over one of the limits; null for one within them. One that is joined waits already. */
function overLimit(cost: number, { clientCost, queuedCost }: QueueLimits, load: QueueLoad, isJoined = false): Failure | null {
  const over = (kind: 'rate-limited' | 'queue-full', sentence: string) => new Failure(kind, sentence, { retryAfterSeconds });
  const total = Math.ceil(load.charged + cost);
  const built = `An address can have ${clientCost} megapixels of movies built in an hour; with this movie it would be ${total}.`;
  if (load.charged + cost > clientCost)
    return over('rate-limited', `${built} Try again later, or request fewer or smaller frames.`);
  if (isJoined) return null;
  const waiting = `An address can have ${clientCost} megapixels of movies waiting, and has ${Math.ceil(load.costOfClient)}.`;
  if (load.costOfClient + cost > clientCost)
    return over('rate-limited', `${waiting} ${IN_SECONDS}, when some of them may have been built.`);
  const isFull = load.cost + cost > queuedCost;
  return isFull ? over('queue-full', `The movie queue is full (${load.queued} waiting). ${IN_SECONDS}.`) : null;
}

export interface MoviePorts {
  readonly index: MovieIndex;
  readonly objects: Pick<ObjectStore, 'head'>;
  readonly register: D1Movies;
  readonly frames: R2MovieFrames;
  readonly projections: Pick<ProjectionCheck, 'check'>;
  /** Announces that movies may be waiting. */
  readonly nudge: () => Promise<void>;
  readonly clock: Clock;
  /** Receives uses that could not be noted. */
  readonly log: Log;
  readonly settings: MovieSettings;
  /** Key of the hashes under which clients are stored, known to the service alone. */
  readonly secret: string;
}

type MovieCall = { readonly client: string; readonly admission: Admission; readonly waitUntil: WaitUntil };

interface Outlook {
  /** Position among the queued builds, from 1; 0 for a build that is not queued. */
  readonly position: number;
  /** Builds that have to finish before it starts; 0 when it starts at once or has started. */
  readonly queue: number;
  readonly seconds: number;
}

export interface QueuedMovie extends Outlook {
  readonly movie: Movie;
  /** Deviations from the request as sentences; null without any. */
  readonly message: string | null;
}

const END_OF_QUEUE = { turn: Number.MAX_SAFE_INTEGER, arrival: Number.MAX_SAFE_INTEGER };

const { queued, processing, finished } = MOVIE_STATUS;
const TOKEN_BYTES = 16;

const UNUSED_DAYS = Math.round(MOVIE_LIFE.unusedMs / DAY_MS);

/** Deletes movies and builds that have not been used for long; returns their number. */
export async function sweepUnusedMovies({ register, clock }: Pick<MoviePorts, 'register' | 'clock'>): Promise<number> {
  const nowMs = clock();
  return (await register.expire(nowMs, nowMs - MOVIE_LIFE.unusedMs, nowMs - MOVIE_LIFE.buildMs)).count;
}

export class MovieService extends Service<MoviePorts> {
  readonly watch = new MovieWatch({
    find: (id) => this.find(id),
    position: async (build) => (await this.ports.register.ahead(build)).waiting + 1,
  });

  /** Queues a movie, or joins an existing build. @throws Failure `queue-full`, `no-frames`, `too-few-images`, `too-costly`, or as `planFrame` */
  async queue(requested: RequestedMovie, call: MovieCall): Promise<QueuedMovie> {
    const { request, scene } = requested;
    const requestText = JSON.stringify(request);
    const { build, message, cost, options } = await this.#plan(requested, requestText, call, true);
    const entry = {
      id: newMovieId(),
      createdAtMs: options.nowMs,
      token: randomHex(TOKEN_BYTES),
      request,
      requestText,
      layers: scene.layers,
      client: options.client,
    };
    const added = await this.ports.register.add(entry, build, options);
    if (!added) throw await this.#rejection(cost, options.limits);
    return this.#queued(await this.#withFiles(added, build.frames, call), message, call);
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
    if (build.status === queued || build.status === processing)
      throw new Failure('movie-under-way', `This movie is already ${build.status === queued ? 'queued' : 'being built'}.`);
    if (!isForced && (await this.#hasAllFiles(build)))
      throw new Failure('movie-exists', `This movie already exists: ${addressOf(found)}`);
    const message = await this.#buildAgain(found, isForced, call);
    return this.#queued(await this.find(id), message, call);
  }

  /** @throws Failure `unknown-movie` */
  async find(id: string): Promise<FoundMovie> {
    const { register, clock, log } = this.ports;
    const found = isMovieId(id) ? await register.find(id) : null;
    const unknown = `No movie has the id ${id}. queueMovie returns the ids of movies, which expire ${UNUSED_DAYS} days after their last use.`;
    if (!found) throw new Failure('unknown-id', unknown, { parameter: 'id' });
    const nowMs = clock();
    if (found.movie.usedAtMs < nowMs - SAME_USE_MS)
      await register.use(id, nowMs).catch((error: unknown) => log({ movie: id, unnoted: causeOf(error) }));
    return found;
  }

  /** Object of a file of a build; null when it does not exist yet or has expired. */
  async file(build: MovieBuild, name: MovieFileName): Promise<{ key: string; stored: StoredObject } | null> {
    if (!build.files.some((file) => file.name === name)) return null;
    const key = movieFileKey(build, name);
    const stored = await this.ports.objects.head(key);
    return stored && { key, stored };
  }

  /** Queues a movie again whose files have expired; with new frames when an image has been withdrawn. @throws Failure as `queue` */
  async rebuild(found: FoundMovie, call: MovieCall): Promise<void> {
    await this.#buildAgain(found, false, call);
    call.waitUntil(this.ports.nudge());
  }

  async outlook(build: MovieBuild): Promise<Outlook> {
    if (build.status === queued) return this.#queueOutlook(build, build.cost);
    const none = { position: 0, queue: 0, seconds: 0 };
    if (build.status !== processing) return none;
    const { cost, framesDone, frameCount, startedAtMs } = build;
    const recent = await this.ports.register.recentBuilds(MOVIE_QUEUE.timedBuilds);
    const elapsedSeconds = (this.ports.clock() - startedAtMs!) / SECOND_MS;
    return { ...none, seconds: secondsLeft({ cost, drawn: framesDone / frameCount, elapsedSeconds, recent }) };
  }

  /** What `queue` would make, at the end of the queue or as an existing build; queues nothing. @throws Failure `rate-limited`, or of the plan */
  async estimate(requested: RequestedMovie, call: Pick<MovieCall, 'admission'>) {
    const { index, register } = this.ports;
    await this.#admit(requested, call, true);
    const { build, message } = await planMovie(index, requested, (await register.queueLength()).queued);
    const joined = await register.joinable(build.key);
    const exists = joined !== null && (await this.#hasAllFiles(joined));
    const isUnderWay = joined?.status === queued || joined?.status === processing;
    const outlook = joined && (exists || isUnderWay) ? this.outlook(joined) : this.#queueOutlook(END_OF_QUEUE, build.cost);
    return { build, message, exists, ...(await outlook) };
  }

  /** The outlook of a build of this cost at a position in the queue. */
  async #queueOutlook(position: Pick<MovieBuild, 'turn' | 'arrival'>, cost: number): Promise<Outlook> {
    const { timedBuilds, workerSeenMs } = MOVIE_QUEUE;
    const { register, clock } = this.ports;
    const { recent, length, workers: seen, ahead } = await register.outlook(position, timedBuilds, clock() - workerSeenMs);
    const workers = Math.max(1, seen, length.processing);
    const builds = ahead.waiting + length.processing;
    return {
      position: ahead.waiting + 1,
      queue: Math.max(0, builds + 1 - workers),
      seconds: estimateSeconds({ cost, ahead: { builds, cost: ahead.cost }, workers, recent }),
    };
  }

  /** Returns the deviations of newly planned frames as sentences; null without any. */
  async #buildAgain(found: FoundMovie, isForced: boolean, call: MovieCall): Promise<string | null> {
    const { movie, build } = found;
    const frames = isForced ? null : await this.ports.frames.find(build.key);
    if (frames && !(await this.#hasWithdrawnImages(frames))) {
      await this.#requeue(found, frames, call);
      return null;
    }
    const planned = await this.#plan(parseMovieRequest(movie.request), movie.requestText, call, false);
    const { cost, options } = planned;
    const outcome = await this.ports.register.replan(movie.id, planned.build, { ...options, fresh: isForced });
    if (outcome === 'over-limit') throw await this.#rejection(cost, options.limits);
    await this.#withFiles(await this.find(movie.id), planned.build.frames, call);
    return planned.message;
  }

  /** Charges a movie before it is planned, and checks a new one. @throws Failure `rate-limited`, or as `ProjectionCheck.check` */
  async #admit({ scene, startMs, endMs }: RequestedMovie, { admission }: Pick<MovieCall, 'admission'>, isNew: boolean) {
    await admission.admitAll('lists', MOVIE_PLANNING.layerRecords * scene.layers.length);
    if (isNew) await this.ports.projections.check(scene, startMs, endMs);
  }

  /** Plans a movie within the limits of its client, which is charged for it and its rows. `isNew`: an existing build needs no frames, and costs the minimum. */
  async #plan(requested: RequestedMovie, requestText: string, call: MovieCall, isNew: boolean) {
    const { index, register, frames, clock } = this.ports;
    const limits = await this.#limitsOf(call);
    await this.#admit(requested, call, isNew);
    const load = await register.load(limits);
    const { build, message } = await planMovie(index, requested, load.queued);
    const minCost = minimumCost(build, { requestText });
    const isJoined = isNew && (await register.joinable(build.key)) !== null;
    const cost = Math.max(isJoined ? 0 : build.cost, minCost);
    const failure = overLimit(cost, limits, load, isJoined);
    if (failure) throw failure;
    // Frames of a new build are stored before a worker can claim it.
    if (!isJoined) await frames.keep(build.key, build.frames);
    const nowMs = clock();
    const amount = (1 + BUILD_ROWS) * ROW_BYTES + build.recipeText.length + requestText.length;
    const makeRoom = async () => (await register.expire(nowMs, nowMs - EVICTED_UNUSED_MS)).bytes;
    await call.admission.store('movies', amount, makeRoom);
    return { build, message, cost, options: { client: limits.clients[0]!, limits, minCost, nowMs } };
  }

  async #hasWithdrawnImages(frames: readonly PlannedFrame[]): Promise<boolean> {
    const ids = new Set(frames.flatMap(({ images }) => images.flat()));
    return (await this.ports.index.withdrawn([...ids])).length > 0;
  }

  /** The movie, whose build is queued again if its files have expired. */
  async #withFiles(found: FoundMovie, frames: readonly PlannedFrame[], call: MovieCall): Promise<FoundMovie> {
    if (found.build.status !== finished || (await this.#hasAllFiles(found.build))) return found;
    await this.#requeue(found, frames, call);
    return this.find(found.movie.id);
  }

  async #requeue({ movie, build }: FoundMovie, frames: readonly PlannedFrame[], call: MovieCall): Promise<void> {
    const { register, clock } = this.ports;
    await this.ports.frames.keep(build.key, frames);
    const limits = await this.#limitsOf(call);
    const minCost = minimumCost(build, movie);
    const outcome = await register.requeue(build.id, { client: limits.clients[0]!, limits, minCost, nowMs: clock() });
    if (outcome === 'over-limit') throw await this.#rejection(Math.max(build.cost, minCost), limits);
  }

  async #limitsOf({ client: address }: MovieCall): Promise<QueueLimits> {
    const { settings, clock, secret } = this.ports;
    const sinceMs = clock() - MOVIE_QUEUE.clientPeriodMs;
    const clients = await clientHashes(address, secret, [clock(), sinceMs]);
    const { MOVIE_QUEUE_COST: queuedCost, MOVIE_CLIENT_COST: clientCost } = settings;
    return { queuedCost, clients, sinceMs, clientCost };
  }

  /** The failure of a movie of `cost` megapixels that the register has rejected. */
  async #rejection(cost: number, limits: QueueLimits): Promise<Failure> {
    const changed = new Failure('busy', `The movie queue has changed meanwhile. ${IN_SECONDS}.`, { retryAfterSeconds });
    return overLimit(cost, limits, await this.ports.register.load(limits)) ?? changed;
  }

  async #hasAllFiles(build: MovieBuild): Promise<boolean> {
    if (build.status !== finished) return false;
    const files = await Promise.all(build.files.map(({ name }) => this.file(build, name)));
    return files.length > 0 && files.every((file) => file !== null);
  }

  async #queued({ movie, build }: FoundMovie, message: string | null, { waitUntil }: MovieCall): Promise<QueuedMovie> {
    if (build.status === queued) waitUntil(this.ports.nudge());
    return { movie, message, ...(await this.outlook(build)) };
  }
}

export type FoundMovie = { readonly movie: Movie; readonly build: MovieBuild };

interface Waiting {
  readonly id: string;
  readonly client: string;
  readonly seconds: number;
  /** Text that changes with what the request waits for, besides the position in the queue. */
  readonly stateOf: (found: FoundMovie) => string;
}

interface Watched {
  readonly movie: () => Promise<FoundMovie>;
  readonly position: () => Promise<number>;
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
  /** Watched movies by id. Movies without a waiting request may be among them, because a cancelled request runs no `finally`. */
  readonly #watched = boundedMap<Watched>(mostWaiters);
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
      return await this.#nextChange(this.#watch(id), first, { untilMs, stateOf });
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
    const positionBefore = isQueued(first) ? await position() : null;
    for (const startMs = clock(); ; ) {
      const leftMs = untilMs - clock();
      const pauseMs = clock() - startMs < laterAfterMs ? intervalMs : laterIntervalMs;
      await delay(Math.max(0, Math.min(leftMs, pauseMs)));
      // A shared reading is younger than the first one only after a whole pause.
      if (leftMs <= pauseMs) return this.ports.find(first.movie.id);
      const found = await movie();
      if (isOver(found) || stateOf(found) !== before) return found;
      if (isQueued(found) && (await position()) !== positionBefore) return found;
    }
  }

  #mayWait(client: string): boolean {
    const nowMs = clock();
    for (const waiter of this.#waiters) if (waiter.untilMs < nowMs) this.#waiters.delete(waiter);
    const ofClient = [...this.#waiters].filter((waiter) => waiter.client === client).length;
    return this.#waiters.size < mostWaiters && ofClient < mostWaitersOfClient;
  }

  #watch(id: string): Watched {
    const known = this.#watched.get(id);
    if (known) return known;
    const movie = fresh(() => this.ports.find(id), { freshMs: FRESH * intervalMs, shareMs, clock });
    const positionOf = async () => this.ports.position((await movie()).build);
    const watched = { movie, position: fresh(positionOf, { freshMs: positionIntervalMs, shareMs, clock }) };
    this.#watched.set(id, watched);
    return watched;
  }
}
