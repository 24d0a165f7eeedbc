// The gateway: who the client is, how a path is spelled, and what a program gets when the way to the service fails.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CLIENT_HEADER, isolateRateLimit } from '../../../src/platform/admission/rate-limit.ts';
import { Turns } from '../../../src/platform/admission/turns.ts';
import { addSharedHeaders } from '../../../src/platform/http/response.ts';
import { respond } from '../../../src/worker/gateway.ts';
import type { Env } from '../../../src/worker/platform.ts';
import { forgetWorker, handlersBehind } from '../../../src/worker/worker.ts';
import { unlimited } from '../../support/memory/unlimited.ts';
import { answered, cachedArchive, testArchive } from '../../support/test-archive.ts';

const ORIGIN = 'https://sun.test';
const TILE = '/v2/getTile/?id=26&x=0&y=-1&imageScale=2.5';
const ADMIN_TOKEN = 'a-token-for-tests-only';
const unreached = {
  cached: () => expect.unreachable('the cache was reached'),
  direct: () => expect.unreachable('the service was reached'),
  limiter: unlimited,
  turns: new Turns(),
  logFault: () => undefined,
};

it('the client of a request reaches the service behind the cache by a header of the gateway, which no request can set', async () => {
  const { get, fills } = cachedArchive(testArchive());
  await get(TILE, { headers: { 'CF-Connecting-IP': '192.0.2.1', [CLIENT_HEADER]: '198.51.100.7' } });
  await get(`${TILE}&id=42`, { headers: { [CLIENT_HEADER]: '198.51.100.7' } });
  expect(fills.map(({ headers }) => headers.get(CLIENT_HEADER))).toEqual(['192.0.2.1', null]);
});

it('the client of a request counts by its address where it invents another one, on both sides of the cache', async () => {
  const limits = ['all', 'requests'].map((name) => isolateRateLimit({ name, quota: 2, seconds: 60 }, () => 0));
  const { get } = cachedArchive(testArchive({ requestLimiter: limits[1]! }), undefined, limits[0]);
  const statuses = async (path: string, address: string) => {
    const found: number[] = [];
    for (let i = 0; i < 3; i++) {
      const headers = { 'CF-Connecting-IP': address, [CLIENT_HEADER]: `198.51.100.${i}` };
      found.push((await get(path, { headers })).status);
    }
    return found;
  };
  expect(await statuses(TILE, '192.0.2.1')).toEqual([200, 200, 429]);
  expect(await statuses('/robots.txt', '192.0.2.2')).toEqual([200, 200, 429]);
});

describe('a deployment whose clients are unknown behind the cache', () => {
  const variables = { PUBLIC_ORIGIN: ORIGIN, MOVIE_TOKEN: 'a-token-of-the-movie-workers' };
  const named = { 'CF-Connecting-IP': '192.0.2.1' };

  it('says so by its health, and once in its log', async () => {
    const { app, logged } = testArchive({ variables });
    const health = async (headers = {}) => (await app.request(`${ORIGIN}/health`, { headers })).json();
    await app.request(`${ORIGIN}/internal/objects/a`);
    expect([await health(named), logged]).toMatchObject([{ status: 'ok', client: true }, []]);
    expect(await health()).toMatchObject({ status: 'degraded', client: false });
    expect([await health(), logged]).toMatchObject([{ status: 'degraded' }, [{ client: 'unknown', path: '/health' }]]);
    expect(logged).toHaveLength(1);
  });

  it('degrades where the way through the cache loses the header, and not on this machine', async () => {
    const { app } = testArchive({ variables });
    const losing = { ...unreached, cached: ({ url }: Request) => app.direct(url), direct: app.direct };
    const lost = await respond(new Request(`${ORIGIN}/health`, { headers: named }), losing);
    expect(await lost.json()).toMatchObject({ status: 'degraded', client: false });
    expect(await (await testArchive().app.request(`${ORIGIN}/health`)).json()).toMatchObject({ status: 'ok', client: false });
  });
});

const variables = { ADMIN_TOKEN, MOVIE_TOKEN: 'a-token-of-the-movie-workers' };
const headers = { Authorization: `Bearer ${ADMIN_TOKEN}` };

it.each<[string, number]>([
  ['/admin/images', 200],
  ['/internal/objects/a', 401],
  ['/internal/a%0Ab', 401],
  ['/admin/a%0Ab', 404],
  ['/statusXrss', 404],
  ...['//admin/images', '/%61dmin/images', '/\\admin/images', '/admin//images', '/admin/%69mages', '/v2/%2e%2e//admin'].map(
    (path): [string, number] => [path, 404],
  ),
  ['//internal/objects/a', 404],
  ['/intern%61l/objects/a', 404],
])('another spelling of a path: %s gets an operator %i', async (path, status) => {
  const { app } = testArchive({ variables });
  const response = await app.request(ORIGIN + path, { headers });
  expect(response.status).toBe(status);
  if (status === 404) expect(await response.json()).toMatchObject({ errno: 26, error: expect.stringMatching(/^Nothing is/) });
});

