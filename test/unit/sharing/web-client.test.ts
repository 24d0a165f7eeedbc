// Requests as the web client of helioviewer.org sends them, for timelines (getDataCoverage) and its share button (saveWebClientState,
// getWebClientState and /load/<key>): GET of `/?action=…`, and JSON to `//?action=…`.
import { beforeEach, expect, it } from 'vitest';
import { D1ImageRegister } from '../../../src/archive/image-index/d1-image-register.ts';
import { EVICTED_UNUSED_MS, ROW_BYTES } from '../../../src/platform/limits/admission.ts';
import { CLIENT_STATES } from '../../../src/platform/limits/sharing.ts';
import { DAY_MS } from '../../../src/platform/util/durations.ts';
import { ClientStates, sweepClientStates } from '../../../src/sharing/client-states.ts';
import { D1ClientStates } from '../../../src/sharing/d1-client-states.ts';
import { archivedImage } from '../../support/memory/archived-images.ts';
import { beforeNext } from '../../support/memory/before-next.ts';
import { budgetsIn } from '../../support/memory/budgets.ts';
import { callOf } from '../../support/memory/call.ts';
import { MemoryIdSequences } from '../../support/memory/id-sequences.ts';
import { MemoryObjectStore } from '../../support/memory/object-store.ts';
import { databasesIn, fillUp, migrated } from '../../support/memory/sqlite-d1.ts';
import { VIEW } from '../../support/sharing/web-client-view.ts';
import { servedApp, testServices } from '../../support/test-services.ts';

const ORIGIN = 'https://api.sun.example';
let databases: ReturnType<typeof databasesIn>;
let objects: MemoryObjectStore;
let getPath: (path: string) => Promise<Response>;
let clientPost: (action: string, body: unknown) => Promise<Response>;
/** @param query As it stands in the address, not encoded */
const clientGet = (query: string) => getPath(`/?${query}`);

beforeEach(() => {
  [databases, objects] = [databasesIn(migrated()), new MemoryObjectStore()];
  const { request } = servedApp(testServices({ databases, objects }));
  getPath = (path) => request(`${ORIGIN}${path}`);
  const headers = { 'Content-Type': 'application/json' };
  clientPost = (action, body) => request(`${ORIGIN}//?action=${action}`, { method: 'POST', headers, body: JSON.stringify(body) });
});

const HOUR_MS = 3_600_000;
const START = Date.UTC(2024, 0, 10);
const at = (ms: number) => new Date(ms).toISOString();

interface Series {
  readonly sourceId: number;
  readonly name: string;
  readonly data: readonly (readonly [number, number])[];
}

/** Response of a JSONP request with a callback as jQuery names it. */
async function jsonp(query: string): Promise<unknown> {
  const callback = 'jQuery112407_1704067200000';
  const response = await clientGet(`action=getDataCoverage&${query}&callback=${callback}&_=1704067200001`);
  expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/javascript; charset=utf-8']);
  const script = await response.text();
  expect(script.startsWith(`${callback}(`) && script.endsWith(')')).toBe(true);
  return JSON.parse(script.slice(callback.length + 1, -1));
}

const images = async (query: string) => (await jsonp(query)) as readonly Series[];

const countsOf = ({ data }: Series) => data.filter(([, count]) => count > 0);

beforeEach(async () => {
  const times: [sourceId: number, ms: number][] = [
    ...[0, 1, 2].map((n): [number, number] => [10, START + n * 60_000]),
    [10, START + 24 * HOUR_MS],
    [10, START + 25 * HOUR_MS - 1],
    [13, START - 72 * HOUR_MS],
    [38, START],
    [39, START + 60_000],
  ];
  await new D1ImageRegister({ databases, ids: new MemoryIdSequences() }).addAll(
    times.map(([sourceId, ms], i) => {
      const { id: _id, ...image } = archivedImage(0, sourceId, at(ms), { fileName: `f${i}.jp2`, key: `jp2/a/f${i}.jp2` });
      return image;
    }),
  );
});

