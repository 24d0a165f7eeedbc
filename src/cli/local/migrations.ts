// Migrates the local database through Miniflare. The command of wrangler starts a runtime for each migration, which takes ten
// seconds of processor time.
import { createHash } from 'node:crypto';
import { access, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
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

const stampOf = (stateDir: string) => join(stateDir, 'migrations');

/** Whether the state folder has a database. */
export function isMigrated(stateDir: string): Promise<boolean> {
  return access(stampOf(stateDir)).then(
    () => true,
    () => false,
  );
}

/**
 * Applies the migrations that the database lacks, each in a transaction. A stamp in the state folder says when there are none.
 * @throws Error with SQLite's message when a migration fails
 */
export async function applyMigrations(stateDir: string, say: (line: string) => void): Promise<void> {
  const migrations = await readMigrations();
  const stamp = stampOf(stateDir);
  const wanted = digestOf(migrations);
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return;
  say('migrating the database');
  await migrate(stateDir, migrations);
  await writeFile(stamp, wanted);
}

async function readMigrations(): Promise<Migration[]> {
  const folder = join(projectRoot, 'migrations');
  const names = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(names.map(async (name) => ({ name, sql: await readFile(join(folder, name), 'utf8') })));
}

function digestOf(migrations: readonly Migration[]): string {
  const hash = createHash('sha256');
  for (const { name, sql } of migrations) hash.update(name).update(sql);
  return hash.digest('hex');
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
      // The folder in which wrangler keeps the resources of a state folder.
      resourcePersistencePath: join(stateDir, 'v3'),
    }),
  );
  try {
    const database = await runtime.getD1Database(BINDING);
    await database.prepare(CREATE_RECORD).run();
    const { results } = await database.prepare('SELECT name FROM d1_migrations').all<{ name: string }>();
    const applied = new Set(results.map(({ name }) => name));
    for (const { name, sql } of migrations.filter((migration) => !applied.has(migration.name))) {
      const statements = sql.split(BREAKPOINT).map((statement) => database.prepare(statement));
      await database.batch([...statements, database.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(name)]);
    }
  } finally {
    await runtime.dispose();
  }
}