it.each(['/v2/../admin/images', '/./admin/images', '/v2/%2e%2E/%61dmin/images', '/\\admin\\images', '/admin/x/../images'])(
  'another spelling of a path: %s is refused before the service in a runtime that passes it as it is',
  async (path) => {
    const request = new (class extends Request {
      override readonly url = ORIGIN + path;
    })(ORIGIN, { headers });
    const service = () => expect.unreachable('the service was reached');
    const response = await respond(request, { ...unreached, cached: service, direct: service });
    expect([response.status, await response.json()]).toMatchObject([404, { errno: 26 }]);
  },
);

it.each([
  ['//health?strict', '/health?strict'],
  ['/%68ealth', '/health'],
  ['/jp2//AIA/2024/01/01/171/image_26%2Ejp2', '/jp2/AIA/2024/01/01/171/image_26.jp2'],
  ['//evil.test//mcp', '/evil.test/mcp'],
])('another spelling of a path: %s leads to %s by a redirect that keeps the method', async (path, location) => {
  const { app } = testArchive();
  for (const method of ['GET', 'POST']) {
    const { status, headers } = await app.request(ORIGIN + path, { method });
    expect([status, headers.get('Location'), headers.get('Cache-Control')]).toEqual([308, location, 'no-store']);
  }
});

it('another spelling of a path does not mean the codes of other characters', async () => {
  const { app } = testArchive();
  for (const path of ['/a%2f%20%25', '/load/a%2Cb', '/%2561dmin']) {
    expect((await app.request(ORIGIN + path)).status, path).not.toBe(308);
  }
});

describe('a failure on the way to the service', () => {
  it.each([
    ['throws', () => Promise.reject(new Error('Worker exceeded resource limits'))],
    ['answers with a page of the platform', async () => new Response('<h1>Error 1101</h1>', { status: 500 })],
  ])('becomes an error of the service in the form of the request where the cache %s', async (_, cached) => {
    const logged: object[] = [];
    const get = (path: string) =>
      respond(new Request(ORIGIN + path), { ...unreached, cached, logFault: (record) => logged.push(record) });
    const [api, form] = [await get(TILE), await get('/?action=getTile&id=26&x=0&y=-1&imageScale=2.5')];
    expect([api.status, form.status]).toEqual([500, 500]);
    const body = (await api.json()) as { requestId: string };
    expect(body).toMatchObject({ errno: 255, error: expect.stringContaining('internal error') });
    expect(api.headers.get('Access-Control-Allow-Origin')).toBe('*');
    expect(logged).toHaveLength(2);
    expect(logged[0]).toMatchObject({ requestId: body.requestId, failure: 'internal', url: ORIGIN + TILE });
  });

  it('becomes an error of the service for requests that pass no cache, too', async () => {
    const direct = () => Promise.reject(new Error('The variable MOVIE_CONTAINERS is wrong.'));
    const response = await respond(new Request(`${ORIGIN}/robots.txt`), { ...unreached, direct });
    expect([response.status, await response.json()]).toMatchObject([500, { errno: 255 }]);
  });
});

describe('a wrong setting of the limits of clients', () => {
  afterEach(forgetWorker);
  const headers = { Authorization: `Bearer ${ADMIN_TOKEN}` };
  const wrong = { TRUSTED_NETWORKS: 'campus', CLIENT_TOKENS: 'mirror' } as unknown as Env;

  it.each([{}, { headers }])('becomes an error of the service for the request %j, and is logged', async (init) => {
    const logged = vi.spyOn(console, 'error').mockReturnValue();
    const { fetch } = handlersBehind(() => expect.unreachable('the cache was reached'));
    const request = new Request(ORIGIN + TILE, init) as Parameters<NonNullable<typeof fetch>>[0];
    expect(await answered(fetch!(request, wrong, {} as ExecutionContext))).toMatchObject([500, { errno: 255 }]);
    expect(logged.mock.calls).toEqual([[expect.stringMatching(/"failure":"internal".* for (TRUSTED_NETWORKS|CLIENT_TOKENS)/)]]);
  });
});

it('static files have the security headers of the responses of the Worker', () => {
  const lines = readFileSync(join(import.meta.dirname, '../../../src/explorer/static/_headers'), 'utf8').split('\n  ');
  const headers = new Headers();
  addSharedHeaders(headers, new URL(ORIGIN));
  for (const name of ['X-Content-Type-Options', 'Referrer-Policy', 'Strict-Transport-Security']) {
    expect(lines.slice(1, lines.findIndex((line) => line.includes('\n/')) + 1).join('\n')).toContain(
      `${name}: ${headers.get(name)}`,
    );
  }
});
