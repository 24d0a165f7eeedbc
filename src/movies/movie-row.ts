// Rows of movies and builds: their conversion to domain objects, the columns of state changes, and the limits of the queue.
import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import { type Layer, parseLayers } from '../picture/layers.ts';
import { given } from '../platform/storage/databases.ts';
import { causesOf } from '../platform/util/causes.ts';
import {
  MOVIE_STATUS,
  MOVIE_TRANSITIONS,
  type Movie,
  type MovieBuild,
  type MovieEvent,
  type NewBuild,
  type NewMovie,
} from './movie.ts';
import { type MovieRecipe, type MovieRequest, parseMovieRecipeString } from './movie-recipe.ts';
import { movieBuilds, type movies } from './movie-tables.ts';

const {
  lease: _lease,
  leaseUntilMs: _leaseUntilMs,
  worker: _worker,
  client: _client,
  usedAtMs: _usedAtMs,
  ...columns
} = getTableColumns(movieBuilds);

/** Columns of a MovieBuild: all except the claim. */
export const buildColumns = columns;

export type BuildRow = Pick<typeof movieBuilds.$inferSelect, keyof typeof columns>;

/** Parses the recipe on first access, because few callers need it. */
export function buildFromRow({ recipe: recipeText, ...row }: BuildRow): MovieBuild {
  let recipe: MovieRecipe | undefined;
  return {
    ...row,
    recipeText,
    get recipe() {
      recipe ??= parseMovieRecipeString(recipeText);
      return recipe;
    },
    files: JSON.parse(row.files),
    eventsMissing: JSON.parse(row.eventsMissing),
  };
}

/** Columns of a newly queued build, except those of its position. */
export const queuedRow = (nowMs: number | SQL<number>) => ({
  status: MOVIE_STATUS.queued,
  statusMp4: MOVIE_STATUS.queued,
  statusWebm: MOVIE_STATUS.queued,
  queuedAtMs: nowMs,
  usedAtMs: nowMs,
  startedAtMs: null,
  finishedAtMs: null,
  lease: null,
  leaseUntilMs: null,
  worker: null,
  attempts: 0,
  expiries: 0,
  framesDone: 0,
  framesSkipped: 0,
  eventsMissing: '[]',
  stage: null,
  error: null,
  files: '[]',
  buildSeconds: null,
});

/** Parses the request and its layers on first access. */
export function movieFromRow({ request: requestText, ...row }: typeof movies.$inferSelect): Movie {
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

export const movieRow = ({ request: _request, requestText, layers: _layers, ...movie }: NewMovie) => ({
  ...movie,
  request: requestText,
  usedAtMs: movie.createdAtMs,
});

export const newBuildRow = ({ recipe: _recipe, recipeText, frames, ...build }: NewBuild) => ({
  ...build,
  recipe: recipeText,
  frameCount: frames.length,
  firstFrameMs: frames[0]!.atMs,
  lastFrameMs: frames.at(-1)!.atMs,
});

/** Condition on builds whose state allows the event. */
export function mayHappen(event: MovieEvent) {
  const { from } = MOVIE_TRANSITIONS[event];
  return sql`${movieBuilds.status} IN (${sql.join(
    from.map((status) => sql.raw(String(status))),
    sql`, `,
  )})`;
}

/** Status columns after the event. A finished format stays finished until a rebuild. */
export function statusColumns(event: Exclude<MovieEvent, 'requeue'>) {
  const { to } = MOVIE_TRANSITIONS[event];
  const unlessFinished = (column: typeof movieBuilds.statusMp4 | typeof movieBuilds.statusWebm) =>
    sql`iif(${column} = ${MOVIE_STATUS.finished}, ${MOVIE_STATUS.finished}, ${to})`;
  return { status: to, statusMp4: unlessFinished(movieBuilds.statusMp4), statusWebm: unlessFinished(movieBuilds.statusWebm) };
}

/** Limits of the queue, tested in the transaction that queues a movie. */
export interface QueueLimits {
  /** Megapixels of all queued builds, this one included; a movie that joins a build is not counted. */
  readonly queuedCost: number;
  /** Hashes of the client's address since `sinceMs`. */
  readonly clients: readonly string[];
  readonly sinceMs: number;
  /** Most megapixels that the client may have, this movie included: charged since then, and in its queued builds. */
  readonly clientCost: number;
}

export interface QueueingOptions {
  readonly nowMs: number;
  /** Minimum charge, also for a request that joins a build; 0 by default. */
  readonly minCost?: number;
  /** None by default. */
  readonly limits?: QueueLimits;
}

const UNLIMITED: QueueLimits = {
  queuedCost: Number.MAX_SAFE_INTEGER,
  clients: [],
  sinceMs: 0,
  clientCost: Number.MAX_SAFE_INTEGER,
};

/** Values of the placeholders of the conditions below. */
export function limitValues({ nowMs, minCost = 0, limits = UNLIMITED }: QueueingOptions) {
  const { queuedCost, sinceMs, clientCost, clients } = limits;
  return { nowMs, minCost, queuedCost, sinceMs, clientCost, clients: JSON.stringify(clients) };
}

export const costOrMinimum = (cost: SQL): SQL<number> => sql`max(${cost}, ${given('minCost')})`;

/** Whether a movie of this cost is within the limits given. `isNew`: whether it adds a build to the queue. */
function isWithinLimits(isNew: SQL, cost: SQL): SQL {
  const ofClient = sql`client IN (SELECT value FROM json_each(${given('clients')}))`;
  const sinceMs = given('sinceMs');
  const waiting = sql`(SELECT total(cost) FROM movie_builds WHERE status = ${MOVIE_STATUS.queued})`;
  const waitingOfClient = sql`(SELECT total(cost) FROM movie_builds WHERE ${ofClient} AND status = ${MOVIE_STATUS.queued})`;
  const requested = sql`(SELECT total(cost) FROM movies WHERE ${ofClient} AND created_at_ms >= ${sinceMs})`;
  const rebuilt = sql`(SELECT total(cost) FROM movie_charges WHERE ${ofClient} AND at_ms >= ${sinceMs})`;
  const fits = sql`${waiting} + ${cost} <= ${given('queuedCost')} AND ${waitingOfClient} + ${cost} <= ${given('clientCost')}`;
  const isQueued = sql`(NOT ${isNew} OR (${fits}))`;
  return sql`${isQueued} AND ${requested} + ${rebuilt} + ${cost} <= ${given('clientCost')}`;
}

/** A value within the limits; else null, which violates a constraint. */
export const unlessOverLimits = <T>(value: SQL, isNew: SQL, cost: SQL): SQL<T> =>
  sql<T>`iif(${isWithinLimits(isNew, cost)}, ${value}, NULL)`;

/** Messages of SQLite for a movie and a charge without the value of `unlessOverLimits`. */
const LIMIT_CONSTRAINTS = ['NOT NULL constraint failed: movies.id', 'NOT NULL constraint failed: movie_charges.client'];

export const isOverLimits = (error: unknown): boolean => LIMIT_CONSTRAINTS.some((constraint) => hasFailed(error, constraint));

/** Whether an error, or one of its causes, reports this constraint. */
export const hasFailed = (error: unknown, constraint: string): boolean =>
  [...causesOf(error)].some(({ message }) => message.includes(constraint));
