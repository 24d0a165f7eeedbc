import { expect, test } from 'vitest';
import { testArchive } from '../../support/test-archive.ts';

const CLOSEST = 'date=2024-01-01T00:00:10Z&sourceId=10';

test.each([
  `/v2/getClosestImage/?${CLOSEST}`,
  `/v2/getClosestImage?${CLOSEST}`,
  `//v2//getClosestImage//?${CLOSEST}`,
  `/v1/getClosestImage/?${CLOSEST}`,
  `/?action=getClosestImage&${CLOSEST}`,
  `//?action=getClosestImage&${CLOSEST}`,
  `/v2/?action=getClosestImage&${CLOSEST}`,
  `/v1?action=getClosestImage&${CLOSEST}`,
])('%s is the same question', async (url) => {
  const { get } = testArchive();
  const answer = await get(url);
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ id: 26, name: 'AIA 171' });
});

function post(contentType: string, body: string): RequestInit {
  return { method: 'POST', headers: { 'Content-Type': contentType }, body };
}
const FORM = 'application/x-www-form-urlencoded';

test.each<[string, string, RequestInit]>([
  ['a form with everything', '/', post(FORM, `action=getClosestImage&${CLOSEST}`)],
  ['a form over the query', '/v2/getClosestImage/?sourceId=4&date=2000-01-01T00:00:00Z', post(FORM, CLOSEST)],
  ['a form with a charset', '/v2/getClosestImage/', post(`${FORM}; charset=UTF-8`, CLOSEST)],
  ['JSON', '//?action=getClosestImage', post('application/json', '{"date":"2024-01-01T00:00:10Z","sourceId":10}')],
  [
    'JSON over the query',
    '/?action=getClosestImage&sourceId=4',
    post('application/json', '{"date":"2024-01-01T00:00:10Z","sourceId":"10","callback":null}'),
  ],
  ['an empty body', `/v2/getClosestImage/?${CLOSEST}`, { method: 'POST' }],
])('POST with %s is answered like GET', async (_name, url, init) => {
  const { get } = testArchive();
  const answer = await get(url, init);
  expect(await answer.json()).toMatchObject({ id: 26 });
});

test('POST with multipart form fields is answered like GET', async () => {
  const { get } = testArchive();
  const body = new FormData();
  body.set('date', '2024-01-01T00:00:10Z');
  body.set('sourceId', '10');
  expect(await (await get('/v2/getClosestImage/', { method: 'POST', body })).json()).toMatchObject({ id: 26 });
});

test('a JSON list stands for the text with commas', async () => {
  const { get } = testArchive();
  const body = '{"date":"2024-01-01T00:00:10Z","sources":[10,4]}';
  const answer = await get('/v2/getClosestImageDatesForSources/', post('application/json', body));
  expect(Object.keys((await answer.json()) as object)).toEqual(['4', '10']);
});

test.each<[string, RequestInit, number]>([
  ['JSON that does not parse', post('application/json', '{"date":'), 400],
  ['JSON that is no object', post('application/json', '[1]'), 400],
  ['bytes that are no text', { ...post('application/json', ''), body: new Uint8Array([0xff, 0xfe]) }, 400],
  ['another media type', post('text/plain', 'date=1'), 400],
  ['broken multipart', post('multipart/form-data; boundary=x', 'nothing'), 400],
  ['more than a megabyte', post(FORM, `x=${'y'.repeat(1 << 20)}`), 413],
])('POST with %s is refused in JSON', async (_name, init, status) => {
  const { get } = testArchive();
  const answer = await get('/v2/getClosestImage/', init);
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject({ error: expect.stringMatching(/^Expected .+, got .+\.$/), errno: 25 });
});

test.each([
  ['/v2/getEverything/', 400, 'getEverything'],
  ['/?action=getEverything', 400, 'getEverything'],
  ['/?action=', 400, 'an empty value'],
  ['/v2/constructor/', 400, 'constructor'],
])('%s names no operation', async (url, status, got) => {
  const { get } = testArchive();
  const answer = await get(url);
  expect(answer.status).toBe(status);
  const error = `Expected the name of an operation of v2 for action, got ${got}.`;
  expect(await answer.json()).toMatchObject({ error, parameter: 'action' });
});

