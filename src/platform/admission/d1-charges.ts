import { inArray, lt, type SQL, sql } from 'drizzle-orm';
import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Budget } from '../limits/admission.ts';
import { given, OnMain, preparedBatch } from '../storage/databases.ts';

/** Sums of each budget, client and hour. Rows that no budget counts any more are deleted by later charges. */
export const charges = sqliteTable(
  'charges',
  {
    budget: text('budget').notNull(),
    /** Hash of the client's network with a daily salt; empty for all clients together. */
    client: text('client').notNull(),
    /** Hours since 1970. */
    hour: integer('hour').notNull(),
    amount: real('amount').notNull(),
  },
  (table) => [primaryKey({ columns: [table.budget, table.client, table.hour] }), index('charges_hour').on(table.hour)],
);

const DAY_HOURS = 24;
const DELETED_AT_ONCE = 100;
/** In place of a client: all clients together. */
const ALL = '';

const total = (who: SQL, from: SQL) =>
  sql<number>`(SELECT total(amount) FROM charges WHERE budget = ${given('budget')} AND ${who} AND hour >= ${from})`;
const OF_CLIENT = sql`client IN (SELECT value FROM json_each(${given('clients')}))`;
const OF_CLIENT_HOUR = total(OF_CLIENT, given('hour'));
const OF_CLIENT_DAY = total(OF_CLIENT, given('sinceHour'));
const OF_ALL_DAY = total(sql`client = ${ALL}`, given('sinceHour'));

interface Charge {
  readonly budget: string;
  /** Hashes of the client on the days of the budget, that of today first. */
  readonly clients: readonly string[];
  /** Hours since 1970. */
  readonly hour: number;
  readonly amount: number;
}

/** Deleted rows, and their bytes as they were charged. */
export type Deleted = { readonly count: number; readonly bytes: number };

export const deletedRows = (rows: readonly { readonly bytes: number }[]): Deleted => ({
  count: rows.length,
  bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
});

/** Charges for what clients have stored, in the visitors' database. */
export class D1Charges extends OnMain {
  readonly #charge = preparedBatch(() => this.#chargeQueries());
  readonly #sums = preparedBatch(() => [
    this.db.select({ hour: OF_CLIENT_HOUR.as('hour'), day: OF_CLIENT_DAY.as('day') }).from(sql`(SELECT 1)`),
  ]);

  /**
   * Charges a client and all clients together, unless that exceeds one of the limits, which are conditions of the insert because
   * requests at the same time would pass a test before it.
   * @returns the limit that it would exceed
   */
  async charge({ budget, clients, hour, amount }: Charge, most: Budget): Promise<'charged' | 'client' | 'all'> {
    const values = {
      ...{ budget, hour, amount, sinceHour: hour - DAY_HOURS + 1, clients: JSON.stringify(clients) },
      ...{ charged: JSON.stringify([clients[0], ALL]), ...most },
    };
    const [charged] = await this.#charge(this.main, values);
    if (charged.length > 0) return 'charged';
    const [[sums]] = await this.#sums(this.main, values);
    return sums!.hour + amount > most.clientHour || sums!.day + amount > most.clientDay ? 'client' : 'all';
  }

  /** Takes an amount that was deleted from the sum of all clients. */
  async refund({ budget, hour, amount }: Pick<Charge, 'budget' | 'hour' | 'amount'>): Promise<void> {
    await this.db
      .insert(charges)
      .values({ budget, client: ALL, hour, amount: -amount })
      .onConflictDoUpdate({
        target: [charges.budget, charges.client, charges.hour],
        set: { amount: sql`amount - ${amount}` },
      });
  }

  #chargeQueries() {
    const [hour, amount] = [given<number>('hour'), given<number>('amount')];
    const isOld = lt(charges.hour, given('sinceHour'));
    return [
      this.db
        .insert(charges)
        .select(
          sql`SELECT ${given('budget')}, charged.value, ${hour}, ${amount} FROM json_each(${given('charged')}) AS charged
            WHERE ${OF_CLIENT_HOUR} + ${amount} <= ${given('clientHour')}
              AND ${OF_CLIENT_DAY} + ${amount} <= ${given('clientDay')}
              AND ${OF_ALL_DAY} + ${amount} <= ${given('allDay')}`,
        )
        .onConflictDoUpdate({
          target: [charges.budget, charges.client, charges.hour],
          set: { amount: sql`amount + excluded.amount` },
        })
        .returning({ hour: charges.hour }),
      this.db
        .delete(charges)
        .where(inArray(sql`rowid`, this.db.select({ row: sql`rowid` }).from(charges).where(isOld).limit(DELETED_AT_ONCE))),
    ] as const;
  }
}
