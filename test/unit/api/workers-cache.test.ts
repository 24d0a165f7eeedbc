// The service behind Workers Cache, which has traps: no host in the key, GET for HEAD, lifetimes for responses without Cache-Control.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { respond } from '../../../src/gateway.ts';
import { edgeKey } from '../../../src/routes/edge-key.ts';
import { operations } from '../../../src/routes/operations.ts';
import { namingHost } from '../../../src/routes/services.ts';
import { requestableArchive } from '../../support/good-requests.ts';
import { MemoryWorkersCache } from '../../support/memory/workers-cache.ts';
import { testArchive } from '../../support/test-archive.ts';

const HOSTS = ['sun.test', 'helioedge.workers.test'] as const;

/** The archive behind the cache, without the local stand-in. */
function cachedArchive({ app, ...archive }: Pick<ReturnType<typeof testArchive>, 'app' | 'settle'>, now?: () => number) {
  const service = async (request: Request) => app.request(request);
  const cache = new MemoryWorkersCache(service, now);
  const get = (path: string, init?: RequestInit, host: string = HOSTS[0]) =>
    respond(new Request(`https://${host}${path}`, init), { cached: cache.fetch, direct: service });
  return { ...archive, get, cache };
}

const plainArchive = () => {
  const archive = testArchive({ edgeCache: undefined });
  return { ...archive, ...cachedArchive(archive) };
};

const pathOf = (name: string, parameters: Readonly<Record<string, string>>) => `/v2/${name}/?${new URLSearchParams(parameters)}`;

