// The service behind Workers Cache, which has traps: no host in the key, GET for HEAD, lifetimes for responses without Cache-Control.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { operations } from '../../../src/faces/operations.ts';
import { ROUTES } from '../../../src/faces/routes.ts';
import { namingHost } from '../../../src/faces/services.ts';
import { isolateRateLimit } from '../../../src/platform/admission/rate-limit.ts';
import { noticeHeader } from '../../../src/platform/http/response.ts';
import { edgeKey } from '../../../src/worker/gateway.ts';
import { callOf, requestableArchive } from '../../support/good-requests.ts';
import { jpxArchive } from '../../support/jpx/jpx-archive.ts';
import { cachedArchive, HOSTS, testArchive } from '../../support/test-archive.ts';
import { behindCache } from '../../support/test-services.ts';

const wranglerToml = readFileSync(join(import.meta.dirname, '../../../wrangler.toml'), 'utf8');

const plainArchive = () => {
  const archive = testArchive();
  return { ...archive, ...cachedArchive(archive) };
};

/** Names near to that of a parameter. */
const NEAR_MISSES = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`difference${i}`, '1']));

it('the edge cache keeps one entry for a tile in every notation of its parameters', async () => {
  const { get, cache, fills, tiles } = plainArchive();
  for (const path of [
    '/v2/getTile/?id=26&x=0&y=-1&imageScale=2.5',
    '/v2/getTile?imageScale=2.500000&y=-1&x=0&id=26&_=17',
    '/v1/getTile/?id=+26&x=-0&y=-1&imageScale=25e-1',
    '//?y=-1&action=getTile&id=26&x=%2B0&imageScale=2.50',
  ]) {
    expect(await (await get(path)).text(), path).toBe('PNG 26 0 -1 2.5');
  }
  expect([[...cache.entries.keys()], fills.length, tiles.drawn]).toEqual([['/getTile?id=26&imageScale=2.5&x=0&y=-1'], 1, 1]);
});

it('the edge cache adds notices to a response that it has, at most three in 500 bytes', async () => {
  const { get } = plainArchive();
  const path = '/v2/getTile/?id=26&x=0&y=-1&imageScale=2.5';
  const noticed = async (query: string) => (await get(`${path}${query}`)).headers.get('X-Notice');
  expect(await noticed('')).toBeNull();
  expect(await noticed('&diference=1')).toBe('The parameter diference is unknown and ignored. Did you mean difference?');
  expect(await noticed('')).toBeNull();
  const many = (await noticed(`&${new URLSearchParams(NEAR_MISSES)}`))!;
  expect(many.match(/Did you mean difference\?/g)).toHaveLength(3);
  expect(noticeHeader(['a'.repeat(300), 'b'.repeat(300), 'c'])).toEqual({ 'X-Notice': `${'a'.repeat(300)} c` });
  const remarked = behindCache(async () => new Response('', { headers: { 'X-Notice': 'One is faint. Two are. So is three.' } }));
  const response = await remarked.request(new Request(`https://${HOSTS[0]}${path}&${new URLSearchParams(NEAR_MISSES)}`));
  expect(response.headers.get('X-Notice')).toBe('One is faint. Two are. So is three.');
  expect(noticeHeader(['Third.', 'Fourth.', 'Fifth.'], 'First. Second?')).toEqual({ 'X-Notice': 'First. Second? Third.' });
  const failed = await get('/v2/getTile/?id=999&x=0&y=0&imageScale=2.5&diference=1');
  expect([failed.status, failed.headers.get('X-Notice')]).toEqual([404, null]);
});

it('the edge cache keeps the news apart by form, because the web client reads another format', async () => {
  const { get } = plainArchive();
  expect(edgeKey(new Request('https://sun.test/?action=getNewsFeed'))).not.toBe(
    edgeKey(new Request('https://sun.test/v2/getNewsFeed/')),
  );
  expect(await (await get('/?action=getNewsFeed')).text()).toContain('<feed');
  expect(await (await get('/v2/getNewsFeed/')).text()).toContain('<rss');
});

it('the edge cache keeps an answer that names the host where all hosts have one public name', () => {
  const named = (publicOrigin: string | null) => {
    return namingHost('public, max-age=90', { services: { sharing: { settings: { publicOrigin } } } } as never);
  };
  expect([named('https://sun.test'), named(null)]).toEqual(['public, max-age=90', 'private, max-age=90']);
});

it('the edge cache leaves out HEAD requests and ranges of files of any size, for which it would read whole files', () => {
  const jpx = '/v2/getJPX/?startTime=2024-01-01T00:00:00Z&endTime=2024-01-01T00:05:00Z&sourceId=10';
  for (const path of [jpx, '/movies/AIA.jpx', '/v2/downloadMovie/?id=bcdfg&format=mp4', '/cache/movies/2024/01/01/bcdfg/a.mp4']) {
    const url = `https://sun.test${path}`;
    expect(edgeKey(new Request(url)), path).not.toBeNull();
    expect(edgeKey(new Request(url, { method: 'HEAD' })), path).toBeNull();
    expect(edgeKey(new Request(url, { headers: { Range: 'bytes=0-' } })), path).toBeNull();
  }
});

