import { inArray, lt, sql } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import type { Budget } from '../../config/limits/budgets.ts';
import type { Databases } from '../databases.ts';
import { charges } from './schema.ts';

const DAY_HOURS = 24;
/** Old rows that a charge deletes. */
const DELETED_AT_ONCE = 100;
/** In place of a client: all clients together. */
const ALL = '';

interface Charge {
  readonly budget: string;
  /** Hashes of the client on the days of the budget, that of today first. */
  readonly clients: readonly string[];
  /** Hours since 1970. */
  readonly hour: number;
  readonly amount: number;
}

/** What has been deleted: rows, and their bytes as they were charged. */
export interface Deleted {
  readonly count: number;
  readonly bytes: number;
}

export const deletedRows = (rows: readonly { readonly bytes: number }[]): Deleted => ({
  count: rows.length,
  bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
});

/** What clients have stored, in the visitors' database. */
export class D1Charges {
  readonly #db: DrizzleD1Database;

  constructor({ main }: Pick<Databases, 'main'>) {
    this.#db = drizzle(main);
  }

  /**
   * Charges a client and all clients together, unless that exceeds one of the limits, which are conditions of the insert because
   * requests at the same time would pass a test before it.
   * @returns the limit that it would exceed
   */
  async charge({ budget, clients, hour, amount }: Charge, most: Budget): Promise<'charged' | 'client' | 'all'> {
    const since = hour - DAY_HOURS + 1;
    const ofClient = sql`client IN (SELECT value FROM json_each(${JSON.stringify(clients)}))`;
    const total = (who: ReturnType<typeof sql>, from: number) =>
      sql`(SELECT total(amount) FROM charges WHERE budget = ${budget} AND ${who} AND hour >= ${from})`;
    const isOld = lt(charges.hour, since);
    const [charged] = await this.#db.batch([
      this.#db
        .insert(charges)
        .select(
          sql`SELECT ${budget}, charged.value, ${hour}, ${amount} FROM json_each(${JSON.stringify([clients[0], ALL])}) AS charged
            WHERE ${total(ofClient, hour)} + ${amount} <= ${most.clientHour}
              AND ${total(ofClient, since)} + ${amount} <= ${most.clientDay}
              AND ${total(sql`client = ${ALL}`, since)} + ${amount} <= ${most.allDay}`,
        )
        .onConflictDoUpdate({
          target: [charges.budget, charges.client, charges.hour],
          set: { amount: sql`amount + excluded.amount` },
        })
        .returning({ hour: charges.hour }),
      this.#db
        .delete(charges)
        .where(inArray(sql`rowid`, this.#db.select({ row: sql`rowid` }).from(charges).where(isOld).limit(DELETED_AT_ONCE))),
    ]);
    if (charged.length > 0) return 'charged';
    const sums = await this.#db.get<{ hour: number; day: number }>(
      sql`SELECT ${total(ofClient, hour)} AS hour, ${total(ofClient, since)} AS day`,
    );
    return sums.hour + amount > most.clientHour || sums.day + amount > most.clientDay ? 'client' : 'all';
  }

  /** Takes an amount that was deleted from the sum of all clients. */
  async refund({ budget, hour, amount }: Pick<Charge, 'budget' | 'hour' | 'amount'>): Promise<void> {
    await this.#db
      .insert(charges)
      .values({ budget, client: ALL, hour, amount: -amount })
      .onConflictDoUpdate({
        target: [charges.budget, charges.client, charges.hour],
        set: { amount: sql`amount - ${amount}` },
      });
  }
}