test.each(['/v3/getTile/', '/v2/getTile/extra', '/favicon.ico', '/getTile', '/v2/getTile.php', '/v2/%2e%2e/x/y'])(
  '%s is a path that does not exist',
  async (url) => {
    const { get } = testArchive();
    const answer = await get(url);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ errno: 255 });
  },
);

test('an unknown id is 404 on a path and 500 with the same body in the action form', async () => {
  const { get } = testArchive();
  const body = { errno: 24, parameter: 'id', error: 'No image has the id 9999.' };
  for (const [url, status] of [
    ['/v2/getJP2Header/?id=9999', 404],
    ['/?action=getJP2Header&id=9999', 500],
    ['/v2/?action=getJP2Header&id=9999', 500],
  ] as const) {
    const answer = await get(url);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject(body);
  }
});

test.each(['DELETE', 'PUT', 'PATCH'])('%s of an operation is not allowed, and the answer says what is', async (method) => {
  const { get } = testArchive();
  const answer = await get('/v2/getStatus/', { method });
  expect(answer.status).toBe(405);
  expect(answer.headers.get('Allow')).toBe('GET, HEAD, POST, OPTIONS');
});

test('OPTIONS on any path is OK for any origin', async () => {
  const { get } = testArchive();
  for (const path of ['/', '/v2/getTile/', '/nowhere/at/all']) {
    const answer = await get(path, { method: 'OPTIONS', headers: { Origin: 'https://page.example' } });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe('OK');
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(answer.headers.get('Access-Control-Allow-Methods')).toContain('POST');
    expect(answer.headers.get('Access-Control-Allow-Headers')).toContain('Content-Type');
  }
});

