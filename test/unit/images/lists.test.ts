// listImages and getHoldings over the image index in SQLite, with images at times of microseconds and names of their own.
import { expect, it, vi } from 'vitest';
import type { ImageIndex } from '../../../src/archive/image-index/d1-image-index.ts';
import { D1ImageIndex } from '../../../src/archive/image-index/d1-image-index.ts';
import { D1ImageRegister } from '../../../src/archive/image-index/d1-image-register.ts';
import { holdingsPages, listedPages, listedTimes } from '../../../src/archive/image-list.ts';
import { archivePath } from '../../../src/archive/keys.ts';
import { LISTS } from '../../../src/platform/limits/images.ts';
import type { ArchivedImage } from '../../../src/sun/image.ts';
import { formatExact, parseRequestDate } from '../../../src/sun/time.ts';
import { makeImage } from '../../support/imaging/images.ts';
import { runPython } from '../../support/measurement/python.ts';
import { archivedImage, IMAGES } from '../../support/memory/archived-images.ts';
import { beforeNext } from '../../support/memory/before-next.ts';
import { MemoryIdSequences } from '../../support/memory/id-sequences.ts';
import { indexOfEach, MemoryImageIndex } from '../../support/memory/image-index.ts';
import { databasesIn, migrated } from '../../support/memory/sqlite-d1.ts';
import { hasModules } from '../../support/programs.ts';
import { answered, testArchive } from '../../support/test-archive.ts';

const NOON = Date.UTC(2024, 4, 10, 12);
const NAME_193 = '2024_05_10__12_00_00_000__SDO_AIA_AIA_193.jp2';
const ALL = listedTimes({});

/** All records of JSON lines, and the end. */
async function lines(response: Response) {
  const all = (await response.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { records: all.slice(0, -1), end: all.at(-1)! };
}

async function sqliteIndex(images: readonly Omit<ArchivedImage, 'id'>[]) {
  const databases = databasesIn(migrated());
  const register = new D1ImageRegister({ databases, ids: new MemoryIdSequences() });
  const added = await Array.fromAsync(images, async (image) => (await register.add(image)).image);
  return { index: new D1ImageIndex(databases), added };
}

async function collected<Item, End>(pages: AsyncGenerator<readonly Item[], End>): Promise<{ items: Item[]; end: End }> {
  const items: Item[] = [];
  for (;;) {
    const page = await pages.next();
    if (page.done) return { items, end: page.value };
    items.push(...page.value);
  }
}

/** A limiter of `units` for each key. */
function limited(units: number) {
  const spent = new Map<string, number>();
  const pictureLimiter = {
    limit: async ({ key }: { key: string }) => {
      spent.set(key, (spent.get(key) ?? 0) + 1);
      return { success: spent.get(key)! <= units };
    },
  };
  return { spent, pictureLimiter };
}

it('a list that breaks off after its status is logged as a fault of the service', async () => {
  const index = new MemoryImageIndex(IMAGES);
  index.listed = () => Promise.reject(new Error('The index is away.'));
  const { app, logged } = testArchive({ index });
  const response = await app.direct('http://sun.test/v2/listImages/?sourceId=10');
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow();
  const requestId = response.headers.get('X-Request-Id');
  expect(logged).toMatchObject([{ requestId, failure: 'internal', cause: expect.stringContaining('The index is away.') }]);
});

it('the cost of long lists follows the limit of listImages, and is nothing for short lists', async () => {
  const { spent, pictureLimiter } = limited(5);
  const { get } = testArchive({ pictureLimiter });
  const list = async (more: string) => (await get(`/v2/listImages/?sourceId=10${more}`)).status;
  expect([await list(''), await list('&limit=24999'), spent.size]).toEqual([200, 200, 0]);
  expect([await list(`&limit=${LISTS.maxImages}`), spent.get('lists local')]).toEqual([200, LISTS.maxImages / LISTS.unitRecords]);
  const refused = await get(`/v2/listImages/?sourceId=10&limit=${LISTS.maxImages}&format=csv`);
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '60']);
  expect(await list('&limit=10')).toBe(200);
});

it('the cost of long lists follows the number of files of getHoldings, which completes a list that has begun', async () => {
  const { spent, pictureLimiter } = limited(2);
  const page = Array.from({ length: 1000 }, (_, i) => ({ ...IMAGES[0]!, dsunMetres: 1.5e11, sourceId: 10, takenAtMs: NOON + i }));
  const index = new MemoryImageIndex(IMAGES);
  let pages = 0;
  index.listed = async () => (++pages <= 60 ? [...page, page[0]!] : []);
  const { get } = testArchive({ index, pictureLimiter });
  const { records, end } = await lines(await get('/v2/getHoldings/?sources=10'));
  expect([records.length, end.next]).toEqual([60_000, null]);
  expect(spent.get('lists local')).toBe(1 + Math.floor(60_000 / LISTS.unitRecords));
  expect((await get('/v2/getHoldings/?sources=10')).status).toBe(429);
  expect(spent.has('local')).toBe(false);
});