const threeDays = `startDate=${START}&endDate=${START + 72 * HOUR_MS}`;

it('getDataCoverage of images returns bins of an hour for three days, from three days before them to three days after', async () => {
  const [aia, other] = await images(`imageLayers=[10,1,100],[13,1,60],&${threeDays}`);
  expect([aia!.sourceId, aia!.name, other!.name]).toEqual([10, 'SDO AIA 171', 'SDO AIA 304']);
  expect([aia!.data.length, aia!.data[0]![0], aia!.data.at(-1)![0]]).toEqual([217, START - 72 * HOUR_MS, START + 144 * HOUR_MS]);
  expect(countsOf(aia!)).toEqual([
    [START, 3],
    [START + 24 * HOUR_MS, 2],
  ]);
  expect(countsOf(other!)).toEqual([[START - 72 * HOUR_MS, 1]]);
});

it('getDataCoverage of images returns single images as dots of their row up to a range of 105 minutes', async () => {
  const query = `imageLayers=[13,1,100],[10,1,100]&startDate=${START}&endDate=${START + 105 * 60_000}`;
  const [first, second] = await images(query);
  expect(first!.data).toEqual([]);
  expect(second!.data).toEqual([0, 1, 2].map((n) => [START + n * 60_000 + 1, 2]));
});

it('getDataCoverage of images chooses bins by the length of the range', async () => {
  const day = 24 * HOUR_MS;
  const cases: [spanMs: number, binMs: number, firstMs: number][] = [
    [6 * HOUR_MS, 300_000, START],
    [day, 900_000, START],
    [9 * day, HOUR_MS, START],
    [60 * day, day, START],
    // A week begins on Monday.
    [300 * day, 7 * day, Date.UTC(2024, 0, 8)],
    [600 * day, 31 * day, Date.UTC(2024, 0, 1)],
  ];
  const times = [0, 60_000, 120_000, day, 25 * HOUR_MS - 1].map((ms) => START + ms);
  for (const [spanMs, binMs, firstMs] of cases) {
    const [series] = await images(`imageLayers=[10,1,100]&startDate=${START}&endDate=${START + spanMs}`);
    const bin = series!.data.findIndex(([ms]) => ms === firstMs);
    expect(series!.data[bin + 1]![0] - firstMs).toBe(binMs);
    expect(series!.data[bin]).toEqual([firstMs, times.filter((ms) => ms >= firstMs && ms < firstMs + binMs).length]);
    const inRange = times.filter((ms) => ms <= START + 2 * spanMs).length;
    expect(series!.data.reduce((sum, [, count]) => sum + count, 0)).toBe(inRange);
  }
});

it('getDataCoverage of images passes failures to the callback, and responds with 400 without one', async () => {
  const query = `imageLayers=[10,1,100]&startDate=NaN&endDate=${START}`;
  expect(await jsonp(query)).toMatchObject({ error: expect.stringMatching(/for startDate, got NaN\.$/), errno: 25 });
  expect((await getPath(`/v2/getDataCoverage/?${query}`)).status).toBe(400);
  const many = Array.from({ length: 11 }, (_, i) => `[${i},1,100]`).join(',');
  expect(await jsonp(`imageLayers=${many}&${threeDays}`)).toMatchObject({ errno: 22 });
  const hostile = await clientGet(`action=getDataCoverage&${query}&callback=alert(1)`);
  expect([hostile.status, hostile.headers.get('Content-Type')]).toEqual([500, 'application/json; charset=utf-8']);
});

const statesIn = () => [...objects.objects.keys()].filter((key) => key.startsWith('states/'));

async function save(view: unknown): Promise<string> {
  const response = await clientPost('saveWebClientState', view);
  const { status_code, status_txt, data } = await response.json<{ status_code: number; status_txt: string; data: string }>();
  expect([response.status, status_code, status_txt]).toEqual([200, 200, 'OK']);
  return data;
}

