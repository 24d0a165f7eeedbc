// How often sources are asked, and how long their answers are good.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EVENT_CONCURRENCY, EVENT_MEMORY, EVENT_REQUESTS } from '../../../src/config/limits/events.ts';
import { parseRhessiLine, type RhessiFlare } from '../../../src/domain/events/rhessi.ts';
import { DAY_MS, HOUR_MS } from '../../../src/util/durations.ts';
import { hekRecord, NOON, rhessiLine } from '../../support/events/event-records.ts';
import { type EventUpstream, json, startEventUpstream, text } from '../../support/events/event-upstream.ts';
import { eventsApp, MemoryEventDays, MemoryRhessiFlares } from '../../support/events/events-app.ts';

let upstream: EventUpstream;
beforeEach(async () => {
  upstream = await startEventUpstream({ hek: json({ result: [hekRecord()], overmax: false }) });
});
afterEach(() => upstream.close());

const asked = () => upstream.asked.filter(({ pathname }) => pathname === '/hek').length;
const ask = (app: ReturnType<typeof eventsApp>, atMs = NOON) => app.service.answer(atMs, ['HEK']);
const stateOf = async (app: ReturnType<typeof eventsApp>, atMs = NOON) => (await ask(app, atMs)).states[0];

describe('a day of a source', () => {
  it('is loaded once for the three hundred frames of a movie', async () => {
    const app = eventsApp(upstream.url);
    const frames = Array.from({ length: 300 }, (_, i) => NOON + i * 60_000);
    const found = await Promise.all(frames.map((atMs) => app.service.answer(atMs, ['HEK'])));
    expect(found.every(({ events }) => events.length === 1)).toBe(true);
    expect(asked()).toBe(1);
  });

  it('is loaded once for requests at the same time', async () => {
    const app = eventsApp(upstream.url);
    await Promise.all([ask(app), ask(app), ask(app), ask(app, NOON + HOUR_MS)]);
    expect(asked()).toBe(1);
  });

  it('is loaded once for all isolates', async () => {
    const store = new MemoryEventDays();
    await ask(eventsApp(upstream.url, { store }));
    const other = await ask(eventsApp(upstream.url, { store }));
    expect([asked(), other.events.length, other.states[0]!.state]).toEqual([1, 1, 'ok']);
  });

  it('that another isolate loaded anew is not asked for again', async () => {
    const store = new MemoryEventDays();
    const [one, two] = [eventsApp(upstream.url, { store }), eventsApp(upstream.url, { store })];
    await ask(one);
    await ask(two);
    for (const { clock } of [one, two]) clock.nowMs += 30 * HOUR_MS;
    await ask(one);
    expect((await stateOf(two))!.state).toBe('ok');
    expect(asked()).toBe(2);
  });

  it('that failed and was never there costs no look into the store for every frame', async () => {
    upstream.answers.hek = text('no', 400);
    const store = new MemoryEventDays();
    const app = eventsApp(upstream.url, { store });
    let looks = 0;
    const find = store.find.bind(store);
    store.find = (feed, dayMs) => {
      looks += 1;
      return find(feed, dayMs);
    };
    for (let frame = 0; frame < 20; frame += 1) await app.service.answer(NOON + frame * 60_000, ['HEK']);
    expect([looks, asked()]).toEqual([1, 1]);
  });

  it('that is over is good for a day', async () => {
    const app = eventsApp(upstream.url);
    await ask(app);
    app.clock.nowMs += DAY_MS - 1;
    await ask(app);
    expect(asked()).toBe(1);
    app.clock.nowMs += 1;
    await ask(app);
    expect(asked()).toBe(2);
  });

  it('that was not over when it was loaded is good for five minutes, also when it is over', async () => {
    const app = eventsApp(upstream.url);
    app.clock.nowMs = NOON + 12 * HOUR_MS - 60_000;
    await ask(app);
    app.clock.nowMs += 5 * 60_000 - 1;
    await ask(app);
    expect(asked()).toBe(1);
    app.clock.nowMs += 1;
    await ask(app);
    expect(asked()).toBe(2);
  });

  it('that did not load is not asked for again for half a minute', async () => {
    upstream.answers.hek = text('no', 400);
    const app = eventsApp(upstream.url);
    expect((await stateOf(app))!.state).toBe('failed');
    await ask(app);
    expect(asked()).toBe(1);
    upstream.answers.hek = json({ result: [hekRecord()], overmax: false });
    app.clock.nowMs += 30_000;
    expect((await stateOf(app))!.state).toBe('ok');
  });

  it('is not asked for when it is before all events or far ahead', async () => {
    const app = eventsApp(upstream.url);
    const far = [Date.UTC(1974, 11, 31), Date.UTC(-400, 0, 1), app.clock.nowMs + 5 * DAY_MS, Date.UTC(9999, 0, 1)];
    for (const atMs of far) expect(await ask(app, atMs)).toMatchObject({ events: [], states: [{ state: 'ok' }] });
    expect([asked(), app.store.kept.size]).toEqual([0, 0]);
  });

  it('is kept without the columns that are null', async () => {
    const app = eventsApp(upstream.url);
    await ask(app);
    const [kept] = app.store.kept.values();
    expect(JSON.parse(kept!).records[0]).toMatchObject({ active: 'true', kb_archivid: 'ivo://sun.test/AR_1' });
    expect(kept).not.toContain('null');
  });

  it('that is too much for an isolate to keep is read from the store again', async () => {
    const app = eventsApp(upstream.url, { days: { memory: { ...EVENT_MEMORY, cacheBytes: 1 } } });
    await ask(app);
    expect((await ask(app)).events).toHaveLength(1);
    expect(asked()).toBe(1);
  });

  /** A day of as many records as are taken, of so many characters each. */
  const serveLargeDay = (characters: number) => {
    upstream.answers.hek = (url, response) => {
      const page = Number(url.searchParams.get('page'));
      const result = Array.from({ length: 1000 }, (_, i) => {
        const kb_archivid = `ivo://${page}/${i}`;
        return hekRecord({ kb_archivid, frm_name: 'X', event_description: kb_archivid.padEnd(characters) });
      });
      response.end(JSON.stringify({ result, overmax: page < 4 }));
    };
    const memory = { ...EVENT_MEMORY, instantBytes: EVENT_MEMORY.dayBytes };
    const app = eventsApp(upstream.url, { limits: { ...EVENT_REQUESTS }, days: { memory } });
    const looks: number[] = [];
    const find = app.store.find.bind(app.store);
    app.store.find = (feed, dayMs) => {
      looks.push(dayMs);
      return find(feed, dayMs);
    };
    return { app, looks };
  };

  it('with all the records that are taken is kept in the isolate', async () => {
    const { app, looks } = serveLargeDay(10);
    for (let time = 0; time < 3; time += 1) expect((await ask(app)).events).toHaveLength(4000);
    expect([asked(), looks.length]).toEqual([4, 1]);
  });

  it('of too long records is kept in the isolate as far as there is room for a day, and says so', async () => {
    const { app, looks } = serveLargeDay(5_000);
    for (let time = 0; time < 2; time += 1) {
      const { events, states } = await ask(app);
      expect(events.length).toBeGreaterThan(2000);
      expect(events.length).toBeLessThan(4000);
      expect(states[0]).toMatchObject({ state: 'ok', isCut: true });
    }
    expect([asked(), looks.length]).toEqual([4, 1]);
  });
});

