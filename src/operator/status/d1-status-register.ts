import { and, asc, count, desc, eq, gte, lte, min, sql } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { MOVIE_STATUS } from '../../movies/movie.ts';
import { movieBuilds } from '../../movies/movie-tables.ts';
import { DEAD_LETTERS } from '../../platform/limits/status.ts';
import type { Clock } from '../../platform/ports/timing.ts';
import { type Databases, OnOperations, upsert } from '../../platform/storage/databases.ts';
import { DAY_MS } from '../../platform/util/durations.ts';
import { causesOf } from '../../platform/util/errors.ts';

/** `late`: behind its usual delay. `failing`: it does not respond, or does not get on. `stopped`: behind by more than a week. */
export type State = 'ok' | 'late' | 'failing' | 'stopped';

/** Attempts at upstreams, and runs of the jobs of the clock. */
export const heartbeats = sqliteTable('heartbeats', {
  name: text('name').primaryKey(),
  okAtMs: integer('ok_at_ms'),
  triedAtMs: integer('tried_at_ms').notNull(),
  failures: integer('failures').notNull(),
  sentence: text('sentence'),
  /** End of the lease of a job that runs: another run may begin then, also if this one has been killed. */
  leasedUntilMs: integer('leased_until_ms').notNull().default(0),
});

/** An upstream that responds, or does not: `mirror`, `events` and the source, `video host`, `news` or `shortener`. */
export type Heartbeat = Readonly<Pick<typeof heartbeats.$inferSelect, 'name' | 'okAtMs' | 'failures' | 'sentence'>> & {
  readonly triedAtMs: number | null;
};

/** Messages that no consumer could work off, which the operator sends again. */
export const deadLetters = sqliteTable('dead_letters', {
  number: integer('number').primaryKey({ autoIncrement: true }),
  /** Id of the message, which the queue may deliver twice. */
  id: text('id').notNull().unique(),
  /** The queue of dead letters from which it came. */
  queue: text('queue').notNull(),
  /** JSON. */
  body: text('body').notNull(),
  atMs: integer('at_ms').notNull(),
});

export const statusStates = sqliteTable('status_states', {
  /** `instrument AIA`, `mirror`, `events HEK`, `video host`, `news`, `shortener`, `movies`. */
  subject: text('subject').primaryKey(),
  state: text('state').$type<State>().notNull(),
  sinceMs: integer('since_ms').notNull(),
  sentence: text('sentence').notNull(),
});

export type SubjectState = Readonly<Omit<typeof statusStates.$inferSelect, 'sinceMs'>>;

/** Changes of states: the newest thousand. */
export const statusChanges = sqliteTable('status_changes', {
  id: integer('id').primaryKey({ autoIncrement: true }),
  atMs: integer('at_ms').notNull(),
  subject: text('subject').notNull(),
  before: text('before').$type<State>().notNull(),
  state: text('state').$type<State>().notNull(),
  sentence: text('sentence').notNull(),
});

export type StateChange = Readonly<typeof statusChanges.$inferSelect>;

const KEPT_CHANGES = 1000;
/** Reasons of failed movies that are told apart. */
const REASONS = 5;

/** The status in the operations database, and that of the queue of movies in the visitors' database. */
export class D1StatusRegister extends OnOperations {
  readonly #visitors: DrizzleD1Database;

  constructor(databases: Pick<Databases, 'main' | 'operations'>, clock: Clock) {
    super(databases, clock);
    this.#visitors = drizzle(databases.main);
  }

  /** Heartbeats of upstreams, and of jobs under the names of `jobBeat`. */
  async heartbeats() {
    return this.db.select().from(heartbeats).orderBy(heartbeats.name);
  }

  /** Begins a run of a job; false while another one runs, and when one has begun since the message of `sentAtMs`. */
  async begin(name: string, sentAtMs: number, leaseMs: number): Promise<boolean> {
    const nowMs = this.clock();
    const set = { triedAtMs: nowMs, leasedUntilMs: nowMs + leaseMs };
    const { meta } = await this.db
      .insert(heartbeats)
      .values({ name, failures: 0, ...set })
      .onConflictDoUpdate({
        target: heartbeats.name,
        set,
        setWhere: sql`${heartbeats.leasedUntilMs} <= ${nowMs} AND ${heartbeats.triedAtMs} < ${sentAtMs}`,
      });
    return meta.changes > 0;
  }

  /** Notes an attempt at an upstream or the end of a job; `sentence`: null for one that succeeded, else why it failed. */
  async beat(name: string, sentence: string | null): Promise<void> {
    const triedAtMs = this.clock();
    const isGood = sentence === null;
    const set = {
      triedAtMs,
      sentence,
      leasedUntilMs: 0,
      ...(isGood ? { okAtMs: triedAtMs, failures: 0 } : { failures: sql`${heartbeats.failures} + 1` }),
    };
    await this.db
      .insert(heartbeats)
      .values({ name, triedAtMs, sentence, okAtMs: isGood ? triedAtMs : null, failures: isGood ? 0 : 1 })
      .onConflictDoUpdate({ target: heartbeats.name, set });
  }

