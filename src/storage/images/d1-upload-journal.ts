import { eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import type { Upload, UploadJournal } from '../../ports/images.ts';
import type { Clock } from '../../ports/timing.ts';
import type { Databases } from '../databases.ts';
import { uploads } from './schema.ts';

/** No request lives this long, so that an upload noted earlier has been given up. */
const UPLOAD_LEASE_MS = 60 * 60 * 1000;
/** No sweep works this long on one upload, so that a key taken earlier may be taken again. */
const SWEEP_LEASE_MS = 5 * 60 * 1000;

/** Uploads under way, in the main database whatever the shard of their image. */
export class D1UploadJournal implements UploadJournal {
  readonly #database: D1Database;
  readonly #now: Clock;

  constructor(databases: Databases, now: Clock) {
    this.#database = databases.main;
    this.#now = now;
  }

  async begin({ key, fileName }: Upload): Promise<boolean> {
    const touchedAtMs = this.#now();
    const noted = await drizzle(this.#database)
      .insert(uploads)
      .values({ key, fileName, touchedAtMs })
      .onConflictDoUpdate({ target: uploads.key, set: { touchedAtMs }, setWhere: eq(uploads.sweeping, false) })
      .returning({ key: uploads.key });
    return noted.length === 1;
  }

  async end(key: string): Promise<void> {
    await drizzle(this.#database).delete(uploads).where(eq(uploads.key, key));
  }

  async takeAbandoned(limit: number): Promise<Upload[]> {
    const now = this.#now();
    return drizzle(this.#database)
      .update(uploads)
      .set({ sweeping: true, touchedAtMs: now })
      .where(sql`key IN (SELECT key FROM uploads
        WHERE touched_at_ms < ${now} - iif(sweeping, ${SWEEP_LEASE_MS}, ${UPLOAD_LEASE_MS}) LIMIT ${limit})`)
      .returning({ key: uploads.key, fileName: uploads.fileName });
  }
}