describe('the edge cache', () => {
  it('has one entry for a tile in every notation of its parameters', async () => {
    const { get, cache, tiles } = plainArchive();
    for (const path of [
      '/v2/getTile/?id=26&x=0&y=-1&imageScale=2.5',
      '/v2/getTile?imageScale=2.500000&y=-1&x=0&id=26&_=17',
      '/v1/getTile/?id=+26&x=-0&y=-1&imageScale=25e-1',
      '//?y=-1&action=getTile&id=26&x=%2B0&imageScale=2.50',
    ]) {
      expect(await (await get(path)).text(), path).toBe('PNG 26 0 -1 2.5');
    }
    expect([[...cache.entries.keys()], cache.fills.length, tiles.drawn]).toEqual([
      ['/getTile?id=26&imageScale=2.5&x=0&y=-1'],
      1,
      1,
    ]);
  });

  it('has one entry for a file or a list in every order of its parameters', async () => {
    const { get, cache } = plainArchive();
    for (const query of ['id=26&jpip=false', 'jpip=false&id=26', 'jpip=&id=1&id=26&jpip=false&_=1']) {
      expect((await get(`/v2/getJP2Image/?${query}`)).status).toBe(200);
    }
    expect(cache.fills).toHaveLength(1);
  });

  it('keeps scripts by callback', async () => {
    const { get } = plainArchive();
    const texts = await Promise.all(
      ['f', 'g', 'f'].map(async (callback) => (await get(`/v2/getDataSources/?callback=${callback}`)).text()),
    );
    expect(texts.map((text) => text.slice(0, 2))).toEqual(['f(', 'g(', 'f(']);
  });

  it('keeps the news apart by form, because the web client reads another format', async () => {
    const { get } = plainArchive();
    expect(edgeKey(new Request('https://sun.test/?action=getNewsFeed'))).not.toBe(
      edgeKey(new Request('https://sun.test/v2/getNewsFeed/')),
    );
    expect(await (await get('/?action=getNewsFeed')).text()).toContain('<feed');
    expect(await (await get('/v2/getNewsFeed/')).text()).toContain('<rss');
  });

  it('has no answer of one host that names it for another host', async () => {
    const archive = await requestableArchive({ edgeCache: undefined });
    const { get } = cachedArchive(archive);
    const named: string[] = [];
    for (const [name, parameters] of Object.entries(archive.good)) {
      if (operations.get(name)!.hasSideEffects) continue;
      const [first, second] = [
        await get(pathOf(name, parameters), undefined, HOSTS[0]),
        await get(pathOf(name, parameters), undefined, HOSTS[1]),
      ];
      const texts = [
        (await first.text()) + JSON.stringify([...first.headers]),
        (await second.text()) + JSON.stringify([...second.headers]),
      ];
      if (texts[0]!.includes(HOSTS[0])) named.push(name);
      expect(texts[1], name).not.toContain(HOSTS[0]);
    }
    // Otherwise the comparison would show nothing.
    expect(named).toEqual(expect.arrayContaining(['getMovieStatus', 'getNewsFeed']));
  });

  it('never gives the OpenAPI document of one host to clients of another', async () => {
    const { get, cache } = plainArchive();
    for (const host of [...HOSTS, HOSTS[0]]) {
      const { servers } = (await (await get('/v2/openapi.json', undefined, host)).json()) as { servers: { url: string }[] };
      expect(servers.map(({ url }) => new URL(url).host)).toEqual([host]);
    }
    expect(cache.entries.size).toBe(0);
  });

  it('may keep an answer that names the host where all hosts have one public name', () => {
    const named = (publicOrigin: string | null) => {
      return namingHost('public, max-age=90', { services: { sharing: { settings: { publicOrigin } } } });
    };
    expect([named('https://sun.test'), named(null)]).toEqual(['public, max-age=90', 'private, max-age=90']);
  });

  it('fetches a whole response for HEAD and for a range, of which it gives the part', async () => {
    const { get, cache, jp2Bytes } = plainArchive();
    const head = await get('/v2/getJP2Image/?id=26', { method: 'HEAD' });
    expect([head.status, await head.text(), cache.fills.map(({ method }) => method)]).toEqual([200, '', ['GET']]);
    const part = await get('/v2/getJP2Image/?id=26', { headers: { Range: 'bytes=10-19' } });
    expect([part.status, new Uint8Array(await part.arrayBuffer())]).toEqual([206, jp2Bytes(26).slice(10, 20)]);
    expect(new Uint8Array(await (await get('/v2/getJP2Image/?id=26')).arrayBuffer())).toEqual(jp2Bytes(26));
    expect(cache.fills).toHaveLength(1);
  });

  it('is not passed by HEAD and ranges of files of any size, for which it would read all of them', () => {
    const jpx = '/v2/getJPX/?startTime=2024-01-01T00:00:00Z&endTime=2024-01-01T00:05:00Z&sourceId=10';
    for (const path of [
      jpx,
      '/movies/AIA.jpx',
      '/v2/downloadMovie/?id=bcdfg&format=mp4',
      '/cache/movies/2024/01/01/bcdfg/a.mp4',
    ]) {
      const url = `https://sun.test${path}`;
      expect(edgeKey(new Request(url)), path).not.toBeNull();
      expect(edgeKey(new Request(url, { method: 'HEAD' })), path).toBeNull();
      expect(edgeKey(new Request(url, { headers: { Range: 'bytes=0-' } })), path).toBeNull();
    }
  });

  it('is not passed by requests that change something, that it cannot keep, or that are invalid', async () => {
    const { good } = await requestableArchive();
    const uncached = Object.entries(good).filter(([name, parameters]) => {
      return edgeKey(new Request(`https://sun.test${pathOf(name, parameters)}`)) === null;
    });
    const names = new Set(uncached.map(([name]) => name));
    for (const { name, hasSideEffects } of operations.values()) if (hasSideEffects) expect(names, name).toContain(name);
    expect([...names].filter((name) => !operations.get(name)!.hasSideEffects).sort()).toEqual([
      'checkVideoHostAuth',
      'checkYouTubeAuth',
      'enable3D',
      'estimateMovie',
      'getHoldings',
      'getMovieStatus',
      'getRandomSeed',
      'getSciDataScript',
      'getUsageStatistics',
      'goto',
      'logNotificationStatistics',
      'playMovie',
    ]);
    for (const path of ['/', '/v2/', '/admin/images', '/internal/jobs', '/nowhere', '/v2/getTile/?id=x', '/v2/nothing/']) {
      expect(edgeKey(new Request(`https://sun.test${path}`)), path).toBeNull();
    }
    expect(edgeKey(new Request('https://sun.test/jp2/AIA/a.jp2?cid=1&fsiz=8,8'))).toBeNull();
    expect(edgeKey(new Request('https://sun.test/v2/getStatus/', { method: 'POST' }))).toBeNull();
  });

  it('keeps no failures, which the next request may repeat with success', async () => {
    const { get, cache } = plainArchive();
    for (const path of [
      '/v2/getJP2Header/?id=999',
      '/v2/getClosestImage/?date=2024-01-01T00:00:00Z&sourceId=99',
      '/jp2/AIA/none.jp2',
    ]) {
      expect((await get(path)).status, path).toBe(404);
    }
    expect([cache.fills.length, cache.entries.size]).toEqual([3, 0]);
  });

  it('spares the archive a health check each second', async () => {
    let nowMs = 0;
    const { get, cache } = cachedArchive(testArchive({ edgeCache: undefined }), () => nowMs);
    for (; nowMs < 10_000; nowMs += 500) expect((await get('/health')).status).toBe(200);
    expect(cache.fills).toHaveLength(2);
  });

  it('loses every response with a withdrawn image by its tag', async () => {
    const { get, cache, index, settle } = plainArchive();
    const paths = [
      '/v2/getTile/?id=26&x=0&y=0&imageScale=2.4',
      '/v2/getJP2Image/?id=26',
      '/v2/getJP2Header/?id=26',
      '/v2/downloadImage/?id=26&width=64',
      '/jp2/AIA/2024/01/01/171/image_26.jp2',
      '/v2/getTile/?id=42&x=0&y=0&imageScale=2.4&difference=1&diffCount=1&diffTime=1',
    ];
    await get('/v2/takeScreenshot/?date=2024-01-01T00:00:00Z&imageScale=9.6&layers=[10,1,100]&x0=0&y0=0&width=9&height=9');
    await settle();
    paths.push('/v2/downloadScreenshot/?id=1');
    for (const path of paths) expect((await get(path)).status, path).toBe(200);
    index.withdraw(26);
    for (const path of paths) expect((await get(path)).headers.get('Cf-Cache-Status'), path).toBe('HIT');
    await cache.purge(['image-26']);
    for (const path of paths.filter((path) => !path.includes('id=42'))) expect((await get(path)).status, path).toBe(410);
  });

  it('keeps a JPX file, whose images are too many to tag, for five minutes', async () => {
    let nowMs = 0;
    const archive = testArchive({ edgeCache: undefined });
    const { get, cache } = cachedArchive(archive, () => nowMs);
    const file = '/v2/getJPX/?startTime=2024-01-01T00:00:00Z&endTime=2024-01-01T00:02:00Z&sourceId=10&linked=true';
    const response = await get(file);
    expect(response.headers.get('Cloudflare-CDN-Cache-Control')).toBeNull();
    for (const entry of cache.entries.values()) expect(entry.endsAtMs).toBeLessThanOrEqual(300_000);
    nowMs = 300_001;
    await get(file);
    expect(cache.fills).toHaveLength(2);
  });
});

