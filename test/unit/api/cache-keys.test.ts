// What decides on a response is in its key of the edge cache: every good request that changes nothing, with what its key leaves out.
import { expect, it } from 'vitest';
import type { LocalCache } from '../../../src/platform/http/local-cache.ts';
import { edgeKey } from '../../../src/worker/gateway.ts';
import { readingPaths, requestableArchive } from '../../support/good-requests.ts';
import { MOVIE_TOKEN } from '../../support/movies/internal-service.ts';
import { OPERATOR } from '../../support/resource-examples.ts';
import { cachedArchive, HOSTS, testArchive } from '../../support/test-archive.ts';

/** Documents and files with a path of their own. */
const FILES = ['/jp2/AIA/2024/01/01/171/image_26.jp2', '/v2/openapi.json', '/llms.txt', '/.well-known/api-catalog'];

/** Standards whose addresses refuse parameters that they do not have. */
const STRICT = /^\/(hapi|stac)\//;

/** Parameters that nothing has, some of them near to one. */
const NOISE = {
  imageScal: '1',
  sourcesId: '2',
  callbak: 'f',
  unknown: 'x'.repeat(2000),
  ...Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`difference${i}`, '1'])),
};

/** Headers by which clients have passed caches, or filled them with what others get. */
const INVENTED = Object.fromEntries(
  [
    ...['X-Forwarded-Host', 'X-Host', 'X-Forwarded-Scheme', 'X-Original-URL', 'X-Rewrite-URL', 'Forwarded'],
    ...['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override', 'Cloudflare-Workers-Version-Key'],
    ...['Authorization', 'Cookie', 'Cache-Control', 'Pragma', 'Upgrade', 'X-Anything'],
  ].map((name) => [name, `value of ${name}`]),
);

/** What a browser accepts, which shows failures as pages. */
const PAGES = { Accept: 'text/html,application/xhtml+xml' };

/** An archive whose responses that name their host are kept, because it has one public name. No request here changes it. */
const namedArchive = requestableArchive({ variables: { MOVIE_TOKEN, ...OPERATOR, PUBLIC_ORIGIN: `https://${HOSTS[0]}` } });

/** The headers of a response that are the same whenever it is made. */
const constant = (headers: Headers) => [...headers].filter(([name]) => !/^(x-request-id|server-timing)$/.test(name));

/** Bytes as text, without ids of requests. */
const textOf = (bytes: ArrayBuffer) =>
  Buffer.from(bytes)
    .toString('latin1')
    .replace(/"requestId":"[0-9a-f-]+"/, '');

const keyOf = (path: string, init?: RequestInit) => edgeKey(new Request(`https://${HOSTS[0]}${path}`, init));

it('the edge cache keeps nothing of a request that its key leaves out', async () => {
  const archive = await namedArchive;
  const [plain, noisy] = [cachedArchive(archive), cachedArchive(archive)];
  // The tiles have parameters with the name of an element of IIIF, and of one that stands in some of their addresses.
  const known = ['quality', 'projection'];
  const names = archive.resources.flatMap((each) => Object.keys(each.elements)).filter((name) => !known.includes(name));
  const elements = Object.fromEntries(names.map((name) => [name, '1']));
  for (const path of [...readingPaths(archive), ...FILES]) {
    await (await plain.get(path)).arrayBuffer();
    const [address, query = ''] = path.split('?');
    const earlier = [...new URLSearchParams(query).keys()].map((parameter): [string, string] => [parameter, 'earlier']);
    const others = Object.entries({ ...NOISE, ...(address!.startsWith('/v2/') ? {} : elements) });
    const noise = STRICT.test(path) ? [] : others.filter(([name]) => !new URLSearchParams(query).has(name));
    const before = new URLSearchParams([...earlier, ...noise]);
    await (await noisy.get(`${address}?${before}&${query}`, { headers: { ...PAGES, ...INVENTED } })).arrayBuffer();
    expect([...noisy.cache.entries.keys()], path).toEqual([...plain.cache.entries.keys()]);
    if (STRICT.test(path)) expect(keyOf(`${path}&unknown=1`), path).toBeNull();
  }
  expect(plain.cache.entries.size).toBeGreaterThan(50);
  const kept = ({ entries }: LocalCache) => [...entries].map(([key, { body, headers }]) => [key, body, constant(headers)]);
  expect(kept(noisy.cache)).toEqual(kept(plain.cache));
  for (const { url } of noisy.fills) expect(url).not.toMatch(/imageScal=|sourcesId|callbak=|unknown|difference\d|earlier/);
});

