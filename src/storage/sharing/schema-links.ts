// Short links.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** One row per address, a few hundred bytes each. */
export const shortLinks = sqliteTable('short_links', {
  /** 16 hexadecimal digits of a hash of the address. */
  key: text('key').primaryKey(),
  address: text('address').notNull(),
  createdAtMs: integer('created_at_ms').notNull(),
});
