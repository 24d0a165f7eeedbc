// Table of the records of JPX files that clients have caused, in the main database.
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Bytes of records; rows older than the period of the budget are deleted by the next one. */
export const jpxCharges = sqliteTable(
  'jpx_charges',
  {
    /** Hash of the client's address with a daily salt. */
    client: text('client').notNull(),
    atMs: integer('at_ms').notNull(),
    bytes: integer('bytes').notNull(),
  },
  (table) => [index('jpx_charges_client').on(table.client, table.atMs, table.bytes), index('jpx_charges_at').on(table.atMs)],
);
