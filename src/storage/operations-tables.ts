// Tables of the operations database.
import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { State } from '../domain/status/states.ts';
import type { AuditAction } from '../ports/audit.ts';

/** Changes by operators, in the operations database: about 150 bytes each. Ids ascend with the time, and are never reused. */
export const auditEntries = sqliteTable('audit_entries', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  atMs: integer('at_ms').notNull(),
  operator: text('operator').notNull(),
  action: text('action').$type<AuditAction>().notNull(),
  subject: text('subject').notNull(),
  imageId: integer('image_id'),
});

/** One row per flare, about 100 bytes; the list has 120 000. Columns from peak_rate on are those of the list. */
export const rhessiFlares = sqliteTable(
  'rhessi_flares',
  {
    id: integer('id').primaryKey(),
    startMs: integer('start_ms').notNull(),
    peakMs: integer('peak_ms').notNull(),
    endMs: integer('end_ms').notNull(),
    peakRate: real('peak_rate'),
    totalCounts: real('total_counts'),
    /** Arcseconds from the centre of the disk at the peak, x west, y north. */
    xArcsec: real('x_arcsec').notNull(),
    yArcsec: real('y_arcsec').notNull(),
    /** Highest energy band in which the flare was observed in keV, such as `12-25`. */
    highBand: text('high_band').notNull(),
    /** Remaining columns as in the list. */
    dsun: text('dsun').notNull(),
    ntime: text('ntime').notNull(),
    nen: text('nen').notNull(),
    /** Path of the flare's pages in the image archive of RHESSI. */
    link: text('link').notNull(),
  },
  (table) => [index('rhessi_flares_time').on(table.startMs, table.endMs)],
);

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
    /** Earliest time of a message for it. */
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

/** Attempts at upstreams, and runs of the jobs of the clock. */
export const heartbeats = sqliteTable('heartbeats', {
  name: text('name').primaryKey(),
  okAtMs: integer('ok_at_ms'),
  triedAtMs: integer('tried_at_ms').notNull(),
  failures: integer('failures').notNull(),
  sentence: text('sentence'),
  /** End of the lease of a job that runs: another run may begin then, also if this one has been killed. */
  leasedUntilMs: integer('leased_until_ms').notNull().default(0),
});

/** Messages that no consumer could work off, which the operator sends again. */
export const deadLetters = sqliteTable('dead_letters', {
  number: integer('number').primaryKey({ autoIncrement: true }),
  /** Id of the message, which the queue may deliver twice. */
  id: text('id').notNull().unique(),
  queue: text('queue').notNull(),
  /** JSON. */
  body: text('body').notNull(),
  atMs: integer('at_ms').notNull(),
});

export const statusStates = sqliteTable('status_states', {
  subject: text('subject').primaryKey(),
  state: text('state').$type<State>().notNull(),
  sinceMs: integer('since_ms').notNull(),
  sentence: text('sentence').notNull(),
});

/** Changes of states: the newest thousand. */
export const statusChanges = sqliteTable('status_changes', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  atMs: integer('at_ms').notNull(),
  subject: text('subject').notNull(),
  before: text('before').$type<State>().notNull(),
  state: text('state').$type<State>().notNull(),
  sentence: text('sentence').notNull(),
});

/** At most WEBHOOKS.count rows. Ids are never reused. */
export const webhooks = sqliteTable('webhooks', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  address: text('address').notNull(),
  sources: text('sources', { mode: 'json' }).$type<readonly number[]>().notNull(),
  eventTypes: text('event_types', { mode: 'json' }).$type<readonly string[]>().notNull(),
  origin: text('origin').notNull(),
  sealedSecret: text('sealed_secret').notNull(),
  createdAtMs: integer('created_at_ms').notNull(),
  pausedAtMs: integer('paused_at_ms'),
  failingSinceMs: integer('failing_since_ms'),
  receivedAtMs: integer('received_at_ms'),
  sentence: text('sentence'),
  /** JSON of WebhookCursors, compared as text when it is replaced. */
  cursors: text('cursors').notNull(),
  busyUntilMs: integer('busy_until_ms').notNull().default(0),
});

/** Deliveries of the version before, which become dead letters. */
export const webhookDeliveries = sqliteTable(
  'webhook_deliveries',
  {
    id: text('id').primaryKey(),
    webhookId: integer('webhook_id').notNull(),
    type: text('type').notNull(),
    items: integer('items').notNull(),
    body: text('body').notNull(),
    state: text('state').notNull(),
    createdAtMs: integer('created_at_ms').notNull(),
    attempts: integer('attempts').notNull(),
    dueAtMs: integer('due_at_ms').notNull(),
    triedAtMs: integer('tried_at_ms'),
    status: integer('status'),
    sentence: text('sentence'),
  },
  (table) => [index('webhook_deliveries_due').on(table.webhookId, table.state, table.dueAtMs)],
);

/** Events that sources have reported, in the order in which they were seen first: at most WEBHOOKS.knownEvents. */
export const webhookEvents = sqliteTable(
  'webhook_events',
  {
    number: integer('number').primaryKey({ autoIncrement: true }),
    /** Source, pin and id of the event. */
    key: text('key').notNull().unique(),
    pin: text('pin').notNull(),
    /** JSON of the event as deliveries have it. */
    item: text('item').notNull(),
    atMs: integer('at_ms').notNull(),
  },
  (table) => [index('webhook_events_at').on(table.atMs)],
);
