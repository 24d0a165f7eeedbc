import { and, asc, gt, inArray, lt, max, sql } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import { WEBHOOKS } from '../../config/limits/webhooks.ts';
import type { Databases } from '../databases.ts';
import { webhookEvents } from './schema.ts';

export interface KnownEvent {
  /** Source, pin and id. */
  readonly key: string;
  readonly pin: string;
  /** As deliveries have it. */
  readonly item: object;
}

/** Events that sources have reported lately, numbered in the order in which they were seen first, in the operations database. */
export class D1KnownEvents {
  readonly #db: DrizzleD1Database;

  constructor({ operations }: Pick<Databases, 'operations'>) {
    this.#db = drizzle(operations);
  }

  /** Adds those that are not known, as far as there is room, and forgets old ones. */
  async add(events: readonly KnownEvent[], nowMs: number): Promise<void> {
    await this.#db.delete(webhookEvents).where(lt(webhookEvents.atMs, nowMs - WEBHOOKS.knownEventMs));
    for (let i = 0; i < events.length; i += WEBHOOKS.eventsPerStatement) {
      const part = JSON.stringify(events.slice(i, i + WEBHOOKS.eventsPerStatement));
      await this.#db.run(sql`
        INSERT INTO webhook_events (key, pin, item, at_ms)
        SELECT value ->> 'key', value ->> 'pin', value -> 'item', ${nowMs} FROM json_each(${part})
        WHERE (SELECT count(*) FROM webhook_events) + json_each.key < ${WEBHOOKS.knownEvents} ON CONFLICT (key) DO NOTHING`);
    }
  }

  /** Number of the newest one; 0 without any. */
  async last(): Promise<number> {
    const [row] = await this.#db.select({ last: max(webhookEvents.number) }).from(webhookEvents);
    return row?.last ?? 0;
  }

  /** The events of these types after a number, in order. */
  async after(number: number, pins: readonly string[], limit: number) {
    const rows = await this.#db
      .select({ number: webhookEvents.number, item: webhookEvents.item })
      .from(webhookEvents)
      .where(and(gt(webhookEvents.number, number), inArray(webhookEvents.pin, [...pins])))
      .orderBy(asc(webhookEvents.number))
      .limit(limit);
    return rows.map((row) => ({ number: row.number, item: JSON.parse(row.item) as object }));
  }
}