it('the edge cache takes a Range that is ignored for a request of the whole', async () => {
  const { get, fills } = plainArchive();
  for (const range of ['bytes=0-1,4-5', 'lines=1-2', 'bytes=9-1', 'bytes= x', `bytes=${' '.repeat(1000)}0-1`]) {
    const url = 'https://sun.test/v2/downloadMovie/?id=bcdfg&format=mp4';
    expect(edgeKey(new Request(url, { headers: { Range: range } })), range).not.toBeNull();
    expect((await get('/v2/getJP2Image/?id=26', { headers: { Range: range } })).status, range).toBe(200);
  }
  expect(fills).toHaveLength(1);
});

it('the edge cache looks a request up in a table in which no path of an operation is that of another route', () => {
  const paths = ['v1', 'v2'].flatMap((version) => [...operations.keys()].map((name) => `/${version}/${name}`));
  const kindsAt = (path: string) => ROUTES.filter((route) => !route.when && route.path.test(path)).map(({ kind }) => kind);
  expect(new Set(['/', '/v1', '/v2', ...paths].map((path) => kindsAt(path).join()))).toEqual(new Set(['operation']));
  expect([paths.length > 100, kindsAt('/health')]).toEqual([true, ['file']]);
});

it('the edge cache hands on the route and the parameters of a request that it does not take', async () => {
  const { get } = plainArchive();
  // Every look-up asks the row of JPIP.
  const lookUps = vi.spyOn(ROUTES.find(({ kind }) => kind === 'jpip')!.path, 'exec');
  const parses = vi.spyOn(operations.get('downloadImage')!, 'call');
  const seen = async (path: string, init?: RequestInit) => {
    for (const spy of [lookUps, parses]) spy.mockClear();
    return [(await get(path, init)).status, lookUps.mock.calls.length, parses.mock.calls.length];
  };
  expect(await seen('/robots.txt')).toEqual([200, 1, 0]);
  // Once on each side of the cache.
  expect(await seen('/v2/downloadImage/?id=26&width=64')).toEqual([200, 2, 2]);
  expect(await seen('/v2/downloadImage/?id=26&width=64')).toEqual([200, 1, 1]);
  expect(await seen('/v2/downloadImage/?id=none')).toEqual([400, 1, 1]);
});

it('the edge cache leaves out requests that change something, that it cannot keep, or that are invalid', async () => {
  const { good } = await requestableArchive();
  const uncached = Object.entries(good).filter(([name, parameters]) => {
    return edgeKey(new Request(`https://sun.test${callOf(name, parameters)}`)) === null;
  });
  const names = new Set(uncached.map(([name]) => name));
  for (const { name, hasSideEffects } of operations.values()) if (hasSideEffects) expect(names, name).toContain(name);
  const unstored = [...names].filter((name) => !operations.get(name)!.hasSideEffects).sort();
  expect(unstored.join(' ')).toBe(
    'checkVideoHostAuth checkYouTubeAuth enable3D estimateMovie getCutout getHoldings getLightCurve getMovieStatus ' +
      'getRandomSeed getSciDataScript getTimeDistance getUsageStatistics goto logNotificationStatistics playMovie ' +
      'postScreenshot takeScreenshot',
  );
  for (const path of ['/v2/', '/admin/images', '/internal/jobs', '/nowhere', '/v2/getTile/?id=x', '/v2/nothing/']) {
    expect(edgeKey(new Request(`https://sun.test${path}`)), path).toBeNull();
  }
  expect(edgeKey(new Request('https://sun.test/jp2/AIA/a.jp2?cid=1&fsiz=8,8'))).toBeNull();
  expect(edgeKey(new Request('https://sun.test/v2/getStatus/', { method: 'POST' }))).toBeNull();
});

it('the edge cache keeps no failures, which the next request may repeat with success', async () => {
  const { get, cache, fills } = plainArchive();
  for (const path of [
    '/v2/getJP2Header/?id=999',
    '/v2/getClosestImage/?date=2024-01-01T00:00:00Z&sourceId=99',
    '/jp2/AIA/none.jp2',
  ]) {
    expect((await get(path)).status, path).toBe(404);
  }
  expect([fills.length, cache.entries.size]).toEqual([3, 0]);
});

