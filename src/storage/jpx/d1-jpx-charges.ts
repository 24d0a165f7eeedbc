import { inArray, lt, sql } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import type { JpxCharges } from '../../ports/jpx.ts';
import type { Databases } from '../databases.ts';
import { jpxCharges } from './schema.ts';

/** Old rows that a charge deletes. */
const DELETED_AT_ONCE = 100;

/** What clients have stored of JPX files, in the main database. */
export class D1JpxCharges implements JpxCharges {
  readonly #db: DrizzleD1Database;

  constructor({ main }: Pick<Databases, 'main'>) {
    this.#db = drizzle(main);
  }

  /** The budget is a condition of the insert, because files recorded at the same time would pass a test before it. */
  async charge({ clients, atMs, bytes }: Parameters<JpxCharges['charge']>[0], budget: Parameters<JpxCharges['charge']>[1]) {
    const { sinceMs, bytes: most } = budget;
    const isOld = lt(jpxCharges.atMs, sinceMs);
    const old = this.#db.select({ row: sql`rowid` }).from(jpxCharges).where(isOld).limit(DELETED_AT_ONCE);
    const values = sql`SELECT ${clients[0]}, ${atMs}, ${bytes} WHERE (SELECT total(bytes) FROM jpx_charges
      WHERE client IN (SELECT value FROM json_each(${JSON.stringify(clients)})) AND at_ms >= ${sinceMs}) + ${bytes} <= ${most}`;
    const [charged] = await this.#db.batch([
      this.#db.insert(jpxCharges).select(values).returning({ bytes: jpxCharges.bytes }),
      this.#db.delete(jpxCharges).where(inArray(sql`rowid`, old)),
    ]);
    return charged.length === 1;
  }
}