const SHOWN = { marker_visibility: true, label_visibility: true };
/** The events of VIEW as paths. */
const AS_PATHS = { event_selections: [], event_visibility_selections: { HEK: SHOWN, CCMC: SHOWN, RHESSI: SHOWN, WSA: SHOWN } };

it('saveWebClientState and getWebClientState return the posted view with its nulls, empty objects and empty lists', async () => {
  const key = await save(VIEW);
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  const loaded = await clientGet(`action=getWebClientState&state_id=${key}`);
  expect(loaded.headers.get('Cache-Control')).toContain('immutable');
  // With its events as later clients read them.
  expect(await loaded.json()).toEqual({ status_code: 200, status_txt: 'OK', data: { ...VIEW, ...AS_PATHS } });
  const later = { ...VIEW, ...AS_PATHS, event_selections: ['HEK>>Flare', 'WSA'], addedByLaterClients: { open: true } };
  const again = await getPath(`/v2/getWebClientState/?state_id=${await save(later)}`);
  expect((await again.json<{ data: object }>()).data).toEqual(later);
});

it('saveWebClientState and getWebClientState give equal views one key and store them once', async () => {
  const [layers] = Object.values(VIEW.eventLayers);
  const eventLayers = { tree_CCMC: {}, tree_HEK: Object.fromEntries(Object.entries(layers!).reverse()) };
  const reordered = Object.fromEntries(Object.entries({ ...VIEW, eventLayers }).reverse());
  const keys = await Promise.all([save(VIEW), save(reordered), save(VIEW)]);
  expect(new Set(keys).size).toBe(1);
  expect(await save({ ...VIEW, centerX: 1 })).not.toBe(keys[0]);
  const { results } = await databases.main.prepare('SELECT id, key FROM client_states ORDER BY id').all();
  expect(results).toEqual([
    { id: 1, key: keys[0] },
    { id: 2, key: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ]);
  expect(statesIn()).toHaveLength(2);
});

it('saveWebClientState and getWebClientState answer 404 for an unknown key', async () => {
  const response = await clientGet(`action=getWebClientState&state_id=${'0'.repeat(64)}`);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ status_code: 404, status_txt: 'Not Found', data: '' });
  expect((await clientGet('action=getWebClientState&state_id=..%2Fjp2')).status).toBe(500);
});

