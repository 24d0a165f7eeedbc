// D1 over the SQLite of Node, so that unit tests run the real SQL of the adapters. As in D1, a batch is one transaction,
// statements of one database never overlap, and a statement has at most 100 bound values.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { Databases } from '../../../src/storage/databases.ts';

const MIGRATIONS = resolve(import.meta.dirname, '..', '..', '..', 'migrations');
const BOUND_VALUES = 100;

type Row = Record<string, unknown>;

function asSqlite(value: unknown): SQLInputValue {
  if (value === undefined) throw new TypeError("D1_TYPE_ERROR: Type 'undefined' not supported");
  if (typeof value === 'boolean') return Number(value);
  return value instanceof ArrayBuffer ? new Uint8Array(value) : (value as SQLInputValue);
}

/** Cache of the compiled statements of a database. */
class Compiled {
  readonly #database: DatabaseSync;
  readonly #objects = new Map<string, StatementSync>();
  readonly #arrays = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** A statement whose rows are objects. */
  objects(query: string): StatementSync {
    return this.#find(this.#objects, query);
  }

  /** A statement whose rows are arrays. */
  arrays(query: string): StatementSync {
    const statement = this.#find(this.#arrays, query);
    statement.setReturnArrays(true);
    return statement;
  }

  #find(statements: Map<string, StatementSync>, query: string): StatementSync {
    const statement = statements.get(query) ?? this.#database.prepare(query);
    statements.set(query, statement);
    return statement;
  }
}

class Statement {
  readonly #database: Compiled;
  readonly #query: string;
  readonly #values: readonly SQLInputValue[];

  constructor(database: Compiled, query: string, values: readonly SQLInputValue[] = []) {
    this.#database = database;
    this.#query = query;
    this.#values = values;
  }

  bind(...values: unknown[]): Statement {
    if (values.length > BOUND_VALUES) throw new RangeError('D1_ERROR: too many SQL variables');
    return new Statement(this.#database, this.#query, values.map(asSqlite));
  }

  /** Runs synchronously, for a batch. */
  execute() {
    const changesBefore = this.#count('total_changes()');
    const rows: Row[] = this.#database.objects(this.#query).all(...this.#values);
    const changes = this.#count('total_changes()') - changesBefore;
    const meta = { changes, last_row_id: this.#count('last_insert_rowid()'), changed_db: changes > 0 };
    return { success: true, results: rows.map((row) => ({ ...row })), meta };
  }

  async all() {
    await Promise.resolve();
    return this.execute();
  }

  async run() {
    return this.all();
  }

  async first(column?: string): Promise<unknown> {
    const row = (await this.all()).results[0];
    if (!row) return null;
    return column === undefined ? row : row[column];
  }

  async raw(): Promise<unknown[][]> {
    await Promise.resolve();
    return this.#database.arrays(this.#query).all(...this.#values) as unknown as unknown[][];
  }

  #count(expression: string): number {
    return Number(this.#database.objects(`SELECT ${expression} AS count`).get()!.count);
  }
}

class SqliteD1 {
  readonly #database = new DatabaseSync(':memory:');
  readonly #compiled = new Compiled(this.#database);

  prepare(query: string): Statement {
    return new Statement(this.#compiled, query);
  }

  async batch(statements: readonly Statement[]) {
    await Promise.resolve();
    this.#database.exec('BEGIN');
    try {
      const results = statements.map((statement) => statement.execute());
      this.#database.exec('COMMIT');
      return results;
    } catch (error) {
      this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  async exec(queries: string) {
    this.#database.exec(queries);
    return { count: 1, duration: 0 };
  }
}

/** A new database in memory with all migrations applied. */
export function migrated(): D1Database {
  const database = new SqliteD1();
  const files = readdirSync(MIGRATIONS).filter((name) => name.endsWith('.sql'));
  for (const file of files.sort()) database.exec(readFileSync(join(MIGRATIONS, file), 'utf8'));
  return database as unknown as D1Database;
}

/** One database for all shards. */
export function databasesIn(database: D1Database): Databases {
  return { main: database, all: [database], ofShard: () => database };
}
