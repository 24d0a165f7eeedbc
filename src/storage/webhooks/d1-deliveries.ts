import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import { WEBHOOKS } from '../../config/limits/webhooks.ts';
import type { Delivery, DeliveryState } from '../../domain/webhooks/webhook.ts';
import type { Databases } from '../databases.ts';
import { webhookDeliveries, webhooks } from './schema.ts';

/** Numbers of deliveries of a webhook. */
export interface DeliveryCounts {
  readonly waiting: number;
  readonly dead: number;
}

/** The result of an attempt. */
export interface Settlement {
  readonly state: DeliveryState;
  readonly dueAtMs: number;
  readonly status: number | null;
  /** Null for a received delivery. */
  readonly sentence: string | null;
  /** Why the webhook is paused from now on; null when it is not. */
  readonly pause: string | null;
  readonly nowMs: number;
}

/** Number and age of the ended deliveries that are kept, by their state; the newest are. */
const KEPT = [
  { state: 'received', most: WEBHOOKS.received, lifeMs: WEBHOOKS.receivedMs },
  { state: 'dead', most: WEBHOOKS.dead, lifeMs: WEBHOOKS.deadMs },
] as const;

/** Deliveries of webhooks, in the operations database. */
export class D1Deliveries {
  readonly #db: DrizzleD1Database;

  constructor({ operations }: Pick<Databases, 'operations'>) {
    this.#db = drizzle(operations);
  }

  /** By webhook; one without deliveries is missing. */
  async counts(): Promise<ReadonlyMap<number, DeliveryCounts>> {
    const rows = await this.#db
      .select({
        webhookId: webhookDeliveries.webhookId,
        waiting: sql<number>`sum(state = 'waiting')`,
        dead: sql<number>`sum(state = 'dead')`,
      })
      .from(webhookDeliveries)
      .groupBy(webhookDeliveries.webhookId);
    return new Map(rows.map(({ webhookId, ...counts }) => [webhookId, counts]));
  }

  /** The delivery that has been due for longest, to one caller until `WEBHOOKS.leaseMs` from now. Counts an attempt. */
  async claim(webhookId: number, nowMs: number): Promise<Delivery | null> {
    const [row] = await this.#db
      .update(webhookDeliveries)
      .set({ attempts: sql`attempts + 1`, dueAtMs: nowMs + WEBHOOKS.leaseMs, triedAtMs: nowMs })
      .where(
        sql`id = (SELECT id FROM webhook_deliveries WHERE webhook_id = ${webhookId} AND state = 'waiting' AND due_at_ms <= ${nowMs}
          ORDER BY due_at_ms, rowid LIMIT 1)`,
      )
      .returning();
    return row ?? null;
  }

  /** Records the result of an attempt with the delivery and its webhook. */
  async settle(delivery: Delivery, { state, dueAtMs, status, sentence, pause, nowMs }: Settlement): Promise<void> {
    const isReceived = state === 'received';
    await this.#db.batch([
      this.#db
        .update(webhookDeliveries)
        .set({ state, dueAtMs, status, sentence, ...(isReceived ? { body: '' } : {}) })
        .where(and(eq(webhookDeliveries.id, delivery.id), eq(webhookDeliveries.state, 'waiting'))),
      this.#db
        .update(webhooks)
        .set(
          isReceived
            ? { failingSinceMs: null, sentence: null, receivedAtMs: nowMs }
            : { failingSinceMs: sql`coalesce(failing_since_ms, ${nowMs})`, sentence: pause ?? sentence, ...paused(pause, nowMs) },
        )
        .where(and(eq(webhooks.id, delivery.webhookId), isNull(webhooks.pausedAtMs))),
    ]);
  }

  /** The newest deliveries of a webhook, of one state unless it is unset. */
  async list(webhookId: number, state: DeliveryState | undefined, limit: number): Promise<Delivery[]> {
    const ofState = state && eq(webhookDeliveries.state, state);
    return this.#db
      .select()
      .from(webhookDeliveries)
      .where(and(eq(webhookDeliveries.webhookId, webhookId), ofState))
      .orderBy(desc(webhookDeliveries.createdAtMs), desc(sql`rowid`))
      .limit(limit);
  }

  async find(webhookId: number, id: string): Promise<Delivery | null> {
    return (await this.#db.select().from(webhookDeliveries).where(isOf(webhookId, id)))[0] ?? null;
  }

  /** Puts a dead delivery among the waiting ones; false for another one. */
  async sendAgain(webhookId: number, id: string, nowMs: number): Promise<boolean> {
    const found = await this.#db
      .update(webhookDeliveries)
      .set({ state: 'waiting', attempts: 0, dueAtMs: nowMs })
      .where(and(isOf(webhookId, id), eq(webhookDeliveries.state, 'dead')))
      .returning({ id: webhookDeliveries.id });
    return found.length === 1;
  }

  /** Removes a dead delivery; false for another one. */
  async remove(webhookId: number, id: string): Promise<boolean> {
    const removed = await this.#db
      .delete(webhookDeliveries)
      .where(and(isOf(webhookId, id), eq(webhookDeliveries.state, 'dead')))
      .returning({ id: webhookDeliveries.id });
    return removed.length === 1;
  }

  /** Removes what is too old, and the oldest of too many; returns their number. */
  async sweep(nowMs: number): Promise<number> {
    const { meta } = await this.#db.run(sql`
      DELETE FROM webhook_deliveries WHERE id IN (
        SELECT id FROM (
          SELECT id, state, created_at_ms, row_number() OVER (PARTITION BY webhook_id, state ORDER BY created_at_ms DESC, rowid DESC) AS place
          FROM webhook_deliveries
        )
        JOIN (SELECT value ->> 'state' AS kept, value ->> 'most' AS most, value ->> 'lifeMs' AS life_ms FROM json_each(${JSON.stringify(KEPT)}))
          ON kept = state
        WHERE place > most OR created_at_ms < ${nowMs} - life_ms)`);
    return meta.changes;
  }
}

const isOf = (webhookId: number, id: string) => and(eq(webhookDeliveries.id, id), eq(webhookDeliveries.webhookId, webhookId));

const paused = (pause: string | null, nowMs: number) => (pause === null ? {} : { pausedAtMs: nowMs });
