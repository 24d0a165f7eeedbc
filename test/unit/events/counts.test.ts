// The timeline of events from ten days on, which consists of stored counts of days.
import { describe, expect, test } from 'vitest';
import { countDays, countedKinds, nextWindow, parseCoverageEvents, spanOf } from '../../../src/events/counts/event-counts.ts';
import { coverageEvent, eventSeries } from '../../../src/events/counts/event-series.ts';
import { D1EventCounts } from '../../../src/events/d1-event-counts.ts';
import { D1RhessiFlares } from '../../../src/events/d1-events-rhessi.ts';
import { hekEvent } from '../../../src/events/records/hek.ts';
import { parseRhessiLine, type RhessiFlare } from '../../../src/events/records/rhessi.ts';
import { EVENT_COUNTS, EVENT_REQUESTS } from '../../../src/platform/limits/events.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { countedBins, type DayResolution, extended } from '../../../src/sun/bins.ts';
import type { SolarEvent } from '../../../src/sun/events/solar-event.ts';
import { hekRecord, rhessiLine } from '../../support/events/event-records.ts';
import { eventsApp } from '../../support/events/events-app.ts';
import { randomNumbers } from '../../support/imaging/rasters.ts';
import { beforeNext } from '../../support/memory/before-next.ts';
import { databasesIn, migrated } from '../../support/memory/sqlite-d1.ts';
import { text } from '../../support/upstream/test-upstream.ts';
import { upstreamOfEachTest } from '../../support/upstream/upstream-of-each-test.ts';

const it = test.extend('app', () => eventsApp(upstream.url));

const NEW_YEAR = Date.UTC(2014, 0, 1);
const hek = (ms: number) => new Date(ms).toISOString().slice(0, 19);

function record(id: string, type: string, method: string, startMs: number, endMs: number) {
  const times = { event_starttime: hek(startMs), event_endtime: hek(endMs), event_peaktime: '' };
  return hekRecord({ kb_archivid: `ivo://helio-informatics.org/${id}`, event_type: type, frm_name: method, ...times });
}

/** A flare each day at noon, a region from each Monday to Saturday, and a hole that lasts for five weeks from 20 December. */
const days = Array.from({ length: 400 }, (_, i) => NEW_YEAR + (i - 200) * DAY_MS);
const RECORDS = [
  ...days.map((ms, i) => record(`FL_${i}`, 'FL', 'SWPC', ms + 12 * HOUR_MS, ms + 12 * HOUR_MS + 20 * MINUTE_MS)),
  ...days
    .filter((ms) => new Date(ms).getUTCDay() === 1)
    .map((ms, i) => record(`AR_${i}`, 'AR', 'NOAA SWPC Observer', ms + HOUR_MS, ms + 5 * DAY_MS + HOUR_MS)),
  record('CH_1', 'CH', 'SPoCA', Date.UTC(2013, 11, 20, 6), Date.UTC(2014, 0, 24, 6)),
];

/** The records that overlap the times of a query, in pages. */
const upstream = upstreamOfEachTest({
  hek: ({ searchParams: query }, response) => {
    const [from, to] = [query.get('event_starttime')!, query.get('event_endtime')!];
    const found = RECORDS.filter((each) => String(each.event_starttime) <= to && String(each.event_endtime) >= from);
    const columns = query.get('return')?.split(',');
    const cut = found.map((each) => (columns ? Object.fromEntries(columns.map((name) => [name, each[name]])) : each));
    const skipped = (Number(query.get('page')) - 1) * 1000;
    response.end(JSON.stringify({ result: cut.slice(skipped, skipped + 1000), overmax: cut.length > skipped + 1000 }));
  },
});

interface Series {
  readonly event_type: string;
  readonly res: string;
  readonly data: readonly (readonly [number, number | null])[];
  readonly known?: readonly number[];
}

type App = ReturnType<typeof eventsApp>;

