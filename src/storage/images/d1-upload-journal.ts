import { eq, sql } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import type { Upload, UploadJournal } from '../../ports/images.ts';
import type { Clock } from '../../ports/timing.ts';
import { HOUR_MS, MINUTE_MS } from '../../util/durations.ts';
import type { Databases } from '../databases.ts';
import { uploads } from './schema.ts';

/** Age from which an upload counts as abandoned: no request lives this long. */
const UPLOAD_LEASE_MS = HOUR_MS;
/** Time after which a removal is repeated: isolates have forgotten the image by then, and finished what they drew of it. */
const REPETITION_MS = 2 * MINUTE_MS;
/** Age from which a sweep counts as interrupted: none works this long on one upload. */
const SWEEP_LEASE_MS = 5 * MINUTE_MS;

/** Uploads in progress, in the main database whatever the shard of their image. */
export class D1UploadJournal implements UploadJournal {
  readonly #db: DrizzleD1Database;
  readonly #clock: Clock;

  constructor({ main }: Pick<Databases, 'main'>, clock: Clock) {
    this.#db = drizzle(main);
    this.#clock = clock;
  }

  async begin({ key, fileName }: Upload): Promise<boolean> {
    const touchedAtMs = this.#clock();
    const recorded = await this.#db
      .insert(uploads)
      .values({ key, fileName, touchedAtMs })
      .onConflictDoUpdate({ target: uploads.key, set: { touchedAtMs }, setWhere: eq(uploads.sweeping, false) })
      .returning({ key: uploads.key });
    return recorded.length === 1;
  }

  async end(key: string): Promise<void> {
    await this.#db.delete(uploads).where(eq(uploads.key, key));
  }

  async leave({ key, fileName }: Upload): Promise<void> {
    const touchedAtMs = this.#clock() - UPLOAD_LEASE_MS + REPETITION_MS;
    await this.#db
      .insert(uploads)
      .values({ key, fileName, touchedAtMs })
      .onConflictDoUpdate({ target: uploads.key, set: { touchedAtMs }, setWhere: eq(uploads.sweeping, false) });
  }

  async recorded(keys: readonly string[]): Promise<ReadonlySet<string>> {
    const found = await this.#db
      .select({ key: uploads.key })
      .from(uploads)
      .where(sql`${uploads.key} IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`);
    return new Set(found.map(({ key }) => key));
  }

  async takeAbandoned(limit: number): Promise<Upload[]> {
    const nowMs = this.#clock();
    return this.#db
      .update(uploads)
      .set({ sweeping: true, touchedAtMs: nowMs })
      .where(sql`key IN (SELECT key FROM uploads
        WHERE touched_at_ms < ${nowMs} - iif(sweeping, ${SWEEP_LEASE_MS}, ${UPLOAD_LEASE_MS}) LIMIT ${limit})`)
      .returning({ key: uploads.key, fileName: uploads.fileName });
  }
}
