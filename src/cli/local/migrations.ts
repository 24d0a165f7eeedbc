// Migrates the local database. Wrangler takes two seconds, so it runs only when the migrations have changed.
import { createHash } from 'node:crypto';
import { access, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../run.ts';
import { projectRoot } from '../settings.ts';
import { offlineEnvironment, WRANGLER } from '../wrangler.ts';

const stampOf = (stateDir: string) => join(stateDir, 'migrations');

/** Whether the state folder has a database. */
export function isMigrated(stateDir: string): Promise<boolean> {
  return access(stampOf(stateDir)).then(
    () => true,
    () => false,
  );
}

/** @throws ProgramError with the output of wrangler when a migration fails */
export async function applyMigrations(stateDir: string, say: (line: string) => void): Promise<void> {
  const stamp = stampOf(stateDir);
  const wanted = await digestOfMigrations();
  if ((await readFile(stamp, 'utf8').catch(() => '')) === wanted) return;
  say('migrating the database');
  const args = ['d1', 'migrations', 'apply', 'DB', '--local', '--persist-to', stateDir];
  await run(WRANGLER, args, { env: offlineEnvironment(stateDir) });
  await writeFile(stamp, wanted);
}

async function digestOfMigrations(): Promise<string> {
  const folder = join(projectRoot, 'migrations');
  const hash = createHash('sha256');
  for (const name of (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort()) {
    hash.update(name).update(await readFile(join(folder, name)));
  }
  return hash.digest('hex');
}
