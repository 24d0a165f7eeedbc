// The export of an image database by wrangler, as docs/operate.md describes it, and its import into an empty database.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, expect, it } from 'vitest';
import { wrangler } from '../../../src/cli/command.ts';
import { claimStatement } from '../../../src/platform/storage/shards.ts';
import { testFolder } from '../../support/system/test-folder.ts';

const folder = testFolder();
beforeAll(() => {
  const database = (name: string) =>
    `[[d1_databases]]\nbinding = "${name}"\ndatabase_name = "${name}"\ndatabase_id = "${name}"\nmigrations_dir = "${resolve('migrations/images')}"\n`;
  writeFileSync(join(folder, 'wrangler.toml'), `name = "drill"\n${database('filled')}${database('empty')}`);
});

const d1 = (...args: readonly string[]) => wrangler(['d1', ...args, '--local', '--config', join(folder, 'wrangler.toml')]);
/** Files of wrangler's local databases. */
const databaseFiles = () =>
  globSync('.wrangler/state/v3/d1/*/*.sqlite', { cwd: folder }).filter((file) => !file.endsWith('/metadata.sqlite'));
const onlyOf = (files: readonly string[]): string => {
  expect(files).toHaveLength(1);
  return files[0]!;
};
/** The rows of each statement, without another start of wrangler. */
function rowsOf(file: string, statements: readonly string[]): unknown[][] {
  const database = new DatabaseSync(join(folder, file));
  try {
    return statements.map((statement) => database.prepare(statement).all());
  } finally {
    database.close();
  }
}

const row = (id: number, minute: number) =>
  `(${id}, 10, ${1_715_342_400_000 + 60_000 * minute}, 5, x'${'ab'.repeat(32)}', 0.1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1)`;
const INSERT = `INSERT INTO images (id, source_id, taken_at_ms, byte_length, sha256, scale_arcsec_per_pixel, scale_correction, width, height,
  ref_pixel_x, ref_pixel_y, offset_x, offset_y, rotation_degrees, rsun_pixels, dsun_metres, layering_order) VALUES ${row(26, 0)}, ${row(42, 1)}`;
const CONTENT = [
  'SELECT * FROM images',
  'SELECT * FROM image_counts',
  'SELECT * FROM held_shards',
  'SELECT name FROM d1_migrations',
  `SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND name <> 'd1_migrations' ORDER BY name`,
];

const withdrawn = (id: number) =>
  `INSERT INTO withdrawn_images (id, source_id, taken_at_ms, withdrawn_at_ms) VALUES (${id}, 10, ${id}, 0);`;

it('An exported image database is imported into an empty one with its rows, counts, triggers and migrations, and withdrawn images beside those that it has.', async () => {
  const [whole, some, both] = ['whole.sql', 'some.sql', 'both.sql'].map((name) => join(folder, name)) as [string, string, string];
  await d1('migrations', 'apply', 'filled');
  const filled = onlyOf(databaseFiles());
  rowsOf(filled, [INSERT, claimStatement([10])]);
  await d1('export', 'filled', '--output', whole);
  const exported = readFileSync(whole, 'utf8');
  expect(exported).toContain('INSERT INTO "images"');
  rowsOf(filled, [withdrawn(58), withdrawn(74)]);
  await d1('export', 'filled', '--no-schema', '--table', 'withdrawn_images', '--table', 'foreign_names', '--output', some);
  const added = readFileSync(some, 'utf8').replaceAll(/^INSERT INTO/gm, 'INSERT OR IGNORE INTO');
  // Both imports by one start of wrangler, between which the database withdraws an image.
  writeFileSync(both, [exported, withdrawn(58), added].join('\n'));
  await d1('execute', 'empty', '--file', both);
  const empty = onlyOf(databaseFiles().filter((each) => each !== filled));
  const [rows, imported] = [filled, empty].map((each) => rowsOf(each, CONTENT)) as [unknown[][], unknown[][]];
  expect(imported).toEqual(rows);
  expect(rows.map((each) => each.length)).toEqual([2, 3, 1, 2, expect.any(Number)]);
  expect(rowsOf(empty, ['SELECT id FROM withdrawn_images ORDER BY id'])).toEqual([[{ id: 58 }, { id: 74 }]]);
});
