// Migrates the files of the local databases, because wrangler starts a runtime for each migration, which takes ten seconds.
import { mkdirSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { claimStatement, SHARDS } from '../../platform/storage/shards.ts';
import { projectRoot } from '../command.ts';
import { databaseFile } from './state-lock.ts';

/** The first migration of every database since the baseline; older databases began with others. */
export const BASELINE = '0000_baseline.sql';

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

/** Applies the missing migrations, each in a transaction. @throws Error with SQLite's message when one fails */
export async function applyMigrations(stateDir: string, say: (line: string) => void): Promise<void> {
  const found = await Promise.all((await localDatabases()).map((database) => outdatedDatabase(stateDir, database)));
  const outdated = found.filter(({ missing }) => missing.length > 0);
  if (outdated.length > 0) say('migrating the databases');
  for (const database of outdated) applyTo(databaseFile(stateDir, database.id), database);
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

/** Applies migrations to the file of a database. A new image database takes all shards. */
function applyTo(file: string, { binding, missing }: Outdated): void {
  mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  try {
    database.exec(CREATE_RECORD);
    for (const { name, sql } of missing) {
      // The separators of statements are comments.
      database.exec(`BEGIN; ${sql}; ${binding === IMAGES ? claimStatement(SHARDS) : ''}`);
      database.prepare('INSERT INTO d1_migrations (name) VALUES (?)').run(name);
      database.exec('COMMIT');
    }
  } finally {
    // Undoes a migration that failed.
    database.close();
  }
}
