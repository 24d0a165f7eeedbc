import { expect, test } from 'vitest';
import { operations } from '../../../src/faces/operations.ts';
import { edgeKey } from '../../../src/worker/gateway.ts';
import { callOf, requestableArchive } from '../../support/good-requests.ts';
import { MOVIE_TOKEN } from '../../support/movies/internal-service.ts';
import { answered, testArchive } from '../../support/test-archive.ts';

const it = test.extend('archive', () => testArchive());

const CLOSEST = 'date=2024-01-01T00:00:10Z&sourceId=10';

it.each([
  `/v2/getClosestImage/?${CLOSEST}`,
  `/v2/getClosestImage?${CLOSEST}`,
  `//v2//getClosestImage//?${CLOSEST}`,
  `/v1/getClosestImage/?${CLOSEST}`,
  `/?action=getClosestImage&${CLOSEST}`,
  `//?action=getClosestImage&${CLOSEST}`,
  `/v2/?action=getClosestImage&${CLOSEST}`,
  `/v1?action=getClosestImage&${CLOSEST}`,
  `/index.php?action=getClosestImage&${CLOSEST}`,
  `//index.php/?action=getClosestImage&${CLOSEST}`,
  `/v2/index.php?action=getClosestImage&${CLOSEST}`,
  `/api/?action=getClosestImage&${CLOSEST}`,
  `/api/index.php?action=getClosestImage&${CLOSEST.replace('sourceId=10', 'observatory=SDO&instrument=AIA&detector=AIA&measurement=171')}`,
])('%s finds the same image', async (url) => {
  expect(await answered(testArchive().get(url))).toMatchObject([200, { id: 26, name: 'AIA 171' }]);
});