describe('a response from the edge cache', () => {
  it('has a request id of its own, and neither tags nor the timing of the first request', async () => {
    const { get } = plainArchive();
    const responses = [await get('/v2/getJP2Header/?id=26'), await get('/v2/getJP2Header/?id=26')];
    const [first, second] = responses.map(({ headers }) => headers);
    expect(first!.get('X-Request-Id')).not.toBe(second!.get('X-Request-Id'));
    expect(second!.get('Server-Timing')).toBe('cache;desc="hit"');
    for (const headers of [first!, second!]) expect(headers.get('Cache-Tag')).toBeNull();
  });
});

describe('a deployment', () => {
  it('begins with an empty cache, for which tiles are drawn again', async () => {
    const toml = readFileSync(join(import.meta.dirname, '../../../wrangler.toml'), 'utf8');
    expect(toml).toMatch(/^\[cache\]\nenabled = true\n(?!cross_version_cache)/m);
    const archive = testArchive({ edgeCache: undefined });
    const path = '/v2/getTile/?id=26&x=0&y=0&imageScale=2.4204409';
    for (let deployment = 0; deployment < 3; deployment++) {
      const { get } = cachedArchive(archive);
      expect((await get(path)).status).toBe(200);
      await archive.settle();
    }
    expect(archive.tiles.drawn).toBe(3);
  });
});

describe('every response', () => {
  it('has Cache-Control, because the cache keeps others for up to two hours', async () => {
    const archive = await requestableArchive({
      edgeCache: undefined,
      assets: { fetch: async () => new Response('a page') },
    });
    const seen = new Set<number>();
    const check = async (path: string, init?: RequestInit) => {
      const { status, headers } = await archive.get(path, init);
      seen.add(status);
      expect(headers.get('Cache-Control'), `${init?.method ?? 'GET'} ${path}: ${status}`).toMatch(/max-age=|no-store|no-cache/);
    };
    for (const [name, parameters] of Object.entries(archive.good)) {
      const path = pathOf(name, parameters);
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
    const limited = testArchive({ rateLimiter: { limit: async () => ({ success: false }) } });
    expect((await limited.get('/health')).headers.get('Cache-Control')).toBe('no-store');
    expect([...seen].sort()).toEqual(expect.arrayContaining([200, 206, 301, 304, 400, 404, 405, 410, 416, 500]));
  });
});
