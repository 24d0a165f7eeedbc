import { eq, sql } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import type { ClientStateRegister } from '../../ports/sharing.ts';
import type { Databases } from '../databases.ts';
import { clientStates } from './schema.ts';

/** Stored views of the web client, in the main database. */
export class D1ClientStates implements ClientStateRegister {
  readonly #db: DrizzleD1Database;

  constructor({ main }: Pick<Databases, 'main'>) {
    this.#db = drizzle(main);
  }

  async register(key: string, atMs: number, maxCount: number): Promise<boolean> {
    const added = await this.#db.all(sql`
      INSERT INTO client_states (key, created_at_ms) SELECT ${key}, ${atMs}
      WHERE (SELECT coalesce(max(id), 0) FROM client_states) < ${maxCount} ON CONFLICT (key) DO NOTHING RETURNING id`);
    if (added.length > 0) return true;
    const known = await this.#db.select({ id: clientStates.id }).from(clientStates).where(eq(clientStates.key, key)).limit(1);
    return known.length > 0;
  }
}
