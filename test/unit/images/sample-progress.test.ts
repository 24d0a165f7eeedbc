import { expect, it } from 'vitest';
import { NOW_MS } from '../../support/memory/archived-images.ts';
import { answered, testArchive } from '../../support/test-archive.ts';

const TOKEN = 'a-token-for-tests-only';

/** The health page of a service, and the admin operation. */
function service() {
  let nowMs = NOW_MS;
  const { app, get, objects } = testArchive({ variables: { ADMIN_TOKEN: TOKEN }, clock: () => nowMs });
  const report = (method: string, body?: string, token = TOKEN) =>
    app.direct('/admin/sample', { method, headers: { Authorization: `Bearer ${token}` }, ...(body ? { body } : {}) });
  const lifetime = async (path: string) => (await get(path)).headers.get('Cache-Control');
  const health = async () => {
    nowMs += 5000;
    return (await (await get('/health')).json()) as Record<string, unknown>;
  };
  return { report, objects, lifetime, health };
}

it('the progress of a sample archive appears at /health while a sample is added, and not before or after', async () => {
  const { health, report } = service();
  expect(await health()).not.toHaveProperty('sample');
  expect((await report('PUT', '{"done": 123, "total": 404}')).status).toBe(200);
  expect(await health()).toMatchObject({ status: 'ok', archive: true, sample: { done: 123, total: 404 } });
  expect((await report('DELETE')).status).toBe(200);
  expect(await health()).not.toHaveProperty('sample');
});

it('the progress of a sample archive shortens lifetimes: of nearest images in the past, and of the catalogue with its sources', async () => {
  const { lifetime, report } = service();
  const request = (second: number) => `/v2/getClosestImage/?sourceId=10&date=2024-01-01T00:00:1${second}Z`;
  expect(await lifetime(request(0))).toBe('public, max-age=86400');
  expect(await lifetime('/v2/getDataSources/')).toBe('public, max-age=60, stale-while-revalidate=600');
  await report('PUT', '{"done": 123, "total": 404}');
  expect(await lifetime(request(1))).toBe('public, max-age=60');
  expect(await lifetime('/v2/getTile/?id=42&x=0&y=0&imageScale=2.4&difference=1&diffCount=1&diffTime=1')).toBe(
    'public, max-age=60',
  );
  expect(await lifetime('/v2/getDataSources/?verbose=true')).toBe('public, max-age=5');
  expect(await lifetime('/v2/getStatus/')).toBe('public, max-age=5');
  await report('DELETE');
  expect(await lifetime(request(2))).toBe('public, max-age=86400');
});

it.each([
  ['{"done": 5, "total": 4}', 400],
  ['{"done": -1, "total": 4}', 400],
  ['{"done": 1.5, "total": 4}', 400],
  ['{"done": 1}', 400],
  ['done', 400],
  [' '.repeat(2000), 413],
])('the progress of a sample archive refuses %j', async (body, status) => {
  const { health, report } = service();
  expect(await answered(report('PUT', body))).toMatchObject([status, { errno: 25 }]);
  expect(await health()).not.toHaveProperty('sample');
});

it('the progress of a sample archive leaves health as it is when the object is damaged', async () => {
  const { health, objects } = service();
  await objects.put('sample-progress.json', new TextEncoder().encode('{'));
  expect(await health()).toMatchObject({ status: 'ok', archive: true });
  expect(await health()).not.toHaveProperty('sample');
});
