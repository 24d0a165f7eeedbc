// Days of events that are loaded at the same time: two of a source, as far as there is memory for their answers.
import type { ServerResponse } from 'node:http';
import { beforeEach, expect, test, vi } from 'vitest';
import type { EventLimits } from '../../../src/events/event-days.ts';
import { boundedFetch } from '../../../src/platform/http/bounded-fetch.ts';
import { EVENT_MEMORY } from '../../../src/platform/limits/events.ts';
import { memoryLimits } from '../../../src/platform/limits/memory.ts';
import { DAY_MS } from '../../../src/platform/util/durations.ts';
import { MemoryBudget, NoMemory } from '../../../src/platform/util/memory-budget.ts';
import { hekRecord, NOON } from '../../support/events/event-records.ts';
import { eventsApp } from '../../support/events/events-app.ts';
import { upstreamOfEachTest } from '../../support/upstream/upstream-of-each-test.ts';

const it = test.extend('app', () => isolate());

/** Requests that the HEK has not responded to. */
const open: { readonly day: string; readonly response: ServerResponse }[] = [];
const upstream = upstreamOfEachTest({
  hek: (url, response) => open.push({ day: url.searchParams.get('event_starttime')!.slice(0, 10), response }),
});
beforeEach(() => void open.splice(0));

const requestCount = () => upstream.requests.filter(({ pathname }) => pathname === '/hek').length;

function release(): void {
  for (const { day, response } of open.splice(0)) {
    const columns = { event_starttime: `${day}T00:00:00`, event_endtime: `${day}T23:00:00` };
    response.end(JSON.stringify({ result: [hekRecord(columns)], overmax: false }));
  }
}

const SLOW = { attemptMs: 20_000, dayMs: 20_000 };
const isolate = (days: Partial<EventLimits> = {}) => {
  const memory = new MemoryBudget(memoryLimits());
  return { ...eventsApp(upstream.url, { limits: SLOW, days, memory }), memory };
};

const loadDay = async (app: ReturnType<typeof isolate>, day: number, options = {}) =>
  (await app.service.eventsAt(NOON + day * DAY_MS, ['HEK'], options)).states[0]!.state;
const loadDays = (app: ReturnType<typeof isolate>, count: number) =>
  Promise.all(Array.from({ length: count }, (_, day) => loadDay(app, day)));

it('two days of a source load at a time, and the others queue', async () => {
  const states = loadDays(isolate(), 6);
  for (let round = 1; round <= 3; round += 1) {
    await vi.waitFor(() => expect(requestCount()).toBe(2 * round));
    // Arrives after whatever else was sent before.
    await fetch(`${upstream.url}/last`);
    expect([requestCount(), open.length]).toEqual([2 * round, 2]);
    release();
  }
  expect(await states).toEqual(Array(6).fill('ok'));
});

it('a day leaves the memory to others while its source does not answer', async ({ app }) => {
  const states = loadDays(app, 3);
  await vi.waitFor(() => expect(requestCount()).toBe(2));
  expect(app.memory.used.jobs).toBe(0);
  release();
  await vi.waitFor(() => expect(requestCount()).toBe(3));
  expect(app.memory.used.jobs).toBe(0);
  release();
  expect(await states).toEqual(['ok', 'ok', 'ok']);
});

it('the answer of a source is read when there is memory for it, and no failure of the source is logged', async ({ app }) => {
  const state = loadDay(app, 0, { timeoutMs: 300 });
  await vi.waitFor(() => expect(requestCount()).toBe(1));
  const others = await app.memory.acquire(2 * EVENT_MEMORY.loadBytes, { waitMs: 0 });
  release();
  expect(await state).toBe('failed');
  app.memory.release(others!);
  expect([await loadDay(app, 0), requestCount(), app.logged]).toEqual(['ok', 1, []]);
});

it('no source is blamed for an answer that ended before there was memory for it', async () => {
  const stopped = new AbortController();
  const room = async () => stopped.abort();
  const bounds = { signal: stopped.signal, maxBytes: 1_000_000, redirects: 0, accept: '*/*', room };
  const answer = boundedFetch(new URL(`${upstream.url}/hek?event_starttime=2014-01-01`), bounds);
  await vi.waitFor(() => expect(open.length).toBe(1));
  release();
  await expect(answer).rejects.toThrow(NoMemory);
});

it('all feeds of one instant are queried concurrently', async ({ app }) => {
  const lookup = app.service.eventsAt(NOON, ['HEK', 'CCMC']);
  await vi.waitFor(() => expect(new Set(upstream.requests.map(({ pathname }) => pathname)).size).toBe(4));
  release();
  expect((await lookup).states.map(({ state }) => state)).toEqual(['ok', 'ok']);
});

it('a day without a turn in time is served as its stale copy, and retried as soon as there is one', async () => {
  const app = isolate({ staleWaitMs: 60 });
  const before = loadDay(app, 2);
  await vi.waitFor(() => expect(requestCount()).toBe(1));
  release();
  await before;
  app.clock.nowMs += 30 * 3_600_000;
  const others = loadDays(app, 2);
  await vi.waitFor(() => expect(requestCount()).toBe(3));
  expect(await loadDay(app, 2)).toBe('stale');
  release();
  await others;
  void loadDay(app, 2);
  await vi.waitFor(() => expect(requestCount()).toBe(4));
  release();
  // The first response may again be the stale copy, on a busy machine.
  await vi.waitFor(async () => expect(await loadDay(app, 2)).toBe('ok'));
});

it('a lookup responds within its own deadline while days are queued, and loads them in the background', async ({ app }) => {
  const background: Promise<unknown>[] = [];
  const options = { timeoutMs: 150, waitUntil: (work: Promise<unknown>) => background.push(work) };
  const states = await Promise.all([0, 1, 2].map((day) => loadDay(app, day, options)));
  expect(states).toEqual(['failed', 'failed', 'failed']);
  expect([requestCount(), app.logged]).toEqual([2, []]);
  release();
  await vi.waitFor(() => expect(requestCount()).toBe(3));
  release();
  await Promise.all(background);
  expect(await loadDays(app, 3)).toEqual(['ok', 'ok', 'ok']);
  expect(requestCount()).toBe(3);
});
