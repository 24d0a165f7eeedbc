import { beforeEach, expect, it } from 'vitest';
import { StateTables } from '../../../src/archive/state-tables.ts';
import { STATE_TABLES } from '../../../src/platform/limits/bodies.ts';
import { DAY_MS, HOUR_MS } from '../../../src/platform/util/durations.ts';
import { AHEAD, DIVING, horizonsTable, plainTable } from '../../support/bodies/kepler.ts';
import { MemoryObjectStore } from '../../support/memory/object-store.ts';
import { testArchive } from '../../support/test-archive.ts';

const SPAN = { fromMs: Date.UTC(2024, 11, 1), toMs: Date.UTC(2025, 1, 1), stepMs: 6 * HOUR_MS };
const TOKEN = 'a-token-for-tests-only';
const PERIHELION = DIVING.perihelionMs;

interface Position {
  readonly x: number;
  readonly y: number;
  readonly speedkms?: number;
}
interface Bodies {
  readonly labels: Record<string, Record<string, Position | null>>;
  readonly trajectories: Record<string, Record<string, Record<string, Position> | []>>;
}

/** An isolate of a service over these objects: its operations, and its admin routes. */
function isolate(objects: MemoryObjectStore) {
  const time = { nowMs: 0 };
  const logged: object[] = [];
  const stateTables = new StateTables({ objects, clock: () => time.nowMs, log: (record) => logged.push(record) });
  const { app, get } = testArchive({ variables: { ADMIN_TOKEN: TOKEN }, objects, stateTables });
  const manage = async (method: string, path: string, body?: string) => {
    const headers = { Authorization: `Bearer ${TOKEN}` };
    const response = await app.direct(`/admin/ephemeris${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  // A new time for each request, because the edge cache keeps responses for a day.
  let seconds = 0;
  const bodies = async (query = '') => {
    const response = await get(`/v2/getSolarBodies/?time=${PERIHELION + 1000 * seconds++}${query}`);
    expect(response.status).toBe(200);
    return (await response.json()) as Bodies;
  };
  return { get, manage, bodies, time, logged, objects };
}

let objects: MemoryObjectStore;
beforeEach(() => {
  objects = new MemoryObjectStore();
});

it('the import of a table of states adds the probe to the glossary, with its name and metrics', async () => {
  const { get, manage } = isolate(objects);
  const imported = await manage('PUT', '/psp', horizonsTable(DIVING, SPAN));
  expect(imported).toEqual({ status: 200, body: { rows: 249, first: '2024-12-01T00:00:00Z', last: '2025-02-01T00:00:00Z' } });
  expect(await (await get('/v2/getSolarBodiesGlossary/')).json()).toMatchObject({
    observers: { soho: expect.arrayContaining(['neptune', 'psp']) },
    enabledTrajectories: expect.arrayContaining(['psp']),
    mods: { psp: { name: 'Parker Solar Probe', metrics: { speedkms: { title: 'Speed', unit: 'km/s' } }, cadence: 21_600_000 } },
  });
});

it('the import of a table of states gives the probe a label with its speed, and a trajectory in steps of its cadence', async () => {
  const { manage, bodies } = isolate(objects);
  expect((await bodies()).labels.soho).not.toHaveProperty('psp');
  await manage('PUT', '/psp', plainTable(DIVING, SPAN));
  const { labels, trajectories } = await bodies();
  expect(labels.soho!.psp!.speedkms).toBeGreaterThan(185);
  expect(labels.soho!.psp!.speedkms).toBeLessThan(195);
  const times = Object.keys(trajectories.soho!.psp!).map(Number);
  expect(times[1]! - times[0]!).toBe(21_600_000);
  expect(times.toSorted((a, b) => a - b)).toEqual(times);
  expect(labels.soho!.venus === null || !('speedkms' in labels.soho!.venus!)).toBe(true);
});

it('the import of a table of states adds STEREO as an observer with the Earth among its bodies', async () => {
  const { get, manage, bodies } = isolate(objects);
  expect(Object.keys((await bodies('&observers=stereo_a')).labels.stereo_a!)).not.toContain('psp');
  await manage('PUT', '/stereo_a', plainTable(AHEAD, { ...SPAN, stepMs: DAY_MS }));
  const { labels, trajectories } = await bodies();
  expect(Object.keys(labels)).toEqual(['soho', 'stereo_a']);
  expect(Object.keys(labels.stereo_a!)).toEqual(Object.keys(trajectories.stereo_a!));
  expect(Object.keys(labels.stereo_a!)).toContain('earth');
  const glossary = (await (await get('/v2/getSolarBodiesGlossary/')).json()) as { observers: object };
  expect(Object.keys(glossary.observers)).toEqual(['soho', 'stereo_a']);
});

it('the import of a table of states reaches another isolate within a minute, and an isolate that starts at once', async () => {
  const [first, second] = [isolate(objects), isolate(objects)];
  expect((await second.bodies()).labels.soho).not.toHaveProperty('psp');
  await first.manage('PUT', '/psp', plainTable(DIVING, SPAN));
  expect((await second.bodies()).labels.soho).not.toHaveProperty('psp');
  second.time.nowMs += STATE_TABLES.freshMs;
  expect((await second.bodies()).labels.soho).toHaveProperty('psp');
  expect((await isolate(objects).bodies()).labels.soho).toHaveProperty('psp');
});

it('the import of a table of states replaces a table, lists tables and removes one', async () => {
  const { manage, bodies } = isolate(objects);
  await manage('PUT', '/psp', plainTable(DIVING, { ...SPAN, toMs: SPAN.fromMs + DAY_MS }));
  await manage('PUT', '/psp', plainTable(DIVING, SPAN));
  await manage('PUT', '/stereo_a', plainTable(AHEAD, { ...SPAN, stepMs: DAY_MS }));
  expect((await manage('GET', '/')).body).toEqual({
    psp: { rows: 249, first: '2024-12-01T00:00:00Z', last: '2025-02-01T00:00:00Z' },
    stereo_a: { rows: 63, first: '2024-12-01T00:00:00Z', last: '2025-02-01T00:00:00Z' },
  });
  expect(await manage('DELETE', '/psp')).toEqual({ status: 200, body: {} });
  expect(Object.keys((await manage('GET', '/')).body)).toEqual(['stereo_a']);
  expect((await bodies()).labels.soho).not.toHaveProperty('psp');
  expect(await manage('DELETE', '/psp')).toEqual({ status: 200, body: {} });
});

it('the import of a table of states changes nothing when the table, its spacecraft or its size is refused', async () => {
  const { manage } = isolate(objects);
  await manage('PUT', '/psp', plainTable(DIVING, SPAN));
  const lines = plainTable(DIVING, SPAN).split('\n');
  const damaged = lines.with(11, lines[11]!.replace(/,[^,]*$/, ',x')).join('\n');
  expect(await manage('PUT', '/psp', damaged)).toMatchObject({
    status: 400,
    body: { error: 'Expected a finite number for vz in line 12, got x.', errno: 25 },
  });
  expect((await manage('GET', '/')).body).toMatchObject({ psp: { rows: 249 } });
  expect(await manage('PUT', '/moon', 'time')).toMatchObject({
    status: 400,
    body: { error: 'Expected soho, psp, solo, stereo_a or stereo_b for spacecraft, got moon.', parameter: 'spacecraft' },
  });
  expect(await manage('DELETE', '/__proto__')).toMatchObject({ status: 400 });
  expect(await manage('PUT', '/psp', 'x'.repeat(STATE_TABLES.textBytes + 1))).toMatchObject({ status: 413 });
});

it('the archive of the tables skips and logs a damaged state table, and keeps known ones in use while the archive fails', async () => {
  const { manage, bodies, time, logged } = isolate(objects);
  await manage('PUT', '/psp', plainTable(DIVING, SPAN));
  await bodies();
  const [[key]] = [...objects.objects].filter(([name]) => name.startsWith('ephemeris/')) as [[string, Uint8Array]];
  objects.objects.set(key, new Uint8Array(100));
  const later = isolate(objects);
  expect((await later.bodies()).labels.soho).not.toHaveProperty('psp');
  expect(later.logged).toEqual([{ ephemeris: 'The stored table of psp cannot be read.' }]);
  objects.head = () => Promise.reject(new Error('The archive is away.'));
  time.nowMs += STATE_TABLES.freshMs;
  expect((await bodies()).labels.soho).toHaveProperty('psp');
  expect(logged).toEqual([{ ephemeris: 'Error: The archive is away.' }]);
});