it('the edge cache passes on every look at the health of the service, which spares its stores a look each second', async () => {
  let nowMs = 0;
  const clock = () => nowMs;
  const archive = testArchive({ clock });
  const { get, fills, cache } = cachedArchive(archive, clock);
  const look = vi.spyOn(archive.index, 'withdrawn');
  for (; nowMs < 10_000; nowMs += 500) expect((await get('/health')).headers.get('Cf-Cache-Status')).toBe('BYPASS');
  expect([look.mock.calls.length, fills.length, cache.entries.size]).toEqual([2, 20, 0]);
  for (const path of ['/status', '/status.rss', '/metrics']) {
    expect(edgeKey(new Request(`https://sun.test${path}`)), path).toBeNull();
  }
});

it('the edge cache repeats no expired ingestion status while the service fails', async () => {
  expect((await plainArchive().get('/v2/getStatus/')).headers.get('Cache-Control')).toMatch(/, stale-if-error=0$/);
});

it('the edge cache keeps pictures for a year that clients ask about again after a day, and then see changed ones', async () => {
  const archive = testArchive();
  const before = cachedArchive(archive);
  const paths = ['/v2/getTile/?id=26&x=0&y=0&imageScale=2.4', '/v2/downloadImage/?id=26&width=64'];
  const etags = new Map<string, string>();
  for (const path of paths) {
    const response = await before.get(path);
    expect([response.status, response.headers.get('Cache-Control')], path).toEqual([200, 'public, max-age=86400']);
    etags.set(path, response.headers.get('ETag')!);
  }
  for (const { endsAtMs } of before.cache.entries.values()) expect(endsAtMs).toBe(31_536_000_000);
  // A deployment begins with an empty cache, and draws other pixels.
  archive.tiles.render = async () => new TextEncoder().encode('other');
  const after = cachedArchive(archive);
  const again = (path: string) => after.get(path, { headers: { 'If-None-Match': etags.get(path)! } });
  const tile = await again(paths[0]!);
  expect([tile.status, await tile.text()]).toEqual([200, 'other']);
  expect((await again(paths[1]!)).status).toBe(304);
});

it('the edge cache gives a picture that it has had for longer than clients keep it the whole day, and others their age', async () => {
  let nowMs = Date.UTC(2024, 0, 31, 12);
  const clock = () => nowMs;
  const { get, fills } = cachedArchive(testArchive({ clock }), clock);
  const ageOf = async (path: string) => (await get(path)).headers.get('Age');
  const [tile, status] = ['/v2/getTile/?id=26&x=0&y=0&imageScale=2.4', '/v2/getStatus/'];
  for (const path of [tile, status]) expect(await ageOf(path)).toBeNull();
  nowMs += 42_000;
  expect([await ageOf(tile), await ageOf(status)]).toEqual(['42', '42']);
  nowMs += 30 * 86_400_000;
  expect([await ageOf(tile), fills.length]).toEqual([null, 2]);
});

it('the edge cache keeps a JPX file, whose images are too many to tag, for five minutes', async () => {
  let nowMs = 0;
  const { get, cache, fills } = cachedArchive(await jpxArchive(2), () => nowMs);
  const file = '/v2/getJPX/?startTime=2024-05-10T12:00:00Z&endTime=2024-05-10T12:02:00Z&sourceId=10&linked=true';
  const { headers } = await get(file);
  expect([headers.get('Content-Type'), headers.get('Cloudflare-CDN-Cache-Control')]).toEqual(['image/jpx', null]);
  expect([...cache.entries.values()].map(({ endsAtMs }) => endsAtMs)).toEqual([300_000]);
  nowMs = 300_001;
  await get(file);
  expect(fills).toHaveLength(2);
});

it('a response from the edge cache carries a request id of its own, and neither tags nor the timing of the first request', async () => {
  const { get } = plainArchive();
  const responses = [await get('/v2/getJP2Header/?id=26'), await get('/v2/getJP2Header/?id=26')];
  const [first, second] = responses.map(({ headers }) => headers);
  expect(first!.get('X-Request-Id')).not.toBe(second!.get('X-Request-Id'));
  expect(second!.get('Server-Timing')).toBe('cache;desc="hit"');
  for (const headers of [first!, second!]) expect(headers.get('Cache-Tag')).toBeNull();
});

