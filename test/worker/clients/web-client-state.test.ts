// The share button of the web client: saveWebClientState, getWebClientState and /load/<key>.
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { EVICTED_UNUSED_MS, ROW_BYTES } from '../../../src/platform/limits/admission.ts';
import { CLIENT_STATES } from '../../../src/platform/limits/sharing.ts';
import { databasesFrom } from '../../../src/platform/storage/databases.ts';
import { R2ObjectStore } from '../../../src/platform/storage/r2-object-store.ts';
import { DAY_MS } from '../../../src/platform/util/durations.ts';
import { ClientStates, sweepClientStates } from '../../../src/sharing/client-states.ts';
import { D1ClientStates } from '../../../src/sharing/d1-client-states.ts';
import { budgetsIn } from '../../support/memory/budgets.ts';
import { callOf } from '../../support/memory/call.ts';
import { clientGet, clientPost, getPath, VIEW } from './web-client.ts';

async function save(view: unknown): Promise<string> {
  const response = await clientPost('saveWebClientState', view);
  const { status_code, status_txt, data } = await response.json<{ status_code: number; status_txt: string; data: string }>();
  expect([response.status, status_code, status_txt]).toEqual([200, 200, 'OK']);
  return data;
}

const SHOWN = { marker_visibility: true, label_visibility: true };
/** The events of VIEW as paths. */
const AS_PATHS = {
  event_selections: [],
  event_visibility_selections: { HEK: SHOWN, CCMC: SHOWN, RHESSI: SHOWN, WSA: SHOWN },
};

it('saveWebClientState and getWebClientState return the posted view with its nulls, empty objects and empty lists', async () => {
  const key = await save(VIEW);
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  const loaded = await clientGet(`action=getWebClientState&state_id=${key}`);
  expect(loaded.headers.get('Cache-Control')).toContain('immutable');
  // With its events as later clients read them.
  expect(await loaded.json()).toEqual({ status_code: 200, status_txt: 'OK', data: { ...VIEW, ...AS_PATHS } });
  const later = { ...VIEW, ...AS_PATHS, event_selections: ['HEK>>Flare', 'WSA'] };
  const again = await clientGet(`action=getWebClientState&state_id=${await save(later)}`);
  expect((await again.json<{ data: object }>()).data).toEqual(later);
});

it('saveWebClientState and getWebClientState give equal views one key and store them once', async () => {
  const reordered = Object.fromEntries(Object.entries(VIEW).reverse());
  const keys = await Promise.all([save(VIEW), save(reordered), save(VIEW)]);
  expect(new Set(keys).size).toBe(1);
  expect(await save({ ...VIEW, centerX: 1 })).not.toBe(keys[0]);
  const { results } = await env.DB.prepare('SELECT id, key FROM client_states ORDER BY id').all();
  expect(results).toEqual([
    { id: 1, key: keys[0] },
    { id: 2, key: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ]);
  expect((await env.ARCHIVE.list({ prefix: 'states/' })).objects).toHaveLength(2);
});

it('saveWebClientState and getWebClientState keep fields that newer clients add', async () => {
  const key = await save({ ...VIEW, timeline: { open: true } });
  const { data } = await (await getPath(`/v2/getWebClientState/?state_id=${key}`)).json<{ data: object }>();
  expect(data).toEqual({ ...VIEW, ...AS_PATHS, timeline: { open: true } });
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
  expect((await clientPost('saveWebClientState', { ...VIEW, eventLayers: nested })).status).toBe(500);
});

it('saveWebClientState and getWebClientState refuse views of more than 64 KiB', async () => {
  const response = await clientPost('saveWebClientState', { ...VIEW, eventLayers: { tree_HEK: 'x'.repeat(70_000) } });
  expect(response.status).toBe(500);
  expect((await env.ARCHIVE.list({ prefix: 'states/' })).objects).toEqual([]);
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
  register: new D1ClientStates(databasesFrom(env)),
  objects: new R2ObjectStore(env.ARCHIVE),
  clock: () => nowMs,
});
const states = (nowMs = 0) => {
  const views = new ClientStates(portsAt(nowMs));
  const budgets = budgetsIn(databasesFrom(env), { clock: () => nowMs, limits });
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

it('the number of shared views falls by those that have not been used for two years, rows and objects', async () => {
  const { unusedMs } = CLIENT_STATES;
  const [used, unused] = [await states().save({ a: 1 }, client), await states().save({ a: 2 }, client)];
  expect(await states(DAY_MS * 40).find(used)).toBe('{"a":1}');
  expect(await sweepClientStates(portsAt(unusedMs))).toBe(0);
  expect(await sweepClientStates(portsAt(unusedMs + 1))).toBe(1);
  expect(await Promise.all([used, unused].map((key) => states().find(key)))).toEqual(['{"a":1}', null]);
  expect((await env.ARCHIVE.list({ prefix: 'states/' })).objects).toHaveLength(1);
  const { results } = await env.DB.prepare('SELECT key FROM client_states').all();
  expect(results).toEqual([{ key: used }]);
  expect(await states(unusedMs + 2).save({ a: 2 }, client)).toBe(unused);
});
