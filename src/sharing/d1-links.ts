import { eq, sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { type Deleted, deletedRows } from '../platform/admission/budgets.ts';
import { ROW_BYTES } from '../platform/limits/admission.ts';
import { lowestRows, OnMain } from '../platform/storage/databases.ts';

/** Short links, one row of a few hundred bytes per address. */
export const shortLinks = sqliteTable(
  'short_links',
  {
    /** First 16 hexadecimal digits of a hash of the address. */
    key: text('key').primaryKey(),
    address: text('address').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    /** Last use, to a week. */
    usedAtMs: integer('used_at_ms').notNull().default(0),
  },
  (table) => [index('short_links_used').on(table.usedAtMs)],
);

const EXPIRED_AT_ONCE = 1000;

export class D1Links extends OnMain {
  /** Adds a link unless the key is taken; returns the address stored under the key. */
  async add(key: string, address: string, atMs: number): Promise<{ readonly address: string; readonly isNew: boolean }> {
    const row = { key, address, createdAtMs: atMs, usedAtMs: atMs };
    const added = await this.db.insert(shortLinks).values(row).onConflictDoNothing().returning({ key: shortLinks.key });
    if (added.length > 0) return { address, isNew: true };
    const known = await this.find(key);
    return known ? { address: known.address, isNew: false } : this.add(key, address, atMs);
  }

  /** A link; its last use is known to a week. */
  async find(key: string): Promise<{ readonly address: string; readonly usedAtMs: number } | null> {
    const { address, usedAtMs } = shortLinks;
    const [row] = await this.db.select({ address, usedAtMs }).from(shortLinks).where(eq(shortLinks.key, key)).limit(1);
    return row ?? null;
  }

  /** False for an unknown link. */
  async use(key: string, nowMs: number): Promise<boolean> {
    const { meta } = await this.db.update(shortLinks).set({ usedAtMs: nowMs }).where(eq(shortLinks.key, key));
    return meta.changes === 1;
  }

  /** Deletes some of the links that were not used since then; returns their number and the bytes of their rows. */
  async expire(unusedSinceMs: number): Promise<Deleted> {
    const unused = lowestRows(shortLinks, shortLinks.usedAtMs, unusedSinceMs, EXPIRED_AT_ONCE);
    const bytes = sql<number>`${ROW_BYTES} + length(address)`;
    return deletedRows(await this.db.delete(shortLinks).where(unused).returning({ bytes }));
  }
}
