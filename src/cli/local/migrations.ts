// Migrates the files of the local databases, because wrangler starts a runtime for each migration, which takes ten seconds.
import { mkdirSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { claimStatement, SHARDS } from '../../platform/storage/shards.ts';
import { projectRoot } from '../command.ts';
import { databaseFile } from './state-lock.ts';

/** The first migration of every database since the baseline; older databases began with others. */
export const BASELINE = '0000_baseline.sql';

/** Wrangler's table of applied migrations, kept so that its commands work on this database too. */
const CREATE_RECORD = `CREATE TABLE IF NOT EXISTS d1_migrations(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

type LocalDatabase = { readonly binding: string; readonly id: string; readonly migrationsDir: string };

const MAIN = 'DB';
const IMAGES = 'IMAGES';

/** @throws Error for the databases of a version before the baseline */
export async function refuseOlderState(stateDir: string): Promise<void> {
  const databases = (await localDatabases()).map(({ id }) => appliedMigrations(databaseFile(stateDir, id)));
  if (databases.some((applied) => applied.size > 0 && !applied.has(BASELINE)))
    throw new Error(`The state in ${stateDir} was made by an older version. Delete it, or set STATE_DIR.`);
}

export async function isMigrated(stateDir: string): Promise<boolean> {
  const main = (await localDatabases()).find(({ binding }) => binding === MAIN)!;
  return appliedMigrations(databaseFile(stateDir, main.id)).size > 0;
}

/** Applies the missing migrations, each in a transaction. @throws Error with SQLite's message when one fails */
export async function applyMigrations(stateDir: string, say: (line: string) => void): Promise<void> {
  const found = (await localDatabases()).map(async (database) => {
    const file = databaseFile(stateDir, database.id);
    const applied = appliedMigrations(file);
    return { ...database, file, missing: (await migrationsIn(database)).filter((name) => !applied.has(name)) };
  });
  const outdated = (await Promise.all(found)).filter(({ missing }) => missing.length > 0);
  if (outdated.length > 0) say('migrating the databases');
  for (const database of outdated) applyTo(database);
}

export async function localDatabases(): Promise<LocalDatabase[]> {
  const toml = await readFile(join(projectRoot, 'wrangler.toml'), 'utf8');
  const blocks = toml.split(/^\[\[d1_databases\]\]\n/m).slice(1);
  return blocks.map((block) => {
    const value = (name: string) => new RegExp(`^${name} = "(.+)"$`, 'm').exec(block)![1]!;
    return { binding: value('binding'), id: value('database_id'), migrationsDir: value('migrations_dir') };
  });
}

/** Names of the migrations of a database, in order. */
const migrationsIn = async ({ migrationsDir }: LocalDatabase): Promise<string[]> =>
  (await readdir(join(projectRoot, migrationsDir))).filter((name) => name.endsWith('.sql')).sort();

/** The last migration of each kind of database, as the Worker checks it (SCHEMA_MIGRATIONS). */
export async function schemaMigrations(): Promise<string> {
  const last = async (database: LocalDatabase) =>
    `${database.binding}:${(await migrationsIn(database)).at(-1)!.replace('.sql', '')}`;
  return (await Promise.all((await localDatabases()).map(last))).join(',');
}

/** Names in the record of a database; none when there is no database, or no record in it. */
function appliedMigrations(file: string): ReadonlySet<unknown> {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true });
    const rows = database.prepare('SELECT name FROM d1_migrations').all();
    return new Set(rows.map(({ name }) => name));
  } catch {
    return new Set();
  } finally {
    database?.close();
  }
}

type Outdated = LocalDatabase & { readonly file: string; readonly missing: readonly string[] };

/** Applies the missing migrations of a database. A new image database takes all shards. */
function applyTo({ file, binding, migrationsDir, missing }: Outdated): void {
  mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  try {
    database.exec(CREATE_RECORD);
    for (const name of missing) {
      // The separators of statements are comments.
      const sql = readFileSync(join(projectRoot, migrationsDir, name), 'utf8');
      database.exec(`BEGIN; ${sql}; ${binding === IMAGES ? claimStatement(SHARDS) : ''}`);
      database.prepare('INSERT INTO d1_migrations (name) VALUES (?)').run(name);
      database.exec('COMMIT');
    }
  } finally {
    // Undoes a migration that failed.
    database.close();
  }
}
