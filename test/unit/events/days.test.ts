// Caching of days of events: how often sources are queried, and how long their responses are fresh.
import { gunzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { EVENT_MEMORY, EVENT_REQUESTS } from '../../../src/platform/limits/events.ts';
import { DAY_MS, HOUR_MS } from '../../../src/platform/util/durations.ts';
import { MemoryBudget } from '../../../src/platform/util/memory-budget.ts';
import { hekRecord, NOON } from '../../support/events/event-records.ts';
import { emptyStore, eventsApp } from '../../support/events/events-app.ts';
import { json, text } from '../../support/upstream/test-upstream.ts';
import { upstreamOfEachTest } from '../../support/upstream/upstream-of-each-test.ts';

const it = test.extend('app', () => eventsApp(upstream.url));

const upstream = upstreamOfEachTest({ hek: json({ result: [hekRecord()], overmax: false }) });

const requestCount = () => upstream.requests.filter(({ pathname }) => pathname === '/hek').length;
const lookUp = (app: ReturnType<typeof eventsApp>, atMs = NOON) => app.service.eventsAt(atMs, ['HEK']);
const stateOf = async (app: ReturnType<typeof eventsApp>, atMs = NOON) => (await lookUp(app, atMs)).states[0];

it('a day of events loads a day of events once for the three hundred frames of a movie', async ({ app }) => {
  const frames = Array.from({ length: 300 }, (_, i) => NOON + i * 60_000);
  const found = await Promise.all(frames.map((atMs) => app.service.eventsAt(atMs, ['HEK'])));
  expect(found.every(({ events }) => events.length === 1)).toBe(true);
  expect(requestCount()).toBe(1);
});

it('a day of events requests no day again that another isolate has refreshed', async () => {
  const store = emptyStore();
  const [one, two] = [eventsApp(upstream.url, { store }), eventsApp(upstream.url, { store })];
  await lookUp(one);
  await lookUp(two);
  for (const { clock } of [one, two]) clock.nowMs += 30 * HOUR_MS;
  await lookUp(one);
  expect((await stateOf(two))!.state).toBe('ok');
  expect(requestCount()).toBe(2);
});

it('a day of events looks a day up in the store only once after it failed to load', async () => {
  upstream.responders.hek = text('no', 400);
  const store = emptyStore();
  const app = eventsApp(upstream.url, { store });
  const find = vi.spyOn(store, 'find');
  for (let frame = 0; frame < 20; frame += 1) await app.service.eventsAt(NOON + frame * 60_000, ['HEK']);
  expect([find.mock.calls.length, requestCount()]).toEqual([1, 1]);
});

it.each([
  ['a day when it was over at the time of loading', null, DAY_MS],
  ['five minutes when it was loaded before its end', NOON + 12 * HOUR_MS - 60_000, 5 * 60_000],
])('a day of events keeps a day fresh for %s', async (_, loadedAtMs, freshMs) => {
  const app = eventsApp(upstream.url);
  app.clock.nowMs = loadedAtMs ?? app.clock.nowMs;
  await lookUp(app);
  app.clock.nowMs += freshMs - 1;
  await lookUp(app);
  expect(requestCount()).toBe(1);
  app.clock.nowMs += 1;
  await lookUp(app);
  expect(requestCount()).toBe(2);
});

it('a day of events is loaded again when the stored one is damaged, and never from the far past or future', async ({ app }) => {
  const far = [Date.UTC(1974, 11, 31), Date.UTC(-400, 0, 1), app.clock.nowMs + 5 * DAY_MS, Date.UTC(9999, 0, 1)];
  for (const atMs of far) expect(await lookUp(app, atMs)).toMatchObject({ events: [], states: [{ state: 'ok' }] });
  expect([requestCount(), app.objects.objects.size]).toEqual([0, 0]);
  await app.objects.put('events/1/hek/2014/01/01.json.gz', Uint8Array.of(1, 2, 3));
  const { states, events } = await lookUp(app);
  expect([states[0]!.state, events.length, requestCount()]).toEqual(['ok', 1, 1]);
});

it('a day of events stores a day without null columns', async ({ app }) => {
  await lookUp(app);
  const [object] = app.objects.objects.values();
  expect([...app.objects.objects.keys()]).toEqual(['events/1/hek/2014/01/01.json.gz']);
  const kept = gunzipSync(object!).toString();
  expect(JSON.parse(kept).records[0]).toMatchObject({ active: 'true', kb_archivid: 'ivo://sun.test/AR_1' });
  expect(kept).not.toContain('null');
});

it('a day of events reads a day from the store again when it exceeds the memory', async () => {
  const app = eventsApp(upstream.url, { memory: new MemoryBudget({ bytes: 1000, jobBytes: 1000, leaseMs: 60_000 }) });
  await lookUp(app);
  expect((await lookUp(app)).events).toHaveLength(1);
  expect(requestCount()).toBe(1);
});

/** A day with the largest number of records, each of `characters` characters. */
const serveLargeDay = (characters: number) => {
  upstream.responders.hek = (url, response) => {
    const page = Number(url.searchParams.get('page'));
    const result = Array.from({ length: 1000 }, (_, i) => {
      const kb_archivid = `ivo://${page}/${i}`;
      return hekRecord({ kb_archivid, frm_name: 'X', event_description: kb_archivid.padEnd(characters) });
    });
    response.end(JSON.stringify({ result, overmax: page < 4 }));
  };
  const memory = { ...EVENT_MEMORY, instantBytes: EVENT_MEMORY.dayBytes };
  const app = eventsApp(upstream.url, { limits: { ...EVENT_REQUESTS }, days: { memory } });
  return { app, find: vi.spyOn(app.store, 'find') };
};

it('a day of events caches a day with the largest number of records in the isolate', async () => {
  const { app, find } = serveLargeDay(10);
  for (let time = 0; time < 3; time += 1) expect((await lookUp(app)).events).toHaveLength(4000);
  expect([requestCount(), find.mock.calls.length]).toEqual([4, 1]);
});

it('a day of events cuts a day with long records to its memory limit, and says so', async () => {
  const { app, find } = serveLargeDay(5_000);
  for (let time = 0; time < 2; time += 1) {
    const { events, states } = await lookUp(app);
    expect(events.length).toBeGreaterThan(2000);
    expect(events.length).toBeLessThan(4000);
    expect(states[0]).toMatchObject({ state: 'ok', isCut: true });
  }
  expect([requestCount(), find.mock.calls.length]).toEqual([4, 1]);
});

it('a failing source rests for half a minute after a failure, whatever the day', async () => {
  upstream.responders.hek = text('no', 400);
  const app = eventsApp(upstream.url);
  for (let day = 0; day < 10; day += 1) await lookUp(app, NOON - day * DAY_MS);
  expect(requestCount()).toBe(1);
  upstream.responders.hek = json({ result: [hekRecord()], overmax: false });
  app.clock.nowMs += 30_000;
  expect((await stateOf(app))!.state).toBe('ok');
  expect((await stateOf(app, NOON - DAY_MS))!.state).toBe('ok');
});

it('a failing source delays a response only briefly when a stale copy exists, and refreshes it in the background', async () => {
  const app = eventsApp(upstream.url, { days: { staleWaitMs: 30 }, limits: { attemptMs: 2_000, dayMs: 2_000 } });
  await lookUp(app);
  app.clock.nowMs += 30 * HOUR_MS;
  let release: () => void = () => undefined;
  upstream.responders.hek = (_url, response) => {
    release = () =>
      response.end(JSON.stringify({ result: [hekRecord(), hekRecord({ kb_archivid: 'ivo://new' })], overmax: false }));
  };
  const background: Promise<unknown>[] = [];
  const early = await app.service.eventsAt(NOON, ['HEK'], { waitUntil: (work) => background.push(work) });
  expect(early).toMatchObject({
    events: [{ id: 'ivo://sun.test/AR_1' }],
    states: [{ state: 'stale', ageSeconds: 108_000, loadedAtMs: app.clock.nowMs - 30 * HOUR_MS }],
  });
  expect((await stateOf(app))!.state).toBe('stale');
  await vi.waitFor(() => expect(requestCount()).toBe(2));
  release();
  await Promise.all(background);
  const late = await lookUp(app);
  expect([late.events.length, late.states[0]!.state, requestCount()]).toEqual([2, 'ok', 2]);
});

it('a failing source does not block other requests when the request that loads the day is cancelled', async () => {
  const store = emptyStore();
  const app = eventsApp(upstream.url, { store, days: { dayMs: 500 } });
  const find = store.find.bind(store);
  store.find = () => new Promise(() => undefined);
  void lookUp(app);
  store.find = find;
  expect((await lookUp(app)).events).toHaveLength(1);
  expect(requestCount()).toBe(1);
});

it('predictions with a missing model replaces predictions with a missing model by the last complete ones', async ({ app }) => {
  await app.service.eventsAt(NOON, ['CCMC']);
  app.clock.nowMs += 2 * DAY_MS;
  upstream.responders['scoreboard/data'] = (url, response, request) => {
    const isDown = url.searchParams.get('id') === 'DAFFS_REGIONS';
    (isDown ? text('no', 503) : json({ status: { code: 1200 }, parameters: [], data: [] }))(url, response, request);
  };
  const { states } = await app.service.eventsAt(NOON, ['CCMC']);
  expect(states).toMatchObject([{ state: 'stale', ageSeconds: 172_800, missing: [] }]);
});
