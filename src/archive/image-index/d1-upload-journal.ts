import { and, eq, lte, type SQL, sql } from 'drizzle-orm';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { jsonEach, OnOperations } from '../../platform/storage/databases.ts';
import { HOUR_MS, MINUTE_MS } from '../../platform/util/durations.ts';
import type { Upload } from '../ports.ts';

/** Uploads in progress and interrupted ones, which the sweep removes. A finished upload has no row. */
export const uploads = sqliteTable('uploads', {
  /** Object key of the JP2. */
  key: text('key').primaryKey(),
  fileName: text('file_name').notNull(),
  touchedAtMs: integer('touched_at_ms').notNull(),
  /** 1 while the sweep deletes the objects. */
  sweeping: integer('sweeping', { mode: 'boolean' }).notNull().default(false),
  /** 1 once the responses that show the removed image have left the edge cache, with those of its whole folder. */
  purged: integer('purged', { mode: 'boolean' }).notNull().default(false),
});

/** Key of a folder in the journal, which no object has. */
const folderKey = (imageKey: string) => imageKey.slice(0, imageKey.lastIndexOf('/') + 1);
export const isFolderKey = (key: string): boolean => key.endsWith('/');

/** Age from which an upload counts as abandoned: no request lives this long. */
const UPLOAD_LEASE_MS = HOUR_MS;
/** Time after which a removal is repeated: isolates have forgotten the image by then, and finished what they drew of it. */
const REPETITION_MS = 2 * MINUTE_MS;
/** Age from which a sweep counts as interrupted: none works this long on one upload. */
const SWEEP_LEASE_MS = 5 * MINUTE_MS;

/** Change of a folder that is noted already: a sweep that has begun is repeated. */
const ONCE_MORE = { touchedAtMs: sql<number>`touched_at_ms + sweeping`, purged: false };

/** Records uploads and removals in progress, in the operations database, so that the sweep completes or undoes interrupted ones. */
export class D1UploadJournal extends OnOperations {
  /**
   * Records an upload or removal first. @returns its time, later than that before, and whether there was one with that key; null while the sweep
   * removes the objects of that key
   */
  begin(upload: Upload): Promise<{ readonly atMs: number; readonly isContinued: boolean } | null> {
    return this.#record(upload, this.clock(), sql`max(excluded.touched_at_ms, uploads.touched_at_ms + 1)`);
  }

