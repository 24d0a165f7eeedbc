// D1: the real SQL on SQLite. Every statement and batch takes its turn; a batch takes effect whole or not at all; reads that name no
// primary come from a copy that is some seconds old.
import { claimStatement, SHARDS } from '../../../src/platform/storage/shards.ts';
import { migrated } from '../../support/memory/sqlite-d1.ts';
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

/** The rows of the tables, by their names. */
export type Content = readonly (readonly [table: string, rows: readonly unknown[][]])[];
type Kind = 'main' | 'operations' | 'images';

/** Triggers write the second table when the first is written, and SQLite notes the last numbers of some. */
const FOLLOWERS: Readonly<Record<string, string>> = { images: 'image_counts' };
const NUMBERS = 'sqlite_sequence';
/** In this order, in which a table comes before one that its triggers write. */
const TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name DESC";

/** Databases that worlds take in turns, one after the other, because a new one compiles its schema and all statements anew. */
const pool = new Map<string, StoredDatabase>();

/** A database with its replica, which outlives isolates. */
export class StoredDatabase {
  readonly primary: D1Database;
  readonly #replica: D1Database;
  readonly #tables: readonly string[];
  readonly #empty: Content;
  #copiedAtMs = Number.NEGATIVE_INFINITY;
  /** Tables with changes that the replica may not show. */
  #changed: Set<string>;
  /** Tables whose rows in the replica differ, or may. */
  readonly #stale: Set<string>;
  /** Rows that tables are known to have, so that the next world need not write them again. */
  readonly #held = new Map<string, readonly unknown[][]>();

