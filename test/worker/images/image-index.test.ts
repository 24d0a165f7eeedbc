import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { D1ImageIndex } from '../../../src/archive/image-index/d1-image-index.ts';
import { SEQUENCES } from '../../../src/platform/limits/images.ts';
import { databasesFrom } from '../../../src/platform/storage/databases.ts';
import { claimStatement, SHARDS } from '../../../src/platform/storage/shards.ts';
import { makeImage } from '../../support/imaging/images.ts';
import { index, register } from '../service.ts';

const AIA_171 = 10;
const EVEN_SHARDS = SHARDS.filter((shard) => shard % 2 === 0);
const NOON = Date.UTC(2021, 5, 1, 12);

async function archive(sourceId: number, ...times: number[]) {
  for (const time of times) await register().add(makeImage(sourceId, time));
}

it('the image index returns an image exactly as it was added', async () => {
  const image = makeImage(AIA_171, NOON);
  const added = await register().add(image);
  expect(added).toEqual({ outcome: 'added', image: { id: 1 * 16 + 10, ...image } });
  expect(await index().byId(26)).toEqual({ id: 26, ...image });
  expect(await index().byFileName(image.fileName)).toEqual({ id: 26, ...image });
});

it('the image index keeps the header strings of an XRT image', async () => {
  const params = { XCEN: '1.5', YCEN: '-2', CDELT1: '1.03', CDELT2: '1.03' };
  const plain = makeImage(42, NOON);
  const image = { ...plain, geometry: { ...plain.geometry, sunCenterOffsetParams: params } };
  await register().add(image);
  expect((await index().neighbours(42, NOON)).after?.geometry.sunCenterOffsetParams).toEqual(params);
});

it('the image index finds the last image before an instant and the first at or after it', async () => {
  await archive(AIA_171, NOON - 2, NOON - 1, NOON, NOON + 1);
  await archive(11, NOON - 1, NOON);
  const at = async (ms: number) => {
    const { before, after } = await index().neighbours(AIA_171, ms);
    return [before?.takenAtMs ?? null, after?.takenAtMs ?? null];
  };
  expect(await at(NOON)).toEqual([NOON - 1, NOON]);
  expect(await at(NOON - 0.5)).toEqual([NOON - 1, NOON]);
  expect(await at(NOON - 9)).toEqual([null, NOON - 2]);
  expect(await at(NOON + 9)).toEqual([NOON + 1, null]);
});

it('the image index excludes the requested time from the adjacent times', async () => {
  await archive(AIA_171, NOON - 5, NOON, NOON + 7);
  expect(await index().adjacentTimes(AIA_171, NOON)).toEqual({ beforeMs: NOON - 5, afterMs: NOON + 7 });
  expect(await index().adjacentTimes(AIA_171, NOON + 7)).toEqual({ beforeMs: NOON, afterMs: null });
});

it('the image index finds the first and the last image of a range, of a source and of a group', async () => {
  await archive(38, NOON - 50, NOON + 60);
  await archive(42, NOON - 40, NOON + 90);
  const ends = async (sourceId: number, from: number, to: number) => {
    const { first, last } = await index().ends(sourceId, NOON + from, NOON + to);
    return [first, last].map((image) => image && [image.sourceId, image.takenAtMs - NOON]);
  };
  expect(await ends(38, -50, 60)).toEqual([
    [38, -50],
    [38, 60],
  ]);
  expect(await ends(38, -49, 59)).toEqual([
    [38, 60],
    [38, -50],
  ]);
  expect(await ends(38, 61, 99)).toEqual([null, [38, 60]]);
  expect(await ends(10_001, -45, 100)).toEqual([
    [42, -40],
    [42, 90],
  ]);
  expect(await ends(AIA_171, -50, 60)).toEqual([null, null]);
});

