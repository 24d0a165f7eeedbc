// Tables of the mirror of the clock, in the operations database.
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** Mirrored sources: what is done, when the next step is due, and whether the upstream responds. */
export const mirrorSources = sqliteTable(
  'mirror_sources',
  {
    /** Upstream, source and cadence: a source with another cadence begins anew. */
    scope: text('scope').primaryKey(),
    upstream: text('upstream').notNull(),
    sourceId: integer('source_id').notNull(),
    fromMs: integer('from_ms').notNull(),
    cursorMs: integer('cursor_ms'),
    dueAtMs: integer('due_at_ms').notNull(),
    leasedUntilMs: integer('leased_until_ms').notNull().default(0),
    triedAtMs: integer('tried_at_ms'),
    /** End of the last step without a failure of the upstream. */
    okAtMs: integer('ok_at_ms'),
    /** Failed steps since then. */
    failures: integer('failures').notNull().default(0),
    sentence: text('sentence'),
    /** Images that this mirror has added. */
    added: integer('added').notNull().default(0),
  },
  (table) => [index('mirror_sources_due').on(table.dueAtMs)],
);

/** Versions of pages that have been worked off; swept after a month. */
export const mirrorPages = sqliteTable(
  'mirror_pages',
  { page: text('page').primaryKey(), version: text('version').notNull(), atMs: integer('at_ms').notNull() },
  (table) => [index('mirror_pages_at').on(table.atMs)],
);

/** Files that the ingest has refused, which are not downloaded again; swept after a month. */
export const mirrorRefusals = sqliteTable(
  'mirror_refusals',
  {
    fileName: text('file_name').primaryKey(),
    sourceId: integer('source_id').notNull(),
    reason: text('reason').notNull(),
    sentence: text('sentence').notNull(),
    atMs: integer('at_ms').notNull(),
  },
  (table) => [index('mirror_refusals_at').on(table.atMs)],
);

/** Files that the clock has listed and that are to be copied, each by a message of its own. */
export const mirrorFiles = sqliteTable(
  'mirror_files',
  {
    fileName: text('file_name').primaryKey(),
    /** Scope of its source, as in `mirror_sources`. */
    scope: text('scope').notNull(),
    sourceId: integer('source_id').notNull(),
    address: text('address').notNull(),
    atMs: integer('at_ms').notNull(),
    attempts: integer('attempts').notNull().default(0),
    /** When a message may be sent for it. */
    dueAtMs: integer('due_at_ms').notNull(),
  },
  (table) => [index('mirror_files_due').on(table.dueAtMs)],
);

/** Parts of the lists that are incomplete. */
export const mirrorSpans = sqliteTable(
  'mirror_spans',
  {
    scope: text('scope').notNull(),
    fromMs: integer('from_ms').notNull(),
    toMs: integer('to_ms').notNull(),
    attempts: integer('attempts').notNull(),
    dueAtMs: integer('due_at_ms').notNull(),
    sentence: text('sentence').notNull(),
  },
  (table) => [primaryKey({ columns: [table.scope, table.fromMs, table.toMs] })],
);