  /** Keeps messages that no consumer could work off, each once: the newest `DEAD_LETTERS.kept`. */
  async keepLetters(queue: string, messages: readonly { readonly id: string; readonly body: unknown }[]): Promise<void> {
    const atMs = this.clock();
    const rows = messages.map(({ id, body }) => ({ id, queue, body: JSON.stringify(body), atMs }));
    const oldest = sql`(SELECT max(number) FROM ${deadLetters}) - ${DEAD_LETTERS.kept}`;
    await this.db.batch([
      this.db.insert(deadLetters).values(rows).onConflictDoNothing(),
      this.db.delete(deadLetters).where(lte(deadLetters.number, oldest)),
    ]);
  }

  /** The oldest, at most `DEAD_LETTERS.shown`. */
  async letters() {
    return this.db.select().from(deadLetters).orderBy(asc(deadLetters.number)).limit(DEAD_LETTERS.shown);
  }

  deadLetters(): Promise<number> {
    return this.db.$count(deadLetters);
  }

  async removeLetter(number: number): Promise<void> {
    await this.db.delete(deadLetters).where(eq(deadLetters.number, number));
  }

  async states(): Promise<readonly (typeof statusStates.$inferSelect)[]> {
    return this.db.select().from(statusStates).orderBy(statusStates.subject);
  }

  /** Keeps the present states, and a change for each that differs from the one before. @returns number of changes */
  async keep(present: readonly SubjectState[]): Promise<number> {
    const atMs = this.clock();
    const kept = new Map((await this.states()).map((each) => [each.subject, each]));
    let changed = 0;
    for (const { subject, state, sentence } of present) {
      const before = kept.get(subject);
      if (before?.state === state) continue;
      const keeping = upsert(this.db, statusStates, { subject }, { state, sentence, sinceMs: atMs });
      if (!before) await keeping;
      else {
        await this.db.batch([
          keeping,
          this.db.insert(statusChanges).values({ atMs, subject, before: before.state, state, sentence }),
        ]);
        changed += 1;
      }
    }
    if (changed > 0)
      await this.db
        .delete(statusChanges)
        .where(lte(statusChanges.id, sql`(SELECT max(id) FROM status_changes) - ${KEPT_CHANGES}`));
    return changed;
  }

  async changes(limit: number): Promise<readonly StateChange[]> {
    return this.db.select().from(statusChanges).orderBy(desc(statusChanges.id)).limit(limit);
  }

  /** Runs statements one after the other, until one fails. @returns `failed`: the text of D1 for it; null when none did */
  async runStatements(count: number): Promise<{ readonly ran: number; readonly failed: string | null }> {
    for (let ran = 0; ran < count; ran += 1) {
      try {
        await this.db.run(sql`SELECT 1`);
      } catch (error) {
        return { ran, failed: [...causesOf(error)].at(-1)!.message };
      }
    }
    return { ran: count, failed: null };
  }

  /**
   * `oldestWaitMs`: wait of the oldest queued movie; null for an empty queue. Of the last day, `repeated`: movies that were restarted, `expired`:
   * attempts whose worker fell silent, `failed`: movies by the reason, the most frequent first.
   */
  async movieQueue() {
    const { queued, processing, invalid } = MOVIE_STATUS;
    const nowMs = this.clock();
    const isRecent = gte(movieBuilds.queuedAtMs, nowMs - DAY_MS);
    const [[waiting], [working], [again], failed] = await this.#visitors.batch([
      this.#visitors
        .select({ queued: count(), oldestMs: min(movieBuilds.queuedAtMs) })
        .from(movieBuilds)
        .where(eq(movieBuilds.status, queued)),
      this.#visitors.select({ processing: count() }).from(movieBuilds).where(eq(movieBuilds.status, processing)),
      this.#visitors
        .select({
          repeated: sql<number>`coalesce(sum(${movieBuilds.attempts} > 1), 0)`,
          expired: sql<number>`coalesce(sum(${movieBuilds.expiries}), 0)`,
        })
        .from(movieBuilds)
        .where(isRecent),
      this.#visitors
        .select({ reason: sql<string>`coalesce(${movieBuilds.error}, '')`, count: count() })
        .from(movieBuilds)
        .where(and(eq(movieBuilds.status, invalid), isRecent))
        .groupBy(movieBuilds.error)
        .orderBy(desc(count()))
        .limit(REASONS),
    ]);
    const { queued: waits, oldestMs } = waiting!;
    const oldestWaitMs = oldestMs === null ? null : Math.max(0, nowMs - oldestMs);
    return { queued: waits, ...working!, oldestWaitMs, ...again!, failed };
  }
}
