// D1 databases: visitors can fill only the one that they write. Reads may go to a replica of D1, where a row may be some seconds old.
import { fillPlaceholders, getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';
import type {
  PreparedQueryConfig,
  SQLiteColumn,
  SQLiteInsertValue,
  SQLitePreparedQuery,
  SQLiteTable,
  SQLiteUpdateSetSource,
} from 'drizzle-orm/sqlite-core';
import { SCHEMA_CHECK_MS, SHARD_CHECK_MS } from '../limits/images.ts';
import type { Clock } from '../ports/timing.ts';
import { STORAGE_VARIABLES } from '../settings/service.ts';
import { readVariables } from '../settings/variable.ts';
import { Failure } from '../util/errors.ts';
import { fresh } from '../util/single-flight.ts';
import { fitsSchema } from './schema.ts';
import { SHARDS } from './shards.ts';

interface Expected {
  /** Name of the binding, for the log. */
  readonly name: string;
  /** Shards of an image database that the Worker expects in it. */
  readonly shards: readonly number[];
  /** The last migration that the Worker needs; null where none is stated. */
  readonly migration: string | null;
  readonly clock: Clock;
}

const RETRY_SECONDS = 5;
/** A deployment or a rollback takes minutes. */
const MISFIT_RETRY_SECONDS = 300;
/** Time for which requests share a check; it ends with the request that began it. */
const SHARED_CHECK_MS = 2_000;

const WRITES = /\b(?:insert|update|delete)\b/i;

/**
 * A database that takes writes only while its schema fits the Worker: checked before the first of them, then every SCHEMA_CHECK_MS.
 *
 * An image database must have the shards that the Worker expects in it; with a wrong SHARD_DATABASES it fails with 503 instead of
 * answering from old rows. This is checked at the first use, then every SHARD_CHECK_MS, beside the statement, whose results are dropped
 * if the check fails. Writes have a condition of their own on the state of the shard.
 */
function checkedDatabase(database: D1Database, { name, shards, migration, clock }: Expected): D1Database {
  const statements = new WeakMap<D1PreparedStatement, { readonly own: D1PreparedStatement; readonly isWrite: boolean }>();

  async function checkSchema(): Promise<void> {
    const { results } = await database.prepare('SELECT name FROM d1_migrations ORDER BY name').all<{ name: string }>();
    const applied = results.map((row) => row.name);
    if (!fitsSchema(applied, migration!)) throw schemaMisfit(name, applied.at(-1), migration!);
  }

  async function checkShards(): Promise<void> {
    const query = "SELECT shard FROM held_shards WHERE state IN ('open', 'frozen')";
    const { results } = await database.prepare(query).all<{ shard: number }>();
    const held = new Set(results.map(({ shard }) => shard));
    const missing = shards.filter((shard) => !held.has(shard));
    if (missing.length > 0) throw misfit(name, missing);
  }

  const expectSchema = fresh(checkSchema, { freshMs: SCHEMA_CHECK_MS, shareMs: SHARED_CHECK_MS, clock });
  const expectShards = fresh(checkShards, { freshMs: SHARD_CHECK_MS, shareMs: SHARED_CHECK_MS, clock });

  /** Result of the work, unless a check fails. */
  async function checked<T>(isWrite: boolean, work: () => Promise<T>): Promise<T> {
    if (isWrite && migration !== null) await expectSchema();
    const [result] = await Promise.all([work(), shards.length > 0 && expectShards()]);
    return result;
  }

  function wrapped(own: D1PreparedStatement, isWrite: boolean): D1PreparedStatement {
    const runs = (['first', 'run', 'all', 'raw'] as const).map((member) => [
      member,
      (...values: unknown[]) => checked(isWrite, () => Reflect.apply(own[member], own, values) as Promise<unknown>),
    ]);
    const bind = (...values: unknown[]) => wrapped(own.bind(...values), isWrite);
    const statement = { ...Object.fromEntries(runs), bind } as D1PreparedStatement;
    statements.set(statement, { own, isWrite });
    return statement;
  }

  /** The database or a session with it. */
  const guarded = (target: D1Database | D1DatabaseSession): D1Database =>
    ({
      prepare: (query: string) => wrapped(target.prepare(query), WRITES.test(query)),
      batch: (batch: D1PreparedStatement[]) => {
        const known = batch.map((each) => statements.get(each) ?? { own: each, isWrite: true });
        const isWrite = known.some((each) => each.isWrite);
        return checked(isWrite, () => target.batch(known.map(({ own }) => own)));
      },
      withSession: (constraint?: string) => guarded((target as D1Database).withSession(constraint)),
    }) as unknown as D1Database;

  return guarded(database);
}

function schemaMisfit(name: string, last: string | undefined, migration: string): Failure {
  const cause = new Error(
    `${name} has the schema of ${last ?? 'no migration'}, which does not fit ${migration}. Deploy the version that fits.`,
  );
  const sentence =
    'Nothing can be stored at the moment, because the service is being changed to another version. Reading goes on.';
  return new Failure('read-only', sentence, { retryAfterSeconds: MISFIT_RETRY_SECONDS, cause });
}

function misfit(name: string, missing: readonly number[]): Failure {
  const cause = new Error(`${name} lacks the shards ${missing.join(', ')}, which it has by SHARD_DATABASES.`);
  return new Failure('index-moved', 'A part of the image index is being moved. Try again in a few seconds.', {
    retryAfterSeconds: RETRY_SECONDS,
    cause,
  });
}

/** The image databases for reads only, in which the last seconds may be missing. */
export function replicasOf({ images, ofShard }: ImageDatabases): ImageDatabases {
  const replicas = new Map(images.map((database) => [database, replicaOf(database)]));
  return { images: [...replicas.values()], ofShard: (shard) => replicas.get(ofShard(shard))! };
}

function replicaOf(database: D1Database): D1Database {
  const session = () => database.withSession('first-unconstrained');
  const reads: Pick<D1Database, 'prepare' | 'batch'> = {
    prepare: (query) => session().prepare(query),
    batch: (statements) => session().batch(statements),
  };
  return reads as D1Database;
}

export interface Databases extends ImageDatabases {
  /** Movies, screenshots, links, sharing: what visitors make. */
  readonly main: D1Database;
  /** Journal of uploads, audit log, mirror, status, imported flares: requests of visitors add only heartbeats of three upstreams. */
  readonly operations: D1Database;
}

export interface ImageDatabases {
  /** The image databases that serve shards, without repetition. */
  readonly images: readonly D1Database[];
  /** The image database that serves a shard. Its statements fail when the database does not have the shard. */
  ofShard(shard: number): D1Database;
}

/** Bindings of image databases: IMAGES locally, IMAGES_00 and so on in a deployment. */
const IMAGE_BINDING = /^IMAGES(_\w+)?$/;

/**
 * Databases of the Worker. Those of the images are checked against SHARD_DATABASES when they are first used, and then regularly.
 * @throws Error when a name in SHARD_DATABASES is not bound, because a default would hide images
 */
export function databasesFrom(env: object, clock: Clock = Date.now): Databases {
  const { SHARD_DATABASES: shardDatabases, SCHEMA_MIGRATIONS: needed } = readVariables(STORAGE_VARIABLES, env);
  const serving = (shard: number) => shardDatabases[shard % shardDatabases.length]!;
  const checked = (name: string, shards: readonly number[] = []) => {
    const bound: D1Database | undefined = Reflect.get(env, name);
    if (!bound) throw new Error(`No D1 database is bound as ${name}. Add the binding to the configuration of the Worker.`);
    const kind = IMAGE_BINDING.test(name) ? 'IMAGES' : name;
    const migration = needed.find(({ binding }) => binding === kind)?.migration ?? null;
    return checkedDatabase(bound, { name, shards, migration, clock });
  };
  const images = new Map([...Map.groupBy(SHARDS, serving)].map(([name, shards]) => [name, checked(name, shards)]));
  const ofShard = (shard: number) => images.get(serving(shard))!;
  return { main: checked('DB'), operations: checked('OPERATIONS'), images: [...images.values()], ofShard };
}

type PreparableQuery = BatchItem<'sqlite'> & { prepare(): SQLitePreparedQuery<PreparedQueryConfig> };

/**
 * Runs queries whose values are placeholders as one batch, which is one transaction. They are built when they run first, because building the
 * text of a long query takes milliseconds of processor time.
 */
export function preparedBatch<const Queries extends readonly PreparableQuery[]>(build: () => Queries) {
  let built: readonly SQLitePreparedQuery<PreparedQueryConfig>[] | undefined;
  /** Results of the queries. @param values of the placeholders, by name */
  return async (database: D1Database, values: Readonly<Record<string, unknown>>): Promise<BatchResponse<Queries>> => {
    built ??= build().map((query) => query.prepare());
    const queries = built;
    const statements = queries.map((query) => {
      const { sql: text, params } = query.getQuery();
      return database.prepare(text).bind(...fillPlaceholders(params, values));
    });
    const results = await database.batch(statements);
    return results.map((result, i) => queries[i]!.mapResult(result, true)) as BatchResponse<Queries>;
  };
}

/** A value that a `preparedBatch` gets under this name. */
export const given = <T>(name: string): SQL<T> => sql<T>`${sql.placeholder(name)}`;

/** Values that a `preparedBatch` gets under these names. */
export const givenEach = <const Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, given(name)])) as Readonly<Record<Name, SQL<never>>>;

