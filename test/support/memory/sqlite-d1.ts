// D1 over the SQLite of Node, so that unit tests run the real SQL of the adapters. As in D1, a batch is one transaction,
// statements of one database never overlap, and a statement has at most 100 bound values.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import type { Query } from 'drizzle-orm';
import type { Databases } from '../../../src/platform/storage/databases.ts';
import { claimStatement, SHARDS } from '../../../src/platform/storage/shards.ts';
import { expectSearch } from './query-plans.ts';

const MIGRATIONS = resolve(import.meta.dirname, '..', '..', '..', 'migrations');
const IMAGE_DATABASES = 4;
const BOUND_VALUES = 100;

type Row = Record<string, unknown>;

function asSqlite(value: unknown): SQLInputValue {
  if (value === undefined) throw new TypeError("D1_TYPE_ERROR: Type 'undefined' not supported");
  if (typeof value === 'boolean') return Number(value);
  return value instanceof ArrayBuffer ? new Uint8Array(value) : (value as SQLInputValue);
}

interface CompiledStatement {
  readonly statement: StatementSync;
  readonly hasRows: boolean;
  readonly isWriting: boolean;
}

/** Cache of the compiled statements of a database. */
class Compiled {
  /** Whether every statement that writes fails. */
  isFull = false;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, CompiledStatement>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  find(query: string): CompiledStatement {
    const found = this.#find(query);
    if (this.isFull && found.isWriting) throw new Error('D1_ERROR: Exceeded maximum DB size.');
    return found;
  }

  #find(query: string): CompiledStatement {
    const known = this.#statements.get(query);
    if (known) return known;
    const statement = this.#database.prepare(query);
    const hasRows = statement.columns().length > 0;
    const compiled = { statement, hasRows, isWriting: !hasRows || /\breturning\b/i.test(query) };
    this.#statements.set(query, compiled);
    return compiled;
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
    const { statement, hasRows, isWriting } = this.#database.find(this.#query);
    if (!hasRows) {
      const changes = Number(statement.run(...this.#values).changes);
      return { success: true, results: [], meta: { changes } };
    }
    statement.setReturnArrays(false);
    const rows: Row[] = statement.all(...this.#values);
    return { success: true, results: rows.map((row) => ({ ...row })), meta: { changes: isWriting ? rows.length : 0 } };
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
    const { statement } = this.#database.find(this.#query);
    statement.setReturnArrays(true);
    return statement.all(...this.#values) as unknown as unknown[][];
  }
}

/** A database that is opened when it is used first, because most tests leave most of theirs alone. */
class SqliteD1 {
  #open: () => { readonly database: DatabaseSync; readonly compiled: Compiled };

  /** `content`: that of a database in memory, by `DatabaseSync.serialize`. */
  constructor(path = ':memory:', content?: Uint8Array) {
    this.#open = () => {
      const database = new DatabaseSync(path);
      if (content) database.deserialize(content);
      const opened = { database, compiled: new Compiled(database) };
      this.#open = () => opened;
      return opened;
    };
  }

  prepare(query: string): Statement {
    const { database, compiled } = this.#open();
    expectSearch(database, query);
    return new Statement(compiled, query);
  }

  async batch(statements: readonly Statement[]) {
    await Promise.resolve();
    const { database } = this.#open();
    database.exec('BEGIN');
    try {
      const results = statements.map((statement) => statement.execute());
      database.exec('COMMIT');
      return results;
    } catch (error) {
      database.exec('ROLLBACK');
      throw error;
    }
  }

  /** The database itself, which has no replicas. */
  withSession(): this {
    return this;
  }

  fillUp(): void {
    this.#open().compiled.isFull = true;
  }

  async exec(queries: string) {
    this.#open().database.exec(queries);
    return { count: 1, duration: 0 };
  }
}

/** Runs a query at once, to prepare a test. */
export function execute(database: D1Database, query: { toSQL(): Query }): Row[] {
  const { sql, params } = query.toSQL();
  return (database as unknown as SqliteD1)
    .prepare(sql)
    .bind(...params)
    .execute().results;
}

/** Lets every later statement that writes fail, as in a database that has reached its maximum size. */
export const fillUp = (database: D1Database): void => (database as unknown as SqliteD1).fillUp();

/** The database of a file. */
export const sqliteD1 = (path: string) => new SqliteD1(path) as unknown as D1Database;

type Kind = 'main' | 'operations' | 'images';

/** Contents of new databases after all migrations, made once because the migrations take twenty times as long as a copy. */
const contents = new Map<string, Uint8Array>();

function migratedContent(kind: Kind, further: string): Uint8Array {
  const database = new DatabaseSync(':memory:');
  const folder = join(MIGRATIONS, kind);
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  for (const file of files.sort()) database.exec(readFileSync(join(folder, file), 'utf8'));
  database.exec(further);
  const content = database.serialize();
  database.close();
  return content;
}

/** A new database in memory with all migrations of its kind, and what `further` statements add. */
export function migrated(kind: Kind = 'main', further = ''): D1Database {
  const content = contents.get(kind + further) ?? migratedContent(kind, further);
  contents.set(kind + further, content);
  return new SqliteD1(':memory:', content) as unknown as D1Database;
}

/** The databases of visitors and operators, with four new image databases that have every fourth shard each. */
export function databasesIn(main: D1Database, operations = migrated('operations')): Databases {
  const images = Array.from({ length: IMAGE_DATABASES }, (_, i) =>
    migrated('images', claimStatement(SHARDS.filter((shard) => shard % IMAGE_DATABASES === i))),
  );
  return { main, operations, images, ofShard: (shard) => images[shard % IMAGE_DATABASES]! };
}
