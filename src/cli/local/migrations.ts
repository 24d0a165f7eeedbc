// Migrates the local database through Miniflare. The command of wrangler starts a runtime for each migration, which takes ten
// seconds of processor time.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { projectRoot } from '../settings.ts';

const BINDING = 'DB';
const DATABASE_ID = /^database_id = "(.+)"$/m;

/** Separator that drizzle-kit writes between statements. */
const BREAKPOINT = '--> statement-breakpoint';

/** The table in which wrangler records what it has applied, so that its commands work on this database too. */
const CREATE_RECORD = `CREATE TABLE IF NOT EXISTS d1_migrations(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`;

interface Migration {
  readonly name: string;
  readonly sql: string;
}

/** The folder in which wrangler keeps the resources of a state folder. */
const resourcesIn = (stateDir: string) => join(stateDir, 'v3');

/** File of a database, which Miniflare names by a digest of its id; its own records have other names. */
const DATABASE_FILE = /^[0-9a-f]{64}\.sqlite$/;

/** Whether the state folder has a database. */
export async function isMigrated(stateDir: string): Promise<boolean> {
  return (await appliedMigrations(stateDir)).size > 0;
}

/**
 * Applies the migrations that the database lacks, each in a transaction. Reads its record without starting a runtime.
 * @throws Error with SQLite's message when a migration fails
 */
export async function applyMigrations(stateDir: string, say: (line: string) => void): Promise<void> {
  const migrations = await readMigrations();
  const applied = await appliedMigrations(stateDir);
  const missing = migrations.filter(({ name }) => !applied.has(name));
  if (missing.length === 0) return;
  say('migrating the database');
  await migrate(stateDir, missing);
}

/** Names in the record of the database; none when there is no database, or no record in it. */
async function appliedMigrations(stateDir: string): Promise<ReadonlySet<unknown>> {
  const folder = join(resourcesIn(stateDir), 'd1', 'miniflare-D1DatabaseObject');
  const files = await readdir(folder).catch(() => []);
  const file = files.find((name) => DATABASE_FILE.test(name));
  if (file === undefined) return new Set();
  const database = new DatabaseSync(join(folder, file), { readOnly: true });
  try {
    return new Set(
      database
        .prepare('SELECT name FROM d1_migrations')
        .all()
        .map(({ name }) => name),
    );
  } catch {
    return new Set();
  } finally {
    database.close();
  }
}

async function readMigrations(): Promise<Migration[]> {
  const folder = join(projectRoot, 'migrations');
  const names = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(names.map(async (name) => ({ name, sql: await readFile(join(folder, name), 'utf8') })));
}

async function migrate(stateDir: string, migrations: readonly Migration[]): Promise<void> {
  const { convertV4MiniflareOptions, Miniflare } = await import('miniflare');
  const toml = await readFile(join(projectRoot, 'wrangler.toml'), 'utf8');
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      modules: true,
      script: '',
      cf: false,
      d1Databases: { [BINDING]: DATABASE_ID.exec(toml)?.[1] ?? BINDING },
      resourcePersistencePath: resourcesIn(stateDir),
    }),
  );
  try {
    const database = await runtime.getD1Database(BINDING);
    await database.prepare(CREATE_RECORD).run();
    for (const { name, sql } of migrations) {
      const statements = sql.split(BREAKPOINT).map((statement) => database.prepare(statement));
      await database.batch([...statements, database.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name)]);
    }
  } finally {
    await runtime.dispose();
  }
}
