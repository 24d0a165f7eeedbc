// Tables of short links and of movies shared with the video host. Hashes are SHA-256 in hexadecimal; sealed values are encrypted
// with AES-GCM under SESSION_KEY.
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { MovieFacts, ShareStatus } from '../../domain/sharing/share.ts';
import type { VideoDetails } from '../../domain/sharing/video-details.ts';

/** Browser sessions. */
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