describe('a source that keeps failing', () => {
  it('is left alone after three days that did not load, and asked again later', async () => {
    upstream.answers.hek = text('no', 400);
    const app = eventsApp(upstream.url);
    for (let day = 0; day < 10; day += 1) await ask(app, NOON - day * DAY_MS);
    expect(asked()).toBe(3);
    upstream.answers.hek = json({ result: [hekRecord()], overmax: false });
    app.clock.nowMs += 30_000;
    expect((await stateOf(app))!.state).toBe('ok');
    expect((await stateOf(app, NOON - DAY_MS))!.state).toBe('ok');
  });

  it('says how old its last answer is', async () => {
    const app = eventsApp(upstream.url);
    await ask(app);
    upstream.answers.hek = text('no', 400);
    app.clock.nowMs += 30 * HOUR_MS;
    expect(await stateOf(app)).toEqual({
      source: 'HEK',
      state: 'stale',
      ageSeconds: 108_000,
      missing: [],
      skipped: 0,
      isCut: false,
    });
    expect((await app.service.answer(NOON, ['HEK'])).events).toHaveLength(1);
  });

  it('does not keep users waiting where it said something before, and its news come to those after them', async () => {
    const app = eventsApp(upstream.url, { days: { staleWaitMs: 30 }, limits: { attemptMs: 2_000, dayMs: 2_000 } });
    await ask(app);
    app.clock.nowMs += 30 * HOUR_MS;
    let release: () => void = () => undefined;
    upstream.answers.hek = (_url, response) => {
      release = () =>
        response.end(JSON.stringify({ result: [hekRecord(), hekRecord({ kb_archivid: 'ivo://new' })], overmax: false }));
    };
    const goingOn: Promise<unknown>[] = [];
    const early = await app.service.answer(NOON, ['HEK'], { keepGoing: (work) => goingOn.push(work) });
    expect(early).toMatchObject({ events: [{ id: 'ivo://sun.test/AR_1' }], states: [{ state: 'stale', ageSeconds: 108_000 }] });
    expect((await stateOf(app))!.state).toBe('stale');
    expect(asked()).toBe(2);
    release();
    await Promise.all(goingOn);
    const late = await ask(app);
    expect([late.events.length, late.states[0]!.state, asked()]).toEqual([2, 'ok', 2]);
  });

  it('does not keep others waiting for a request that the platform ended', async () => {
    const store = new MemoryEventDays();
    const app = eventsApp(upstream.url, { store, days: { waitMs: 300, concurrency: { ...EVENT_CONCURRENCY, waitMs: 0 } } });
    const find = store.find.bind(store);
    store.find = () => new Promise(() => undefined);
    void ask(app);
    store.find = find;
    expect((await ask(app)).events).toHaveLength(1);
    expect(asked()).toBe(1);
  });
});

