// Budgets of visitors' storage: no client fills a database or uses up the share of all.
import { inArray, lt, type SQL, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { index, integer, primaryKey, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { isoDay } from '../../sun/time.ts';
import { BUDGET_RETRY_SECONDS, BUDGETS, type Budget, type BudgetName } from '../limits/admission.ts';
import type { Clock } from '../ports/timing.ts';
import { type Databases, given, preparedBatch } from '../storage/databases.ts';
import { hmacSha256Hex } from '../util/bytes.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../util/durations.ts';
import { Failure } from '../util/errors.ts';
import { ipv6Network } from '../util/networks.ts';
import { Service } from '../util/service.ts';
import { refusals } from './rate-limit.ts';

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

const HOUR_OF_CLIENT = [charges.budget, charges.client, charges.hour];

const total = (who: SQL, from: SQL) =>
  sql<number>`(SELECT total(amount) FROM charges WHERE budget = ${given('budget')} AND ${who} AND hour >= ${from})`;
const OF_CLIENT = sql`client IN (SELECT value FROM json_each(${given('clients')}))`;
const OF_CLIENT_HOUR = total(OF_CLIENT, given('hour'));
const OF_CLIENT_DAY = total(OF_CLIENT, given('sinceHour'));
const OF_ALL_DAY = total(sql`client = ${ALL}`, given('sinceHour'));

/** Deleted rows, and their bytes as they were charged. */
export type Deleted = { readonly count: number; readonly bytes: number };

export const deletedRows = (rows: readonly { readonly bytes: number }[]): Deleted => ({
  count: rows.length,
  bytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
});

/** Deletes some of what has not been used for long when the budget of all is used up. @returns how much, in the unit of its budget */
export type MakeRoom = () => Promise<number>;

interface Charge extends Budget {
  readonly budget: BudgetName;
  /** Hashes of the client on the days of the budget, that of today first. */
  readonly clients: readonly string[];
  /** Hours since 1970. */
  readonly hour: number;
  readonly amount: number;
}

interface Expense {
  readonly budget: BudgetName;
  /** Network address. */
  readonly client: string;
  /** In the unit of the budget. */
  readonly amount: number;
  readonly makeRoom?: MakeRoom | undefined;
}

export class Budgets extends Service<{
  readonly databases: Pick<Databases, 'main'>;
  readonly clock: Clock;
  /** Key of the hashes under which clients are stored, known to the service alone. */
  readonly secret: string;
  /** BUDGETS unless given. */
  readonly budgets?: Readonly<Record<BudgetName, Budget>>;
}> {
  readonly #db = drizzle(this.ports.databases.main);
  readonly #budgets = this.ports.budgets ?? BUDGETS;
  /** Refused clients, whose repeated requests cost no query. */
  readonly #refusals = refusals(this.ports.clock);
  readonly #insert = preparedBatch(() => this.#insertQueries());
  readonly #sums = preparedBatch(() => [
    this.#db.select({ hour: OF_CLIENT_HOUR.as('hour'), day: OF_CLIENT_DAY.as('day') }).from(sql`(SELECT 1)`),
  ]);

  /** Charges an expense. @returns whose budget is exhausted, or 'charged' */
  async charge({ budget, client, amount, makeRoom }: Expense): Promise<'charged' | 'client' | 'all'> {
    const { clock, secret } = this.ports;
    const nowMs = clock();
    const hour = Math.floor(nowMs / HOUR_MS);
    const refusable = refusableAs({ budget, client });
    if (this.#refusals.secondsLeft(refusable, amount) !== null) return 'client';
    const clients = await clientHashes(client, secret, [nowMs, nowMs - DAY_MS]);
    const charge = { budget, clients, hour, amount, ...this.#budgets[budget] };
    const outcome = await this.#charge(charge);
    if (outcome === 'client') {
      const restOfHourSeconds = Math.ceil(((hour + 1) * HOUR_MS - nowMs) / SECOND_MS);
      this.#refusals.add(refusable, Math.min(BUDGET_RETRY_SECONDS, restOfHourSeconds), amount);
    }
    if (outcome !== 'all' || !makeRoom) return outcome;
    const deleted = await makeRoom();
    if (deleted === 0) return outcome;
    await this.#db
      .insert(charges)
      .values({ budget, client: ALL, hour, amount: -deleted })
      .onConflictDoUpdate({ target: HOUR_OF_CLIENT, set: { amount: sql`amount - ${deleted}` } });
    return this.#charge(charge);
  }

  /**
   * Charges a client and all clients together, unless that exceeds one of the limits, which are conditions of the insert because
   * requests at the same time would pass a test before it.
   * @returns the limit that it would exceed
   */
  async #charge({ clients, ...charge }: Charge): Promise<'charged' | 'client' | 'all'> {
    const { main } = this.ports.databases;
    const { hour, amount, clientHour, clientDay } = charge;
    const hashes = { clients: JSON.stringify(clients), charged: JSON.stringify([clients[0], ALL]) };
    const values = { ...charge, ...hashes, sinceHour: hour - DAY_HOURS + 1 };
    const [charged] = await this.#insert(main, values);
    if (charged.length > 0) return 'charged';
    const [[sums]] = await this.#sums(main, values);
    return sums!.hour + amount > clientHour || sums!.day + amount > clientDay ? 'client' : 'all';
  }

  #insertQueries() {
    const [hour, amount] = [given<number>('hour'), given<number>('amount')];
    const isOld = lt(charges.hour, given('sinceHour'));
    return [
      this.#db
        .insert(charges)
        .select(
          sql`SELECT ${given('budget')}, charged.value, ${hour}, ${amount} FROM json_each(${given('charged')}) AS charged
            WHERE ${OF_CLIENT_HOUR} + ${amount} <= ${given('clientHour')}
              AND ${OF_CLIENT_DAY} + ${amount} <= ${given('clientDay')}
              AND ${OF_ALL_DAY} + ${amount} <= ${given('allDay')}`,
        )
        .onConflictDoUpdate({ target: HOUR_OF_CLIENT, set: { amount: sql`amount + excluded.amount` } })
        .returning({ hour: charges.hour }),
      this.#db
        .delete(charges)
        .where(inArray(sql`rowid`, this.#db.select({ row: sql`rowid` }).from(charges).where(isOld).limit(DELETED_AT_ONCE))),
    ] as const;
  }

  /** Charges an expense. @throws Failure `rate-limited` for the budget of the client, `storage-full` for that of all clients */
  async spend(expense: Expense): Promise<void> {
    const outcome = await this.charge(expense);
    if (outcome === 'charged') return;
    const { subject } = this.#budgets[expense.budget];
    if (outcome === 'client') {
      const sentence = `This address has used up its hourly or daily budget of ${subject}. Try again later.`;
      const retryAfterSeconds = this.#refusals.secondsLeft(refusableAs(expense), expense.amount) ?? BUDGET_RETRY_SECONDS;
      throw new Failure('rate-limited', sentence, { retryAfterSeconds });
    }
    throw new Failure('storage-full', `This service has used up its daily budget of ${subject}. Try again later.`, {
      retryAfterSeconds: BUDGET_RETRY_SECONDS,
    });
  }
}

/** Key of the refusals of a client that has used up a budget. */
const refusableAs = ({ budget, client }: Pick<Expense, 'budget' | 'client'>) => `${budget} ${networkOf(client)}`;

/** The client of an address in limits that last longer than a minute: an IPv4 address, or the /48 of an IPv6 address. */
const networkOf = (address: string): string => (address.includes(':') ? ipv6Network(address, 3) : address);

/** Hashes of the network of a client on the UTC days of `timesMs`, each once. They change every day, so that clients cannot be tracked. */
export async function clientHashes(address: string, secret: string, timesMs: readonly number[]): Promise<string[]> {
  const days = new Set(timesMs.map(isoDay));
  return Promise.all([...days].map((day) => hmacSha256Hex(secret, `${day} ${networkOf(address)}`)));
}
