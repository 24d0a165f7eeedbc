// Migrates the local databases through Miniflare, because wrangler starts a runtime for each migration, which takes ten seconds.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Miniflare } from 'miniflare';
import { claimStatement, SHARDS } from '../../platform/storage/shards.ts';
import { causesOf } from '../../platform/util/errors.ts';
import { retry } from '../../platform/util/retry.ts';
import { projectRoot } from '../command.ts';
import { databaseFile, resourcesIn } from './state-lock.ts';

/** Runs `work` with these resources of a state folder that no service uses. */
export async function withStateRuntime<T>(
  stateDir: string,
  resources: { readonly d1Databases?: Record<string, string>; readonly r2Buckets?: Record<string, string> },
  work: (runtime: Miniflare) => Promise<T>,
): Promise<T> {
  const { convertV4MiniflareOptions, Miniflare } = await import('miniflare');
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: '',
      cf: false,
      resourcePersistencePath: resourcesIn(stateDir),
      ...resources,
    }),
  );
  try {
    return await work(runtime);
  } finally {
    await runtime.dispose();
  }
}

/** The first migration of every database since the baseline; older databases began with others. */
export const BASELINE = '0000_baseline.sql';

/** Separator that drizzle-kit writes between statements. */
const BREAKPOINT = '--> statement-breakpoint';

/** The table in which wrangler records what it has applied, so that its commands work on this database too. */
const CREATE_RECORD = `CREATE TABLE IF NOT EXISTS d1_migrations(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

type LocalDatabase = { readonly binding: string; readonly id: string; readonly migrationsDir: string };

interface Outdated extends LocalDatabase {
  readonly missing: readonly { readonly name: string; readonly sql: string }[];
}

const MAIN = 'DB';
const IMAGES = 'IMAGES';

/** @throws Error for the databases of a version before the baseline */
export async function refuseOlderState(stateDir: string): Promise<void> {
  for (const { id } of await localDatabases()) {
    const applied = appliedMigrations(databaseFile(stateDir, id));
    if (applied.size === 0 || applied.has(BASELINE)) continue;
    throw new Error(`The state in ${stateDir} was made by an older version. Delete it, or set STATE_DIR.`);
  }
}

export async function isMigrated(stateDir: string): Promise<boolean> {
  const main = (await localDatabases()).find(({ binding }) => binding === MAIN)!;
  return appliedMigrations(databaseFile(stateDir, main.id)).size > 0;
}

const ATTEMPTS = 3;
/** A runtime on a busy machine may close a connection: what is missing then is read anew. */
const isDisconnected = (error: unknown) => [...causesOf(error)].some(({ message }) => message.includes('other side closed'));

/** Applies the missing migrations, each in a transaction. @throws Error with SQLite's message when one fails */
export async function applyMigrations(stateDir: string, say: (line: string) => void, run = withStateRuntime): Promise<void> {
  const databases = await localDatabases();
  const applyMissing = async (attempt: number) => {
    const found = await Promise.all(databases.map((database) => outdatedDatabase(stateDir, database)));
    const outdated = found.filter(({ missing }) => missing.length > 0);
    if (outdated.length === 0) return;
    if (attempt === 1) say('migrating the databases');
    const d1Databases = Object.fromEntries(outdated.map(({ binding, id }) => [binding, id]));
    await run(stateDir, { d1Databases }, async (runtime) => {
      await Promise.all(outdated.map(async (each) => applyTo(await runtime.getD1Database(each.binding), each)));
    });
  };
  await retry(applyMissing, { attempts: ATTEMPTS, firstMs: 200, isTransient: isDisconnected });
}

export async function localDatabases(): Promise<LocalDatabase[]> {
  const toml = await readFile(join(projectRoot, 'wrangler.toml'), 'utf8');
  const blocks = toml.split(/^\[\[d1_databases\]\]\n/m).slice(1);
  return blocks.map((block) => {
    const value = (name: string) => new RegExp(`^${name} = "(.+)"$`, 'm').exec(block)![1]!;
    return { binding: value('binding'), id: value('database_id'), migrationsDir: value('migrations_dir') };
  });
}

/** The last migration of each kind of database, as the Worker checks it (SCHEMA_MIGRATIONS). */
export async function schemaMigrations(): Promise<string> {
  const last = (await localDatabases()).map(async ({ binding, migrationsDir }) => {
    const names = (await readdir(join(projectRoot, migrationsDir))).filter((name) => name.endsWith('.sql')).sort();
    return `${binding}:${names.at(-1)!.replace('.sql', '')}`;
  });
  return (await Promise.all(last)).join(',');
}

/** Names in the record of a database; none when there is no database, or no record in it. */
function appliedMigrations(file: string): ReadonlySet<unknown> {
  try {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      return new Set(
        database
          .prepare('SELECT name FROM d1_migrations')
          .all()
          .map(({ name }) => name),
      );
    } finally {
      database.close();
    }
  } catch {
    return new Set();
  }
}

async function outdatedDatabase(stateDir: string, database: LocalDatabase): Promise<Outdated> {
  const folder = join(projectRoot, database.migrationsDir);
  const applied = appliedMigrations(databaseFile(stateDir, database.id));
  const names = (await readdir(folder)).filter((file) => file.endsWith('.sql') && !applied.has(file)).sort();
  const missing = names.map(async (name) => ({ name, sql: await readFile(join(folder, name), 'utf8') }));
  return { ...database, missing: await Promise.all(missing) };
}

/** Applies migrations to a database. A new image database takes all shards. */
async function applyTo(database: D1Database, { binding, missing }: Outdated): Promise<void> {
  await database.prepare(CREATE_RECORD).run();
  const claims = binding === IMAGES ? [claimStatement(SHARDS)] : [];
  for (const { name, sql } of missing) {
    const statements = [...sql.split(BREAKPOINT), ...claims].map((statement) => database.prepare(statement));
    await database.batch([...statements, database.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name)]);
  }
}
