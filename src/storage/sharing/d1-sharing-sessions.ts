import { and, eq, gt, lte } from 'drizzle-orm';
import type { Authorisation, SharingSession } from '../../domain/sharing/share.ts';
import { videoAuthorisations, videoSessions } from '../main-tables.ts';
import { OnMain } from '../on-database.ts';

/** Browser sessions and authorisations in progress, in the visitors' database. */
export class D1SharingSessions extends OnMain {
  async create(session: SharingSession): Promise<void> {
    await this.db.insert(videoSessions).values(session);
  }

  /** Null for an unknown or expired session. */
  async find(hash: string, nowMs: number): Promise<SharingSession | null> {
    const isAlive = and(eq(videoSessions.hash, hash), gt(videoSessions.expiresAtMs, nowMs));
    const [row] = await this.db.select().from(videoSessions).where(isAlive).limit(1);
    return row ?? null;
  }

  /** Stores the grant and extends the session to `expiresAtMs`. */
  async keepGrant(hash: string, sealedGrant: string, expiresAtMs: number): Promise<void> {
    await this.db.update(videoSessions).set({ sealedGrant, expiresAtMs }).where(eq(videoSessions.hash, hash));
  }

  async dropGrant(hash: string): Promise<void> {
    await this.db.update(videoSessions).set({ sealedGrant: null }).where(eq(videoSessions.hash, hash));
  }

  async addAuthorisation(authorisation: Authorisation): Promise<void> {
    await this.db.insert(videoAuthorisations).values(authorisation);
  }

  /** Removes and returns an authorisation; null when it is of another session, was taken before or has expired. */
  async takeAuthorisation(stateHash: string, session: string, nowMs: number): Promise<Authorisation | null> {
    const { stateHash: hash, session: owner, expiresAtMs } = videoAuthorisations;
    const [row] = await this.db
      .delete(videoAuthorisations)
      .where(and(eq(hash, stateHash), eq(owner, session), gt(expiresAtMs, nowMs)))
      .returning();
    return row ?? null;
  }

  /** Deletes expired rows; returns their number. */
  async expire(nowMs: number): Promise<number> {
    const [authorisations, sessions] = await this.db.batch([
      this.db
        .delete(videoAuthorisations)
        .where(lte(videoAuthorisations.expiresAtMs, nowMs))
        .returning({ hash: videoAuthorisations.stateHash }),
      this.db.delete(videoSessions).where(lte(videoSessions.expiresAtMs, nowMs)).returning({ hash: videoSessions.hash }),
    ]);
    return authorisations.length + sessions.length;
  }
}
