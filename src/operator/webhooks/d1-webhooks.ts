// Webhooks in D1: who is told of what, what they have been told, and the messages of their queue.
import { and, asc, eq, gt, inArray, isNotNull, isNull, lt, max, sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { WEBHOOKS } from '../../platform/limits/webhooks.ts';
import { jsonEach, OnOperations } from '../../platform/storage/databases.ts';
import { isJsonObject } from '../../platform/util/bytes.ts';

/** Place in the images of a shard up to which they are announced: sequence numbers. */
export interface ShardCursor {
  /** The last one that is announced. */
  readonly announced: number;
  /** Newest sequence number of the shard at the last look. */
  readonly seen: number;
  readonly seenAtMs: number;
}

export interface WebhookCursors {
  readonly shards: Readonly<Record<string, ShardCursor>>;
  /** Number of the last event that is announced, and when the sources were asked; null before they have answered. */
  readonly events: { readonly announced: number | null; readonly lookedAtMs: number };
}

export interface SignedBody {
  /** Stays the same at every attempt. */
  readonly id: string;
  readonly body: string;
}

/** A delivery in the queue. The webhook has one at a time, whose result moves its cursors. */
export interface WebhookMessage extends SignedBody {
  readonly kind: 'webhook';
  readonly webhook: number;
  /** Cursors of the webhook before and after it. Unset: one that an earlier version has left. */
  readonly from?: WebhookCursors;
  readonly to?: WebhookCursors;
}

export const isWebhookMessage = (body: unknown): body is WebhookMessage =>
  isJsonObject(body) && body.kind === 'webhook' && [body.id, body.body].every((text) => typeof text === 'string');

export interface Answer {
  /** Null without a response. */
  readonly status: number | null;
  /** Why the delivery is not received; null for a received one. */
  readonly sentence: string | null;
  /** Milliseconds of Retry-After; null without it. */
  readonly retryAfterMs: number | null;
}

/** At most WEBHOOKS.count rows. Ids are never reused. */
export const webhooks = sqliteTable('webhooks', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  address: text('address').notNull(),
  /** Datasources whose new images are announced. */
  sources: text('sources', { mode: 'json' }).$type<readonly number[]>().notNull(),
  /** Pins of the types whose new events are announced. */
  eventTypes: text('event_types', { mode: 'json' }).$type<readonly string[]>().notNull(),
  origin: text('origin').notNull(),
  sealedSecret: text('sealed_secret').notNull(),
  createdAtMs: integer('created_at_ms').notNull(),
  pausedAtMs: integer('paused_at_ms'),
  /** Time of the first failure since the last received delivery; null without one. */
  failingSinceMs: integer('failing_since_ms'),
  receivedAtMs: integer('received_at_ms'),
  /** The last failure since the last received delivery, or why it is paused. */
  sentence: text('sentence'),
  /** Compared as text when they are replaced. */
  cursors: text('cursors', { mode: 'json' }).$type<WebhookCursors>().notNull(),
  /** While it has a delivery in the queue: when that counts as lost. */
  busyUntilMs: integer('busy_until_ms').notNull().default(0),
});

export type Webhook = Readonly<typeof webhooks.$inferSelect>;
export type WebhookOrder = Pick<Webhook, 'address' | 'sources' | 'eventTypes'>;

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
    /** The event as deliveries have it. */
    item: text('item', { mode: 'json' }).$type<object>().notNull(),
    atMs: integer('at_ms').notNull(),
  },
  (table) => [index('webhook_events_at').on(table.atMs)],
);

type NewWebhook = WebhookOrder & Pick<Webhook, 'origin' | 'sealedSecret' | 'createdAtMs' | 'cursors'>;

export type KnownEvent = Pick<typeof webhookEvents.$inferSelect, 'key' | 'pin' | 'item'>;

interface Settlement {
  /** Null for a received delivery. */
  readonly sentence: string | null;
  readonly isPaused: boolean;
  /** Whether the cursors move behind the delivery. */
  readonly isOver: boolean;
  readonly busyUntilMs: number;
  readonly nowMs: number;
}

/** A webhook whose cursors no other run has moved. */
const isAt = (id: number, cursors: WebhookCursors) => and(eq(webhooks.id, id), eq(webhooks.cursors, cursors));

/** Webhooks in the operations database, and the events that sources have reported lately, numbered in the order in which they were seen first. */
export class D1Webhooks extends OnOperations {
  /** Null when there are `WEBHOOKS.count` of them. */
  async add(webhook: NewWebhook): Promise<Webhook | null> {
    const { address, sources, eventTypes, origin, sealedSecret, createdAtMs, cursors } = webhook;
    const [row] = await this.db.all<{ id: number }>(sql`
      INSERT INTO webhooks (address, sources, event_types, origin, sealed_secret, created_at_ms, cursors)
      SELECT ${address}, ${JSON.stringify(sources)}, ${JSON.stringify(eventTypes)}, ${origin}, ${sealedSecret}, ${createdAtMs},
        ${JSON.stringify(cursors)}
      WHERE (SELECT count(*) FROM webhooks) < ${WEBHOOKS.count} RETURNING id`);
    return row ? this.find(row.id) : null;
  }

  async list(): Promise<Webhook[]> {
    return this.db.select().from(webhooks).orderBy(webhooks.id);
  }

