import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { asFailure, errorResponse } from '../../../src/http/errors.ts';
import { adminRoutes } from '../../../src/routes/internal/admin.ts';
import { MemoryRhessiFlares } from '../../support/events/events-app.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';
import { testArchive } from '../../support/test-archive.ts';

const TOKEN = 'a-token-for-tests-only';

/** The health page of a service, and the admin operation over the same objects. */
function service() {
  const { get, objects } = testArchive();
  const ingest = () => Promise.reject(new Error('nothing is ingested here'));
  const admin = new Hono();
  admin.onError((error) => errorResponse(asFailure(error), { requestId: 'the-request', actionForm: false }));
  const flares = new MemoryRhessiFlares();
  admin.route('/admin', adminRoutes({ index: new MemoryImageIndex([]), ingest, flares, objects, adminToken: TOKEN }));
  const report = (method: string, body?: string, token = TOKEN) =>
    admin.request('/admin/sample', { method, headers: { Authorization: `Bearer ${token}` }, ...(body ? { body } : {}) });
  return { report, objects, health: async () => (await (await get('/health')).json()) as Record<string, unknown> };
}

describe('the progress of a sample archive', () => {
  it('is at /health while it is under way, and absent before and after', async () => {
    const { health, report } = service();
    expect(await health()).not.toHaveProperty('sample');
    expect((await report('PUT', '{"done": 123, "total": 404}')).status).toBe(200);
    expect(await health()).toMatchObject({ status: 'ok', archive: true, sample: { done: 123, total: 404 } });
    expect((await report('DELETE')).status).toBe(200);
    expect(await health()).not.toHaveProperty('sample');
  });

  it('is set with the admin token only', async () => {
    const { health, report } = service();
    const refused = [await report('PUT', '{"done": 1, "total": 2}', 'another'), await report('DELETE', undefined, 'another')];
    expect(refused.map(({ status }) => status)).toEqual([401, 401]);
    expect(await health()).not.toHaveProperty('sample');
  });

  it.each([
    ['{"done": 5, "total": 4}', 400],
    ['{"done": -1, "total": 4}', 400],
    ['{"done": 1.5, "total": 4}', 400],
    ['{"done": 1}', 400],
    ['done', 400],
    [' '.repeat(2000), 413],
  ])('is refused as %j', async (body, status) => {
    const { health, report } = service();
    const response = await report('PUT', body);
    expect([response.status, await response.json()]).toMatchObject([status, { errno: 25 }]);
    expect(await health()).not.toHaveProperty('sample');
  });

  it('leaves health as it is when the object is damaged', async () => {
    const { health, objects } = service();
    await objects.put('sample-progress.json', new TextEncoder().encode('{'));
    expect(await health()).toMatchObject({ status: 'ok', archive: true });
    expect(await health()).not.toHaveProperty('sample');
  });
});
