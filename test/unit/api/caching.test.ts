import { expect, test } from 'vitest';
import { testArchive } from '../../support/test-archive.ts';

const it = test.extend('archive', () => testArchive());

it('the edge cache has one entry for a tile in every notation of its parameters, and the tile is drawn once', async ({
  archive: { get, settle, edgeCache, tiles },
}) => {
  const spellings = [
    '/v2/getTile/?id=26&x=0&y=-1&imageScale=2.5',
    '/v2/getTile?imageScale=2.500000&y=-1&x=0&id=26&_=17',
    '/v1/getTile/?id=+26&x=-0&y=-1&imageScale=25e-1',
    '/?action=getTile&id=26&x=0&y=-1&imageScale=%202.5%20&difference=0&diffCount=60&diffTime=1&baseDiffTime=2024-01-01T00:00:00Z',
    '//?y=-1&action=getTile&id=26&x=%2B0&imageScale=2.50',
  ];
  for (const url of spellings) {
    expect(await (await get(url)).text(), url).toBe('PNG 26 0 -1 2.5');
    await settle();
  }
  const form = { method: 'POST', body: new URLSearchParams({ action: 'getTile', id: '26', x: '0', y: '-1', imageScale: '2.5' }) };
  expect(await (await get('/', form)).text()).toBe('PNG 26 0 -1 2.5');
  await settle();
  expect(edgeCache.keys).toEqual(['getTile?id=26&imageScale=2.5&x=0&y=-1']);
  expect(tiles.drawn).toBe(1);
});

it('the edge cache has one entry for the nearest image, for every notation of time and source and for every callback', async ({
  archive: { get, settle, edgeCache },
}) => {
  const responses = [];
  for (const url of [
    '/v2/getClosestImage/?date=2024-01-01T00:00:10Z&sourceId=10',
    '/v2/getClosestImage/?date=2024/01/01t00:00:10.000z&sourceId=10&switchSources=False',
    '/v1/getClosestImage/?date=2024-01-01T00:00:10.0Z&observatory=SDO&instrument=AIA&detector=AIA&measurement=171',
    '/v2/getClosestImage/?date=2024-01-01T00:00:10Z&sourceId=10&callback=f',
    '/v2/getClosestImage/?date=2024-01-01T00:00:10Z&sourceId=10&callback=g',
  ]) {
    responses.push(await (await get(url)).text());
    await settle();
  }
  expect(edgeCache.keys).toHaveLength(1);
  const [json] = responses;
  expect(responses).toEqual([json, json, json, `f(${json})`, `g(${json})`]);
});

it('the key of the catalogue normalises the observatories, and omits them without verbose', async ({
  archive: { get, settle, edgeCache },
}) => {
  for (const query of ['verbose=1&enable=[Hinode,TRACE]', 'enable=trace,HINODE,Trace&verbose=true', '', 'enable=[TRACE]']) {
    expect((await get(`/v2/getDataSources/?${query}`)).status).toBe(200);
    await settle();
  }
  expect(edgeCache.keys).toEqual(['v2/getDataSources?enable=hinode%2Ctrace&verbose=true', 'v2/getDataSources?verbose=false']);
});

it('different responses have different keys', async ({ archive: { get, settle, edgeCache } }) => {
  for (const url of [
    '/v2/getTile/?id=26&x=0&y=1&imageScale=1',
    '/v2/getTile/?id=26&x=1&y=0&imageScale=1',
    '/v2/getClosestImage/?date=2024-01-01T00:00:10Z&sourceId=10',
    '/v2/getClosestImage/?date=2024-01-01T00:00:10.5Z&sourceId=10',
    '/v2/getDataSources/',
    '/v1/getDataSources/',
    '/v2/getDataSources/?verbose=true',
    '/v2/getDataSources/?verbose=true&enable=[Hinode]',
  ]) {
    expect((await get(url)).status).toBe(200);
    await settle();
  }
  expect(edgeCache.keys).toHaveLength(8);
});

it('the edge cache stores no failures, partial responses or responses that contain the host', async ({
  archive: { get, settle, edgeCache },
}) => {
  await get('/v2/getClosestImage/?date=2024-01-01T00:00:10Z&sourceId=99');
  await get('/v2/getJP2Image/?id=26&jpip=true&json=true');
  await get('/v2/getJP2Image/?id=26', { headers: { Range: 'bytes=0-1' } });
  await settle();
  expect(edgeCache.keys).toEqual([]);
});

it('a response from the edge cache states its Age', async () => {
  let nowMs = Date.UTC(2024, 0, 31, 12);
  const { get, settle } = testArchive({ clock: () => nowMs });
  await get('/v2/getStatus/');
  await settle();
  nowMs += 42_500;
  const kept = await get('/v2/getStatus/');
  expect(kept.headers.get('Age')).toBe('42');
  expect(kept.headers.get('Cache-Control')).toBe('public, max-age=60, stale-while-revalidate=600, stale-if-error=0');
  await settle();
  nowMs += 10_000;
  expect((await get('/v2/getStatus/')).headers.get('Age')).toBe('52');
});

it('the edge cache stores the catalogue for its max-age only, because nothing refreshes a stale response there', async () => {
  const lifetimes: (string | null)[] = [];
  const put = async (_key: string, { headers }: Response) => void lifetimes.push(headers.get('Cache-Control'));
  const { get, settle } = testArchive({ edgeCache: { match: async () => null, put, purge: async () => {} } });
  await get('/v2/getDataSources/');
  await get('/v2/getStatus/');
  await settle();
  expect(lifetimes).toEqual(['public, max-age=60', 'public, max-age=60']);
});

it('a failure to store a response at the edge is logged and does not affect the response', async () => {
  const edgeCache = { match: async () => null, put: () => Promise.reject(new Error('full')), purge: async () => undefined };
  const { get, settle, logged } = testArchive({ edgeCache });
  expect((await get('/v2/getStatus/')).status).toBe(200);
  await settle();
  expect(logged).toEqual([expect.objectContaining({ afterResponse: expect.stringContaining('full') })]);
});
