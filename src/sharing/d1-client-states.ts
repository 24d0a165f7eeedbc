import { and, eq, lt, sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { SAME_USE_MS } from '../platform/limits/admission.ts';
import { jsonEach, OnMain } from '../platform/storage/databases.ts';

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

/** Views that one call of `unused` returns: the object of each is deleted by a subrequest. */
const EXPIRED_AT_ONCE = 100;

/** Stored views of the web client, in the visitors' database, which bounds their number. */
export class D1ClientStates extends OnMain {
  async register(key: string, atMs: number, bytes: number): Promise<void> {
    const row = { key, bytes, createdAtMs: atMs, usedAtMs: atMs };
    const added = await this.db.insert(clientStates).values(row).onConflictDoNothing().returning({ id: clientStates.id });
    if (added.length === 0) await this.use(key, atMs);
  }

  /** Records a use, once in `SAME_USE_MS`. */
  async use(key: string, nowMs: number): Promise<void> {
    const isOld = lt(clientStates.usedAtMs, nowMs - SAME_USE_MS);
    await this.db
      .update(clientStates)
      .set({ usedAtMs: nowMs })
      .where(and(eq(clientStates.key, key), isOld));
  }

  /** Some of the views that have not been used since, with the bytes of each and its row; those unused the longest. */
  async unused(sinceMs: number): Promise<readonly { readonly key: string; readonly bytes: number }[]> {
    return this.db
      .select({ key: clientStates.key, bytes: clientStates.bytes })
      .from(clientStates)
      .where(lt(clientStates.usedAtMs, sinceMs))
      .orderBy(clientStates.usedAtMs)
      .limit(EXPIRED_AT_ONCE);
  }

  /** Deletes these, unless they have been used since. */
  async delete(keys: readonly string[], unusedSinceMs: number): Promise<void> {
    const isNamed = sql`${clientStates.key} IN (SELECT value FROM ${jsonEach(keys)})`;
    await this.db.delete(clientStates).where(and(isNamed, lt(clientStates.usedAtMs, unusedSinceMs)));
  }
}