async function request(app: App, eventLayers: string, startMs: number, endMs: number) {
  const query = `eventLayers=${eventLayers}&currentDate=${startMs}&startDate=${startMs}&endDate=${endMs}&callback=jQuery1`;
  app.archive.cache.entries.clear();
  const response = await app.archive.get(`/?action=getDataCoverage&${query}`);
  const series = JSON.parse(/^jQuery1\((.*)\)$/s.exec(await response.text())![1]!) as Series[];
  await app.archive.settle();
  return { series, sources: response.headers.get('X-Events-Sources'), policy: response.headers.get('Cache-Control') };
}

const coverage = async (app: App, eventLayers: string, startMs: number, endMs: number) =>
  (await request(app, eventLayers, startMs, endMs)).series;

const loads = () => upstream.requests.filter(({ pathname }) => pathname === '/hek');
const countOf = (series: readonly Series[], type: string, ms: number) =>
  series.find(({ event_type }) => event_type === type)!.data.find(([startMs]) => startMs === ms)![1];

describe('the timeline of events from ten days on', () => {
  it('opens at the 14 days of the timeline of images, and follows four steps of zooming out', async ({ app }) => {
    const resolutions: string[] = [];
    for (let [span, step] = [7 * DAY_MS, 0]; step <= 4; step += 1, span *= 2) {
      const [startMs, endMs] = [NEW_YEAR - span, NEW_YEAR + span];
      const series = await coverage(app, '[AR,all,1],[CH,SPoCA,1],[FL,all,1]', startMs, endMs);
      expect(series.map(({ event_type }) => event_type)).toEqual(['AR', 'CH', 'FL']);
      resolutions.push(series[0]!.res);
      const starts = countedBins(series[0]!.res as DayResolution, extended({ startMs, endMs })).map(([ms]) => ms);
      for (const { data } of series) expect(data.map(([ms]) => ms)).toEqual(starts);
    }
    expect(resolutions).toEqual(['D', 'D', 'D', 'D', 'W']);
  });

  it('counts the chosen methods of a type', async ({ app }) => {
    const fortnight = [NEW_YEAR - 7 * DAY_MS, NEW_YEAR + 7 * DAY_MS] as const;
    expect(await coverage(app, '[FL,Flare Detective,1]', ...fortnight)).toEqual([]);
    const both = await coverage(app, '[FL,Flare Detective;SWPC,1],[AR,NOAA+SWPC+Observer,1]', ...fortnight);
    expect(both.map(({ event_type }) => event_type)).toEqual(['AR', 'FL']);
    expect(countOf(both, 'FL', NEW_YEAR)).toBe(1);
  });

  it('loads up to a month at once, with the columns alone that a count needs, and each day once for all isolates', async () => {
    const counts = new D1EventCounts(databasesIn(migrated()));
    await coverage(eventsApp(upstream.url, { counts }), '[FL,all,1]', NEW_YEAR - 10 * DAY_MS, NEW_YEAR + 10 * DAY_MS);
    expect(loads().length).toBeLessThanOrEqual(5);
    expect(loads()[0]!.searchParams.get('return')).toMatch(/^kb_archivid,event_type,/);
    const before = loads().length;
    await coverage(eventsApp(upstream.url, { counts }), '[AR,all,1]', NEW_YEAR - 10 * DAY_MS, NEW_YEAR + 10 * DAY_MS);
    expect(loads().length).toBe(before);
  });

  it('asks no source for the predictions when only flares of DONKI are chosen', async () => {
    await coverage(eventsApp(upstream.url), '[C3,all,1]', NEW_YEAR - 10 * DAY_MS, NEW_YEAR + 10 * DAY_MS);
    expect(new Set(upstream.requests.map(({ pathname }) => pathname))).toEqual(new Set(['/donki/CME', '/donki/FLR']));
  });
});

const decade = [Date.UTC(2008, 6, 1), Date.UTC(2018, 6, 1)] as const;