it('saveWebClientState and getWebClientState refuse views that the client could not load, and name the field', async () => {
  const { imageLayers, ...rest } = VIEW;
  const parameterOf = async (view: unknown) =>
    (await (await clientPost('saveWebClientState', view)).json<{ parameter: string }>()).parameter;
  expect(await parameterOf(rest)).toBe('imageLayers');
  expect(await parameterOf({ ...VIEW, date: 'today' })).toBe('date');
  expect(await parameterOf({ ...VIEW, imageLayers: 'all' })).toBe('imageLayers');
  const nested = JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`) as object;
  // The last has more than 64 KiB.
  for (const eventLayers of [nested, { tree_HEK: 'x'.repeat(70_000) }])
    expect((await clientPost('saveWebClientState', { ...VIEW, eventLayers })).status).toBe(500);
  expect(statesIn()).toEqual([]);
});

it('/load/<key> redirects permanently to the page with the key and the rest of the query', async () => {
  const key = await save(VIEW);
  const response = await getPath(`/load/${key}?debug=true`);
  expect([response.status, response.headers.get('Location')]).toEqual([301, `/?loadState=${key}&debug=true`]);
  expect((await getPath('/load/..%2Fadmin')).status).toBe(404);
});

/** Two small views for a client in an hour, three for all in a day. */
const row = CLIENT_STATES.leastBytes + ROW_BYTES;
const limits = { views: { clientHour: 2 * row, clientDay: 1e6, allDay: 3 * row, subject: 'new shared views' } };
const [client, other] = ['192.0.2.1', '192.0.2.2'];
const portsAt = (nowMs: number) => ({
  register: new D1ClientStates(databases),
  objects,
  clock: () => nowMs,
  log: () => undefined,
});
const states = (nowMs = 0) => {
  const views = new ClientStates(portsAt(nowMs));
  const budgets = budgetsIn(databases, { clock: () => nowMs, limits });
  const save = (state: object, by: string) => views.save(state, callOf({ client: by, budgets }).admission);
  return { save, find: (key: string) => views.find(key) };
};

it('the number of shared views stays within limits for a client and for all, above which stored views can still be shared', async () => {
  const first = await states().save({ a: 1 }, client);
  await states().save({ a: 2 }, client);
  await expect(states().save({ a: 3 }, client)).rejects.toMatchObject({ kind: 'rate-limited' });
  await states().save({ a: 3 }, other);
  await expect(states().save({ a: 4 }, other)).rejects.toMatchObject({ kind: 'storage-full' });
  expect(await states().save({ a: 1 }, client)).toBe(first);
  expect(await states().find(first)).toBe('{"a":1}');
  expect(await states(DAY_MS + 1).save({ a: 4 }, client)).toMatch(/^[0-9a-f]{64}$/);
});

it('the number of shared views evicts views that have not been used for long in favour of new ones', async () => {
  const old = await states().save({ a: 0 }, client);
  const later = states(EVICTED_UNUSED_MS + 2 * DAY_MS);
  for (const a of [1, 2]) await later.save({ a }, client);
  for (const a of [3, 4]) await later.save({ a }, other);
  await expect(later.save({ a: 5 }, '192.0.2.3')).rejects.toMatchObject({ kind: 'storage-full' });
  expect(await later.find(old)).toBeNull();
});

it('the number of shared views keeps those that the edge cache answers, whose use is noted once a week, if it can be', async () => {
  let nowMs = START;
  const { request } = servedApp(testServices({ databases, objects, clock: () => nowMs }));
  const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(VIEW) };
  const saved = (await (await request(`${ORIGIN}/v2/saveWebClientState/`, init)).json()) as { data: string };
  const used: unknown[] = [];
  for (const days of [0, 1, 8, 20]) {
    nowMs = START + days * DAY_MS;
    if (days === 20) fillUp(databases.main);
    const { status } = await request(`${ORIGIN}/v2/getWebClientState/?state_id=${saved.data}`);
    used.push(status, await databases.main.prepare('SELECT used_at_ms FROM client_states').first('used_at_ms'));
  }
  expect(used).toEqual([200, START, 200, START, 200, START + 8 * DAY_MS, 200, START + 8 * DAY_MS]);
});

it('the number of shared views falls by those that have not been used for two years, rows and objects', async () => {
  const { unusedMs } = CLIENT_STATES;
  const [used, unused] = [await states().save({ a: 1 }, client), await states().save({ a: 2 }, client)];
  expect(await states(DAY_MS * 40).find(used)).toBe('{"a":1}');
  expect(await sweepClientStates(portsAt(unusedMs))).toBe(0);
  // A view that is saved while it is being removed would lose its object.
  beforeNext(objects, 'delete', async () => {
    await expect(states(unusedMs + 1).save({ a: 2 }, client)).rejects.toMatchObject({ kind: 'busy', retryAfterSeconds: 60 });
    expect(await sweepClientStates(portsAt(unusedMs + 1))).toBe(0);
  });
  expect(await sweepClientStates(portsAt(unusedMs + 1))).toBe(1);
  expect(await Promise.all([used, unused].map((key) => states().find(key)))).toEqual(['{"a":1}', null]);
  expect(statesIn()).toHaveLength(1);
  const { results } = await databases.main.prepare('SELECT key FROM client_states').all();
  expect(results).toEqual([{ key: used }]);
  expect(await states(unusedMs + 2).save({ a: 2 }, client)).toBe(unused);
  expect(await states().find(unused)).toBe('{"a":2}');
});
