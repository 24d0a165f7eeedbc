import { and, eq, gt, gte, inArray, lt, sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { SAME_USE_MS } from '../platform/limits/admission.ts';
import { jsonEach, OnMain } from '../platform/storage/databases.ts';
import { MINUTE_MS } from '../platform/util/durations.ts';

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
    /** Last use, to a week; while the view is being removed, the negative of the time from which it is. */
    usedAtMs: integer('used_at_ms').notNull().default(0),
  },
  (table) => [index('client_states_used').on(table.usedAtMs)],
);

/** Views that one call of `takeUnused` returns: the object of each is deleted by a subrequest. */
const EXPIRED_AT_ONCE = 100;
/** Time after which a removal has been interrupted, and another one repeats it. */
const REMOVAL_MS = 15 * MINUTE_MS;

const isInUse = gte(clientStates.usedAtMs, 0);

/** Stored views of the web client, in the visitors' database, which bounds their number. */
export class D1ClientStates extends OnMain {
  /** Registers a view, or a use of it; false while it is being removed. */
  async register(key: string, atMs: number, bytes: number): Promise<boolean> {
    const row = { key, bytes, createdAtMs: atMs, usedAtMs: atMs };
    const added = await this.db.insert(clientStates).values(row).onConflictDoNothing().returning({ id: clientStates.id });
    if (added.length > 0) return true;
    await this.use(key, atMs);
    const isNamed = and(eq(clientStates.key, key), isInUse);
    return (await this.db.select({ id: clientStates.id }).from(clientStates).where(isNamed)).length > 0;
  }

  /** Records a use, once in `SAME_USE_MS`. */
  async use(key: string, nowMs: number): Promise<void> {
    const isOld = lt(clientStates.usedAtMs, nowMs - SAME_USE_MS);
    await this.db
      .update(clientStates)
      .set({ usedAtMs: nowMs })
      .where(and(eq(clientStates.key, key), isOld, isInUse));
  }

  /** Takes some of the views that have not been used since, those unused the longest, to remove them. @returns the bytes of each and its row */
  async takeUnused(sinceMs: number, nowMs: number): Promise<readonly { readonly key: string; readonly bytes: number }[]> {
    const { id, key, bytes, usedAtMs } = clientStates;
    const isUnused = and(lt(usedAtMs, sinceMs), gt(usedAtMs, REMOVAL_MS - nowMs));
    const unused = this.db.select({ id }).from(clientStates).where(isUnused).orderBy(usedAtMs).limit(EXPIRED_AT_ONCE);
    return this.db.update(clientStates).set({ usedAtMs: -nowMs }).where(inArray(id, unused)).returning({ key, bytes });
  }

  /** Deletes the rows of views that were taken, whose objects are deleted. */
  async delete(keys: readonly string[]): Promise<void> {
    const isNamed = sql`${clientStates.key} IN (SELECT value FROM ${jsonEach(keys)})`;
    await this.db.delete(clientStates).where(and(isNamed, lt(clientStates.usedAtMs, 0)));
  }
}