it('days without counts show no number, and the response says which part of each bin is known', async ({ app }) => {
  const { series, sources, policy } = await request(app, '[FL,all,1]', ...decade);
  expect(loads().length).toBeLessThanOrEqual(EVENT_COUNTS.timeline.loads);
  const [flares] = series;
  expect(flares).toMatchObject({ event_type: 'FL', res: 'Y' });
  const byYear = Object.fromEntries(
    flares!.data.map(([ms, count], i) => [new Date(ms).getUTCFullYear(), [count, flares!.known![i]]]),
  );
  // Nothing of 2000 was loaded, some days about the middle of the range were, and no source has events of the future.
  expect([byYear[2000], byYear[2025]]).toEqual([
    [null, 0],
    [0, 1],
  ]);
  const lastLoaded = loads()
    .map(({ searchParams }) => searchParams.get('event_endtime')!)
    .sort()
    .at(-1)!;
  const onCountedDays = RECORDS.filter((each) => each.event_type === 'FL' && String(each.event_starttime) < lastLoaded);
  expect(lastLoaded < '2014').toBe(true);
  expect(onCountedDays.length).toBeGreaterThan(0);
  expect(byYear[2013]![0]).toBe(onCountedDays.length);
  expect(byYear[2013]![1]).toBeGreaterThan(0.5);
  expect([sources, policy]).toEqual([expect.stringMatching(/^HEK=partial;days=\d+\/\d+$/), 'public, max-age=60']);
});

it('days without counts get their counts from the cron within some minutes, the newest first', async ({ app }) => {
  for (let minute = 0; minute < 4; minute += 1) {
    await app.service.counting.byClock();
    app.clock.nowMs += MINUTE_MS;
  }
  const first = loads().map(({ searchParams }) => searchParams.get('event_starttime')!);
  expect(first.length).toBe(4 * EVENT_COUNTS.clock.loads);
  expect(first).toEqual(first.toSorted().reverse());
  const { sources } = await request(app, '[FL,all,1]', Date.UTC(2023, 5, 1), Date.UTC(2023, 7, 1));
  expect([loads().length, sources]).toEqual([first.length, 'HEK=ok']);
});

it('days without counts get their counts from the cron although the source fails for a later day', async ({ app }) => {
  const respond = upstream.responders.hek!;
  const [broken, older] = [DAY_MS, 40 * DAY_MS].map((ms) => hek(app.clock.nowMs - ms).slice(0, 10)) as [string, string];
  upstream.responders.hek = (url, response, request) => {
    const [from, to] = ['event_starttime', 'event_endtime'].map((name) => url.searchParams.get(name)!.slice(0, 10));
    (from! <= broken && broken < to! ? text('no', 503) : respond)(url, response, request);
  };
  for (let minute = 0; minute < 12; minute += 1) {
    await app.service.counting.byClock();
    app.clock.nowMs += MINUTE_MS;
  }
  expect(loads().some(({ searchParams }) => searchParams.get('event_starttime')! < older)).toBe(true);
});

it('days without counts stay unknown when their source fails, and are not taken for days without events', async () => {
  upstream.responders.hek = text('no', 503);
  const app = eventsApp(upstream.url);
  const { series, sources } = await request(app, '[FL,all,1]', NEW_YEAR - 7 * DAY_MS, NEW_YEAR + 7 * DAY_MS);
  expect(series.map(({ event_type, data }) => [event_type, data.every(([, count]) => count === null)])).toEqual([['FL', true]]);
  expect(sources).toMatch(/^HEK=failed;missing=hek;days=0\/\d+$/);
});

it('days without counts keep their known counts when the source fails later', async () => {
  const counts = new D1EventCounts(databasesIn(migrated()));
  const range = [NEW_YEAR - 7 * DAY_MS, NEW_YEAR + 7 * DAY_MS] as const;
  const before = await coverage(eventsApp(upstream.url, { counts }), '[FL,all,1]', ...range);
  upstream.responders.hek = text('no', 503);
  const after = await request(eventsApp(upstream.url, { counts }), '[FL,all,1]', ...range);
  expect([after.series, after.sources]).toEqual([before, 'HEK=ok']);
});

