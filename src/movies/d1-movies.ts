// Movies and their builds. A batch is one transaction: arrival numbers are unique, and concurrent requests of a movie share a build.
import { and, desc, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { type Layer, parseLayers } from '../picture/layers.ts';
import { deletedRows } from '../platform/admission/budgets.ts';
import { BUILD_ROWS, ROW_BYTES } from '../platform/limits/admission.ts';
import { given, givenEach, jsonEach, OnMain, preparedBatch } from '../platform/storage/databases.ts';
import { causesOf, when } from '../platform/util/errors.ts';
import { MOVIE_STATUS, newMovieId } from './movie.ts';
import type { MovieRequest } from './movie-recipe.ts';
import type { Movie, MovieBuild, NewBuild, NewMovie } from './movie-tables.ts';
import {
  buildColumns,
  buildFromRow,
  movieArrivals,
  movieBuilds,
  movieCharges,
  movieSegments,
  movies,
  movieUploads,
  movieWorkers,
} from './movie-tables.ts';

const { queued, processing, finished, invalid } = MOVIE_STATUS;

/** Condition on builds that a request queues again. */
const IS_OVER = inArray(movieBuilds.status, [finished, invalid]);

/** Rows of each table that one call of `expire` looks at, those with the oldest use. */
const EXPIRED_AT_ONCE = 200;

/** States of a shared movie while its video may be seen. */
const SHARED = sql`('pending', 'uploading', 'done')`;

const GIVEN_BUILD = {
  ...givenEach('key', 'recipe', 'frameCount', 'layerCount', 'width', 'height'),
  ...givenEach('frameRate', 'firstFrameMs', 'lastFrameMs', 'cost'),
};
const { key } = GIVEN_BUILD;

/** With a million movies, one of 5e13 random ids is taken with a probability of 2e-8. */
const ID_ATTEMPTS = 3;

/** Start of the turn of a client's next build: see `turn` of the schema. */
const nextTurn = (client: SQL) => sql`max(
  (SELECT coalesce(max(virtual_time), 0) FROM movie_arrivals),
  (SELECT coalesce(max(turn + cost), 0) FROM movie_builds WHERE status = ${queued} AND client = ${client}))`;

const nextArrival = sql`(SELECT coalesce(max(${movieArrivals.last}), 0) + 1 FROM ${movieArrivals})`;

const latestOf = (key: string | SQL): SQL =>
  sql`(SELECT id FROM movie_builds WHERE key = ${key} ORDER BY generation DESC LIMIT 1)`;

/** Whether a request needs a new build: its key has none, the latest one is invalid, or `fresh` forces one. */
const NEEDS_BUILD = sql`(${given('fresh')} OR coalesce((SELECT status FROM movie_builds WHERE id = ${latestOf(key)}), ${invalid}) = ${invalid})`;

/** Columns of a build that the client given has queued now. */
const QUEUED = {
  status: queued,
  statusMp4: queued,
  statusWebm: queued,
  queuedAtMs: given<number>('nowMs'),
  usedAtMs: given<number>('nowMs'),
  startedAtMs: null,
  finishedAtMs: null,
  lease: null,
  leaseUntilMs: null,
  worker: null,
  attempts: 0,
  expiries: 0,
  framesDone: 0,
  framesSkipped: 0,
  eventsMissing: [],
  stage: null,
  error: null,
  files: [],
  buildSeconds: null,
  client: given<string>('client'),
  turn: nextTurn(given('client')),
  arrival: nextArrival,
};

/** Parses the request and its layers on first access. */
function movieFromRow({ request: requestText, ...row }: typeof movies.$inferSelect): Movie {
  let request: MovieRequest | undefined;
  let layers: readonly Layer[] | undefined;
  return {
    ...row,
    requestText,
    get request() {
      request ??= JSON.parse(requestText) as MovieRequest;
      return request;
    },
    get layers() {
      layers ??= parseLayers(this.request.layers);
      return layers;
    },
  };
}

const movieRow = ({ request: _request, requestText, layers: _layers, ...movie }: NewMovie) => ({
  ...movie,
  request: requestText,
  usedAtMs: movie.createdAtMs,
});

const newBuildRow = ({ recipe: _recipe, recipeText, frames, ...build }: NewBuild) => ({
  ...build,
  recipe: recipeText,
  frameCount: frames.length,
  firstFrameMs: frames[0]!.atMs,
  lastFrameMs: frames.at(-1)!.atMs,
});

/** Limits of the queue, tested in the transaction that queues a movie. */
export interface QueueLimits {
  /** Megapixels of all queued builds, this one included; a movie that joins a build is not counted. */
  readonly queuedCost: number;
  /** Hashes of the client's address since `sinceMs`, that of today first. */
  readonly clients: readonly string[];
  readonly sinceMs: number;
  /** Most megapixels that the client may have, this movie included: charged since then, and in its queued builds. */
  readonly clientCost: number;
}

interface QueueingOptions {
  readonly nowMs: number;
  /** Minimum charge, also for a request that joins a build. */
  readonly minCost: number;
  readonly limits: QueueLimits;
}

/** Values of the placeholders of the conditions below, and of the client where the options name it. */
const limitValues = ({ limits, ...options }: QueueingOptions) => ({
  ...options,
  ...limits,
  clients: JSON.stringify(limits.clients),
});

const costOrMinimum = (cost: SQL): SQL<number> => sql`max(${cost}, ${given('minCost')})`;

/** Whether a movie of this cost is within the limits given. `isNew`: whether it adds a build to the queue. */
function isWithinLimits(isNew: SQL, cost: SQL): SQL {
  const ofClient = sql`client IN (SELECT value FROM json_each(${given('clients')}))`;
  const sinceMs = given('sinceMs');
  const waiting = sql`(SELECT total(cost) FROM movie_builds WHERE status = ${queued})`;
  const waitingOfClient = sql`(SELECT total(cost) FROM movie_builds WHERE ${ofClient} AND status = ${queued})`;
  const requested = sql`(SELECT total(cost) FROM movies WHERE ${ofClient} AND created_at_ms >= ${sinceMs})`;
  const rebuilt = sql`(SELECT total(cost) FROM movie_charges WHERE ${ofClient} AND at_ms >= ${sinceMs})`;
  const fits = sql`${waiting} + ${cost} <= ${given('queuedCost')} AND ${waitingOfClient} + ${cost} <= ${given('clientCost')}`;
  const isQueued = sql`(NOT ${isNew} OR (${fits}))`;
  return sql`${isQueued} AND ${requested} + ${rebuilt} + ${cost} <= ${given('clientCost')}`;
}

/** A value within the limits; else null, which violates a constraint. */
const unlessOverLimits = <T>(value: SQL, isNew: SQL, cost: SQL): SQL<T> =>
  sql<T>`iif(${isWithinLimits(isNew, cost)}, ${value}, NULL)`;

/** Messages of SQLite for a movie and a charge without the value of `unlessOverLimits`. */
const LIMIT_CONSTRAINTS = ['NOT NULL constraint failed: movies.id', 'NOT NULL constraint failed: movie_charges.client'];

const isOverLimits = (error: unknown): boolean => LIMIT_CONSTRAINTS.some((constraint) => hasFailed(error, constraint));

/** Whether an error, or one of its causes, reports this constraint. */
const hasFailed = (error: unknown, constraint: string): boolean =>
  [...causesOf(error)].some(({ message }) => message.includes(constraint));

interface RequeueOptions extends QueueingOptions {
  readonly client: string;
}

/** `unchanged`: the build is queued, running or finished. `over-limit`: it would exceed one of the limits. */
type Requeued = 'queued' | 'unchanged' | 'over-limit';

/** Megapixels that wait in the queue, and those that have been charged to a client. */
export type QueueLoad = Readonly<Record<'queued' | 'cost' | 'costOfClient' | 'charged', number>>;

type QueuePosition = Pick<MovieBuild, 'turn' | 'arrival'>;

export class D1Movies extends OnMain {
  readonly #add = preparedBatch(() => this.#addQueries());
  readonly #replan = preparedBatch(() => this.#replanQueries());
  readonly #requeueBuild = preparedBatch(() => this.#requeueQueries());
  #found: ReturnType<typeof preparedFind> | undefined;

  /**
   * Adds a request and, unless the newest build of the same key is queued, running or finished, appends its build to the queue.
   * An invalid build is queued again. Null when the movie would exceed one of the limits.
   */
  async add(movie: NewMovie, build: NewBuild, options: QueueingOptions): Promise<{ movie: Movie; build: MovieBuild } | null> {
    for (let [attempt, asked] = [1, movie]; ; attempt += 1, asked = { ...movie, id: newMovieId() }) {
      try {
        const values = { ...limitValues(options), ...movieRow(asked), ...newBuildRow(build), fresh: 0 };
        const [, , , , , , rows, builds] = await this.#add(this.main, values);
        return { movie: { ...asked, ...rows[0]!, usedAtMs: movie.createdAtMs }, build: buildFromRow(builds[0]!) };
      } catch (error) {
        if (isOverLimits(error)) return null;
        if (attempt === ID_ATTEMPTS || !hasFailed(error, ID_CONSTRAINT)) throw error;
      }
    }
  }

  #addQueries() {
    const { id, ...row } = givenEach('id', 'createdAtMs', 'token', 'request', 'client', 'usedAtMs');
    const cost = sql`iif(${NEEDS_BUILD}, ${costOrMinimum(given('cost'))}, ${given('minCost')})`;
    return [
      this.db.insert(movies).values({ ...row, id: unlessOverLimits<string>(id, NEEDS_BUILD, cost), buildId: 0, cost }),
      ...this.#queueBuild(),
      this.db
        .update(movies)
        .set({ buildId: latestOf(key) })
        .where(eq(movies.id, id))
        .returning({ buildId: movies.buildId, cost: movies.cost }),
      this.#latestBuild(key),
    ] as const;
  }

  /** The newest build of this key, if it is queued, running or finished, so that a request can join it; null otherwise. */
  async joinable(key: string): Promise<MovieBuild | null> {
    const [row] = await this.#latestBuild(key);
    return row && row.status !== invalid ? buildFromRow(row) : null;
  }

  async find(id: string): Promise<{ movie: Movie; build: MovieBuild } | null> {
    this.#found ??= preparedFind(this.db);
    const [row] = await this.#found.all({ id });
    return row ? { movie: movieFromRow(row.movie), build: buildFromRow(row.build) } : null;
  }

  async use(id: string, nowMs: number): Promise<void> {
    await this.db.update(movies).set({ usedAtMs: nowMs }).where(eq(movies.id, id));
  }

  /** Assigns a movie another build, queued as by `add`: id, token and client stay, and the client of `options` is charged. */
  async replan(id: string, build: NewBuild, options: RequeueOptions & { readonly fresh: boolean }): Promise<Requeued> {
    if ((await this.find(id)) === null) return 'unchanged';
    const values = { ...newBuildRow(build), ...limitValues(options), id, fresh: Number(options.fresh) };
    return requeuedBy(this.#replan(this.main, values));
  }

  /** Queues a finished or invalid build again with the same frames, and charges the client. */
  requeue(buildId: number, options: RequeueOptions): Promise<Requeued> {
    return requeuedBy(this.#requeueBuild(this.main, { ...limitValues(options), buildId }));
  }

  async queueLength() {
    return (await this.#length().get())!;
  }

  async load({ clients, sinceMs }: Pick<QueueLimits, 'clients' | 'sinceMs'>): Promise<QueueLoad> {
    const isOfClient = sql`client IN (SELECT value FROM ${jsonEach(clients)})`;
    return this.db.get(sql`
      SELECT count(*) AS queued, total(cost) AS cost, total(iif(${isOfClient}, cost, 0)) AS costOfClient,
        (SELECT total(cost) FROM movies WHERE ${isOfClient} AND created_at_ms >= ${sinceMs}) +
        (SELECT total(cost) FROM movie_charges WHERE ${isOfClient} AND at_ms >= ${sinceMs}) AS charged
      FROM movie_builds WHERE status = ${queued}`);
  }

  /** Queued builds before a position in the queue, and the remaining megapixels of those and of the running ones. */
  async ahead(position: QueuePosition) {
    return (await this.#ahead(position).get())!;
  }

  /** Data for the outlook of a build at a position of the queue, with the workers seen since then. */
  async outlook(position: QueuePosition, most: number, workersSinceMs: number) {
    const [recent, [length], [workers], [ahead]] = await this.db.batch([
      this.recentBuilds(most),
      this.#length(),
      this.db.select({ count: sql<number>`count(*)` }).from(movieWorkers).where(gte(movieWorkers.seenAtMs, workersSinceMs)),
      this.#ahead(position),
    ]);
    return { recent, length: length!, workers: workers!.count, ahead: ahead! };
  }

  /** Deletes some movies unused since, except shared and running ones, and builds without a movie; a kept one is checked a lifetime later. */
  async expire(nowMs: number, moviesBeforeMs: number, buildsBeforeMs = moviesBeforeMs) {
    const oldest = (table: 'movies' | 'movie_builds', beforeMs: number) =>
      sql`(SELECT id FROM ${sql.identifier(table)} WHERE used_at_ms < ${beforeMs} ORDER BY used_at_ms LIMIT ${EXPIRED_AT_ONCE})`;
    const [dueMovies, dueBuilds] = [oldest('movies', moviesBeforeMs), oldest('movie_builds', buildsBeforeMs)];
    const isKept = sql`(EXISTS (SELECT 1 FROM video_shares WHERE movie_id = movies.id AND status IN ${SHARED})
      OR EXISTS (SELECT 1 FROM movie_builds WHERE id = movies.build_id AND status IN (${queued}, ${processing})))`;
    const isNeeded = sql`(status IN (${queued}, ${processing}) OR EXISTS (SELECT 1 FROM movies WHERE build_id = movie_builds.id))`;
    const expired = sql`(SELECT id FROM movie_builds WHERE id IN ${dueBuilds} AND NOT ${isNeeded})`;
    const usedNow = { usedAtMs: nowMs };
    const results = await this.db.batch([
      this.db
        .delete(movies)
        .where(sql`id IN ${dueMovies} AND NOT ${isKept}`)
        .returning({ bytes: sql<number>`${ROW_BYTES} + length(request)` }),
      this.db.update(movies).set(usedNow).where(sql`id IN ${dueMovies} AND ${isKept}`),
      this.db.delete(movieSegments).where(sql`build_id IN ${expired}`),
      this.db.delete(movieUploads).where(sql`build_id IN ${expired}`),
      this.db
        .delete(movieBuilds)
        .where(sql`id IN ${dueBuilds} AND NOT ${isNeeded}`)
        .returning({ bytes: sql<number>`${BUILD_ROWS * ROW_BYTES} + length(recipe)` }),
      this.db.update(movieBuilds).set(usedNow).where(sql`id IN ${dueBuilds} AND ${isNeeded}`),
    ]);
    return deletedRows([...results[0], ...results[4]]);
  }

  #replanQueries() {
    return [
      ...this.#charge(given('cost'), sql`(SELECT 1)`, NEEDS_BUILD),
      ...this.#queueBuild(),
      this.db
        .update(movies)
        .set({ buildId: latestOf(key) })
        .where(eq(movies.id, given('id'))),
    ] as const;
  }

  #requeueQueries() {
    const isBuild = sql`${movieBuilds.id} = ${given('buildId')}`;
    return [
      ...this.#charge(sql`cost`, sql`${movieBuilds}`, and(isBuild, IS_OVER)!),
      ...this.#requeueWhere(isBuild),
      this.#recordArrival(isBuild),
    ] as const;
  }

  /** Statements that charge a client for the new builds of `from`, and delete expired charges. */
  #charge(cost: SQL, from: SQL, which: SQL) {
    const charged = costOrMinimum(cost);
    const client = unlessOverLimits<string>(given('client'), sql`1`, charged);
    const charge = sql`SELECT ${client}, ${given('nowMs')}, ${charged} FROM ${from} WHERE ${which}`;
    return [
      this.db.insert(movieCharges).select(charge),
      this.db.delete(movieCharges).where(lt(movieCharges.atMs, given('sinceMs'))),
    ] as const;
  }

  /** Statements that ensure a waiting, running or finished build. */
  #queueBuild() {
    const generations = sql`SELECT max(generation) FROM movie_builds WHERE key = ${key}`;
    const generation = sql`coalesce((${generations}) + ${given('fresh')}, 1)`;
    const isLatest = sql`${movieBuilds.id} = ${latestOf(key)}`;
    return [
      this.db
        .insert(movieBuilds)
        .values({ ...GIVEN_BUILD, ...QUEUED, generation })
        .onConflictDoNothing({ target: [movieBuilds.key, movieBuilds.generation] }),
      ...this.#requeueWhere(and(isLatest, eq(movieBuilds.status, invalid))!),
      this.#recordArrival(isLatest),
    ] as const;
  }

  /** Cost and duration of the most recently finished builds, newest first; all of them have a duration. */
  recentBuilds(limit: number) {
    return this.db
      .select({ cost: movieBuilds.cost, seconds: sql<number>`build_seconds`.as('seconds') })
      .from(movieBuilds)
      .where(eq(movieBuilds.status, finished))
      .orderBy(desc(movieBuilds.arrival))
      .limit(limit);
  }

  #length() {
    const count = (status: number) => sql<number>`(SELECT count(*) FROM movie_builds WHERE status = ${status})`;
    // D1 returns the columns of a batch by name.
    return this.db
      .select({ queued: count(queued).as('queued'), processing: count(processing).as('processing') })
      .from(sql`(SELECT 1)`);
  }

  #ahead({ turn, arrival }: QueuePosition) {
    const running = sql<number>`(SELECT total(cost * (1 - 1.0 * frames_done / frame_count)) FROM movie_builds
      WHERE status = ${processing} AND arrival <> ${arrival})`;
    return this.db
      .select({ waiting: sql<number>`count(*)`, cost: sql<number>`total(cost) + ${running}` })
      .from(movieBuilds)
      .where(sql`status = ${queued} AND (turn, arrival) < (${turn}, ${arrival})`);
  }

  #latestBuild(key: string | SQL) {
    return this.db
      .select(buildColumns)
      .from(movieBuilds)
      .where(sql`${movieBuilds.id} = ${latestOf(key)}`);
  }

  /** Statements that queue a build again from its first frame, without the segments and uploads of earlier attempts. */
  #requeueWhere(which: SQL) {
    const requeued = and(which, IS_OVER)!;
    return [
      this.#deleteWhere(movieSegments, requeued),
      this.#deleteWhere(movieUploads, requeued),
      this.db.update(movieBuilds).set(QUEUED).where(requeued),
    ] as const;
  }

  #deleteWhere(table: typeof movieSegments | typeof movieUploads, builds: SQL) {
    return this.db.delete(table).where(sql`${table.buildId} IN (SELECT ${movieBuilds.id} FROM ${movieBuilds} WHERE ${builds})`);
  }

  /** Records the last assigned arrival number, because the rows of its builds may be deleted. */
  #recordArrival(which: SQL) {
    return this.db
      .insert(movieArrivals)
      .select(sql`SELECT 1, coalesce(max(arrival), 0), 0 FROM ${movieBuilds} WHERE ${which}`)
      .onConflictDoUpdate({ target: movieArrivals.id, set: { last: sql`max(${movieArrivals.last}, excluded.last)` } });
  }
}

/** Outcome of a transaction that begins with the charge of a queued build. */
const requeuedBy = (run: Promise<readonly [D1Result, ...unknown[]]>): Promise<Requeued> =>
  run
    .then(([charge]): Requeued => (charge.meta.changes === 1 ? 'queued' : 'unchanged'))
    .catch(when(Error, (error) => (isOverLimits(error) ? 'over-limit' : undefined)));

/** Built once, because every poll of a movie's status runs it. */
const preparedFind = (db: DrizzleD1Database) =>
  db
    .select({ movie: movies, build: buildColumns })
    .from(movies)
    .innerJoin(movieBuilds, eq(movieBuilds.id, movies.buildId))
    .where(eq(movies.id, sql.placeholder('id')))
    .limit(1)
    .prepare();

/** The message of SQLite for an id that another movie has. */
const ID_CONSTRAINT = 'UNIQUE constraint failed: movies.id';
