import { expect, test } from 'vitest';
import { testArchive } from '../../support/test-archive.ts';

test('the same tile asked for in many spellings is one entry at the edge and is drawn once', async () => {
  const { get, settle, edgeCache, tiles } = testArchive();
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

test('the nearest image has one entry for every spelling of time and source, and for every callback', async () => {
  const { get, settle, edgeCache } = testArchive();
  const answers = [];
  for (const url of [
    '/v2/getClosestImage/?date=2024-01-01T00:00:10Z&sourceId=10',
    '/v2/getClosestImage/?date=2024/01/01t00:00:10.000z&sourceId=10&switchSources=False',
    '/v1/getClosestImage/?date=2024-01-01T00:00:10.0Z&observatory=SDO&instrument=AIA&detector=AIA&measurement=171',
    '/v2/getClosestImage/?date=2024-01-01T00:00:10Z&sourceId=10&callback=f',
    '/v2/getClosestImage/?date=2024-01-01T00:00:10Z&sourceId=10&callback=g',
  ]) {
    answers.push(await (await get(url)).text());
    await settle();
  }
  expect(edgeCache.keys).toHaveLength(1);
  const [json] = answers;
  expect(answers).toEqual([json, json, json, `f(${json})`, `g(${json})`]);
});

test('observatories of the catalogue are one entry in any order and case, and none without verbose', async () => {
  const { get, settle, edgeCache } = testArchive();
  for (const query of ['verbose=1&enable=[Hinode,TRACE]', 'enable=trace,HINODE,Trace&verbose=true', '', 'enable=[TRACE]']) {
    expect((await get(`/v2/getDataSources/?${query}`)).status).toBe(200);
    await settle();
  }
  expect(edgeCache.keys).toEqual(['v2/getDataSources?enable=hinode%2Ctrace&verbose=true', 'v2/getDataSources?verbose=false']);
});

test('answers that differ have keys that differ', async () => {
  const { get, settle, edgeCache } = testArchive();
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

test('failures, parts and addresses that name the host are not kept', async () => {
  const { get, settle, edgeCache } = testArchive();
  await get('/v2/getClosestImage/?date=2024-01-01T00:00:10Z&sourceId=99');
  await get('/v2/getJP2Image/?id=26&jpip=true&json=true');
  await get('/v2/getJP2Image/?id=26', { headers: { Range: 'bytes=0-1' } });
  await settle();
  expect(edgeCache.keys).toEqual([]);
});

test('an answer from the edge says how old it is', async () => {
  let nowMs = Date.UTC(2024, 0, 31, 12);
  const { get, settle } = testArchive({ clock: () => nowMs });
  await get('/v2/getStatus/');
  await settle();
  nowMs += 42_500;
  const kept = await get('/v2/getStatus/');
  expect(kept.headers.get('Age')).toBe('42');
  expect(kept.headers.get('Cache-Control')).toBe('public, max-age=60, stale-while-revalidate=600');
  await settle();
  nowMs += 10_000;
  expect((await get('/v2/getStatus/')).headers.get('Age')).toBe('52');
});

test('an edge that cannot keep an answer does no harm, and the log says so', async () => {
  const edgeCache = { match: async () => null, put: () => Promise.reject(new Error('full')) };
  const { get, settle, logged } = testArchive({ edgeCache });
  expect((await get('/v2/getStatus/')).status).toBe(200);
  await settle();
  expect(logged).toEqual([expect.objectContaining({ afterAnswer: expect.stringContaining('full') })]);
});
