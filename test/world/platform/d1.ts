// D1: the real SQL on SQLite. Every statement and batch takes its turn; a batch takes effect whole or not at all; reads that name no
// primary come from a copy that is some seconds old.
import { load, migrated, saved } from '../../support/memory/sqlite-d1.ts';
import type { Caller } from '../calls.ts';

/** Milliseconds by which a replica is behind at most. */
const LAG_MS = 5_000;
const ERRORS = [
  'D1_ERROR: Network connection lost.',
  'D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.',
  'D1_ERROR: D1 DB is overloaded. Requests queued for too long.',
];
const WRITES = /\b(?:insert|update|delete)\b/i;

interface Query {
  readonly sql: string;
  readonly values: readonly unknown[];
}

/** Changes of a query on its way, by which a world plants faults: null leaves it out. */
export type Rewrite = (query: Query, database: string) => Query | null;

/** A database with its replica, which outlives isolates. */
export class StoredDatabase {
  readonly name: string;
  readonly primary: D1Database;
  #replica: D1Database | null = null;
  #copiedAtMs = Number.NEGATIVE_INFINITY;
  #isChanged = true;
  readonly #kind: 'main' | 'operations' | 'images';

  constructor(name: string, kind: 'main' | 'operations' | 'images') {
    this.name = name;
    this.#kind = kind;
    this.primary = migrated(kind);
  }

  changed(): void {
    this.#isChanged = true;
  }

  /** The copy, which is made again by chance, or when it is too old. */
  replica(nowMs: number, random: () => number): D1Database {
    const isDue = nowMs - this.#copiedAtMs > LAG_MS || random() < 0.5;
    if (this.#isChanged && (isDue || !this.#replica)) {
      this.#replica ??= migrated(this.#kind);
      load(this.#replica, saved(this.primary));
      this.#isChanged = false;
      this.#copiedAtMs = nowMs;
    }
    return this.#replica!;
  }

  save(): Uint8Array {
    return saved(this.primary);
  }

  /** As an operator restores a backup: what was written since then is gone. */
  restore(content: Uint8Array): void {
    load(this.primary, content);
    this.#isChanged = true;
  }

  /** Rows of a query at once, for statements of the world. */
  rows<Row>(sql: string): Row[] {
    return (this.primary.prepare(sql) as unknown as { execute(): { results: Row[] } }).execute().results;
  }
}

type Method = 'all' | 'run' | 'raw' | 'first';
type Run = (query: Query, method: Method, given: unknown[]) => Promise<unknown>;

class Statement {
  readonly query: Query;
  readonly #run: Run;

  constructor(query: Query, run: Run) {
    this.query = query;
    this.#run = run;
  }

  bind = (...values: unknown[]) => new Statement({ sql: this.query.sql, values }, this.#run);
  all = () => this.#run(this.query, 'all', []);
  run = () => this.#run(this.query, 'run', []);
  raw = (...given: unknown[]) => this.#run(this.query, 'raw', given);
  first = (...given: unknown[]) => this.#run(this.query, 'first', given);
}

/** The binding of an isolate. */
export function d1Binding(stored: StoredDatabase, caller: Caller, rewrite: Rewrite | null, splits: boolean): D1Database {
  const { name } = stored;
  const errorOf = () => new Error(caller.pick(ERRORS));
  const LEFT_OUT: Query = { sql: 'SELECT 0 WHERE 0', values: [] };
  const changedBy = (query: Query) => (rewrite ? (rewrite(query, name) ?? LEFT_OUT) : query);
  const boundTo = (database: D1Database, { sql, values }: Query) => database.prepare(sql).bind(...values);
  const session = (isPrimary: boolean): D1Database => {
    const database = () => (isPrimary ? stored.primary : stored.replica(caller.nowMs(), caller.random));
    const note = (queries: readonly Query[]) => {
      if (queries.some(({ sql }) => WRITES.test(sql))) stored.changed();
    };
    const run: Run = (given, method, options) =>
      caller.call('d1', `${name} ${labelOf(given.sql)}`, errorOf, 1, () => {
        const query = changedBy(given);
        note([query]);
        const bound = boundTo(WRITES.test(query.sql) ? stored.primary : database(), query);
        return Reflect.apply(bound[method], bound, options);
      });
    const batch = async (given: Statement[]): Promise<unknown> => {
      if (!splits) return whole(given);
      const results: unknown[] = [];
      for (const each of given) results.push(...((await whole([each])) as unknown[]));
      return results;
    };
    const whole = (given: Statement[]) =>
      caller.call('d1', `${name} batch ${labelOf(given.at(-1)!.query.sql)}`, errorOf, given.length, () => {
        const queries = given.map(({ query }) => changedBy(query));
        note(queries);
        const to = queries.some(({ sql }) => WRITES.test(sql)) ? stored.primary : database();
        return to.batch(queries.map((query) => boundTo(to, query)));
      });
    const prepare = (sql: string) => new Statement({ sql, values: [] }, run);
    return {
      prepare,
      batch,
      withSession: (constraint?: string) => session(constraint !== 'first-unconstrained'),
    } as unknown as D1Database;
  };
  return session(true);
}

/** The kind of a statement and its table. */
const labelOf = (sql: string): string => {
  const verb = /^\s*(\w+)/.exec(sql)?.[1]?.toLowerCase() ?? '';
  const table = /\b(?:from|into|update)\s+"?(\w+)/i.exec(sql)?.[1] ?? '';
  return `${verb} ${table}`;
};
