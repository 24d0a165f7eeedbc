// The export of an image database by wrangler, as docs/operate.md describes it, and its import into an empty database.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { jsonList } from '../../../src/cli/deploy/wrangler.ts';
import { run, WRANGLER } from '../../../src/cli/run.ts';
import { claimStatement } from '../../../src/storage/images/image-tables.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'helioedge-export-'));
  const database = (name: string) =>
    `[[d1_databases]]\nbinding = "${name}"\ndatabase_name = "${name}"\ndatabase_id = "${name}"\nmigrations_dir = "${resolve('migrations/images')}"\n`;
  writeFileSync(join(folder, 'wrangler.toml'), `name = "drill"\n${database('filled')}${database('empty')}`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const wrangler = (...args: readonly string[]) =>
  run(WRANGLER, ['d1', ...args, '--local', '--config', join(folder, 'wrangler.toml')], {
    env: { WRANGLER_SEND_METRICS: 'false', WRANGLER_WRITE_LOGS: 'false', CI: '1' },
  });
const rowsOf = async (database: string, query: string) =>
  (jsonList(await wrangler('execute', database, '--json', '--command', query)) as { results: unknown[] }[]).map(
    ({ results }) => results,
  );

const row = (id: number, minute: number) =>
  `(${id}, 10, ${1_715_342_400_000 + 60_000 * minute}, 5, x'${'ab'.repeat(32)}', 0.1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1)`;
const INSERT = `INSERT INTO images (id, source_id, taken_at_ms, byte_length, sha256, scale_arcsec_per_pixel, scale_correction, width, height,
  ref_pixel_x, ref_pixel_y, offset_x, offset_y, rotation_degrees, rsun_pixels, dsun_metres, layering_order) VALUES ${row(26, 0)}, ${row(42, 1)}`;
const CONTENT = `SELECT * FROM images; SELECT * FROM image_counts; SELECT * FROM held_shards; SELECT name FROM d1_migrations;
  SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name <> 'd1_migrations' ORDER BY name`;

it('An exported image database is imported into an empty one with its rows, counts, triggers and migrations.', async () => {
  const file = join(folder, 'images.sql');
  await wrangler('migrations', 'apply', 'filled');
  await wrangler('execute', 'filled', '--command', `${INSERT}; ${claimStatement([10])}`);
  await wrangler('export', 'filled', '--output', file);
  expect(readFileSync(file, 'utf8')).toContain('INSERT INTO "images"');
  await wrangler('execute', 'empty', '--file', file);
  const [exported, imported] = [await rowsOf('filled', CONTENT), await rowsOf('empty', CONTENT)];
  expect(imported).toEqual(exported);
  expect(exported.map((rows) => rows.length)).toEqual([2, 3, 1, 2, expect.any(Number)]);
});
