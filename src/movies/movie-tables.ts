// Tables of movies in the visitors' database, their rows as movies and builds, and the columns of state changes.

import { getTableColumns, sql } from 'drizzle-orm';
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { Layer } from '../picture/layers.ts';
import { MOVIE_STATUS, type MovieStatus, type StoredMovieFile } from './movie.ts';
import { type MovieRecipe, type MovieRequest, type PlannedFrame, parseMovieRecipeString } from './movie-recipe.ts';
import type { Progress } from './worker-reports.ts';

/** Builds, one row per recipe and frame plan: the queue, because messages may be lost. The plan is in R2, because rows are written often. */
export const movieBuilds = sqliteTable(
  'movie_builds',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** SHA-256 of render version, recipe and frames; unique with `generation` (from 1), which a forced rebuild increments. */
    key: text('key').notNull(),
    generation: integer('generation').notNull(),
    /** Canonical string of the movie recipe. */
    recipe: text('recipe').notNull(),
    frameCount: integer('frame_count').notNull(),
    layerCount: integer('layer_count').notNull(),
    /** Size of the video in pixels. */
    width: integer('width').notNull(),
    height: integer('height').notNull(),
    frameRate: real('frame_rate').notNull(),
    firstFrameMs: integer('first_frame_ms').notNull(),
    lastFrameMs: integer('last_frame_ms').notNull(),
    /** Megapixels to draw and encode: the unit of estimates and limits. */
    cost: real('cost').notNull(),
    /** 0 queued, 1 processing, 2 finished, 3 invalid. */
    status: integer('status').$type<MovieStatus>().notNull(),
    statusMp4: integer('status_mp4').$type<MovieStatus>().notNull(),
    statusWebm: integer('status_webm').$type<MovieStatus>().notNull(),
    /** A new number each time that the build is queued. Numbers are never reused. */
    arrival: integer('arrival').notNull(),
    /** Start tag of fair queueing, megapixels: virtual time, or the end of the client's earlier builds. Claims follow it, then arrival. */
    turn: real('turn').notNull().default(0),
    /** Client that queued the build: a hash as in `movies`. */
    client: text('client').notNull().default(''),
    queuedAtMs: integer('queued_at_ms').notNull(),
    startedAtMs: integer('started_at_ms'),
    finishedAtMs: integer('finished_at_ms'),
    lease: text('lease'),
    leaseUntilMs: integer('lease_until_ms'),
    /** Worker of the claim or, while the build waits, the worker that failed at it last. */
    worker: text('worker'),
    attempts: integer('attempts').notNull(),
    /** Attempts that ended because their worker fell silent. */
    expiries: integer('expiries').notNull().default(0),
    framesDone: integer('frames_done').notNull(),
    framesSkipped: integer('frames_skipped').notNull(),
    /** Event sources that failed for some frames. */
    eventsMissing: text('events_missing', { mode: 'json' }).$type<readonly string[]>().notNull().default([]),
    stage: text('stage').$type<Progress['stage']>(),
    /** Sentence for the user. */
    error: text('error'),
    /** The files uploaded so far. */
    files: text('files', { mode: 'json' }).$type<readonly StoredMovieFile[]>().notNull(),
    /** Duration of the successful attempt in seconds. */
    buildSeconds: real('build_seconds'),
    /** Time when it was queued last, or when the sweep last found a movie of it. */
    usedAtMs: integer('used_at_ms').notNull().default(0),
  },
  (table) => [
    index('movie_builds_used').on(table.usedAtMs),
    // For the status of the last day.
    index('movie_builds_queued').on(table.queuedAtMs),
    uniqueIndex('movie_builds_key').on(table.key, table.generation),
    index('movie_builds_queue').on(table.status, table.arrival),
    // Both have the cost, so that sums over the queue read no rows.
    index('movie_builds_turn').on(table.status, table.turn, table.arrival, table.cost),
    index('movie_builds_client').on(table.client, table.status, table.turn, table.cost),
  ],
);

