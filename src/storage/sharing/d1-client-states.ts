import { and, eq, lt, sql } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import type { ClientStateRegister } from '../../ports/sharing.ts';
import { DAY_MS } from '../../util/durations.ts';
import type { Databases } from '../databases.ts';
import { clientStates } from './schema.ts';

/** Milliseconds in which uses of a view after the first are not written. */
const SAME_USE_MS = 30 * DAY_MS;

/** Views that one call of `unused` returns: the object of each is deleted by a subrequest. */
const EXPIRED_AT_ONCE = 100;

/** Stored views of the web client, in the main database. */
export class D1ClientStates implements ClientStateRegister {
  readonly #db: DrizzleD1Database;

  constructor({ main }: Pick<Databases, 'main'>) {
    this.#db = drizzle(main);
  }

  async register(
    key: string,
    atMs: number,
    { bytes, sinceMs, maxBytes }: Parameters<ClientStateRegister['register']>[2],
  ): Promise<boolean> {
    const added = await this.#db.all(sql`
      INSERT INTO client_states (key, bytes, created_at_ms, used_at_ms) SELECT ${key}, ${bytes}, ${atMs}, ${atMs}
      WHERE (SELECT total(bytes) FROM client_states WHERE created_at_ms >= ${sinceMs}) + ${bytes} <= ${maxBytes}
      ON CONFLICT (key) DO NOTHING RETURNING id`);
    if (added.length > 0) return true;
    await this.use(key, atMs);
    const known = await this.#db.select({ id: clientStates.id }).from(clientStates).where(eq(clientStates.key, key)).limit(1);
    return known.length > 0;
  }

  async use(key: string, nowMs: number): Promise<void> {
    const isOld = lt(clientStates.usedAtMs, nowMs - SAME_USE_MS);
    await this.#db
      .update(clientStates)
      .set({ usedAtMs: nowMs })
      .where(and(eq(clientStates.key, key), isOld));
  }

  async unused(sinceMs: number): Promise<readonly string[]> {
    const rows = await this.#db
      .select({ key: clientStates.key })
      .from(clientStates)
      .where(lt(clientStates.usedAtMs, sinceMs))
      .limit(EXPIRED_AT_ONCE);
    return rows.map(({ key }) => key);
  }

  async delete(keys: readonly string[], unusedSinceMs: number): Promise<void> {
    const isNamed = sql`${clientStates.key} IN (SELECT value FROM json_each(${JSON.stringify(keys)}))`;
    await this.#db.delete(clientStates).where(and(isNamed, lt(clientStates.usedAtMs, unusedSinceMs)));
  }
}