test('every answer, failures too, is open to other origins, timed, numbered and not to be sniffed', async () => {
  const { get } = testArchive();
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

test('a JSONP answer is a script that calls the function, and only operations that list callback do it', async () => {
  const { get } = testArchive();
  const answer = await get(`/v2/getClosestImage/?${CLOSEST}&callback=jQuery12_34`);
  expect(answer.headers.get('Content-Type')).toBe('text/javascript; charset=utf-8');
  const script = await answer.text();
  expect(script).toMatch(/^jQuery12_34\(\{.*\}\)$/);
  expect(JSON.parse(script.slice('jQuery12_34('.length, -1))).toMatchObject({ id: 26 });
  const status = await get('/v2/getStatus/?callback=f');
  expect(status.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
});

test('HEAD has the headers of GET and no body, whatever range it asks for, and reads no file', async () => {
  for (const url of ['/v2/getJP2Image/?id=26', `/v2/getClosestImage/?${CLOSEST}`, '/v2/getStatus/']) {
    const { get, objects } = testArchive();
    const head = await get(url, { method: 'HEAD', headers: { Range: 'bytes=0-1' } });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(objects.reads).toEqual([]);
    const full = await get(url);
    expect(Number(head.headers.get('Content-Length'))).toBe((await full.arrayBuffer()).byteLength);
    for (const name of ['Content-Type', 'ETag', 'Cache-Control', 'X-Image-Date']) {
      expect(head.headers.get(name), `${url} ${name}`).toBe(full.headers.get(name));
    }
  }
});

test('what a client did wrong is not logged', async () => {
  const { get, logged } = testArchive();
  for (const url of ['/nowhere', '/v2/getTile/', '/v2/getTile/?id=9999&x=0&y=0&imageScale=1']) await get(url);
  expect(logged).toEqual([]);
});

test('binaries and JSON have a strong ETag that brings 304 without a body', async () => {
  const { get } = testArchive();
  for (const url of ['/v2/getJP2Image/?id=26', '/v2/getTile/?id=26&x=0&y=0&imageScale=1', `/v2/getClosestImage/?${CLOSEST}`]) {
    const etag = (await get(url)).headers.get('ETag')!;
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    const answer = await get(url, { headers: { 'If-None-Match': `"other", W/${etag}` } });
    expect(answer.status).toBe(304);
    expect(await answer.text()).toBe('');
    expect(answer.headers.get('ETag')).toBe(etag);
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
    const other = await get(url, { headers: { 'If-None-Match': '"other"' } });
    expect(other.status).toBe(200);
  }
});

test('a POST is answered in full, whatever copy the client has', async () => {
  const { get } = testArchive();
  const init = { ...post(FORM, CLOSEST), headers: { 'Content-Type': FORM, 'If-None-Match': '*' } };
  expect((await get('/v2/getClosestImage/', init)).status).toBe(200);
});

test('parts of a file and of a tile are answered as asked, or refused with the size', async () => {
  const { get, jp2Bytes } = testArchive();
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
  const tile = await get('/v2/getTile/?id=26&x=0&y=0&imageScale=1', { headers: { Range: 'bytes=4-5' } });
  expect([tile.status, await tile.text()]).toEqual([206, '26']);
});

test('an address that asks too often is told when to come back; health and preflight are not counted', async () => {
  const keys: string[] = [];
  const rateLimiter = {
    limit: async ({ key }: { key: string }) => {
      keys.push(key);
      return { success: keys.length < 2 };
    },
  };
  const { get } = testArchive({ rateLimiter });
  const from = (address: string) => ({ headers: { 'CF-Connecting-IP': address } });
  expect((await get('/v2/getStatus/', from('192.0.2.1'))).status).toBe(200);
  const refused = await get('/v2/getStatus/', from('2001:db8:1:2:3:4:5:6'));
  expect([refused.status, refused.headers.get('Retry-After')]).toEqual([429, '60']);
  expect(await refused.json()).toMatchObject({ errno: 29 });
  expect((await get('/health')).status).toBe(200);
  expect((await get('/v2/getStatus/', { method: 'OPTIONS' })).status).toBe(200);
  expect(keys).toEqual(['192.0.2.1', '2001:db8:1:2']);
});

test('a failure inside is told by number only, and logged with its cause', async () => {
  const { get, index, logged } = testArchive();
  index.neighbours = () => Promise.reject(new Error('D1_ERROR: no such table: images'));
  const answer = await get(`/v2/getClosestImage/?${CLOSEST}`);
  expect(answer.status).toBe(500);
  const body = (await answer.json()) as { requestId: string };
  expect(body).toEqual({
    error: 'The request failed because of an internal error. Try again later.',
    errno: 255,
    requestId: answer.headers.get('X-Request-Id'),
  });
  expect(logged).toEqual([
    expect.objectContaining({ requestId: body.requestId, cause: expect.stringContaining('no such table') }),
  ]);
});

test('health says whether index and archive answer', async () => {
  const { get, objects } = testArchive();
  expect(await (await get('/health')).json()).toMatchObject({ status: 'ok', index: true, archive: true });
  objects.head = () => Promise.reject(new Error('down'));
  const answer = await get('/health');
  expect(answer.headers.get('Cache-Control')).toBe('no-store');
  expect(await answer.json()).toMatchObject({ status: 'degraded', index: true, archive: false });
});

test('the root shows the installed page, or else names the operations', async () => {
  const plain = (await (await testArchive().get('/')).json()) as { operations: string[]; openapi: string };
  expect(plain.operations).toContain('/v2/getTile/');
  expect(plain.openapi).toBe('/v2/openapi.json');
  const page = () =>
    new Response('<h1>Sun</h1>', { headers: { 'Content-Type': 'text/html', 'Content-Security-Policy': "script-src 'self'" } });
  const withAssets = testArchive({ assets: { fetch: async () => page() } });
  const answer = await withAssets.get('/');
  expect(await answer.text()).toBe('<h1>Sun</h1>');
  expect(answer.headers.get('Content-Security-Policy')).toBe("script-src 'self'");
  expect((await withAssets.get('/?action=getStatus')).headers.get('Content-Type')).toBe('application/json; charset=utf-8');
});
