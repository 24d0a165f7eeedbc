import { expect, it } from 'vitest';
import type { IngestResult } from '../../../src/archive/ingest/ingest-result.ts';
import { D1AuditLog } from '../../../src/operator/d1-audit-log.ts';
import { createApp } from '../../../src/worker/worker.ts';
import { archivedImage } from '../../support/memory/archived-images.ts';
import { databasesIn, migrated } from '../../support/memory/sqlite-d1.ts';
import { testServices } from '../../support/test-services.ts';

const NOW = Date.UTC(2026, 0, 1);
const OPERATORS = [
  { name: 'admin', token: 'the-token-of-all-admins', scopes: ['all'] },
  { name: 'alice', token: 'the-token-of-alice-alone', scopes: ['all'] },
] as const;
const image = archivedImage(26, 10, '2024-01-01T00:00:00Z');
const withdrawn = { ...image, withdrawnAtMs: NOW, replacedBy: null };

const PERIOD = { sourceId: 10, from: '2024-01-01T00:00:00Z', to: '2024-01-02T00:00:00Z', parts: ['A'], renew: false };

/** An archive whose ingest has these outcomes, one after the other. */
function service(...outcomes: IngestResult[]) {
  const audit = new D1AuditLog(databasesIn(migrated()));
  const logged: object[] = [];
  const clock = { nowMs: NOW };
  const services = testServices({
    operators: OPERATORS,
    ingest: async () => outcomes.shift()!,
    withdraw: async () => ({ outcome: 'withdrawn', image: withdrawn }),
    indexObjects: async (objects) => ({
      results: objects.map(({ key }) => ({ path: key.slice(4), outcome: key.includes('new') ? 'added' : 'known' })),
      timesMs: { lookUp: 0, inspect: 0, register: 0 },
    }),
    makeCoefficients: async ({ renew }) => ({
      made: renew ? 8 : 0,
      kept: renew ? 0 : 8,
      none: 0,
      surveyed: 0,
      days: 0,
      nextMs: null,
    }),
    audit,
    clock: () => clock.nowMs++,
    log: (record) => logged.push(record),
  });
  const app = createApp(services);
  const send = async (holder: number, method: string, path: string, body?: string) => {
    const headers = { Authorization: `Bearer ${OPERATORS[holder]!.token}` };
    return app.request(`/admin/${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
  };
  const entries = async (query = '') =>
    (await (await send(0, 'GET', `audit${query}`)).json()) as { entries: object[]; next: number | null };
  return { audit, app, send, entries, logged, clock };
}

it('the log of changes by operators names the operator of each ingest, replacement and withdrawal, the newest first', async () => {
  const { send, entries } = service(
    { outcome: 'added', image },
    { outcome: 'added', image: { ...image, id: 42 }, replacedId: 26 },
  );
  await send(0, 'PUT', 'images/one.jp2', 'jp2');
  await send(1, 'PUT', 'images/one.jp2?replace=true', 'jp2');
  await send(1, 'DELETE', 'images/one.jp2');
  const entry = (id: number, operator: string, action: string, imageId: number) => {
    return { id, time: expect.stringMatching(/^2026-01-01T00:00:00/), operator, action, subject: 'one.jp2', imageId };
  };
  expect(await entries()).toEqual({
    entries: [entry(3, 'alice', 'withdraw', 26), entry(2, 'alice', 'replace', 42), entry(1, 'admin', 'ingest', 26)],
    next: null,
  });
});

it('the log of changes by operators records imports of flares and orbits, but no request that changes nothing', async () => {
  const { send, entries } = service({ outcome: 'known', image }, { outcome: 'conflict', sentence: 'It is another file.' });
  await send(0, 'PUT', 'images/one.jp2', 'jp2');
  await send(0, 'PUT', 'images/one.jp2', 'jp2');
  await send(0, 'POST', 'rhessi', '');
  await send(0, 'GET', 'rhessi');
  await send(1, 'DELETE', 'ephemeris/psp');
  await send(1, 'DELETE', 'ephemeris/moon');
  expect((await entries()).entries).toMatchObject([
    { operator: 'alice', action: 'remove-ephemeris', subject: 'psp', imageId: null },
    { operator: 'admin', action: 'import-flares', subject: '', imageId: null },
  ]);
});

it('the log of changes by operators records indexed images and coefficient sidecars that were made, but no repetition, and samples', async () => {
  const { send, entries } = service();
  const index = async (...names: string[]) => {
    const objects = names.map((name) => ({ path: `AIA/2024/01/01/171/${name}.jp2`, size: 7 }));
    const response = await send(1, 'POST', 'objects', JSON.stringify({ objects }));
    expect(response.status).toBe(200);
  };
  await index('new2', 'old', 'new1');
  await index('old');
  for (const renew of [false, true]) await send(0, 'POST', 'coefficients', JSON.stringify({ ...PERIOD, renew }));
  for (const done of [0, 1, 2]) await send(0, 'PUT', 'sample', JSON.stringify({ done, total: 2 }));
  await send(0, 'DELETE', 'sample');
  expect((await entries()).entries).toMatchObject([
    { action: 'end-sample' },
    { action: 'begin-sample' },
    { action: 'make-coefficients', subject: '8 of source 10 from 2024-01-01T00:00:00Z' },
    {
      operator: 'alice',
      action: 'index-objects',
      subject: '2 from AIA/2024/01/01/171/new1.jp2 to AIA/2024/01/01/171/new2.jp2',
      imageId: null,
    },
  ]);
});

it('the log of changes by operators returns its entries in pages', async () => {
  const { send, entries } = service();
  for (let i = 0; i < 5; i += 1) await send(0, 'DELETE', 'images/one.jp2');
  const first = await entries('?limit=2');
  const second = await entries(`?limit=2&before=${first.next}`);
  const last = await entries(`?limit=2&before=${second.next}`);
  const ids = [first, second, last].map(({ entries }) => entries.map((entry) => (entry as { id: number }).id));
  expect([ids, last.next]).toEqual([[[5, 4], [3, 2], [1]], null]);
});

it.each(['limit=0', 'limit=1001', 'limit=-1', 'before=x', 'before=0'])('the log of changes refuses %s', async (query) => {
  const response = await service().send(0, 'GET', `audit?${query}`);
  const [parameter] = query.split('=');
  expect([response.status, await response.json()]).toMatchObject([
    400,
    { parameter, error: expect.stringMatching(/^Expected a whole number/) },
  ]);
});

it('the log of changes by operators keeps a change whose entry cannot be stored, and writes the entry to the log of the service', async () => {
  const { audit, send, logged } = service({ outcome: 'added', image });
  audit.add = () => Promise.reject(new Error('the database is away'));
  expect((await send(1, 'PUT', 'images/one.jp2', 'jp2')).status).toBe(201);
  expect(logged).toEqual([
    { unrecorded: expect.objectContaining({ operator: 'alice', imageId: 26 }), cause: expect.stringContaining('away') },
  ]);
});

it('the log of changes by operators forgets old entries, and the oldest of too many', async () => {
  const { audit, send, clock, entries } = service();
  for (let i = 0; i < 6; i += 1) {
    clock.nowMs = NOW + 1000 * i;
    await send(0, 'DELETE', 'images/one.jp2');
  }
  expect(await audit.sweep(NOW + 1500, 100)).toBe(2);
  expect(await audit.sweep(NOW + 1500, 3)).toBe(1);
  expect((await entries()).entries).toMatchObject([{ id: 6 }, { id: 5 }, { id: 4 }]);
});
