import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { applyMigrations, isMigrated, localDatabases, refuseOlderState } from '../../../src/cli/local/migrations.ts';
import { databaseFile } from '../../../src/cli/local/state-lock.ts';
import { fitsSchema } from '../../../src/platform/storage/schema.ts';
import { testFolder } from '../../support/system/test-folder.ts';

describe('the released schema', () => {
  const released = readFileSync('migrations/released.sha256', 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('  ') as [string, string]);
  const files = readdirSync('migrations', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.sql'))
    .sort();

  it('keeps each migration as it was released: to change the schema, add another one, and its line of sha256sum to migrations/released.sha256', () => {
    const hashOf = (name: string) =>
      createHash('sha256')
        .update(readFileSync(join('migrations', name)))
        .digest('hex');
    expect(released.map(([, name]) => name).sort()).toEqual(files);
    expect(released.filter(([hash, name]) => hash !== hashOf(name)).map(([, name]) => name)).toEqual([]);
  });

  it('removes only what no version uses any more, by migrations that are named contract', () => {
    const removes = /\bDROP\s+(?:TABLE|COLUMN)|\bRENAME\b|\bADD\s(?:(?!DEFAULT)[^;])*NOT NULL(?![^;]*DEFAULT)/i;
    const removing = files.filter((name) => removes.test(readFileSync(join('migrations', name), 'utf8')));
    expect(removing.filter((name) => !/\/\d{4}_contract-/.test(name))).toEqual([]);
    expect(
      ['ALTER TABLE a DROP COLUMN b;', 'DROP TABLE a;', 'ALTER TABLE a ADD b text NOT NULL;'].every((sql) => removes.test(sql)),
    ).toBe(true);
    expect(removes.test('ALTER TABLE a ADD b integer DEFAULT 0 NOT NULL;')).toBe(false);
  });

  it('fits a version that needs a part of it, until something is removed', () => {
    const applied = ['0000_baseline.sql', '0001_one.sql', '0002_two.sql'];
    expect(['0000_baseline', '0002_two', '0003_three'].map((needed) => fitsSchema(applied, needed))).toEqual([true, true, false]);
    const contracted = [...applied, '0003_contract-one.sql'];
    expect(['0002_two', '0003_contract-one'].map((needed) => fitsSchema(contracted, needed))).toEqual([false, true]);
  });
});

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

  async function expectAllApplied() {
    expect(await isMigrated(stateDir)).toBe(true);
    for (const { binding, migrationsDir } of await localDatabases()) {
      const names = (await readdir(migrationsDir)).filter((name) => name.endsWith('.sql')).sort();
      expect(await applied(binding)).toEqual(names);
    }
  }

  it('applies every migration in order, once, and gives all shards to the image database', async () => {
    expect(await isMigrated(stateDir)).toBe(false);
    await migrate();
    await expectAllApplied();
    await migrate();
    expect(said).toEqual(['migrating the databases']);
    expect((await query('IMAGES', "SELECT shard FROM held_shards WHERE state = 'open'")).map(({ shard }) => shard)).toEqual(
      Array.from({ length: 16 }, (_, shard) => shard),
    );
  });

  it('creates removed databases again, and records no migration that fails', async () => {
    await rm(join(stateDir, 'v3'), { recursive: true });
    expect(await isMigrated(stateDir)).toBe(false);
    await migrate();
    await query('OPERATIONS', "DELETE FROM d1_migrations WHERE name > '0004'");
    await expect(migrate()).rejects.toThrow(/already exists|duplicate column/);
    expect((await applied('OPERATIONS')).at(-1)).toBe('0003_webhooks.sql');
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