it('the image index lists the images of a range in order and counts them, up to a limit', async () => {
  await archive(38, NOON, NOON + 2, NOON + 4);
  await archive(42, NOON + 1, NOON + 3, NOON + 5);
  await archive(11, NOON + 2);
  const times = async (sourceId: number, from: number, to: number, limit: number) => {
    const found = await index().inRange(sourceId, NOON + from, NOON + to, limit);
    expect(await index().countInRange(sourceId, NOON + from, NOON + to, limit)).toBe(found.length);
    return found.map((image) => image.takenAtMs - NOON);
  };
  expect(await times(38, 0, 4, 10)).toEqual([0, 2, 4]);
  expect(await times(38, 1, 3, 10)).toEqual([2]);
  expect(await times(38, 0, 4, 2)).toEqual([0, 2]);
  expect(await times(10_001, 1, 4, 10)).toEqual([1, 2, 3, 4]);
  expect(await times(10_001, 1, 9, 3)).toEqual([1, 2, 3]);
  expect(await times(13, 0, 9, 3)).toEqual([]);
});

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

it('the image register adds an image once', async () => {
  const image = makeImage(AIA_171, NOON);
  const first = await register().add(image);
  expect(await register().add(image)).toEqual({ outcome: 'known', image: first.image });
  expect(await index().byId(42)).toBeNull();
});

it('the image register numbers the images of a shard in rising order, and skips the numbers of known and rejected ones', async () => {
  await register().add(makeImage(AIA_171, NOON));
  await register().add(makeImage(AIA_171, NOON));
  await register().add(makeImage(AIA_171, NOON, { fileName: 'other.jp2' }));
  const second = await register().add(makeImage(26, NOON));
  const otherShard = await register().add(makeImage(11, NOON));
  expect([second.image.id, otherShard.image.id]).toEqual([4 * 16 + 10, 1 * 16 + 11]);
});

it('the image register never assigns an id twice, even when the database has been lost', async () => {
  const first = await register().add(makeImage(AIA_171, NOON));
  await loseEvenShards();
  const second = await register().add(makeImage(AIA_171, NOON + 1));
  expect([first.image.id, second.image.id]).toEqual([26, 42]);
});

it('the image register continues after the ids of the database when their sequence has been lost', async () => {
  await env.IMAGES.prepare('UPDATE held_shards SET last_sequence = 700 WHERE shard = 10').run();
  const idAfter = (sequence: number) => sequence * 16 + 10;
  const added = [await register().add(makeImage(AIA_171, NOON)), await register().add(makeImage(AIA_171, NOON + 1))];
  expect(added.map(({ image }) => image.id)).toEqual([1, 2].map((n) => idAfter(700 + SEQUENCES.margin + n)));
  await loseEvenShards();
  expect((await register().add(makeImage(AIA_171, NOON + 2))).image.id).toBe(idAfter(700 + SEQUENCES.margin + 3));
});

it('the databases of the shards share one database, or have a binding for each of the sixteen', () => {
  const [main, first, second] = ['main', 'first', 'second'].map((origin) => ({ prepare: () => ({ origin }) }));
  const bound = { DB: main, OPERATIONS: main, FIRST: first, SECOND: second };
  const originOf = (database: D1Database) => Reflect.get(database.prepare(''), 'origin');
  const names = Array.from({ length: 16 }, (_, shard) => (shard % 2 === 0 ? 'FIRST' : 'SECOND'));
  const spread = databasesFrom({ ...bound, SHARD_DATABASES: names.join(',') });
  expect([spread.ofShard(0), spread.ofShard(15), spread.main].map(originOf)).toEqual(['first', 'second', 'main']);
  expect(spread.images).toHaveLength(2);
  expect(databasesFrom({ ...bound, SHARD_DATABASES: 'FIRST' }).images).toHaveLength(1);
});

it('the databases of the shards must be bound under the names in SHARD_DATABASES', () => {
  const read = (SHARD_DATABASES: string) => () => databasesFrom({ DB: {}, OPERATIONS: {}, SHARD_DATABASES });
  const expected = 'Expected 1 or 16 binding names separated by commas for SHARD_DATABASES, got';
  expect(read('DB,DB_2')).toThrow(`${expected} DB,DB_2.`);
  expect(read('')).toThrow(`${expected} nothing.`);
  expect(read('OTHER')).toThrow('No D1 database is bound as OTHER.');
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