it('the edge cache keeps one entry of a response whatever headers a client invents', async () => {
  const archive = await namedArchive;
  const { get, cache, fills } = cachedArchive(archive);
  for (const path of readingPaths(archive)) {
    const before = cache.entries.size;
    await (await get(path)).arrayBuffer();
    if (cache.entries.size === before) continue;
    const filled = fills.length;
    for (const [name, value] of Object.entries({ ...INVENTED, ...PAGES })) {
      expect((await get(path, { headers: { [name]: value } })).status, `${path} ${name}`).toBeLessThan(400);
    }
    expect([cache.entries.size, fills.length], path).toEqual([before + 1, filled]);
  }
  const given = { 'CF-Connecting-IP': '192.0.2.1', 'If-None-Match': '"a"', Accept: 'text/html' };
  await get('/v2/getTile/?id=26&x=0&y=0&imageScale=2.5', { headers: { ...given, Forwarded: 'host=evil.test' } });
  // The cache reads the condition itself.
  expect(Object.fromEntries(fills.at(-1)!.headers)).toEqual({ 'x-helioedge-client': '192.0.2.1', accept: 'text/html' });
});

it('the edge cache gives every response with a key as the service does, stored or not, whole or in part', async () => {
  const archive = await namedArchive;
  const { get, cache } = cachedArchive(archive);
  const asked: readonly RequestInit[] = [
    {},
    { method: 'HEAD' },
    { headers: { Range: 'bytes=1-5' } },
    { headers: { 'If-None-Match': '*' } },
    { headers: PAGES },
  ];
  const sent = async (response: Response) => [
    response.status,
    constant(response.headers).filter(
      ([name]) => !/^(age|cache-tag|cf-cache-status|cloudflare-cdn-cache-control|vary)$/.test(name),
    ),
    textOf(await response.arrayBuffer()),
  ];
  /** Status and text of a request for HEAD, a range or a condition, of a response whose whole text is this. */
  const partOf = ({ method, headers = {} }: RequestInit, text: string) => {
    if (method) return [200, ''];
    if ('If-None-Match' in headers) return [304, ''];
    return 'Range' in headers ? [206, text.slice(1, 6)] : [200, text];
  };
  const flowing = new Set<string>();
  for (const path of [...readingPaths(archive), ...FILES, '/jp2/AIA/2024/01/01/171/']) {
    if (keyOf(path) === null) continue;
    // The cache makes parts of a response that the service sends while it is made, and therefore whole.
    const whole = await archive.app.direct(`https://${HOSTS[0]}${path}`);
    const first = await sent(whole);
    const isFlowing = whole.ok && !whole.headers.has('Accept-Ranges');
    if (isFlowing) flowing.add(path.split('?')[0]!);
    const text = String(first[2]);
    for (const init of asked.filter(({ headers }) => !(isFlowing && headers && 'Range' in headers))) {
      const again = () => archive.app.direct(new Request(`https://${HOSTS[0]}${path}`, init));
      const direct = init === asked[0] ? first : await sent(await again());
      const label = `${path} ${JSON.stringify(init)}`;
      if (whole.status === 200 && whole.headers.has('ETag') && !isFlowing && init.headers !== PAGES)
        expect([direct[0], direct[2]], label).toEqual(partOf(init, text));
      for (const time of ['first', 'again']) expect(await sent(await get(path, init)), `${label} ${time}`).toEqual(direct);
    }
  }
  expect(cache.entries.size).toBeGreaterThan(50);
  expect([...flowing]).toEqual(['/v2/listImages/', '/hapi/Helioviewer/hapi/data', '/hapi/data']);
});