/** A list as one value of a statement, of which D1 takes a hundred: a row for each. */
export const jsonEach = (list: readonly unknown[]): SQL => sql`json_each(${JSON.stringify(list)})`;

/** Condition on the rows of a table with the lowest values of a column, below `before`: at most so many. */
export const lowestRows = (table: SQLiteTable, column: SQLiteColumn, before: number, most: number): SQL =>
  sql`rowid IN (SELECT rowid FROM ${table} WHERE ${column} < ${before} ORDER BY ${column} LIMIT ${most})`;

/** Adds a row, or sets the other columns of the one that has its key. */
export const upsert = <Table extends SQLiteTable>(
  db: DrizzleD1Database,
  table: Table,
  key: Partial<SQLiteInsertValue<Table>>,
  set: SQLiteUpdateSetSource<Table>,
) =>
  db
    .insert(table)
    .values({ ...key, ...set } as SQLiteInsertValue<Table>)
    .onConflictDoUpdate({ target: Object.keys(key).map((name) => getTableColumns(table)[name]!), set });

export class OnMain {
  protected readonly main: D1Database;
  protected readonly db: DrizzleD1Database;

  constructor({ main }: Pick<Databases, 'main'>) {
    this.main = main;
    this.db = drizzle(main);
  }
}

export class OnOperations {
  protected readonly db: DrizzleD1Database;
  protected readonly clock: Clock;

  constructor({ operations }: Pick<Databases, 'operations'>, clock: Clock = Date.now) {
    this.db = drizzle(operations);
    this.clock = clock;
  }
}