  /** Removes the record, once the row is in the index or objects are deleted; one that began since `begunAtMs` stays. */
  async end(key: string, begunAtMs?: number): Promise<void> {
    await this.db.delete(uploads).where(this.#isRecord(key, begunAtMs));
  }

  /**
   * Keeps others from `begin` with a key until `end`, so that its objects can be deleted. @returns the time for `end`, which leaves the record to
   * the sweep where another has tried to begin meanwhile; null where another has begun with it since `begunAtMs`
   */
  async take(key: string, begunAtMs: number): Promise<number | null> {
    const touchedAtMs = this.clock();
    const taken = this.db.update(uploads).set({ sweeping: true, touchedAtMs }).where(this.#isRecord(key, begunAtMs));
    return (await taken.returning({ key: uploads.key })).length > 0 ? touchedAtMs : null;
  }

  /** Gives an upload back to the next sweep but one, which does once more what this one did. */
  async repeat(key: string, takenAtMs: number): Promise<void> {
    const repeated = { sweeping: false, purged: false, touchedAtMs: this.#repeatedAtMs() };
    await this.db.update(uploads).set(repeated).where(this.#isRecord(key, takenAtMs));
  }

  #isRecord(key: string, begunAtMs?: number): SQL | undefined {
    return and(eq(uploads.key, key), begunAtMs === undefined ? undefined : eq(uploads.touchedAtMs, begunAtMs));
  }

  /** Ends the upload of an image of an earlier day, as `end` and `leaveFolders` do. */
  async endOfEarlierDay(key: string, begunAtMs?: number): Promise<void> {
    await this.db.batch([this.#noted([key]), this.db.delete(uploads).where(this.#isRecord(key, begunAtMs))]);
  }

  /**
   * Notes folders that received late images; a sweep in some minutes purges the responses about nearest images there, and another one where a sweep
   * has begun to.
   */
  async leaveFolders(imageKeys: readonly string[]): Promise<void> {
    await this.#noted(imageKeys);
  }

  #noted(imageKeys: readonly string[]) {
    const keys = jsonEach([...new Set(imageKeys.map(folderKey))]);
    const folders = sql`SELECT value, '', ${this.#repeatedAtMs()}, 0, 0 FROM ${keys} WHERE true`;
    return this.db.insert(uploads).select(folders).onConflictDoUpdate({ target: uploads.key, set: ONCE_MORE });
  }

  /** Time of a record that the sweep takes after `REPETITION_MS`. */
  #repeatedAtMs(): number {
    return this.clock() - UPLOAD_LEASE_MS + REPETITION_MS;
  }

  /** Leaves the record to a sweep in some minutes, which repeats the removal. */
  async leave(upload: Upload): Promise<void> {
    await this.#record(upload, this.#repeatedAtMs(), sql`excluded.touched_at_ms`);
  }

  async #record({ key, fileName }: Upload, touchedAtMs: number, after: SQL) {
    const [before, [recorded]] = await this.db.batch([
      this.db.select({ key: uploads.key }).from(uploads).where(eq(uploads.key, key)),
      this.db
        .insert(uploads)
        .values({ key, fileName, touchedAtMs })
        .onConflictDoUpdate({
          target: uploads.key,
          set: {
            touchedAtMs: sql`iif(${uploads.sweeping}, ${uploads.touchedAtMs} + 1, ${after})`,
            purged: sql`iif(${uploads.sweeping}, ${uploads.purged}, 0)`,
          },
        })
        .returning({ touchedAtMs: uploads.touchedAtMs, isSweeping: uploads.sweeping }),
    ]);
    return recorded!.isSweeping ? null : { atMs: recorded!.touchedAtMs, isContinued: before.length > 0 };
  }

  async recorded(keys: readonly string[]): Promise<ReadonlySet<string>> {
    const found = await this.db
      .select({ key: uploads.key })
      .from(uploads)
      .where(sql`${uploads.key} IN (SELECT value FROM ${jsonEach(keys)})`);
    return new Set(found.map(({ key }) => key));
  }

  async hasMoreThan(count: number): Promise<boolean> {
    return (await this.db.select({ key: uploads.key }).from(uploads).limit(1).offset(count)).length > 0;
  }

  /** Keys of abandoned uploads that wait for a purge by folder, at most `limit` in their order; and the time for `markPurged`. */
  async unpurged(limit: number): Promise<{ readonly keys: readonly string[]; readonly atMs: number }> {
    const atMs = this.clock();
    const found = this.db
      .select({ key: uploads.key })
      .from(uploads)
      .where(and(areAbandoned(atMs), eq(uploads.purged, false)));
    return { keys: (await found.orderBy(uploads.key).limit(limit)).map(({ key }) => key), atMs };
  }

  /** Records that the responses of the uploads up to a key that were abandoned at a time have been purged by folder. */
  async markPurged(lastKey: string, atMs: number): Promise<void> {
    await this.db
      .update(uploads)
      .set({ purged: true })
      .where(and(areAbandoned(atMs), lte(uploads.key, lastKey)));
  }

  /** At most `limit` abandoned uploads, those first that wait for a purge. `begin` then refuses their keys until `end`. */
  async takeAbandoned(limit: number) {
    const touchedAtMs = this.clock();
    return this.db
      .update(uploads)
      .set({ sweeping: true, touchedAtMs })
      .where(
        sql`key IN (SELECT key FROM uploads WHERE ${areAbandoned(touchedAtMs)} ORDER BY purged, touched_at_ms LIMIT ${limit})`,
      )
      .returning({ key: uploads.key, fileName: uploads.fileName, isPurged: uploads.purged, takenAtMs: uploads.touchedAtMs });
  }

  /** Whether a removal that begins now ends before another sweep may take the upload. */
  isHeld(takenAtMs: number): boolean {
    return this.clock() < takenAtMs + SWEEP_LEASE_MS - MINUTE_MS;
  }
}

const areAbandoned = (atMs: number): SQL => sql`touched_at_ms < ${atMs} - iif(sweeping, ${SWEEP_LEASE_MS}, ${UPLOAD_LEASE_MS})`;