it('counts of days expire after five minutes for today, and for a past day after as much time as it was old', async ({ app }) => {
  app.clock.nowMs = NEW_YEAR + 12 * HOUR_MS;
  const look = () => coverage(app, '[FL,all,1]', NEW_YEAR - 10 * DAY_MS, NEW_YEAR);
  const loadsOf = async () => {
    const before = loads().length;
    await look();
    return loads().length - before;
  };
  await loadsOf();
  expect(await loadsOf()).toBe(0);
  app.clock.nowMs += 5 * MINUTE_MS;
  expect(await loadsOf()).toBe(1);
  // A failed day is left out for ten minutes, but where no other is due.
  const { hek: respond } = upstream.responders;
  app.clock.nowMs += 5 * MINUTE_MS;
  upstream.responders.hek = text('no', 503);
  await look();
  app.clock.nowMs += MINUTE_MS;
  upstream.responders.hek = respond!;
  expect(await loadsOf()).toBeGreaterThan(0);
  app.clock.nowMs += 2 * DAY_MS;
  expect(await loadsOf()).toBeGreaterThan(0);
  expect(await loadsOf()).toBe(0);
});

it('counts of days shrink their windows when a source fails for longer ones, while its other requests continue', async () => {
  const respond = upstream.responders.hek!;
  upstream.responders.hek = (url, response, request) => {
    const [fromMs, toMs] = ['event_starttime', 'event_endtime'].map((name) => Date.parse(`${url.searchParams.get(name)}Z`));
    if (toMs! - fromMs! > 2 * DAY_MS) text('too much', 503)(url, response, request);
    else respond(url, response, request);
  };
  const app = eventsApp(upstream.url);
  const { series, sources } = await request(app, '[FL,all,1]', NEW_YEAR - 7 * DAY_MS, NEW_YEAR + 7 * DAY_MS);
  expect(series[0]!.data.filter(([, count]) => count === 1).length).toBeGreaterThan(15);
  expect(sources).toMatch(/^HEK=partial;/);
  expect((await app.service.eventsAt(NEW_YEAR, ['HEK'])).states[0]!.state).toBe('ok');
});

it('counts of days expire for RHESSI after an import of its list', async () => {
  const databases = databasesIn(migrated());
  const flares = new D1RhessiFlares(databases);
  const counts = new D1EventCounts(databases);
  const app = eventsApp(upstream.url, { flares, counts });
  const flare = parseRhessiLine(rhessiLine()) as RhessiFlare;
  const look = async () => coverage(app, '[F2,all,1]', flare.startMs - 7 * DAY_MS, flare.startMs + 7 * DAY_MS);
  expect(await look()).toEqual([]);
  await counts.forget('rhessi');
  // Days that were loaded before the import.
  beforeNext(counts, 'keep', () => flares.add([flare]));
  await look();
  expect((await look()).map(({ event_type, data }) => [event_type, data.filter(([, count]) => count === 1).length])).toEqual([
    ['FL', 1],
  ]);
});

it('counts of days take single days where a month has more records than a response may have', async () => {
  const perDay = 1_500;
  upstream.responders.hek = ({ searchParams: query }, response) => {
    const [fromMs, toMs] = ['event_starttime', 'event_endtime'].map((name) => Date.parse(`${query.get(name)}Z`));
    const page = Number(query.get('page'));
    const all = ((toMs! - fromMs!) / DAY_MS) * perDay;
    const result = Array.from({ length: Math.min(1000, all - (page - 1) * 1000) }, (_, i) => {
      const n = (page - 1) * 1000 + i;
      const ms = fromMs! + Math.floor(n / perDay) * DAY_MS + HOUR_MS;
      const times = { event_starttime: hek(ms), event_endtime: hek(ms + MINUTE_MS) };
      return { kb_archivid: `FL_${n}_${ms}`, event_type: 'FL', frm_name: 'SWPC', hpc_x: 0, hpc_y: 0, ...times };
    });
    response.end(JSON.stringify({ result, overmax: page * 1000 < all }));
  };
  const app = eventsApp(upstream.url);
  const { series } = await request(app, '[FL,all,1]', NEW_YEAR - 7 * DAY_MS, NEW_YEAR + 7 * DAY_MS);
  const numbers = series[0]!.data.map(([, count]) => count).filter((count) => count !== null);
  expect(numbers.length).toBeGreaterThan(5);
  expect(new Set(numbers)).toEqual(new Set([perDay]));
  expect(EVENT_REQUESTS.records).toBeLessThan(31 * perDay);
});

