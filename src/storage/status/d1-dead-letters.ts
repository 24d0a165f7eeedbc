import { asc, inArray, lte, sql } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import { DEAD_LETTERS } from '../../config/limits/status.ts';
import type { DeadLetter } from '../../ports/queues.ts';
import type { Clock } from '../../ports/timing.ts';
import type { Databases } from '../databases.ts';
import { deadLetters } from './schema.ts';

/** Messages that no consumer could work off, in the operations database: the newest `DEAD_LETTERS.kept`. */
export class D1DeadLetters {
  readonly #db: DrizzleD1Database;
  readonly #clock: Clock;

  constructor({ operations }: Pick<Databases, 'operations'>, clock: Clock) {
    this.#db = drizzle(operations);
    this.#clock = clock;
  }

  /** Keeps messages, each once. */
  async keep(queue: string, messages: readonly { readonly id: string; readonly body: unknown }[]): Promise<void> {
    const atMs = this.#clock();
    const rows = messages.map(({ id, body }) => ({ id, queue, body: JSON.stringify(body), atMs }));
    const oldest = sql`(SELECT max(number) FROM ${deadLetters}) - ${DEAD_LETTERS.kept}`;
    await this.#db.batch([
      this.#db.insert(deadLetters).values(rows).onConflictDoNothing(),
      this.#db.delete(deadLetters).where(lte(deadLetters.number, oldest)),
    ]);
  }

  /** The oldest, at most `DEAD_LETTERS.shown`. */
  async list(): Promise<readonly DeadLetter[]> {
    return this.#db.select().from(deadLetters).orderBy(asc(deadLetters.number)).limit(DEAD_LETTERS.shown);
  }

  count(): Promise<number> {
    return this.#db.$count(deadLetters);
  }

  async remove(numbers: readonly number[]): Promise<void> {
    await this.#db.delete(deadLetters).where(inArray(deadLetters.number, [...numbers]));
  }
}