it('the script of the original has the keys, the functions and the failures of its root', async ({ archive: { get } }) => {
  for (const query of [
    `action=getClosestImage&${CLOSEST}`,
    'action=getNewsFeed',
    `action=getClosestImage&${CLOSEST}&callback=f`,
  ]) {
    const [script, root] = ['/index.php', '/'].map((path) => edgeKey(new Request(`http://sun.test${path}?${query}`)));
    expect([script, script === root]).toEqual([expect.any(String), true]);
  }
  expect(edgeKey(new Request(`http://sun.test/api/?action=getTile&id=26&x=0&y=0&imageScale=2`))).toBe(
    edgeKey(new Request(`http://sun.test/v1/getTile/?id=26&x=0&y=0&imageScale=2`)),
  );
  expect(await (await get(`/index.php?action=getClosestImage&${CLOSEST}&callback=f`)).text()).toMatch(/^f\(\{/);
  expect((await get('/index.php?action=getClosestImage&date=noon&sourceId=10')).status).toBe(500);
  for (const path of ['/index.html', '/api/getClosestImage/', '/getClosestImage/']) expect((await get(path)).status).toBe(404);
});

function post(contentType: string, body: string): RequestInit {
  return { method: 'POST', headers: { 'Content-Type': contentType }, body };
}
const FORM = 'application/x-www-form-urlencoded';

it.each<[string, string, RequestInit]>([
  ['a form with everything', '/', post(FORM, `action=getClosestImage&${CLOSEST}`)],
  ['a form over the query', '/v2/getClosestImage/?sourceId=4&date=2000-01-01T00:00:00Z', post(FORM, CLOSEST)],
  ['a form with a charset', '/v2/getClosestImage/', post(`${FORM}; charset=UTF-8`, CLOSEST)],
  ['JSON', '//?action=getClosestImage', post('application/json', '{"date":"2024-01-01T00:00:10Z","sourceId":10}')],
  [
    'JSON over the query',
    '/?action=getClosestImage&sourceId=4',
    post('application/json', '{"date":"2024-01-01T00:00:10Z","sourceId":"10","callback":null}'),
  ],
  ['a form to the script', '/index.php', post(FORM, `action=getClosestImage&${CLOSEST}`)],
  ['an empty body', `/v2/getClosestImage/?${CLOSEST}`, { method: 'POST' }],
])('POST with %s is handled like GET', async (_name, url, init) => {
  expect(await answered(testArchive().get(url, init))).toMatchObject([200, { id: 26 }]);
});

it('a JSON list is read like text with commas, and lists in it like groups in brackets', async ({ archive: { get } }) => {
  const body = '{"date":"2024-01-01T00:00:10Z","sources":[10,4]}';
  const response = await get('/v2/getClosestImageDatesForSources/', post('application/json', body));
  expect(Object.keys((await response.json()) as object)).toEqual(['4', '10']);
  const groups = '{"date":"2024-01-01","imageScale":4,"x0":0,"y0":0,"width":64,"height":64,"layers":[[10,1,100],[4,1,50]]}';
  expect((await get('/v2/takeScreenshot/', post('application/json', groups))).status).toBe(200);
});

const NOT_JSON = 'The request body is not JSON. Send a JSON object.';

it.each<[string, RequestInit, number, string]>([
  ['JSON that does not parse', post('application/json', '{"date":'), 400, NOT_JSON],
  [
    'JSON that is not an object',
    post('application/json', '[1]'),
    400,
    'Expected a JSON object for the request body, got a list.',
  ],
  ['bytes that are not UTF-8', { ...post('application/json', ''), body: new Uint8Array([0xff, 0xfe]) }, 400, NOT_JSON],
  [
    'another media type',
    post('text/plain', 'date=1'),
    415,
    'Expected application/json or application/x-www-form-urlencoded for Content-Type, got text/plain.',
  ],
  [
    'broken multipart',
    post('multipart/form-data; boundary=x', 'nothing'),
    400,
    'The Content-Type announces a form, but the request body has no form fields.',
  ],
  ['more than a megabyte', post(FORM, `x=${'y'.repeat(1 << 20)}`), 413, 'The request body has more than 1048576 bytes.'],
])('POST with %s is rejected with a JSON error', async (_name, init, status, error) => {
  expect(await answered(testArchive().get('/v2/getClosestImage/', init))).toMatchObject([status, { error, errno: 25 }]);
});

it.each([
  ['/v2/getEverything/', 400, 'getEverything'],
  ['/?action=getEverything', 500, 'getEverything'],
  ['/?action=', 500, 'an empty value'],
  ['/v2/constructor/', 400, 'constructor'],
])('%s is rejected as an unknown operation', async (url, status, got) => {
  const response = await testArchive().get(url);
  expect(response.status).toBe(status);
  const error = `Expected the name of an operation of v2 for action, got ${got}.`;
  expect(await response.json()).toMatchObject({ error, parameter: 'action' });
});

it.each(['/v3/getTile/', '/v2/getTile/extra', '/favicon.ico', '/getTile', '/v2/getTile.php', '/v2/%2e%2e/x/y'])(
  '%s is an unknown path',
  async (url) => {
    const response = await testArchive().get(url);
    expect(response.status).toBe(404);
    const error = `Nothing is served at ${new URL(url, 'https://host.example').pathname}.`;
    expect(await response.json()).toMatchObject({ errno: 26, error });
  },
);

it.each<[string, string, number, object]>([
  [
    'an unknown id',
    'getJP2Header?id=9999',
    404,
    { errno: 24, parameter: 'id', error: 'No image has the id 9999. getClosestImage returns the ids of images.' },
  ],
  ['a bad parameter', 'getJP2Header?id=x', 400, { errno: 25, parameter: 'id' }],
  ['a missing parameter', 'getJP2Header?', 400, { errno: 28, parameter: 'id' }],
  [
    'a source without images',
    'getClosestImage?date=2024-01-01T00:00:00Z&sourceId=13',
    404,
    { errno: 10, error: expect.stringMatching(/^[^(]+\(AIA 304\)/) },
  ],
])('%s gives its own status on a path, and 500 with the same body in the action form', async (_what, request, status, body) => {
  const { get } = testArchive();
  const [name, query] = request.split('?');
  for (const [url, expected] of [
    [`/v2/${name}/?${query}`, status],
    [`/?action=${name}&${query}`, 500],
    [`//?action=${name}&${query}`, 500],
    [`/v2/?action=${name}&${query}`, 500],
  ] as const) {
    const response = await get(url);
    expect([response.status, response.headers.get('Content-Type')]).toEqual([expected, 'application/json; charset=utf-8']);
    expect(await response.json()).toMatchObject(body);
  }
});

it.each(['DELETE', 'PUT', 'PATCH'])('%s of an operation is rejected with the allowed methods', async (method) => {
  const { get } = testArchive();
  for (const name of ['getStatus', 'takeScreenshot', 'queueMovie']) {
    const allowed = name === 'queueMovie' ? 'GET, POST, OPTIONS' : 'GET, HEAD, POST, OPTIONS';
    for (const path of [`/v2/${name}/`, `/?action=${name}`]) {
      const response = await get(path, { method });
      expect([response.status, response.headers.get('Allow')], path).toEqual([405, allowed]);
    }
    expect(await answered(get(`/v2/${name}/`, { method }))).toMatchObject([405, { errno: 26 }]);
  }
});

const changing = [...operations.values()].filter(({ hasSideEffects }) => hasSideEffects).map(({ name }) => name);

it.each(changing)('HEAD of %s, which has side effects, is rejected in every form', async (name) => {
  const { app } = testArchive();
  for (const path of [`/v2/${name}/?startTime=x`, `/?action=${name}&startTime=x`]) {
    const response = await app.request(`http://sun.test${path}`, { method: 'HEAD' });
    expect([response.status, response.headers.get('Allow')], path).toEqual([405, expect.stringMatching(/POST, OPTIONS$/)]);
  }
});

it.each(['takeScreenshot', 'postScreenshot', 'getCutout'])('%s is a change only in the form that stores', async (name) => {
  const changes: string[] = [];
  const turns = { serve: (_: string, next: () => Promise<never>) => next(), change: async () => void changes.push(name) };
  const { app, services, good } = await requestableArchive({ variables: { MOVIE_TOKEN } });
  Object.assign(services, { turns: { ...turns, turn: async () => undefined, admit: async () => undefined } });
  const forms =
    name === 'getCutout' ? { stores: { format: 'mp4' }, reads: { format: 'npy' } } : { stores: {}, reads: { display: 'true' } };
  const ask = (method: string, form: object) =>
    app.direct(new Request(`http://sun.test${callOf(name, { ...good[name], ...form })}`, { method }));
  expect([(await ask('HEAD', forms.stores)).status, changes]).toEqual([405, []]);
  for (const method of ['GET', 'HEAD']) await ask(method, forms.reads);
  expect(changes).toEqual([]);
  await ask('GET', forms.stores);
  expect(changes).toEqual([name]);
});

it('OPTIONS is allowed on any path for any origin', async ({ archive: { get } }) => {
  for (const path of ['/', '/v2/getTile/', '/nowhere/at/all']) {
    const response = await get(path, { method: 'OPTIONS', headers: { Origin: 'https://page.example' } });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('OK');
    expect(response.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(response.headers.get('Access-Control-Allow-Methods')).toContain('POST');
    expect(response.headers.get('Access-Control-Allow-Headers')).toContain('Content-Type');
  }
});

it('every response, also a failure, has CORS, timing, request id and security headers', async ({ archive: { get } }) => {
  for (const url of ['/v2/getStatus/', '/v2/getTile/', '/nowhere', '/health', '/', '/v2/openapi.json']) {
    const { headers } = await get(url);
    expect(headers.get('Access-Control-Allow-Origin'), url).toBe('*');
    expect(headers.get('Access-Control-Expose-Headers'), url).toContain('X-Image-Distance');
    expect(headers.get('Server-Timing'), url).toMatch(/total;dur=[\d.]+$/);
    expect(headers.get('X-Request-Id'), url).toMatch(/^[0-9a-f-]{36}$/);
    expect(headers.get('X-Content-Type-Options'), url).toBe('nosniff');
    expect(headers.get('Content-Security-Policy'), url).toContain("default-src 'none'");
  }
});

it('a response with a callback has the type of a script, where the operation has one', async ({ archive: { get } }) => {
  const typeOf = async (path: string) => (await get(path)).headers.get('Content-Type');
  expect(await typeOf(`/v2/getClosestImage/?${CLOSEST}&callback=f`)).toBe('text/javascript; charset=utf-8');
  expect(await typeOf('/v2/getStatus/?callback=f')).toBe('application/json; charset=utf-8');
});

it('HEAD ignores Range and reads no file', async ({ archive: { app, objects } }) => {
  const init = { method: 'HEAD', headers: { Range: 'bytes=0-1' } };
  const { status, headers } = await app.direct('http://sun.test/v2/getJP2Image/?id=26', init);
  expect([status, headers.get('Content-Length'), objects.reads]).toEqual([200, '1000', []]);
});

it('client errors are not logged', async ({ archive: { get, logged } }) => {
  for (const url of ['/nowhere', '/v2/getTile/', '/v2/getTile/?id=9999&x=0&y=0&imageScale=1']) await get(url);
  expect(logged).toEqual([]);
});

it('POST ignores If-None-Match', async ({ archive: { get } }) => {
  const init = { ...post(FORM, CLOSEST), headers: { 'Content-Type': FORM, 'If-None-Match': '*' } };
  expect((await get('/v2/getClosestImage/', init)).status).toBe(200);
});

it('ranges of a file and of a tile give 206, or 416 with the size', async ({ archive: { get, jp2Bytes } }) => {
  const url = '/v2/getJP2Image/?id=26';
  const etag = (await get(url)).headers.get('ETag')!;
  const range = (value: string, more: Record<string, string> = {}) => get(url, { headers: { Range: value, ...more } });
  const last = await range('bytes=-10');
  expect(last.status).toBe(206);
  expect(last.headers.get('Content-Range')).toBe('bytes 990-999/1000');
  expect(last.headers.get('Content-Length')).toBe('10');
  expect(new Uint8Array(await last.arrayBuffer())).toEqual(jp2Bytes(26).slice(990));
  expect((await range('bytes=0-9', { 'If-Range': etag })).status).toBe(206);
  expect((await range('bytes=0-9', { 'If-Range': '"other"' })).status).toBe(200);
  const several = await range('bytes=0-9,20-29');
  expect([several.status, (await several.arrayBuffer()).byteLength]).toEqual([200, 1000]);
  const beyond = await range('bytes=1000-');
  expect([beyond.status, beyond.headers.get('Content-Range')]).toEqual([416, 'bytes */1000']);
  const error = 'Expected a range of the 1000 bytes for Range, got bytes=1000-.';
  expect(await beyond.json()).toMatchObject({ error, errno: 25, parameter: 'Range' });
  const tile = await get('/v2/getTile/?id=26&x=0&y=0&imageScale=1', { headers: { Range: 'bytes=4-5' } });
  expect([tile.status, await tile.text()]).toEqual([206, '26']);
});

it.each<[string, string]>([
  ['an unreadable name of a file', '/jp2/%E0%A4%A.jp2'],
  ['an unreadable key of a view', '/load/%'],
  ['an unreadable name of a JPX', '/movies/%ff.jpx'],
  ['an unreadable name of a movie', '/cache/movies/%c3%28/movie.mp4'],
  ['an unreadable name of an operation', '/v2/getTile/%zz'],
  ['a path of 25,000 characters', `/${'long/'.repeat(5000)}`],
  ['a parameter of 20,000 characters', `/v2/getClosestImage/?date=${'9'.repeat(20_000)}&sourceId=10`],
  ['unreadable parameters', '/v2/getClosestImage/?date=%E0%A4%A&sourceId=%'],
])('a URL with %s gives JSON with a sentence', async (_name, url) => {
  const response = await testArchive().get(url);
  expect([400, 404]).toContain(response.status);
  expect(response.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
  expect(await response.json()).toMatchObject({ error: expect.stringMatching(/^[A-Z].+\.$/) });
});

it('the rate limit gives 429 to health checks as well, and exempts preflights', async () => {
  let asked = 0;
  const { get } = testArchive({ requestLimiter: { limit: async () => ({ success: ++asked < 2 }) } });
  expect((await get('/v2/getStatus/')).status).toBe(200);
  const refused = await get('/health');
  expect([refused.status, refused.headers.get('Retry-After'), await refused.json()]).toMatchObject([429, '60', { errno: 29 }]);
  expect([(await get('/v2/getStatus/', { method: 'OPTIONS' })).status, asked]).toEqual([200, 2]);
});

it('an internal error shows only its number, and is logged with its cause', async ({ archive: { get, index, logged } }) => {
  index.neighbours = () => Promise.reject(new Error('D1_ERROR: no such table: images'));
  const response = await get(`/v2/getClosestImage/?${CLOSEST}`);
  expect(response.status).toBe(500);
  const body = (await response.json()) as { requestId: string };
  expect(body).toEqual({
    error: 'The request failed because of an internal error. Try again later.',
    errno: 255,
    docs: expect.stringMatching(/\/docs\/#\w+$/),
    requestId: response.headers.get('X-Request-Id'),
  });
  expect(logged).toEqual([
    expect.objectContaining({ requestId: body.requestId, cause: expect.stringContaining('no such table') }),
  ]);
});

it('/v2/ lists the operations, as a page for a browser and as JSON for a program', async ({ archive: { get } }) => {
  const page = await get('/v2/', { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
  expect([page.headers.get('Content-Type'), page.headers.get('Vary')]).toEqual(['text/html; charset=utf-8', 'Accept']);
  expect(await page.text()).toContain('<dt><a href="/docs/#getTile">getTile</a></dt>');
  const list = await get('/v2/');
  expect([list.headers.get('Content-Type'), list.headers.get('Vary')]).toEqual(['application/json; charset=utf-8', 'Accept']);
});

it('the root returns the installed page, or else the list of operations', async () => {
  const plain = (await (await testArchive().get('/')).json()) as { operations: object[]; openapi: string };
  expect(plain.operations).toContainEqual({
    name: 'getTile',
    path: '/v2/getTile/',
    method: 'GET',
    tag: 'Images',
    summary: 'A tile of an image in colour: 512x512 pixels.',
    versions: ['v1', 'v2'],
    docs: '/docs/#getTile',
  });
  expect(plain.openapi).toBe('/v2/openapi.json');
  const page = () =>
    new Response('<h1>Sun</h1>', { headers: { 'Content-Type': 'text/html', 'Content-Security-Policy': "script-src 'self'" } });
  const withAssets = testArchive({ assets: { fetch: async () => page() } });
  const response = await withAssets.get('/');
  expect(await response.text()).toBe('<h1>Sun</h1>');
  expect(response.headers.get('Content-Security-Policy')).toBe("script-src 'self'");
  expect((await withAssets.get('/?action=getStatus')).headers.get('Content-Type')).toBe('application/json; charset=utf-8');
});

const names = (count: number) => Array.from({ length: count }, (_, i) => `imageScal${i}`);
const query = (count: number) => `${CLOSEST}&${names(count - 2).join('=1&')}=1`;
const json = (count: number) =>
  JSON.stringify({
    ...Object.fromEntries(new URLSearchParams(CLOSEST)),
    ...Object.fromEntries(names(count - 2).map((name) => [name, 1])),
  });
const multipart = (count: number) => {
  const form = new FormData();
  for (const [name, value] of new URLSearchParams(query(count))) form.append(name, value);
  return form;
};

it.each<[string, string, (count: number) => [string, RequestInit?]]>([
  ['a query', 'The query', (count) => [`/v2/getClosestImage/?${query(count)}`]],
  ['the query of the action form', 'The query', (count) => [`/?action=getClosestImage&${query(count - 1)}`]],
  ['a form', 'The request body', (count) => ['/v2/getClosestImage/', post(FORM, query(count))]],
  ['a JSON body', 'The request body', (count) => ['/v2/getClosestImage/', post('application/json', json(count))]],
  ['a multipart body', 'The request body', (count) => ['/v2/getClosestImage/', { method: 'POST', body: multipart(count) }]],
])('more than 200 parameters refuse the request in %s', async (_, part, requestOf) => {
  const { get } = testArchive();
  expect((await get(...requestOf(200))).status).toBe(200);
  const refused = await get(...requestOf(201));
  expect([400, 500]).toContain(refused.status);
  expect(await refused.json()).toMatchObject({ error: `${part} has more than 200 parameters.` });
});

it('names near to those of parameters are looked for among the first 20 unknown ones', async ({ archive: { get } }) => {
  const notice = async (unknown: number) => {
    const others = Array.from({ length: unknown }, (_, i) => `&other${i}=1`).join('');
    return (await get(`/v2/getClosestImage/?${CLOSEST}${others}&callbak=f`)).headers.get('X-Notice');
  };
  expect(await notice(19)).toBe('The parameter callbak is unknown and ignored. Did you mean callback?');
  expect(await notice(20)).toBeNull();
});

const tile = '/v2/getTile/?id=26&x=-1&y=-1&imageScale=2.42044088';
const long = (start: string, characters: number) => start + 'x'.repeat(characters - start.length);

it.each(['Cookie', 'If-None-Match', 'Accept', 'Authorization', 'X-Any'])(
  'a header that is too long is named: %s',
  async (name) => {
    const { get } = testArchive();
    expect((await get(tile, { headers: { [name]: long('a=', 16_384) } })).status).toBe(200);
    const refused = await get(tile, { headers: { [name]: long('a=', 16_385) } });
    expect([refused.status, refused.headers.get('Access-Control-Allow-Origin')]).toEqual([400, '*']);
    const header = name.toLowerCase();
    expect(await refused.json()).toMatchObject({
      error: `Expected at most 16384 characters for the header ${header}, got 16385.`,
      parameter: header,
    });
  },
);