it('the rate limit in front of the edge cache refuses a client that asks for stored responses without an end, and no other', async () => {
  const limiter = isolateRateLimit({ name: 'all', quota: 3, seconds: 60 }, () => 0);
  const { get } = cachedArchive(testArchive(), undefined, limiter);
  const from = (address: string, path = '/v2/getTile/?id=26&x=0&y=-1&imageScale=2.5') =>
    get(path, { headers: { 'CF-Connecting-IP': address } });
  for (let i = 0; i < 3; i++) {
    const { status, headers } = await from('192.0.2.1');
    expect([status, headers.get('RateLimit-Policy'), headers.get('RateLimit')]).toEqual([
      200,
      '"all";q=3;w=60',
      `"all";r=${2 - i};t=60`,
    ]);
  }
  const refused = await from('192.0.2.1');
  expect([refused.status, refused.headers.get('Retry-After'), refused.headers.get('Cache-Control')]).toEqual([
    429,
    '60',
    'no-store',
  ]);
  expect(refused.headers.get('RateLimit')).toBe('"all";r=0;t=60');
  expect(refused.headers.get('Access-Control-Allow-Origin')).toBe('*');
  expect(await refused.json()).toMatchObject({ errno: 29, requestId: refused.headers.get('X-Request-Id') });
  expect((await from('192.0.2.1', '/?action=getTile&id=26&x=0&y=-1&imageScale=2.5')).status).toBe(500);
  expect((await from('192.0.2.2')).status).toBe(200);
  // What the cache does not have to answer is counted by the service.
  expect((await from('192.0.2.1', '/robots.txt')).status).toBe(200);
});

it('the rate limit in front of the edge cache counts preflights and refused headers as well, and a long body as several requests', async () => {
  const few = (name: string) => isolateRateLimit({ name, quota: 2, seconds: 60 }, () => 0);
  const [limiter, requestLimiter] = [few('all'), few('requests')];
  const { get } = cachedArchive(testArchive({ requestLimiter }), undefined, limiter);
  const statuses = async (path: string, init: RequestInit, address: string) => {
    const found: number[] = [];
    for (let i = 0; i < 3; i++) {
      const headers = { ...init.headers, 'CF-Connecting-IP': address };
      found.push((await get(path, { ...init, headers })).status);
    }
    return found;
  };
  const tooLong = { headers: { Accept: 'x'.repeat(16_385) } };
  const tile = '/v2/getTile/?id=26&x=0&y=-1&imageScale=2.5';
  expect(await statuses(tile, { method: 'OPTIONS' }, '192.0.2.1')).toEqual([200, 200, 429]);
  expect(await statuses(tile, tooLong, '192.0.2.2')).toEqual([400, 400, 429]);
  expect(await statuses('/health', tooLong, '192.0.2.3')).toEqual([400, 400, 429]);
  const ofBytes = (bytes: number) => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': String(bytes) };
    return { method: 'POST', headers, body: `a=${'x'.repeat(bytes - 2)}` };
  };
  expect(await statuses('/v2/getTile/', ofBytes(1 << 16), '192.0.2.4')).toEqual([400, 400, 429]);
  expect(await statuses('/v2/getTile/', ofBytes((1 << 16) + 1), '192.0.2.5')).toEqual([400, 429, 429]);
  const { 'Content-Length': _length, ...unknown } = ofBytes(10).headers;
  expect(await statuses('/v2/getTile/', { ...ofBytes(10), headers: unknown }, '192.0.2.6')).toEqual([429, 429, 429]);
});

it('a deployment begins with an empty cache', () => {
  expect(wranglerToml).toMatch(/^\[cache\]\nenabled = true\n(?!cross_version_cache)/m);
});

it('every response carries Cache-Control, because the cache keeps other responses for up to two hours', async () => {
  const archive = await requestableArchive({ assets: { fetch: async () => new Response('a page') } });
  const seen = new Set<number>();
  const check = async (path: string, init?: RequestInit) => {
    const { status, headers } = await archive.get(path, init);
    seen.add(status);
    expect(headers.get('Cache-Control'), `${init?.method ?? 'GET'} ${path}: ${status}`).toMatch(/max-age=|no-store|no-cache/);
  };
  for (const [name, parameters] of Object.entries(archive.good)) {
    const path = callOf(name, parameters);
    for (const form of [path, `/?action=${name}`, `/v2/${name}/?id=nothing&callback=f`]) {
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'OPTIONS']) await check(form, { method });
    }
    await check(path, { headers: { Range: 'bytes=0-1' } });
    await check(path, { headers: { Range: 'bytes=9999999-' } });
    await check(path, { headers: { 'If-None-Match': '*' } });
  }
  // No isolate knows it yet.
  archive.index.withdraw(74);
  for (const path of ['/', '/health', '/v2/openapi.json', '/load/abc', '/nowhere', '/cache/movies/x', '/cache/events/x'])
    await check(path);
  for (const path of ['/v2/getJP2Header/?id=74', '/jp2/AIA/2024/01/01/171/image_26.jp2', '/movies/x.jpx']) await check(path);
  archive.index.neighbours = () => Promise.reject(new Error('down'));
  await check('/v2/getClosestImage/?date=2024-01-01T00:00:05Z&sourceId=10');
  const limited = testArchive({ requestLimiter: { limit: async () => ({ success: false }) } });
  expect((await limited.get('/health')).headers.get('Cache-Control')).toBe('no-store');
  expect([...seen].sort()).toEqual(expect.arrayContaining([200, 206, 301, 304, 400, 404, 405, 410, 416, 500]));
});
