// Tables of webhooks, in the operations database.
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';

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
