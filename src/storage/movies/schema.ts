// Tables of movies. A request has an id of its own; what is built is shared by all requests of the same recipe and images.
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

/** What is built: one row per recipe and frame plan. The rows are the queue; messages only say that there may be work. */
export const movieBuilds = sqliteTable(
  'movie_builds',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** SHA-256 of recipe and plan; with `generation` (from 1), which a forced rebuild counts up, it is unique. */
    key: text('key').notNull(),
    generation: integer('generation').notNull(),
    /** Canonical string of the movie recipe. */
    recipe: text('recipe').notNull(),
    /** JSON of PlannedFrame[]. */
    frames: text('frames').notNull(),
    frameCount: integer('frame_count').notNull(),
    layerCount: integer('layer_count').notNull(),
    /** Pixels of the video. */
    width: integer('width').notNull(),
    height: integer('height').notNull(),
    frameRate: real('frame_rate').notNull(),
    firstFrameMs: integer('first_frame_ms').notNull(),
    lastFrameMs: integer('last_frame_ms').notNull(),
    /** Megapixels to draw and encode, frames times layers and so on: the unit of estimates and limits. */
    cost: real('cost').notNull(),
    /** 0 queued, 1 processing, 2 finished, 3 invalid. */
    status: integer('status').notNull(),
    statusMp4: integer('status_mp4').notNull(),
    statusWebm: integer('status_webm').notNull(),
    /** Place in the queue; a new one each time that the build is queued. Never given twice. */
    arrival: integer('arrival').notNull(),
    queuedAtMs: integer('queued_at_ms').notNull(),
    startedAtMs: integer('started_at_ms'),
    finishedAtMs: integer('finished_at_ms'),
    lease: text('lease'),
    leaseUntilMs: integer('lease_until_ms'),
    /** Who has it or, while it waits, who failed at it. */
    worker: text('worker'),
    attempts: integer('attempts').notNull(),
    framesDone: integer('frames_done').notNull(),
    framesSkipped: integer('frames_skipped').notNull(),
    /** JSON of the sources of events that did not answer for some frames. */
    eventsMissing: text('events_missing').notNull().default('[]'),
    stage: text('stage'),
    /** Sentence for the user. */
    error: text('error'),
    /** JSON of {name, size, etag}[]: what is uploaded so far. */
    files: text('files').notNull(),
    /** Seconds from the claim to the end, of the attempt that finished. */
    buildSeconds: real('build_seconds'),
  },
  (table) => [
    uniqueIndex('movie_builds_key').on(table.key, table.generation),
    index('movie_builds_queue').on(table.status, table.arrival),
  ],
);

/** Requests, each with its own public id. */
export const movies = sqliteTable(
  'movies',
  {
    id: text('id').primaryKey(),
    buildId: integer('build_id').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    /** Handle of the job, given to the client. */
    token: text('token').notNull(),
    /** JSON of what the request said, for verbose status and for planning anew. */
    request: text('request').notNull(),
    /** SHA-256 of the client's address with a daily salt; cost that counts against its limit. */
    client: text('client').notNull(),
    cost: real('cost').notNull(),
  },
  (table) => [index('movies_build').on(table.buildId), index('movies_client').on(table.client, table.createdAtMs)],
);

/** Movie workers that asked for work of late: how many builds go on at once. */
export const movieWorkers = sqliteTable('movie_workers', {
  name: text('name').primaryKey(),
  seenAtMs: integer('seen_at_ms').notNull(),
});

/** What clients have had built again: counts against their limits as the cost of new movies does, for as long. */
export const movieCharges = sqliteTable(
  'movie_charges',
  {
    client: text('client').notNull(),
    atMs: integer('at_ms').notNull(),
    cost: real('cost').notNull(),
  },
  (table) => [index('movie_charges_client').on(table.client, table.atMs), index('movie_charges_age').on(table.atMs)],
);

/** The last number given to a build that was queued. */
export const movieArrivals = sqliteTable('movie_arrivals', {
  id: integer('id').primaryKey(),
  last: integer('last').notNull(),
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
    /** Name that the object store has for the upload. */
    uploadId: text('upload_id').notNull(),
    /** JSON of {part number: etag}. */
    parts: text('pieces').notNull(),
  },
  (table) => [primaryKey({ columns: [table.buildId, table.name] })],
);
