// Plans of statements: whichever test sends one to a database in memory, it has to search an index (support/memory/query-plans.ts).
import { DatabaseSync } from 'node:sqlite';
import { drizzle } from 'drizzle-orm/d1';
import { expect, it, vi } from 'vitest';
import { images } from '../../../src/archive/image-index/image-tables.ts';
import { D1Movies } from '../../../src/movies/d1-movies.ts';
import { scansOf } from '../../support/memory/query-plans.ts';
import { databasesIn, migrated } from '../../support/memory/sqlite-d1.ts';
import { START_MS as NOW, newBuild, request } from '../../support/movies/movie-builds.ts';

it('A scan of a table is found under its name and under another one, but for tables of few rows.', () => {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE images (id INTEGER PRIMARY KEY, width); CREATE TABLE held_shards (shard)');
  const found = [
    'SELECT * FROM images',
    'SELECT * FROM "images" AS other WHERE other.width = 5',
    'SELECT 1 FROM json_each(?)',
    'SELECT * FROM images WHERE id = 5',
    'SELECT * FROM held_shards',
  ].map((text) => scansOf(database, text).length);
  expect(found).toEqual([1, 1, 0, 0, 0]);
});

it('A statement of the service that reads every row of a table fails each time, and one of a test does not.', async () => {
  const database = migrated('images');
  const all = () => drizzle(database).select().from(images);
  for (let i = 0; i < 2; i += 1) await expect(all()).rejects.toThrow('A statement reads every row of a table. SCAN images');
  expect((await database.prepare('SELECT * FROM images').all()).results).toEqual([]);
});

it('Sums over the queue of movies read no rows of it.', async () => {
  const database = migrated();
  const prepared = vi.spyOn(database, 'prepare');
  const movies = new D1Movies(databasesIn(database));
  const limits = { queuedCost: 1e6, clients: ['client'], sinceMs: NOW - 1, clientCost: 1e6 };
  const { build } = (await movies.add(request(), newBuild('a'), { nowMs: NOW, limits, minCost: 10 }))!;
  await movies.ahead(build);
  await movies.queueLength();
  const texts = prepared.mock.calls.map(([text]) => text);
  for (const sum of ['(turn, arrival) <', '(SELECT count(*) FROM movie_builds']) {
    const text = texts.find((each) => each.includes(sum))!;
    const { results } = await database.prepare(`EXPLAIN QUERY PLAN ${text}`).all<{ detail: string }>();
    const ofQueue = results.map(({ detail }) => detail).filter((step) => step.includes('movie_builds'));
    expect(ofQueue.filter((step) => step.includes('COVERING INDEX'))).not.toEqual([]);
  }
});
