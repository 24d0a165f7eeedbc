import { and, eq, gt, lte } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import type { Authorisation, SharingSession, SharingSessions } from '../../ports/sharing.ts';
import type { Databases } from '../databases.ts';
import { videoAuthorisations, videoSessions } from './schema.ts';

/** Browser sessions and users at the host's page, in the main database. */
export class D1SharingSessions implements SharingSessions {
  readonly #database: D1Database;

  constructor({ main }: Pick<Databases, 'main'>) {
    this.#database = main;
  }

  async create(session: SharingSession): Promise<void> {
    await drizzle(this.#database).insert(videoSessions).values(session);
  }

  async find(hash: string, nowMs: number): Promise<SharingSession | null> {
    const isAlive = and(eq(videoSessions.hash, hash), gt(videoSessions.expiresAtMs, nowMs));
    const [row] = await drizzle(this.#database).select().from(videoSessions).where(isAlive).limit(1);
    return row ?? null;
  }

  async keepGrant(hash: string, sealedGrant: string, expiresAtMs: number): Promise<void> {
    await drizzle(this.#database).update(videoSessions).set({ sealedGrant, expiresAtMs }).where(eq(videoSessions.hash, hash));
  }

  async dropGrant(hash: string): Promise<void> {
    await drizzle(this.#database).update(videoSessions).set({ sealedGrant: null }).where(eq(videoSessions.hash, hash));
  }

  async addAuthorisation(authorisation: Authorisation): Promise<void> {
    await drizzle(this.#database).insert(videoAuthorisations).values(authorisation);
  }

  async takeAuthorisation(stateHash: string, session: string, nowMs: number): Promise<Authorisation | null> {
    const { stateHash: hash, session: owner, expiresAtMs } = videoAuthorisations;
    const [row] = await drizzle(this.#database)
      .delete(videoAuthorisations)
      .where(and(eq(hash, stateHash), eq(owner, session), gt(expiresAtMs, nowMs)))
      .returning();
    return row ?? null;
  }

  async expire(nowMs: number): Promise<number> {
    const database = drizzle(this.#database);
    const [authorisations, sessions] = await database.batch([
      database
        .delete(videoAuthorisations)
        .where(lte(videoAuthorisations.expiresAtMs, nowMs))
        .returning({ hash: videoAuthorisations.stateHash }),
      database.delete(videoSessions).where(lte(videoSessions.expiresAtMs, nowMs)).returning({ hash: videoSessions.hash }),
    ]);
    return authorisations.length + sessions.length;
  }
}
