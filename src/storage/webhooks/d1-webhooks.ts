import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import { WEBHOOKS } from '../../config/limits/webhooks.ts';
import type { NewDelivery, Webhook, WebhookCursors } from '../../domain/webhooks/webhook.ts';
import type { Databases } from '../databases.ts';
import { webhookDeliveries, webhooks } from './schema.ts';

type NewWebhook = Pick<Webhook, 'address' | 'sources' | 'eventTypes' | 'origin' | 'sealedSecret' | 'createdAtMs' | 'cursors'>;

const webhookOf = ({ cursors, ...row }: typeof webhooks.$inferSelect): Webhook => ({ ...row, cursors: JSON.parse(cursors) });

/** Webhooks in the operations database. */
export class D1Webhooks {
  readonly #db: DrizzleD1Database;

  constructor({ operations }: Pick<Databases, 'operations'>) {
    this.#db = drizzle(operations);
  }

  /** Null when there are `WEBHOOKS.count` of them. */
  async add(webhook: NewWebhook): Promise<Webhook | null> {
    const { address, sources, eventTypes, origin, sealedSecret, createdAtMs, cursors } = webhook;
    const [row] = await this.#db.all<{ id: number }>(sql`
      INSERT INTO webhooks (address, sources, event_types, origin, sealed_secret, created_at_ms, cursors)
      SELECT ${address}, ${JSON.stringify(sources)}, ${JSON.stringify(eventTypes)}, ${origin}, ${sealedSecret}, ${createdAtMs},
        ${JSON.stringify(cursors)}
      WHERE (SELECT count(*) FROM webhooks) < ${WEBHOOKS.count} RETURNING id`);
    return row ? this.find(row.id) : null;
  }

  async list(): Promise<Webhook[]> {
    return (await this.#db.select().from(webhooks).orderBy(webhooks.id)).map(webhookOf);
  }

  /** Those that are not paused. */
  async active(): Promise<Webhook[]> {
    return (await this.#db.select().from(webhooks).where(isNull(webhooks.pausedAtMs)).orderBy(webhooks.id)).map(webhookOf);
  }

  async find(id: number): Promise<Webhook | null> {
    const [row] = await this.#db.select().from(webhooks).where(eq(webhooks.id, id));
    return row ? webhookOf(row) : null;
  }

  /** Removes a webhook with its deliveries; false for an unknown one. */
  async remove(id: number): Promise<boolean> {
    const [, removed] = await this.#db.batch([
      this.#db.delete(webhookDeliveries).where(eq(webhookDeliveries.webhookId, id)),
      this.#db.delete(webhooks).where(eq(webhooks.id, id)).returning({ id: webhooks.id }),
    ]);
    return removed.length === 1;
  }

  /** Ends the pause; false for a webhook without one. */
  async resume(id: number): Promise<boolean> {
    const resumed = await this.#db
      .update(webhooks)
      .set({ pausedAtMs: null, failingSinceMs: null, sentence: null })
      .where(and(eq(webhooks.id, id), isNotNull(webhooks.pausedAtMs)))
      .returning({ id: webhooks.id });
    return resumed.length === 1;
  }

  /**
   * Adds deliveries and moves the cursors in one transaction, so that each image is announced once. Without effect when another run has
   * moved the cursors, or the webhook was removed.
   */
  async announce({ id, cursors }: Webhook, deliveries: readonly NewDelivery[], moved: WebhookCursors, nowMs: number) {
    const isUnmoved = sql`id = ${id} AND cursors = ${JSON.stringify(cursors)}`;
    const rows = deliveries.map((delivery) =>
      this.#db.insert(webhookDeliveries).select(sql`
        SELECT ${delivery.id}, ${id}, ${delivery.type}, ${delivery.items}, ${delivery.body}, 'waiting', ${nowMs}, 0, ${nowMs},
          NULL, NULL, NULL
        WHERE EXISTS (SELECT 1 FROM webhooks WHERE ${isUnmoved})`),
    );
    const move = this.#db
      .update(webhooks)
      .set({ cursors: JSON.stringify(moved) })
      .where(isUnmoved);
    const [first, ...others] = [...rows, move];
    await this.#db.batch([first!, ...others]);
  }
}
