import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { D1ImageIndex } from '../../../src/archive/image-index/d1-image-index.ts';
import { SEQUENCES } from '../../../src/platform/limits/images.ts';
import { databasesFrom } from '../../../src/platform/storage/databases.ts';
import { claimStatement, SHARDS } from '../../../src/platform/storage/shards.ts';
import { makeImage } from '../../support/imaging/images.ts';
import { register } from '../service.ts';

const AIA_171 = 10;
const EVEN_SHARDS = SHARDS.filter((shard) => shard % 2 === 0);
const NOON = Date.UTC(2021, 5, 1, 12);

it('the image index reads a handful of rows among ten thousand', async () => {
  await fill(AIA_171, 5_000);
  await fill(12, 5_000);
  const rowsRead: number[] = [];
  const counting = new D1ImageIndex(
    databasesFrom({ ...env, IMAGES: countingRows(env.IMAGES, rowsRead), IMAGES_ODD: env.IMAGES_ODD }),
  );
  // The first search comes with the check of the database.
  await counting.byId(26);
  rowsRead.length = 0;
  const { before, after } = await counting.neighbours(AIA_171, NOON + 2_500_500);
  expect([before?.takenAtMs, after?.takenAtMs]).toEqual([NOON + 2_500_000, NOON + 2_501_000]);
  await counting.adjacentTimes(AIA_171, NOON + 2_500_500);
  await counting.extents();
  await counting.ends(AIA_171, NOON, NOON + 5_000_000);
  expect(rowsRead).toHaveLength(4);
  expect(Math.max(...rowsRead)).toBeLessThan(30);
  await counting.neighboursOfTimes(
    AIA_171,
    Array.from({ length: 1000 }, (_, i) => NOON + 5_000_000 - i * 5_000),
  );
  expect(await counting.inRange(AIA_171, NOON, NOON + 5_000_000, 1000)).toHaveLength(1000);
  expect(await counting.countInRange(AIA_171, NOON, NOON + 5_000_000, 1000)).toBe(1000);
  expect(rowsRead).toHaveLength(7);
  expect(Math.max(...rowsRead)).toBeLessThan(12_000);
});

it('the image register continues after the ids of the database when their sequence has been lost', async () => {
  await env.IMAGES.prepare('UPDATE held_shards SET last_sequence = 700 WHERE shard = 10').run();
  const idAfter = (sequence: number) => sequence * 16 + 10;
  const added = [await register().add(makeImage(AIA_171, NOON)), await register().add(makeImage(AIA_171, NOON + 1))];
  expect(added.map(({ image }) => image.id)).toEqual([1, 2].map((n) => idAfter(700 + SEQUENCES.margin + n)));
  await loseEvenShards();
  expect((await register().add(makeImage(AIA_171, NOON + 2))).image.id).toBe(idAfter(700 + SEQUENCES.margin + 3));
});

/** Empties the database of the even shards; it takes them again, as `npm run deploy` does. */
async function loseEvenShards(): Promise<void> {
  await env.IMAGES.batch(['images', 'held_shards'].map((table) => env.IMAGES.prepare(`DELETE FROM ${table}`)));
  await env.IMAGES.prepare(claimStatement(EVEN_SHARDS)).run();
}

/** `count` images of an even source, one per second from noon, copied from one inside the database. */
async function fill(sourceId: number, count: number) {
  await register().add(makeImage(sourceId, NOON - 1_000));
  const { results } = await env.IMAGES.prepare("SELECT name FROM pragma_table_info('images')").all<{ name: string }>();
  const changed: Record<string, string> = {
    taken_at_ms: `${NOON} + number * 1000`,
    id: 'id + (number + 1) * 16',
    file_name: "source_id || '_' || number",
  };
  await env.IMAGES.prepare(`
    WITH RECURSIVE numbers(number) AS (SELECT 0 UNION ALL SELECT number + 1 FROM numbers WHERE number < ?1 - 1)
    INSERT INTO images SELECT ${results.map(({ name }) => changed[name] ?? name).join(', ')} FROM images, numbers
    WHERE source_id = ?2`)
    .bind(count, sourceId)
    .run();
}

/** The database, recording the number of rows that each query reads. */
function countingRows(database: D1Database, rowsRead: number[]): D1Database {
  const wrap = (statement: D1PreparedStatement): D1PreparedStatement =>
    new Proxy(statement, {
      get(target, name) {
        if (name === 'bind') return (...values: unknown[]) => wrap(target.bind(...values));
        if (name !== 'all' && name !== 'raw') return Reflect.get(target, name).bind(target);
        return async () => {
          const result = await target.all<Record<string, unknown>>();
          rowsRead.push(result.meta.rows_read);
          return name === 'all' ? result : result.results.map((row) => Object.values(row));
        };
      },
    });
  return { prepare: (query: string) => wrap(database.prepare(query)) } as D1Database;
}