it('counts of days name at most a hundred methods, and count the others under their type', () => {
  const events = Array.from(
    { length: 300 },
    (_, i) => hekEvent(record(`FL_${i}`, 'FL', `Method ${i}`, NEW_YEAR, NEW_YEAR + HOUR_MS))!,
  );
  const { counts } = countDays(events, { dayMs: NEW_YEAR, days: 1 }, NEW_YEAR + DAY_MS)[0]!;
  expect(counts).toHaveLength(EVENT_COUNTS.kindsOfDay + 1);
  expect(counts.at(-1)).toMatchObject({ method: '', begun: 200 });
});

it('counts of days add up to what the events themselves give, for any events, days and months', async () => {
  const next = randomNumbers(7);
  const random = (below: number) => Math.floor(next() * below);
  const from = Date.UTC(2013, 10, 1);
  const events = Array.from({ length: 300 }, (_, i): SolarEvent => {
    const startMs = from + random(120 * 24 * 60) * MINUTE_MS;
    return hekEvent(
      record(`E_${i}`, ['FL', 'AR', 'CH'][random(3)]!, `M${random(3)}`, startMs, startMs + random(40 * 24 * 60) * MINUTE_MS),
    )!;
  });
  const counts = new D1EventCounts(databasesIn(migrated()));
  const span = 200;
  for (let day = -50; day < span; ) {
    const window = { dayMs: from + day * DAY_MS, days: Math.min(1 + random(31), span - day) };
    const { startMs, endMs } = { startMs: window.dayMs, endMs: window.dayMs + window.days * DAY_MS };
    const loaded = events.filter((event) => event.startMs < endMs && event.endMs >= startMs);
    await counts.keep('hek', countDays(loaded, window, from), from);
    day += window.days;
  }
  for (const resolution of ['D', 'W', 'M', 'Y'] as const) {
    const range = { startMs: Date.UTC(2013, 11, 1), endMs: Date.UTC(2014, 0, 31) };
    const bins = countedBins(resolution, extended(range)).filter(
      ([ms, endMs]) => ms > from - 50 * DAY_MS && endMs < from + span * DAY_MS,
    );
    const kinds = countedKinds(parseCoverageEvents('[FL,M0;M2,1],[CH,all,1]'));
    const chosen = kinds.map(({ pin, method }) => ({ feed: 'hek', pin, method }));
    const { counts: found } = await counts.add(chosen, bins, spanOf(resolution));
    const picked = events.filter(({ pin, group }) => pin === 'CH' || (pin === 'FL' && group.name !== 'M1'));
    const wanted = eventSeries(picked.map(coverageEvent), resolution, { startMs: from, endMs: from + 120 * DAY_MS });
    for (const { event_type, data } of wanted) {
      const ofBins = new Map(data as readonly (readonly [number, number])[]);
      const sums = new Map(found.filter(({ pin }) => pin === event_type).map(({ startMs, events: sum }) => [startMs, sum]));
      for (const [ms] of bins)
        expect([resolution, event_type, ms, sums.get(ms) ?? 0]).toEqual([resolution, event_type, ms, ofBins.get(ms)]);
    }
  }
});

it('counts of days load windows of due days beside each other, the nearest to the target first', () => {
  const due = new Set([0, 1, 2, 3, 5, 6, 7, 9].map((day) => day * DAY_MS));
  expect(nextWindow(due, 5.4 * DAY_MS, 31)).toEqual({ dayMs: 0 * DAY_MS + 5 * DAY_MS, days: 1 });
  expect(nextWindow(due, 4.6 * DAY_MS, 31)).toEqual({ dayMs: 5 * DAY_MS, days: 3 });
  expect(nextWindow(due, 20 * DAY_MS, 2)).toEqual({ dayMs: 9 * DAY_MS, days: 1 });
  expect(nextWindow(new Set([0, 1, 2, 3].map((day) => day * DAY_MS)), 20 * DAY_MS, 3)).toEqual({ dayMs: DAY_MS, days: 3 });
});
