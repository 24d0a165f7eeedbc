// Tables of sharing movies with the video host. Hashes are SHA-256 in hexadecimal; sealed values are AES-GCM, which only the
// key from the secrets opens.
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { MovieFacts, ShareStatus } from '../../domain/sharing/share.ts';
import type { VideoDetails } from '../../domain/sharing/video-details.ts';

/** Browser sessions. */
export const videoSessions = sqliteTable(
  'video_sessions',
  {
    /** Of what the cookie holds. */
    hash: text('hash').primaryKey(),
    expiresAtMs: integer('expires_at_ms').notNull(),
    sealedGrant: text('sealed_grant'),
  },
  (table) => [index('video_sessions_expiry').on(table.expiresAtMs)],
);

/** Users at the host's page. A row is taken once. */
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

/** Shared movies, each once. The rows are the queue of uploads as well; messages only say that there may be one. */
export const videoShares = sqliteTable(
  'video_shares',
  {
    movieId: text('movie_id').primaryKey(),
    /** Hash of the session that shares it: whoever has its cookie sees how far it is. */
    session: text('session').notNull(),
    /** The grant with which it is uploaded: the session may get that of another account. Null once it is over. */
    sealedGrant: text('sealed_grant'),
    details: text('details', { mode: 'json' }).$type<VideoDetails>().notNull(),
    facts: text('facts', { mode: 'json' }).$type<MovieFacts>().notNull(),
    isShared: integer('is_shared', { mode: 'boolean' }).notNull(),
    /** First and last frame. */
    startMs: integer('start_ms').notNull(),
    endMs: integer('end_ms').notNull(),
    status: text('status').$type<ShareStatus>().notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    /** When it is its turn, or when the lease of whoever has it ends. */
    dueAtMs: integer('due_at_ms').notNull(),
    lease: text('lease'),
    /** In a row that got no byte further. */
    attempts: integer('attempts').notNull(),
    sentBytes: integer('sent_bytes').notNull(),
    /** Key and ETag of the file that is uploaded. */
    fileKey: text('file_key'),
    fileSize: integer('file_size').notNull(),
    /** Where the host takes the bytes. */
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
