import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { databaseFile } from '../../../src/cli/local/database-files.ts';
import { applyMigrations, isMigrated, localDatabases, refuseOlderState } from '../../../src/cli/local/migrations.ts';
import { testFolder } from '../../support/system/test-folder.ts';

describe('the migration of the local databases', () => {
  const stateDir = testFolder();
  const said: string[] = [];
  const migrate = () => applyMigrations(stateDir, (line) => said.push(line));

  async function query(binding: string, sql: string) {
    const { id } = (await localDatabases()).find((database) => database.binding === binding)!;
    const database = new DatabaseSync(databaseFile(stateDir, id));
    const rows = database.prepare(sql).all();
    database.close();
    return rows.map((row) => ({ ...row }));
  }

  /** Names in wrangler's record of applied migrations. */
  const applied = async (binding: string) =>
    (await query(binding, 'SELECT name FROM d1_migrations ORDER BY id')).map(({ name }) => name);

  it('applies every migration in order, once', async () => {
    expect(await isMigrated(stateDir)).toBe(false);
    await migrate();
    expect(await isMigrated(stateDir)).toBe(true);
    for (const { binding, migrationsDir } of await localDatabases()) {
      const names = (await readdir(migrationsDir)).filter((name) => name.endsWith('.sql')).sort();
      expect(await applied(binding)).toEqual(names);
    }
    await migrate();
    expect(said).toEqual(['migrating the databases']);
  });

  it('gives all shards to the image database', async () => {
    expect((await query('IMAGES', "SELECT shard FROM held_shards WHERE state = 'open'")).map(({ shard }) => shard)).toEqual(
      Array.from({ length: 16 }, (_, shard) => shard),
    );
  });

  it('creates the databases again after they have been removed from the state folder', async () => {
    await rm(join(stateDir, 'v3'), { recursive: true });
    expect(await isMigrated(stateDir)).toBe(false);
    await migrate();
    expect(await isMigrated(stateDir)).toBe(true);
    expect(await applied('DB')).toContain('0000_baseline.sql');
  });

  it('refuses a state of an older version', async () => {
    await expect(refuseOlderState(stateDir)).resolves.toBeUndefined();
    await expect(refuseOlderState(join(stateDir, 'new'))).resolves.toBeUndefined();
    const main = new DatabaseSync(databaseFile(stateDir, (await localDatabases())[0]!.id));
    main.exec("UPDATE d1_migrations SET name = '0000_image_index.sql' WHERE name = '0000_baseline.sql'");
    main.close();
    await expect(refuseOlderState(stateDir)).rejects.toThrow(
      `The state in ${stateDir} was made by an older version. Delete it, or set STATE_DIR.`,
    );
  });
});