/** Requests with their public ids. */
export const movies = sqliteTable(
  'movies',
  {
    id: text('id').primaryKey(),
    buildId: integer('build_id').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    /** Job handle that the client received. */
    token: text('token').notNull(),
    /** JSON of the request, for the verbose status and for a new plan. */
    request: text('request').notNull(),
    /** SHA-256 of the client's address with a daily salt. */
    client: text('client').notNull(),
    /** Cost that counts against the client's limit. */
    cost: real('cost').notNull(),
    /** Last use, to a week. */
    usedAtMs: integer('used_at_ms').notNull().default(0),
  },
  (table) => [
    index('movies_build').on(table.buildId),
    index('movies_client').on(table.client, table.createdAtMs),
    index('movies_used').on(table.usedAtMs),
  ],
);

/** Movie workers that requested work recently, on which estimates of concurrent builds are based. */
export const movieWorkers = sqliteTable('movie_workers', {
  name: text('name').primaryKey(),
  seenAtMs: integer('seen_at_ms').notNull(),
});

/** Costs of rebuilds, which count against a client's limit like those of new movies. */
export const movieCharges = sqliteTable(
  'movie_charges',
  { client: text('client').notNull(), atMs: integer('at_ms').notNull(), cost: real('cost').notNull() },
  (table) => [index('movie_charges_client').on(table.client, table.atMs), index('movie_charges_age').on(table.atMs)],
);

/** Last assigned arrival number, and the virtual time of the queue in megapixels. */
export const movieArrivals = sqliteTable('movie_arrivals', {
  id: integer('id').primaryKey(),
  last: integer('last').notNull(),
  virtualTime: real('virtual_time').notNull().default(0),
});

/** Encoded segments of unfinished builds: frames from..to-1 of one output, from which the next attempt resumes. */
export const movieSegments = sqliteTable(
  'movie_parts',
  {
    buildId: integer('build_id').notNull(),
    name: text('name').notNull(),
    output: text('output').notNull(),
    fromFrame: integer('from_frame').notNull(),
    toFrame: integer('to_frame').notNull(),
  },
  (table) => [primaryKey({ columns: [table.buildId, table.name] })],
);

/** Multipart uploads in progress. */
export const movieUploads = sqliteTable(
  'movie_uploads',
  {
    buildId: integer('build_id').notNull(),
    name: text('name').notNull(),
    lease: text('lease').notNull(),
    uploadId: text('upload_id').notNull(),
    /** Etags by the numbers of the parts. */
    parts: text('pieces', { mode: 'json' }).$type<Readonly<Record<string, string>>>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.buildId, table.name] })],
);

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

export type MovieBuild = Readonly<Omit<BuildRow, 'recipe'>> & { readonly recipe: MovieRecipe; readonly recipeText: string };

type PlannedColumns = 'key' | 'recipe' | 'recipeText' | 'layerCount' | 'width' | 'height' | 'frameRate' | 'cost';
export type NewBuild = Pick<MovieBuild, PlannedColumns> & { readonly frames: readonly PlannedFrame[] };

export type Movie = Readonly<Omit<typeof movies.$inferSelect, 'request'>> & {
  /** Parameters of the request, for verbose status and for planning it anew. */
  readonly request: MovieRequest;
  readonly requestText: string;
  readonly layers: readonly Layer[];
};

export type NewMovie = Omit<Movie, 'buildId' | 'cost' | 'usedAtMs'>;

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
  };
}

/** Columns of a build in this state. A finished format stays finished until a rebuild. */
export function statusColumns(status: MovieStatus) {
  const unlessFinished = (column: typeof movieBuilds.statusMp4 | typeof movieBuilds.statusWebm) =>
    sql`iif(${column} = ${MOVIE_STATUS.finished}, ${MOVIE_STATUS.finished}, ${status})`;
  return { status, statusMp4: unlessFinished(movieBuilds.statusMp4), statusWebm: unlessFinished(movieBuilds.statusWebm) };
}
