// Tables of the visitors' database. Hashes are SHA-256 in hexadecimal; sealed values are encrypted with AES-GCM under SESSION_KEY.
import { index, integer, primaryKey, real, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { CountedSpan } from '../domain/coverage/event-counts.ts';
import type { MovieStatus } from '../domain/movies/movie.ts';
import type { Progress } from '../domain/movies/worker-protocol.ts';
import type { MovieFacts, ShareStatus } from '../domain/sharing/share.ts';
import type { VideoDetails } from '../domain/sharing/video-details.ts';
import type { LayerImages } from '../picture/screenshot.ts';

/** Sums of each budget, client and hour. Rows that no budget counts any more are deleted by later charges. */
export const charges = sqliteTable(
  'charges',
  {
    budget: text('budget').notNull(),
    /** Hash of the client's network with a daily salt; empty for all clients together. */
    client: text('client').notNull(),
    /** Hours since 1970. */
    hour: integer('hour').notNull(),
    amount: real('amount').notNull(),
  },
  (table) => [primaryKey({ columns: [table.budget, table.client, table.hour] }), index('charges_hour').on(table.hour)],
);

/** Builds, one row per recipe and frame plan: the queue, because messages may be lost. The plan is in R2, because rows are written often. */
export const movieBuilds = sqliteTable(
  'movie_builds',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    /** SHA-256 of recipe and plan; unique with `generation` (from 1), which a forced rebuild increments. */
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
    /** JSON of the event sources that failed for some frames. */
    eventsMissing: text('events_missing').notNull().default('[]'),
    stage: text('stage').$type<Progress['stage']>(),
    /** Sentence for the user. */
    error: text('error'),
    /** JSON of StoredMovieFile[]: the files uploaded so far. */
    files: text('files').notNull(),
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
    /** Last use, to a month. */
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
  {
    client: text('client').notNull(),
    atMs: integer('at_ms').notNull(),
    cost: real('cost').notNull(),
  },
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
    /** JSON of {part number: etag}. */
    parts: text('pieces').notNull(),
  },
  (table) => [primaryKey({ columns: [table.buildId, table.name] })],
);

/** Screenshots, from which their files are rendered. A row takes 500 bytes, with events up to 17 kB. */
export const screenshots = sqliteTable(
  'screenshots',
  {
    /** Random, so that screenshots cannot be enumerated; ids of earlier versions count from 1. */
    id: integer('id').primaryKey(),
    createdAtMs: integer('created_at_ms').notNull(),
    /** Canonical string of the recipe. */
    recipe: text('recipe').notNull(),
    /** JSON of LayerImages, one for each layer. */
    images: text('images', { mode: 'json' }).$type<readonly LayerImages[]>().notNull(),
  },
  (table) => [index('screenshots_created').on(table.createdAtMs)],
);

export const videoSessions = sqliteTable(
  'video_sessions',
  {
    /** Hash of the session id in the cookie. */
    hash: text('hash').primaryKey(),
    expiresAtMs: integer('expires_at_ms').notNull(),
    sealedGrant: text('sealed_grant'),
  },
  (table) => [index('video_sessions_expiry').on(table.expiresAtMs)],
);

/** Authorisations in progress: users on the host's consent page. A row is taken once. */
export const videoAuthorisations = sqliteTable(
  'video_authorisations',
  {
    stateHash: text('state_hash').primaryKey(),
    session: text('session').notNull(),
    movieId: text('movie_id').notNull(),
    details: text('details', { mode: 'json' }).$type<VideoDetails>().notNull(),
    sealedVerifier: text('sealed_verifier').notNull(),
    expiresAtMs: integer('expires_at_ms').notNull(),
  },
  (table) => [index('video_authorisations_expiry').on(table.expiresAtMs)],
);

