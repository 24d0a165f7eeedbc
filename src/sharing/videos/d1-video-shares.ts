import { and, desc, eq, gt, gte, inArray, lte, or, sql } from 'drizzle-orm';
import { index, integer, type SQLiteUpdateSetSource, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { OnMain } from '../../platform/storage/databases.ts';
import type { MovieFacts, ShareStatus, VideoDetails } from './share.ts';

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
    /** Consecutive attempts without progress, the present one included. */
    attempts: integer('attempts').notNull(),
    /** Bytes received by the host, all of them once the last part is being sent, and size of the file; both 0 before the upload starts. */
    sentBytes: integer('sent_bytes').notNull(),
    /** Key and ETag of the uploaded file. */
    fileKey: text('file_key'),
    fileSize: integer('file_size').notNull(),
    /** Address of the host's upload session; null before the upload was started there. */
    sealedAddress: text('sealed_address'),
    /** Sentence for the user. */
    reason: text('reason'),
    videoId: text('video_id'),
    /** Whole seconds, because `published` and `since` of getUserVideos have no fraction. */
    publishedAtMs: integer('published_at_ms'),
    checkedAtMs: integer('checked_at_ms'),
  },
  (table) => [
    index('video_shares_queue').on(table.status, table.dueAtMs),
    index('video_shares_published').on(table.status, table.isShared, table.publishedAtMs),
    index('video_shares_checked').on(table.status, table.checkedAtMs),
  ],
);

export type Share = Readonly<typeof videoShares.$inferSelect>;
/** A share that a run holds. */
export type ClaimedShare = Share & { readonly lease: string };

interface NewShare extends Pick<Share, 'movieId' | 'session' | 'details' | 'facts'> {
  readonly sealedGrant: string;
}

const NOT_BEGUN = { sentBytes: 0, fileSize: 0, fileKey: null, sealedAddress: null } as const;
const ENDED = { lease: null, sealedAddress: null, fileKey: null, sealedGrant: null } as const;

interface Listing {
  /** Published after then; whenever unless given. */
  readonly sinceMs?: number;
  /** A time that the frames span; any unless given. */
  readonly atMs?: number;
  /** The time by which shares are ordered, latest first: that of publication unless given. */
  readonly order?: 'publishedAtMs' | 'startMs';
  readonly skip?: number;
  readonly limit: number;
}

/** Shared movies, in the visitors' database. Methods with a lease return false, and have no effect, when the lease is lost. */
export class D1VideoShares extends OnMain {
  async find(movieId: string): Promise<Share | null> {
    return (await this.db.select().from(videoShares).where(eq(videoShares.movieId, movieId)).get()) ?? null;
  }

  /** Adds a pending share, replacing one that failed or is gone; false when an active one exists. */
  async begin({ movieId, session, sealedGrant, details, facts }: NewShare, nowMs: number): Promise<boolean> {
    const values = {
      ...NOT_BEGUN,
      session,
      sealedGrant,
      details,
      facts,
      isShared: details.isShared,
      startMs: facts.startMs,
      endMs: facts.endMs,
      status: 'pending',
      createdAtMs: nowMs,
      dueAtMs: nowMs,
      lease: null,
      attempts: 0,
      reason: null,
      videoId: null,
      publishedAtMs: null,
      checkedAtMs: null,
    } as const;
    const { meta } = await this.db
      .insert(videoShares)
      .values({ movieId, ...values })
      .onConflictDoUpdate({
        target: videoShares.movieId,
        set: values,
        setWhere: inArray(videoShares.status, ['failed', 'gone']),
      });
    return meta.changes === 1;
  }

  /** Leases the longest pending share, or one with an expired lease, to exactly one caller. Counts an attempt. */
  async claim(nowMs: number, leaseMs: number): Promise<ClaimedShare | null> {
    const lease = crypto.randomUUID();
    const [row] = await this.db
      .update(videoShares)
      .set({ status: 'uploading', lease, dueAtMs: nowMs + leaseMs, attempts: sql`attempts + 1` })
      .where(sql`movie_id = (SELECT movie_id FROM video_shares
        WHERE status IN ('pending', 'uploading') AND due_at_ms <= ${nowMs} ORDER BY due_at_ms, movie_id LIMIT 1)`)
      .returning();
    return row ? { ...row, lease } : null;
  }

  /** Records the received bytes, or all of them before the last part is sent, and extends the lease; progress resets the attempts. */
  progress(movieId: string, lease: string, sentBytes: number, leaseUntilMs: number): Promise<boolean> {
    const attempts = sql`iif(sent_bytes < ${sentBytes}, 1, attempts)`;
    return this.change(movieId, lease, { sentBytes, dueAtMs: leaseUntilMs, attempts });
  }

  finish(movieId: string, lease: string, videoId: string, nowMs: number): Promise<boolean> {
    const publishedAtMs = Math.floor(nowMs / 1000) * 1000;
    const sentBytes = sql`file_size`;
    return this.change(movieId, lease, {
      ...ENDED,
      status: 'done',
      reason: null,
      videoId,
      publishedAtMs,
      checkedAtMs: nowMs,
      sentBytes,
    });
  }

  retry(movieId: string, lease: string, notBeforeMs: number, reason: string | null): Promise<boolean> {
    return this.change(movieId, lease, { status: 'pending', lease: null, dueAtMs: notBeforeMs, reason });
  }

  fail(movieId: string, lease: string, reason: string): Promise<boolean> {
    return this.change(movieId, lease, { ...ENDED, status: 'failed', reason });
  }

  async listed({ sinceMs, atMs, order = 'publishedAtMs', skip = 0, limit }: Listing): Promise<Share[]> {
    const { publishedAtMs, startMs, endMs } = videoShares;
    const spans = atMs === undefined ? undefined : and(lte(startMs, atMs), gte(endMs, atMs));
    const isNew = sinceMs === undefined ? undefined : gt(publishedAtMs, sinceMs);
    return this.db
      .select()
      .from(videoShares)
      .where(and(eq(videoShares.status, 'done'), eq(videoShares.isShared, true), isNew, spans))
      .orderBy(desc(videoShares[order]), videoShares.movieId)
      .limit(limit)
      .offset(skip);
  }

  /** Videos last checked before `beforeMs`: published ones, and gone ones published after `goneSinceMs`. */
  async dueForCheck(beforeMs: number, goneSinceMs: number, limit: number): Promise<Share[]> {
    const isWatched = or(
      eq(videoShares.status, 'done'),
      and(eq(videoShares.status, 'gone'), gt(videoShares.publishedAtMs, goneSinceMs)),
    );
    return this.db
      .select()
      .from(videoShares)
      .where(and(isWatched, lte(videoShares.checkedAtMs, beforeMs)))
      .orderBy(videoShares.checkedAtMs)
      .limit(limit);
  }

  async checked(movieId: string, videoId: string, isThere: boolean, nowMs: number): Promise<void> {
    const isSame = and(eq(videoShares.movieId, movieId), eq(videoShares.videoId, videoId));
    await this.db
      .update(videoShares)
      .set({ status: isThere ? 'done' : 'gone', checkedAtMs: nowMs })
      .where(and(isSame, inArray(videoShares.status, ['done', 'gone'])));
  }

  async change(movieId: string, lease: string, set: SQLiteUpdateSetSource<typeof videoShares>): Promise<boolean> {
    const isHeld = and(eq(videoShares.movieId, movieId), eq(videoShares.lease, lease));
    return (await this.db.update(videoShares).set(set).where(isHeld)).meta.changes === 1;
  }
}