  private constructor(kind: Kind, further: string) {
    [this.primary, this.#replica] = [migrated(kind, further), migrated(kind, further)];
    this.#tables = execute<{ name: string }>(this.primary, TABLES).map(({ name }) => name);
    this.#changed = new Set(this.#tables);
    this.#stale = new Set(this.#tables);
    this.#empty = this.save();
  }

  /** A database from the pool, with a content, or as migrations and further statements leave it. */
  static of(name: string, kind: Kind, content?: Content, further = ''): StoredDatabase {
    const known = pool.get(name) ?? new StoredDatabase(kind, further);
    pool.set(name, known);
    known.restore(content ?? known.#empty);
    known.#copiedAtMs = Number.NEGATIVE_INFINITY;
    return known;
  }

  /** Notes what a statement may have written. */
  changed(sql: string): void {
    for (const table of tablesOf(sql)) {
      this.#changed.add(table);
      this.#stale.add(table);
      this.#held.delete(table);
    }
  }

  /** The copy, which is made again by chance, or when it is too old. */
  replica(nowMs: number, random: () => number): D1Database {
    const isDue = nowMs - this.#copiedAtMs > LAG_MS || random() < 0.5;
    if (this.#changed.size === 0 || !isDue) return this.#replica;
    write(this.#replica, this.#contentOf(this.#tables.filter((table) => this.#stale.has(table))));
    this.#stale.clear();
    this.#changed.clear();
    this.#copiedAtMs = nowMs;
    return this.#replica;
  }

  #contentOf(tables: readonly string[]): Content {
    return tables.map((table) => [table, execute(this.primary, `SELECT * FROM ${table}`).map((row) => Object.values(row))]);
  }

  save(): Content {
    return this.#contentOf(this.#tables);
  }

  /** As an operator restores a backup: what was written since then is gone. */
  restore(content: Content): void {
    const different = content.filter(([table, rows]) => this.#held.get(table) !== rows);
    write(this.primary, different);
    for (const [table, rows] of different) {
      this.#held.set(table, rows);
      this.#stale.add(table);
    }
    this.#changed = new Set(this.#tables);
  }

  /** A statement of an operator. */
  run(sql: string, values: readonly unknown[] = []): void {
    execute(this.primary, sql, values);
    this.changed(sql);
  }

  insert(table: string, row: readonly unknown[]): void {
    this.run(insertion(table, row), row);
  }

  /** Rows of a query at once, for statements of the world. */
  rows<Row>(sql: string): Row[] {
    return execute(this.primary, sql);
  }
}

/** Contents of databases by their names. */
export type Contents = Readonly<Record<string, Content>>;

export const databasesOf = (contents: Contents) => {
  const holding = (part: number) => claimStatement(SHARDS.filter((shard) => shard % 2 === part));
  return {
    DB: StoredDatabase.of('DB', 'main', contents.DB),
    OPERATIONS: StoredDatabase.of('OPERATIONS', 'operations', contents.OPERATIONS),
    IMAGES: StoredDatabase.of('IMAGES', 'images', contents.IMAGES, holding(0)),
    IMAGES_ODD: StoredDatabase.of('IMAGES_ODD', 'images', contents.IMAGES_ODD, holding(1)),
  };
};

/** What a statement is, by its text, of which there are some hundred. */
function byText<T>(read: (sql: string) => T): (sql: string) => T {
  const known = new Map<string, T>();
  return (sql) => {
    const found = known.get(sql) ?? read(sql);
    known.set(sql, found);
    return found;
  };
}

/** Tables that a statement may write. */
const tablesOf = byText((sql) => [
  NUMBERS,
  ...[...sql.matchAll(/\b(?:into|update|from)\s+"?(\w+)/gi)].flatMap(([, table = '']) => [table, FOLLOWERS[table] ?? []].flat()),
]);

/** The kind of a statement and its table. */
const labelOf = byText((sql) => {
  const verb = /^\s*(\w+)/.exec(sql)?.[1]?.toLowerCase() ?? '';
  const table = /\b(?:from|into|update)\s+"?(\w+)/i.exec(sql)?.[1] ?? '';
  return `${verb} ${table}`;
});

/** Runs a statement at once. */
const execute = <Row = Record<string, unknown>>(database: D1Database, sql: string, values: readonly unknown[] = []): Row[] =>
  (database.prepare(sql).bind(...values) as unknown as { execute(): { results: Row[] } }).execute().results;

const insertion = (table: string, row: readonly unknown[]) => `INSERT INTO ${table} VALUES (${row.map(() => '?').join()})`;

/** Puts these rows in place of those that the tables have. */
function write(database: D1Database, content: Content): void {
  execute(database, 'BEGIN');
  for (const [table, rows] of content) {
    execute(database, `DELETE FROM ${table}`);
    for (const row of rows) execute(database, insertion(table, row), row);
  }
  execute(database, 'COMMIT');
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
export function d1Binding(
  name: string,
  stored: StoredDatabase,
  caller: Caller,
  { sql: rewrite, splitsBatches }: { readonly sql?: Rewrite; readonly splitsBatches?: boolean },
  happened: Map<string, number>,
): D1Database {
  const errorOf = () => new Error(caller.pick(ERRORS));
  const LEFT_OUT: Query = { sql: 'SELECT 0 WHERE 0', values: [] };
  const changedBy = (query: Query) => {
    const changed = rewrite ? (rewrite(query, name) ?? LEFT_OUT) : query;
    if (changed.sql !== query.sql || changed.values !== query.values) happened.set('planted', (happened.get('planted') ?? 0) + 1);
    return changed;
  };
  const boundTo = (database: D1Database, { sql, values }: Query) => database.prepare(sql).bind(...values);
  const session = (isPrimary: boolean): D1Database => {
    const database = () => (isPrimary ? stored.primary : stored.replica(caller.nowMs(), caller.random));
    const note = (queries: readonly Query[]) => {
      for (const { sql } of queries) if (WRITES.test(sql)) stored.changed(sql);
    };
    const run: Run = (given, method, options) =>
      caller.call('d1', `${name} ${labelOf(given.sql)}`, errorOf, 1, () => {
        const query = changedBy(given);
        note([query]);
        const bound = boundTo(WRITES.test(query.sql) ? stored.primary : database(), query);
        return Reflect.apply(bound[method], bound, options);
      });
    const batch = async (given: Statement[]): Promise<unknown> => {
      if (!splitsBatches) return whole(given);
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