/** Shared movies, each once. The rows are also the upload queue, because queue messages may be lost or repeated. */
export const videoShares = sqliteTable(
  'video_shares',
  {
    movieId: text('movie_id').primaryKey(),
    /** Hash of the session that shares the movie and may read the progress of its upload. */
    session: text('session').notNull(),
    /** Grant of the upload, kept apart because the session may change its account. Null after the upload. */
    sealedGrant: text('sealed_grant'),
    details: text('details', { mode: 'json' }).$type<VideoDetails>().notNull(),
    facts: text('facts', { mode: 'json' }).$type<MovieFacts>().notNull(),
    isShared: integer('is_shared', { mode: 'boolean' }).notNull(),
    /** Times of the first and the last frame. */
    startMs: integer('start_ms').notNull(),
    endMs: integer('end_ms').notNull(),
    status: text('status').$type<ShareStatus>().notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    /** Time of the next attempt, or end of the current lease. */
    dueAtMs: integer('due_at_ms').notNull(),
    lease: text('lease'),
    /** Consecutive attempts without progress. */
    attempts: integer('attempts').notNull(),
    sentBytes: integer('sent_bytes').notNull(),
    /** Key and ETag of the uploaded file. */
    fileKey: text('file_key'),
    fileSize: integer('file_size').notNull(),
    /** Address of the host's upload session. */
    sealedAddress: text('sealed_address'),
    /** Sentence for the user. */
    reason: text('reason'),
    videoId: text('video_id'),
    publishedAtMs: integer('published_at_ms'),
    checkedAtMs: integer('checked_at_ms'),
  },
  (table) => [
    index('video_shares_queue').on(table.status, table.dueAtMs),
    index('video_shares_published').on(table.status, table.isShared, table.publishedAtMs),
    index('video_shares_checked').on(table.status, table.checkedAtMs),
  ],
);

/** Short links, one row of a few hundred bytes per address. */
export const shortLinks = sqliteTable(
  'short_links',
  {
    /** First 16 hexadecimal digits of a hash of the address. */
    key: text('key').primaryKey(),
    address: text('address').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    /** Last use, to a month. */
    usedAtMs: integer('used_at_ms').notNull().default(0),
  },
  (table) => [index('short_links_used').on(table.usedAtMs)],
);

/** Stored views of the web client, whose content is in the archive. */
export const clientStates = sqliteTable(
  'client_states',
  {
    id: integer('id').primaryKey(),
    /** SHA-256 of the canonical JSON, in hexadecimal. */
    key: text('key').notNull().unique(),
    /** Bytes of the view and its row. */
    bytes: integer('bytes').notNull().default(0),
    createdAtMs: integer('created_at_ms').notNull(),
    /** Last use, to a month. */
    usedAtMs: integer('used_at_ms').notNull().default(0),
  },
  (table) => [index('client_states_used').on(table.usedAtMs)],
);

/** Start of a day or a month of a feed. */
const span = {
  feed: text('feed').notNull(),
  width: text('width').$type<CountedSpan>().notNull(),
  startMs: integer('start_ms').notNull(),
};

/** The days that have been counted, also those without events, and the months that have such days. */
export const eventSpans = sqliteTable(
  'event_spans',
  {
    ...span,
    days: integer('days').notNull(),
    /** Time of the count; of a month: the earliest of its days. */
    countedAtMs: integer('counted_at_ms').notNull(),
    /** Time of the next count; of a month: the earliest of its days. */
    dueAtMs: integer('due_at_ms').notNull(),
  },
  (table) => [primaryKey({ columns: [table.feed, table.width, table.startMs] })],
);

/** Events of a span, as `EventCount`. Those of a month begin with its first counted day. */
export const eventCounts = sqliteTable(
  'event_counts',
  {
    ...span,
    pin: text('pin').notNull(),
    type: text('type').notNull(),
    method: text('method').notNull(),
    continuing: integer('continuing').notNull(),
    begun: integer('begun').notNull(),
  },
  (table) => [primaryKey({ columns: [table.feed, table.width, table.pin, table.startMs, table.type, table.method] })],
);
