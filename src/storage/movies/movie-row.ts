// Conversion between the rows of movies and builds and their domain objects, and the columns of state changes.
import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import { type MovieRecipe, movieRecipeString, parseMovieRecipeString } from '../../domain/movies/movie-recipe.ts';
import type { MovieRequest } from '../../domain/movies/movie-request.ts';
import { MOVIE_STATUS, MOVIE_TRANSITIONS, type MovieEvent } from '../../domain/movies/state.ts';
import { type Layer, parseLayers } from '../../domain/recipe/layers.ts';
import type { BuildPlan, Movie, MovieBuild, NewMovie } from '../../ports/movies.ts';
import { movieBuilds, type movies } from './schema.ts';

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
export function buildFromRow({ recipe: text, ...row }: BuildRow): MovieBuild {
  let recipe: MovieRecipe | undefined;
  return {
    ...row,
    get recipe() {
      recipe ??= parseMovieRecipeString(text);
      return recipe;
    },
    files: JSON.parse(row.files),
    eventsMissing: JSON.parse(row.eventsMissing),
  };
}

/** Columns of a newly queued build, except those of its place. */
export function queuedRow(nowMs: number | SQL<number>) {
  return {
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
  };
}

type MovieRow = typeof movies.$inferSelect;

/** Parses the request and its layers on first access. */
export function movieFromRow({ request: text, ...row }: MovieRow): Movie {
  let request: MovieRequest | undefined;
  let layers: readonly Layer[] | undefined;
  return {
    ...row,
    get request() {
      request ??= JSON.parse(text) as MovieRequest;
      return request;
    },
    get layers() {
      layers ??= parseLayers(this.request.layers);
      return layers;
    },
  };
}

/** Columns of a movie, except its build and cost. */
export function movieRow({ request, layers: _layers, ...movie }: NewMovie) {
  return { ...movie, request: JSON.stringify(request), usedAtMs: movie.createdAtMs };
}

export function planRow({ recipe, frames, ...plan }: BuildPlan) {
  return {
    ...plan,
    recipe: movieRecipeString(recipe),
    frameCount: frames.length,
    firstFrameMs: frames[0]!.atMs,
    lastFrameMs: frames.at(-1)!.atMs,
  };
}

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
