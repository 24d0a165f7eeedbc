// Table of uploads, in the operations database.
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

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