it('the edge cache gives no answer that names one host to clients of another', async () => {
  const archive = await requestableArchive();
  const { get } = cachedArchive(archive);
  const named: string[] = [];
  for (const path of readingPaths(archive)) {
    const [first, second] = [await get(path, undefined, HOSTS[0]), await get(path, undefined, HOSTS[1])];
    const texts = [
      (await first.text()) + JSON.stringify([...first.headers]),
      (await second.text()) + JSON.stringify([...second.headers]),
    ];
    if (texts[0]!.includes(HOSTS[0])) named.push(/^\/(?:v2\/)?(\w+)/.exec(path)![1]!);
    expect(texts[1], path).not.toContain(HOSTS[0]);
  }
  // Otherwise the comparison would show nothing.
  expect(named).toEqual(expect.arrayContaining(['getMovieStatus', 'getNewsFeed', 'tiles', 'feeds', 'stac', 'iiif']));
});

it('the edge cache has one entry for the nearest image in every notation of time and source, and one for each callback', async () => {
  const { get, cachedKeys } = testArchive();
  const responses = [];
  for (const url of [
    '/v2/getClosestImage/?date=2024-01-01T00:00:10Z&sourceId=10',
    '/v2/getClosestImage/?date=2024/01/01t00:00:10.000z&sourceId=10&switchSources=False',
    '/v1/getClosestImage/?date=2024-01-01T00:00:10.0Z&observatory=SDO&instrument=AIA&detector=AIA&measurement=171',
    '/v2/getClosestImage/?date=2024-01-01T00:00:10Z&sourceId=10&callback=f',
    '/v2/getClosestImage/?date=2024-01-01T00:00:10Z&sourceId=10&callback=g',
  ]) {
    responses.push(await (await get(url)).text());
  }
  expect(cachedKeys().map((key) => /callback=.*/.exec(key)?.[0])).toEqual([undefined, 'callback=f', 'callback=g']);
  const [json] = responses;
  expect(responses).toEqual([json, json, json, `f(${json})`, `g(${json})`]);
});

it('the key of the catalogue normalises the observatories, and omits them without verbose', async () => {
  const { get, cachedKeys } = testArchive();
  for (const query of ['verbose=1&enable=[Hinode,TRACE]', 'enable=trace,HINODE,Trace&verbose=true', '', 'enable=[TRACE]']) {
    expect((await get(`/v2/getDataSources/?${query}`)).status).toBe(200);
  }
  expect(cachedKeys()).toEqual(['/v2/getDataSources?enable=hinode%2Ctrace&verbose=true', '/v2/getDataSources?verbose=false']);
});

it('a drawn picture has an ETag alone, because another version of the renderer draws it otherwise at the same address', async () => {
  const archive = await requestableArchive();
  const paths = [
    '/v2/getTile/?id=26&x=0&y=0&imageScale=2.4',
    '/v2/downloadImage/?id=26&width=64',
    `/v2/downloadScreenshot/?id=${archive.good.downloadScreenshot!.id}`,
  ];
  for (const path of paths) {
    const picture = await archive.get(path);
    expect([picture.status, picture.headers.get('Last-Modified')], path).toEqual([200, null]);
    const later = { headers: { 'If-Modified-Since': 'Fri, 01 Jan 2100 00:00:00 GMT' } };
    for (const source of ['cache', 'service']) {
      expect((await archive.get(path, later)).status, `${path} of the ${source}`).toBe(200);
      archive.cache.entries.clear();
    }
    const same = { headers: { 'If-None-Match': picture.headers.get('ETag')! } };
    expect((await archive.get(path, same)).status, path).toBe(304);
  }
});
