// Table of what clients have stored, in the visitors' database.
import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Sums of each budget, client and hour. Rows that no budget counts any more are deleted by later charges. */
export const charges = sqliteTable(
  'charges',
  {
    budget: text('budget').notNull(),
    /** Hash of the client's network with a daily salt; empty for all clients together. */
    client: text('client').notNull(),
    /** Hours since 1970. */
    hour: integer('hour').notNull(),
    amount: real('amount').notNull(),
  },
  (table) => [primaryKey({ columns: [table.budget, table.client, table.hour] }), index('charges_hour').on(table.hour)],
);