it('listImages lists the images of a range with the addresses of their files, which exist', async () => {
  const { get } = testArchive();
  const response = await get('/v2/listImages/?sourceId=10&startTime=2024-01-01T00:01:00Z&endTime=2024-01-01T00:02:00Z');
  const { images, next } = (await response.json()) as { images: Record<string, string>[]; next: null };
  expect(next).toBeNull();
  expect(await (await get('/v2/listImages/?sourceId=10&limit=3')).json()).toMatchObject({ next: '2024-01-01T00:02:00.500Z' });
  expect(images.map(({ id, date, name, size }) => [id, date, name, size])).toEqual([
    [42, '2024-01-01T00:01:00.000Z', 'image_42.jp2', 1000],
    [58, '2024-01-01T00:02:00.500Z', 'image_58.jp2', 1000],
  ]);
  expect(images[0]!.sha256).toBe(IMAGES.find(({ id }) => id === 42)!.sha256);
  for (const address of [images[0]!.jp2, images[0]!.header])
    expect((await get(new URL(address!).pathname + new URL(address!).search)).status).toBe(200);
  expect(images[0]!.preview).toMatch(/\/v2\/downloadImage\/\?id=42&width=256&type=jpg$/);
});

it('listImages writes CSV with a line of names, and quotes fields that need it', async () => {
  const index = new MemoryImageIndex([archivedImage(26, 10, '2024-01-01T00:00:00Z', { fileName: 'a,"b".jp2' })]);
  const { get } = testArchive({ index });
  const response = await get('/v2/listImages/?sourceId=10&format=csv');
  expect(response.headers.get('Content-Type')).toBe('text/csv; charset=utf-8');
  expect(response.headers.get('Content-Disposition')).toBe('attachment; filename="AIA_171.csv"');
  const ofDay = await get('/v2/listImages/?sourceId=10&format=jsonl&startTime=2024-01-01&endTime=2024-01-02');
  expect(ofDay.headers.get('Content-Disposition')).toBe('attachment; filename="AIA_171_20240101_000000_20240102_000000.jsonl"');
  expect((await get('/v2/listImages/?sourceId=10')).headers.has('Content-Disposition')).toBe(false);
  const [names, row] = (await response.text()).split('\r\n');
  expect(names).toBe('id,date,name,size,sha256,jp2,header,preview');
  expect(row).toMatch(/^26,2024-01-01T00:00:00\.000Z,"a,""b""\.jp2",1000,[0-9a-f]{64},"http:/);
});

it('listImages writes a VOTable without warnings of astropy, which names the date where the next one begins', async (context) => {
  const { get } = testArchive();
  const response = await get('/v2/listImages/?sourceId=10&limit=2&format=votable');
  expect(response.headers.get('Content-Disposition')).toBe('attachment; filename="AIA_171.vot"');
  expect(response.headers.get('Content-Type')).toBe('application/x-votable+xml; charset=utf-8');
  const text = await response.text();
  const { images, next } = (await (await get('/v2/listImages/?sourceId=10&limit=2')).json()) as {
    images: Record<string, unknown>[];
    next: string;
  };
  expect(text).toContain(`<INFO name="next" value="${next}"/>`);
  if (!hasModules('astropy.io.votable')) return context.skip('without python3-astropy');
  expect(JSON.parse(runPython('read_votable.py', text))).toEqual({
    warnings: [],
    columns: [
      ['id', 'long', null],
      ['date', 'char', 'timestamp'],
      ['name', 'char', null],
      ['size', 'long', null],
      ['sha256', 'char', null],
      ...['jp2', 'header', 'preview'].map((name) => [name, 'char', null]),
    ],
    rows: images.map((image) => Object.values(image).map(String)),
    next: [next],
  });
});

it('listImages ends the transfer before its end when the index fails between two pages', async () => {
  const index = indexOfEach(1000, 1500);
  beforeNext(index, 'listed', () => vi.spyOn(index, 'listed').mockRejectedValueOnce(new Error('D1 is away')));
  const { get } = testArchive({ index });
  const response = await get('/v2/listImages/?sourceId=10&limit=2000&format=jsonl');
  expect(response.status).toBe(200);
  await expect(response.text()).rejects.toThrow();
});

it('the pages of a list take one search of the index for each thousand images', async () => {
  const index = indexOfEach(1000, 2 * LISTS.pageImages);
  expect((await collected(listedPages(index, 10, ALL, 5000))).items).toHaveLength(2 * LISTS.pageImages);
  expect(index.searches).toBe(2);
});

it('the pages of a list contain each image of the index once, also at times with microseconds, whatever the size of a page', async () => {
  const times = [0, 0.001, 0.002, 0.5, 1, 1000.123, 1000.124, 86_400_000].map((ms) => NOON + ms);
  const { index, added } = await sqliteIndex([
    ...times.map((time, i) => makeImage(10, time, { fileName: `a${i}.jp2`, sha256: i.toString(16).padStart(64, 'a') })),
    makeImage(11, NOON, { fileName: NAME_193, key: `jp2/AIA/2024/05/10/193/${NAME_193}` }),
  ]);
  for (const limit of [1, 2, 3, 100]) {
    const found = [];
    let after: number | undefined;
    for (let i = 0; i < 20; i += 1) {
      const { items, end } = await collected(listedPages(index, 10, listedTimes({ afterMs: after }), limit));
      found.push(...items);
      if (!end) break;
      after = parseRequestDate(formatExact(end.takenAtMs))!;
    }
    expect(
      found.map(({ fileName }) => fileName),
      `limit ${limit}`,
    ).toEqual(times.map((_, i) => `a${i}.jp2`));
  }
  const { items } = await collected(holdingsPages(index, { sourceIds: [10, 11], times: ALL, after: null }, 100));
  expect(items).toEqual(added.map(({ geometry: { dsunMetres }, ...listed }) => ({ ...listed, dsunMetres })));
  expect(archivePath(items.at(-1)!.key)).toBe(`AIA/2024/05/10/193/${NAME_193}`);
});

it('getHoldings lists the files of all sources, with an end that says how many there were', async () => {
  const { get } = testArchive();
  const { records, end } = await lines(await get('/v2/getHoldings/'));
  expect(records.map(({ sourceId, name }) => [sourceId, name])).toEqual([
    [0, 'image_16.jp2'],
    [4, 'image_20.jp2'],
    [10, 'image_26.jp2'],
    [10, 'image_42.jp2'],
    [10, 'image_58.jp2'],
    [10, 'image_74.jp2'],
    [38, 'image_22.jp2'],
  ]);
  expect(end).toEqual({ next: null, count: 7, bytes: 7000 });
  expect(Object.keys(records[0]!)).toEqual(['sourceId', 'date', 'name', 'size', 'sha256']);
});

it('getHoldings lists chosen sources and times, and goes on after a place', async () => {
  const { get } = testArchive();
  const names = async (query: string) => (await lines(await get(`/v2/getHoldings/?${query}`))).records.map(({ name }) => name);
  expect(await names('sources=[4,10]&startTime=2024-01-01T00:02:00Z&endTime=2024-01-02T00:00:00Z')).toEqual([
    'image_20.jp2',
    'image_58.jp2',
  ]);
  expect(await names('after=10,2024-01-01T00:01:00.000Z')).toEqual(['image_58.jp2', 'image_74.jp2', 'image_22.jp2']);
  expect(await names('after=10,2024-01-31T11:00:00Z')).toEqual(['image_22.jp2']);
  expect(await names('sources=99')).toEqual([]);
  for (const after of ['10', 'ten,2024-01-01T00:00:00Z', '10,2024-13-01T00:00:00Z']) {
    expect(await answered(get(`/v2/getHoldings/?after=${after}`)), after).toMatchObject([400, { parameter: 'after' }]);
  }
});

it('a list knows datasources by the ids of the public service, and refuses groups, which have no files', async () => {
  const { get } = testArchive({ index: new MemoryImageIndex([archivedImage(24, 88, '2024-01-01T00:00:00Z')]) });
  expect((await lines(await get('/v2/getHoldings/?sources=2000'))).records).toMatchObject([{ sourceId: 88 }]);
  expect(await answered(get('/v2/getHoldings/?sources=10001'))).toMatchObject([400, { parameter: 'sources' }]);
  expect(await answered(get('/v2/listImages/?sourceId=10001'))).toMatchObject([400, { parameter: 'sourceId' }]);
});

it('getHoldings names the last file where a list has more files than a response', async () => {
  const index: Pick<ImageIndex, 'listed'> = new MemoryImageIndex(IMAGES);
  const { items, end } = await collected(holdingsPages(index, { sourceIds: [0, 4, 10], times: ALL, after: null }, 3));
  expect(items.map(({ id }) => id)).toEqual([16, 20, 26]);
  expect(end).toMatchObject({ sourceId: 10, takenAtMs: Date.UTC(2024, 0, 1) });
  const whole = await collected(holdingsPages(index, { sourceIds: [0, 4], times: ALL, after: null }, 2));
  expect(whole.end).toBeNull();
  const between = await collected(holdingsPages(index, { sourceIds: [0, 4, 10], times: ALL, after: null }, 2));
  expect(between.end).toMatchObject({ sourceId: 4 });
});