  /** Those that are not paused. */
  async active(): Promise<Webhook[]> {
    return this.db.select().from(webhooks).where(isNull(webhooks.pausedAtMs)).orderBy(webhooks.id);
  }

  async find(id: number): Promise<Webhook | null> {
    return (await this.db.select().from(webhooks).where(eq(webhooks.id, id)).get()) ?? null;
  }

  async remove(id: number): Promise<boolean> {
    return (await this.db.delete(webhooks).where(eq(webhooks.id, id))).meta.changes === 1;
  }

  /** Ends the pause; false for a webhook without one. */
  async resume(id: number): Promise<boolean> {
    const { meta } = await this.db
      .update(webhooks)
      .set({ pausedAtMs: null, failingSinceMs: null, sentence: null, busyUntilMs: 0 })
      .where(and(eq(webhooks.id, id), isNotNull(webhooks.pausedAtMs)));
    return meta.changes === 1;
  }

  /** Moves the cursors of an idle webhook, unless another run has, or it has been paused since, as during a restoration, when some images have no rows. */
  async move({ id, cursors }: Webhook, to: WebhookCursors): Promise<void> {
    const isIdle = and(isAt(id, cursors), isNull(webhooks.pausedAtMs));
    await this.db.update(webhooks).set({ cursors: to }).where(isIdle);
  }

  /** Reserves an idle webhook for a delivery; false when another run has, or it has been paused since. */
  async reserve({ id, cursors, busyUntilMs }: Webhook, untilMs: number): Promise<boolean> {
    const isIdle = and(isAt(id, cursors), eq(webhooks.busyUntilMs, busyUntilMs), isNull(webhooks.pausedAtMs));
    return (await this.db.update(webhooks).set({ busyUntilMs: untilMs }).where(isIdle)).meta.changes === 1;
  }

  /**
   * Records an attempt, and moves the cursors as its message says.
   * @param hook The webhook at the beginning of the attempt
   * @returns false for a webhook that has been paused meanwhile, and for a failure when another attempt has been settled
   */
  async settle({ from, to }: WebhookMessage, hook: Webhook, result: Settlement): Promise<boolean> {
    const { id, cursors, failingSinceMs } = hook;
    const { sentence, isPaused, isOver, busyUntilMs, nowMs } = result;
    const state =
      sentence === null
        ? { failingSinceMs: null, sentence, receivedAtMs: nowMs }
        : { failingSinceMs: sql`coalesce(failing_since_ms, ${nowMs})`, sentence, pausedAtMs: isPaused ? nowMs : null };
    const isUnsettled = and(isAt(id, cursors), sql`${webhooks.failingSinceMs} IS ${failingSinceMs}`);
    const set = this.db
      .update(webhooks)
      .set(state)
      .where(and(sentence === null ? eq(webhooks.id, id) : isUnsettled, isNull(webhooks.pausedAtMs)));
    if (!from || !to) return (await set).meta.changes === 1;
    const move = { cursors: isOver ? to : from, busyUntilMs };
    const [{ meta }] = await this.db.batch([set, this.db.update(webhooks).set(move).where(isAt(id, from))]);
    return meta.changes === 1;
  }

  /** Makes dead letters of the deliveries that an earlier version has left. */
  async keepDeliveries(): Promise<void> {
    await this.db.batch([
      this.db.run(sql`
        INSERT INTO dead_letters (id, queue, body, at_ms)
        SELECT id, 'webhooks', json_object('kind', 'webhook', 'webhook', webhook_id, 'id', id, 'body', body), created_at_ms
        FROM webhook_deliveries WHERE state <> 'received' ON CONFLICT (id) DO NOTHING`),
      this.db.run(sql`DELETE FROM webhook_deliveries`),
    ]);
  }

  /** Adds events that sources have reported and that are not known, as far as there is room, and forgets old ones. */
  async addEvents(events: readonly KnownEvent[], nowMs: number): Promise<void> {
    await this.db.delete(webhookEvents).where(lt(webhookEvents.atMs, nowMs - WEBHOOKS.knownEventMs));
    for (let i = 0; i < events.length; i += WEBHOOKS.eventsPerStatement) {
      const part = jsonEach(events.slice(i, i + WEBHOOKS.eventsPerStatement));
      await this.db.run(sql`
        INSERT INTO webhook_events (key, pin, item, at_ms)
        SELECT value ->> 'key', value ->> 'pin', value -> 'item', ${nowMs} FROM ${part}
        WHERE (SELECT count(*) FROM webhook_events) + json_each.key < ${WEBHOOKS.knownEvents} ON CONFLICT (key) DO NOTHING`);
    }
  }

  async lastEvent(): Promise<number> {
    const [row] = await this.db.select({ last: max(webhookEvents.number) }).from(webhookEvents);
    return row?.last ?? 0;
  }

  /** The events of these types after a number, in order. */
  async eventsAfter(number: number, pins: readonly string[], limit: number) {
    return this.db
      .select({ number: webhookEvents.number, item: webhookEvents.item })
      .from(webhookEvents)
      .where(and(gt(webhookEvents.number, number), inArray(webhookEvents.pin, [...pins])))
      .orderBy(asc(webhookEvents.number))
      .limit(limit);
  }
}
