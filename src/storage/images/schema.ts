// Tables of uploads and withdrawals, in the operations database.
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

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

/** Files that operators have withdrawn, until one lifts it. */
export const withdrawals = sqliteTable(
  'withdrawals',
  {
    /** Object key of the JP2. */
    key: text('key').primaryKey(),
    fileName: text('file_name').notNull(),
    sha256: text('sha256').notNull(),
    atMs: integer('at_ms').notNull(),
  },
  (table) => [index('withdrawals_name').on(table.fileName), index('withdrawals_content').on(table.sha256)],
);
