import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyMigrations, isMigrated } from '../../../src/cli/local/migrations.ts';

describe('the migration of the local database', () => {
  let stateDir: string;
  const said: string[] = [];
  const migrate = () => applyMigrations(stateDir, (line) => said.push(line));

  /** Names in wrangler's record of applied migrations. */
  async function applied(): Promise<unknown[]> {
    const folder = join(stateDir, 'v3', 'd1', 'miniflare-D1DatabaseObject');
    const file = (await readdir(folder)).find((name) => /^[0-9a-f]{64}\.sqlite$/.test(name));
    const database = new DatabaseSync(join(folder, file ?? ''));
    const rows = database.prepare('SELECT name FROM d1_migrations ORDER BY id').all();
    database.close();
    return rows.map(({ name }) => name);
  }

  beforeAll(async () => {
    stateDir = await mkdtemp(join(tmpdir(), 'helioedge-migrations-'));
  });
  afterAll(() => rm(stateDir, { recursive: true }));

  it('applies every migration in order, once', async () => {
    expect(await isMigrated(stateDir)).toBe(false);
    await migrate();
    expect(await isMigrated(stateDir)).toBe(true);
    const names = (await readdir('migrations')).filter((name) => name.endsWith('.sql')).sort();
    expect(await applied()).toEqual(names);
    await migrate();
    expect(said).toEqual(['migrating the database']);
  });

  it('creates the database again after it has been removed from the state folder', async () => {
    await rm(join(stateDir, 'v3'), { recursive: true });
    expect(await isMigrated(stateDir)).toBe(false);
    await migrate();
    expect(await isMigrated(stateDir)).toBe(true);
    expect(await applied()).toContain('0000_image_index.sql');
  });
});