describe('predictions of which a model is missing', () => {
  it('give way to the whole ones of before', async () => {
    const app = eventsApp(upstream.url);
    await app.service.answer(NOON, ['CCMC']);
    app.clock.nowMs += 2 * DAY_MS;
    upstream.answers['scoreboard/data'] = (url, response, request) => {
      const isDown = url.searchParams.get('id') === 'DAFFS_REGIONS';
      (isDown ? text('no', 503) : json({ status: { code: 1200 }, parameters: [], data: [] }))(url, response, request);
    };
    const { states } = await app.service.answer(NOON, ['CCMC']);
    expect(states).toMatchObject([{ state: 'stale', ageSeconds: 172_800, missing: [] }]);
  });
});

describe('a source that is late for a picture', () => {
  it('is missing from it, what others know is there, and the next picture has all', async () => {
    const flares = new MemoryRhessiFlares();
    await flares.add([parseRhessiLine(rhessiLine()) as RhessiFlare]);
    const app = eventsApp(upstream.url, { flares, limits: { attemptMs: 20_000, dayMs: 20_000 } });
    let release: () => unknown = () => undefined;
    upstream.answers.hek = (_url, response) => {
      release = () => response.end(JSON.stringify({ result: [hekRecord()], overmax: false }));
    };
    const goingOn: Promise<unknown>[] = [];
    const waiting = { waitMs: 200, keepGoing: (work: Promise<unknown>) => goingOn.push(work) };
    const early = await app.service.answer(NOON, ['HEK', 'RHESSI'], waiting);
    expect(early).toMatchObject({ events: [{ source: 'RHESSI' }], states: [{ state: 'failed' }, { state: 'ok' }] });
    release();
    await Promise.all(goingOn);
    const next = await app.service.answer(NOON, ['HEK', 'RHESSI'], waiting);
    expect(next.states.map(({ state }) => state)).toEqual(['ok', 'ok']);
    expect(next.events.map(({ source }) => source)).toEqual(['HEK', 'RHESSI']);
    expect(asked()).toBe(1);
  });
});

describe('a source whose past is asked for day by day', () => {
  const rateLimit = { daysPerMinute: 5, exemptDays: 7 };
  const askDays = async (app: ReturnType<typeof eventsApp>, count: number) => {
    const days = Array.from({ length: count }, (_, i) => NOON - (i + 30) * DAY_MS);
    return Promise.all(days.map(async (atMs) => (await stateOf(app, atMs))!.state));
  };

  it('is asked for so many days in a minute and no more, and the others are said to be missing', async () => {
    const app = eventsApp(upstream.url, { days: { rateLimit } });
    const states = await askDays(app, 20);
    expect(asked()).toBe(5);
    expect(states.filter((state) => state === 'ok')).toHaveLength(5);
    expect(states.filter((state) => state === 'failed')).toHaveLength(15);
  });

  it('gives the rest in the minutes after, and what was given before at any time', async () => {
    const app = eventsApp(upstream.url, { days: { rateLimit } });
    await askDays(app, 8);
    expect((await askDays(app, 5)).every((state) => state === 'ok')).toBe(true);
    expect(asked()).toBe(5);
    app.clock.nowMs += 60_000;
    expect((await askDays(app, 8)).every((state) => state === 'ok')).toBe(true);
    expect(asked()).toBe(8);
  });

  it('is asked for the days up to now all the same', async () => {
    const app = eventsApp(upstream.url, { days: { rateLimit: { ...rateLimit, daysPerMinute: 0 } } });
    const today = Math.floor(app.clock.nowMs / DAY_MS) * DAY_MS;
    expect((await stateOf(app, today))!.state).toBe('ok');
    expect((await stateOf(app, today - 6 * DAY_MS))!.state).toBe('ok');
    expect((await stateOf(app, today - 8 * DAY_MS))!.state).toBe('failed');
    expect(asked()).toBe(2);
  });
});
