import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseFile } from '../../../src/cli/local/database-files.ts';
import { applyMigrations, isMigrated, localDatabases } from '../../../src/cli/local/migrations.ts';

describe('the migration of the local databases', () => {
  let stateDir: string;
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

  beforeAll(async () => {
    stateDir = await mkdtemp(join(tmpdir(), 'helioedge-migrations-'));
  });
  afterAll(() => rm(stateDir, { recursive: true }));

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
    expect(await applied('DB')).toContain('0000_image_index.sql');
  });

  it('takes over the images of a main database from before they had a database of their own', async () => {
    const { id } = (await localDatabases()).find(({ binding }) => binding === 'IMAGES')!;
    await rm(databaseFile(stateDir, id));
    const main = new DatabaseSync(databaseFile(stateDir, (await localDatabases())[0]!.id));
    main.exec(`DELETE FROM d1_migrations WHERE name LIKE '0014%';
      CREATE TABLE images (source_id, taken_at_ms, id, file_name, folder, byte_length, sha256, scale_arcsec_per_pixel, scale_correction,
        width, height, ref_pixel_x, ref_pixel_y, offset_x, offset_y, rotation_degrees, rsun_pixels, dsun_metres, layering_order,
        sun_center_offset_params, PRIMARY KEY (source_id, taken_at_ms)) WITHOUT ROWID;
      CREATE TABLE sequences (shard INTEGER PRIMARY KEY, last INTEGER);
      CREATE TABLE withdrawn_images (id INTEGER PRIMARY KEY, source_id, taken_at_ms, file_name, folder, withdrawn_at_ms) WITHOUT ROWID;
      INSERT INTO images VALUES (10, 1000, 42, 'one.jp2', 'AIA/1970/01/01/171', 5, '${'0a'.repeat(32)}', 0.6, 1, 8, 8, 4.5, 4.5, 0, 0, 0,
        3, 1e11, 1, NULL);
      INSERT INTO withdrawn_images VALUES (26, 10, 900, 'none.jp2', 'AIA/1970/01/01/171', 950);
      INSERT INTO sequences VALUES (10, 2);`);
    main.close();
    await migrate();
    expect(said.at(-1)).toBe('moving the image index into a database of its own');
    const columns = 'id, source_id, file_name, folder, hex(sha256) AS sha256, ref_pixel_x';
    expect(await query('IMAGES', `SELECT ${columns} FROM images`)).toEqual([
      { id: 42, source_id: 10, file_name: 'one.jp2', folder: 'AIA/1970/01/01/171', sha256: '0A'.repeat(32), ref_pixel_x: 4.5 },
    ]);
    expect(await query('IMAGES', 'SELECT id FROM withdrawn_images')).toEqual([{ id: 26 }]);
    expect(await query('IMAGES', 'SELECT last_sequence FROM held_shards WHERE shard = 10')).toEqual([{ last_sequence: 2 }]);
    expect(await query('IMAGES', 'SELECT * FROM foreign_names')).toEqual([{ file_name: 'one.jp2', source_id: 10 }]);
    expect(await query('DB', "SELECT name FROM sqlite_schema WHERE name = 'images'")).toEqual([]);
  });
});
