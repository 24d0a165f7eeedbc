import { and, eq, gt, lte } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { OnMain } from '../../platform/storage/databases.ts';
import type { VideoDetails } from './share.ts';

/** Browser sessions. Grants are stored sealed. */
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

export type SharingSession = Readonly<typeof videoSessions.$inferSelect>;
export type Authorisation = Readonly<typeof videoAuthorisations.$inferSelect>;

/** Browser sessions and authorisations in progress, in the visitors' database. */
export class D1SharingSessions extends OnMain {
  async create(session: SharingSession): Promise<void> {
    await this.db.insert(videoSessions).values(session);
  }

  /** Null for an unknown or expired session. */
  async find(hash: string, nowMs: number): Promise<SharingSession | null> {
    const isAlive = and(eq(videoSessions.hash, hash), gt(videoSessions.expiresAtMs, nowMs));
    return (await this.db.select().from(videoSessions).where(isAlive).get()) ?? null;
  }

  /** Stores the grant and extends the session to `expiresAtMs`. */
  async keepGrant(hash: string, sealedGrant: string, expiresAtMs: number): Promise<void> {
    await this.db.update(videoSessions).set({ sealedGrant, expiresAtMs }).where(eq(videoSessions.hash, hash));
  }

  /** Deletes the grant of a session unless it has been replaced. */
  async dropGrant({ hash, sealedGrant }: SharingSession): Promise<void> {
    const isSame = and(eq(videoSessions.hash, hash), eq(videoSessions.sealedGrant, sealedGrant!));
    await this.db.update(videoSessions).set({ sealedGrant: null }).where(isSame);
  }

  async addAuthorisation(authorisation: Authorisation): Promise<void> {
    await this.db.insert(videoAuthorisations).values(authorisation);
  }

  /** Removes and returns an authorisation; null when it is of another session, was taken before or has expired. */
  async takeAuthorisation(stateHash: string, session: string, nowMs: number): Promise<Authorisation | null> {
    const { stateHash: hash, session: owner, expiresAtMs } = videoAuthorisations;
    const isOpen = and(eq(hash, stateHash), eq(owner, session), gt(expiresAtMs, nowMs));
    return (await this.db.delete(videoAuthorisations).where(isOpen).returning().get()) ?? null;
  }

  async expire(nowMs: number): Promise<number> {
    const expired = await this.db.batch([
      this.db.delete(videoAuthorisations).where(lte(videoAuthorisations.expiresAtMs, nowMs)),
      this.db.delete(videoSessions).where(lte(videoSessions.expiresAtMs, nowMs)),
    ]);
    return expired.reduce((sum, { meta }) => sum + meta.changes, 0);
  }
}
