// Counts of events in the visitors' database, because timelines of visitors add to them. Both tables are WITHOUT ROWID.
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { CountedSpan } from '../../domain/coverage/event-counts.ts';

/** Start of a day or a month of a feed. */
const span = {
  feed: text('feed').notNull(),
  width: text('width').$type<CountedSpan>().notNull(),
  startMs: integer('start_ms').notNull(),
};

/** The days that have been counted, also those without events, and the months that have such days. */
export const eventSpans = sqliteTable(
  'event_spans',
  {
    ...span,
    /** Counted days in it. */
    days: integer('days').notNull(),
    /** Of a month: the earliest of its days. */
    countedAtMs: integer('counted_at_ms').notNull(),
    /** When it is to be counted again; of a month: the earliest of its days. */
    dueAtMs: integer('due_at_ms').notNull(),
  },
  (table) => [primaryKey({ columns: [table.feed, table.width, table.startMs] })],
);

/** Events of a span, as `EventCount`. Those of a month begin with its first counted day. */
export const eventCounts = sqliteTable(
  'event_counts',
  {
    ...span,
    pin: text('pin').notNull(),
    type: text('type').notNull(),
    method: text('method').notNull(),
    continuing: integer('continuing').notNull(),
    begun: integer('begun').notNull(),
  },
  (table) => [primaryKey({ columns: [table.feed, table.width, table.pin, table.startMs, table.type, table.method] })],
);
