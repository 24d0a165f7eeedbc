// Many days at once: how many of them an isolate asks for, and what becomes of the others.
import type { ServerResponse } from 'node:http';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { EVENT_CONCURRENCY } from '../../../src/config/limits/events.ts';
import type { EventLimits } from '../../../src/services/events/events.ts';
import type { ConcurrencyLimits } from '../../../src/services/events/events-days.ts';
import { DAY_MS } from '../../../src/util/durations.ts';
import { hekRecord, NOON } from '../../support/events/event-records.ts';
import { type EventUpstream, startEventUpstream } from '../../support/events/event-upstream.ts';
import { eventsApp } from '../../support/events/events-app.ts';

let upstream: EventUpstream;
/** What the HEK was asked and did not answer yet. */
let open: { readonly day: string; readonly response: ServerResponse }[];

beforeEach(async () => {
  open = [];
  upstream = await startEventUpstream({
    hek: (url, response) => open.push({ day: url.searchParams.get('event_starttime')!.slice(0, 10), response }),
  });
});
afterEach(() => upstream.close());

const asked = () => upstream.asked.filter(({ pathname }) => pathname === '/hek').length;

function release(): void {
  for (const { day, response } of open.splice(0)) {
    const columns = { event_starttime: `${day}T00:00:00`, event_endtime: `${day}T23:00:00` };
    response.end(JSON.stringify({ result: [hekRecord(columns)], overmax: false }));
  }
}

const SLOW = { attemptMs: 20_000, dayMs: 20_000 };
const isolate = (concurrency: Partial<ConcurrencyLimits> = {}, days: Partial<EventLimits> = {}) =>
  eventsApp(upstream.url, { limits: SLOW, days: { concurrency: { ...EVENT_CONCURRENCY, ...concurrency }, ...days } });

const askDay = async (app: ReturnType<typeof isolate>, day: number, waiting = {}) =>
  (await app.service.answer(NOON + day * DAY_MS, ['HEK'], waiting)).states[0]!.state;
const askDays = (app: ReturnType<typeof isolate>, count: number) =>
  Promise.all(Array.from({ length: count }, (_, day) => askDay(app, day)));

it('of days at once, two of a source are asked for, and the others after them', async () => {
  const answers = askDays(isolate(), 6);
  for (let round = 1; round <= 3; round += 1) {
    await vi.waitFor(() => expect(asked()).toBe(2 * round));
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect([asked(), open.length]).toEqual([2 * round, 2]);
    release();
  }
  expect(await answers).toEqual(Array(6).fill('ok'));
});

it('the questions of one instant are asked at once', async () => {
  const app = isolate();
  const answer = app.service.answer(NOON, ['HEK', 'CCMC']);
  await vi.waitFor(() => expect(new Set(upstream.asked.map(({ pathname }) => pathname)).size).toBe(4));
  release();
  expect((await answer).states.map(({ state }) => state)).toEqual(['ok', 'ok']);
});

it('a day that has no turn in time is missing, and asked for as soon as there is one: its source did not fail', async () => {
  const app = isolate({ waitMs: 60 });
  const first = askDays(app, 2);
  await vi.waitFor(() => expect(asked()).toBe(2));
  for (let day = 2; day < 7; day += 1) expect(await askDay(app, day)).toBe('failed');
  expect([asked(), app.logged]).toEqual([2, []]);
  release();
  expect(await first).toEqual(['ok', 'ok']);
  const again = askDay(app, 2);
  await vi.waitFor(() => expect(asked()).toBe(3));
  release();
  expect(await again).toBe('ok');
});

it('what was kept of a day that has no turn is shown, and the day asked for as soon as there is one', async () => {
  const app = isolate({ waitMs: 60 });
  const before = askDay(app, 2);
  await vi.waitFor(() => expect(asked()).toBe(1));
  release();
  await before;
  app.clock.nowMs += 30 * 3_600_000;
  const others = askDays(app, 2);
  await vi.waitFor(() => expect(asked()).toBe(3));
  expect(await askDay(app, 2)).toBe('stale');
  release();
  await others;
  const again = askDay(app, 2);
  await vi.waitFor(() => expect(asked()).toBe(4));
  release();
  expect(await again).toBe('ok');
});

it('an answer is there in its time, whatever the turns are, and the day for the next one', async () => {
  const app = isolate({}, { responseMs: 150 });
  const goingOn: Promise<unknown>[] = [];
  const waiting = { keepGoing: (work: Promise<unknown>) => goingOn.push(work) };
  const states = await Promise.all([0, 1, 2].map((day) => askDay(app, day, waiting)));
  expect(states).toEqual(['failed', 'failed', 'failed']);
  expect(asked()).toBe(2);
  release();
  await vi.waitFor(() => expect(asked()).toBe(3));
  release();
  await Promise.all(goingOn);
  expect(await askDays(app, 3)).toEqual(['ok', 'ok', 'ok']);
  expect(asked()).toBe(3);
});

it('a turn of somebody whom the platform ended is over after a while', async () => {
  const app = isolate({ leaseMs: 200 });
  void askDays(app, 2);
  const third = askDay(app, 2);
  await vi.waitFor(() => expect(asked()).toBe(3));
  release();
  expect(await third).toBe('ok');
});
