// The Events API of Helioviewer, over the records of a test day.
import { expect, test } from 'vitest';
import { placeOfUuid } from '../../../src/sun/events/event-uuid.ts';
import { cmeRecord, hekRecord } from '../../support/events/event-records.ts';
import { eventsApp, oneFlare } from '../../support/events/events-app.ts';
import { json, text } from '../../support/upstream/test-upstream.ts';
import { upstreamOfEachTest } from '../../support/upstream/upstream-of-each-test.ts';

const FROM = Date.UTC(2014, 0, 1) / 1000;
const DAY = 86_400;

interface ApiEvent {
  readonly id: string;
  readonly remote_id: string;
  readonly path: string;
  readonly url: string;
  readonly hv_hpc_x: number;
  readonly regions: readonly object[];
}

const upstream = upstreamOfEachTest();
const serve = async () => {
  upstream.responders.hek = json({
    result: [hekRecord({ ar_noaanum: 11_936, hpc_x: 0, hpc_y: 0, kb_archivdate: '2014-01-02T03:04:05' })],
    overmax: false,
  });
  upstream.responders['donki/CME'] = json([cmeRecord({ submissionTime: '2014-01-01T09:00Z', versionId: 2 })]);
  const { archive, clock } = eventsApp(upstream.url, { flares: await oneFlare() });
  clock.nowMs = (FROM + DAY) * 1000;
  return async <T>(path: string, body?: object) => {
    const init = body && { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
    const response = await archive.get(path, init);
    return { status: response.status, headers: response.headers, body: (await response.json()) as T };
  };
};

const it = test.extend('ask', () => serve());

it.each(['api/v1', 'api/v2'])('the Events API lists the events of a source under /%s, and each by its UUID', async (root) => {
  const ask = await serve();
  const noon = await ask<ApiEvent[]>(`/${root}/events/hek/observation/2014-01-01T12:00:00Z`);
  expect([noon.status, noon.headers.get('X-Events-Sources'), noon.body.length]).toEqual([200, 'HEK=ok', 1]);
  const [event] = noon.body as [ApiEvent];
  expect(event).toMatchObject({ path: expect.stringMatching(/^HEK>>Active Region>>/), source_id: 2 });
  expect(event.regions).toEqual([{ organization: 'NOAA', external_id: '11936' }]);
  expect(placeOfUuid(event.id)?.source).toBe('HEK');
  const unix = await ask<ApiEvent[]>(`/${root}/events/HEK/observation/${FROM + DAY / 2}`);
  expect(unix.body).toEqual(noon.body);
  const single = await ask<ApiEvent>(new URL(event.url).pathname);
  expect(single.body).toMatchObject({ id: event.id, remote_id: event.remote_id, coordinate_system: 'helioprojective' });
  const source = await ask<{ kb_archivid: string }>(`${new URL(event.url).pathname}/source`);
  expect(source.body.kb_archivid).toBe(event.remote_id);
});

const frames = 'events/frames_with_selections';
const range = (from: number | string, to: number | string) => `events/from/${from}/to/${to}`;
const hek = { paths: ['HEK'] };

it.each<[string, string, object?]>([
  ['api/v1/events/SDO/observation/now', 'one of HEK, CCMC, RHESSI, WSA for source'],
  ['api/v1/events/HEK/observation/never', 'for time, got never'],
  [`helioviewer/${range('2014-01-01', FROM)}`, 'mean 1388534400'],
  [`helioviewer/${range('1388534400000', FROM)}`, 'mean 1388534400'],
  [`helioviewer/${range(FROM, FROM + DAY)}`, 'for paths, got HEK>Flare. Did you mean HEK>>Flare?', { paths: ['HEK>Flare'] }],
  [`helioviewer/${range(`${FROM}000`, `${FROM}001`)}`, 'for from', hek],
  [`helioviewer/${range(FROM, FROM)}`, 'a time after from for to', hek],
  [`helioviewer/distributions/size/2h/from/${FROM}/to/${FROM + 1}`, 'for size', hek],
  [`helioviewer/${frames}`, 'for timestamps', { timestamps: [], selections: ['HEK'] }],
  [`helioviewer/${frames}`, 'for selections', { timestamps: [`${FROM}`], selections: [] }],
  [`helioviewer/${frames}`, 'for timestamps, got now', { timestamps: ['now'], selections: ['HEK'] }],
])('the Events API answers /%s with an error that says %s', async (path, sentence, body) => {
  const { status, body: answer } = await (await serve())<{ error: string }>(`/${path}`, body);
  expect([status, answer.error]).toEqual([400, expect.stringContaining(sentence)]);
});

it('the Events API answers 404 for a UUID that no event has', async ({ ask }) => {
  const { status, body } = await ask<{ error: string }>('/api/v1/events/0198f3c1-7d0e-7a44-9c55-2b1f60aa9e07');
  expect([status, body.error]).toEqual([404, expect.stringContaining('No event has the UUID')]);
});

it('the Events API does not take events and regions of a source that does not answer for unknown ones', async ({ ask }) => {
  const [event] = (await ask<ApiEvent[]>(`/api/v1/events/HEK/observation/${FROM}`)).body as [ApiEvent];
  upstream.responders.hek = text('', 500);
  const { archive } = eventsApp(upstream.url);
  for (const path of [new URL(event.url).pathname, '/api/v1/regions/NOAA/11936']) {
    const response = await archive.get(path);
    expect([response.status, response.headers.get('Retry-After')], path).toEqual([503, '60']);
  }
});

it('the Events API finds no region of an organisation that another source than the failing one names', async ({ ask }) => {
  upstream.responders.hek = text('', 500);
  const { status, headers } = await ask('/api/v1/regions/CATANIA/1');
  expect([status, headers.get('X-Events-Sources')]).toEqual([404, null]);
  expect(await ask('/api/v1/regions/HARP/1')).toMatchObject({ status: 503 });
});

it('the Events API lists the chosen events of a range, which a path with a UUID narrows to one', async ({ ask }) => {
  const range = `/helioviewer/events/from/${FROM}/to/${FROM + DAY}`;
  const all = await ask<{ count: number; events: (ApiEvent & { x: number; event_type: string; frm_name: string })[] }>(range, {
    paths: ['HEK', 'CCMC', 'RHESSI>>Solar Flares'],
  });
  expect(all.body.count).toBe(3);
  expect(all.body.events.map(({ event_type }) => event_type).toSorted()).toEqual(['AR', 'CE', 'FL']);
  const [first] = all.body.events;
  const one = await ask<{ count: number; events: ApiEvent[] }>(range, { paths: all.body.events.map(({ id }) => `HEK>>${id}`) });
  expect(one.body).toMatchObject({ count: 1, events: [{ event_type: 'AR', y: 1, modifier: 0 }] });
  expect(first!.x).toBeLessThan((FROM + DAY) * 1000);
});

it('the Events API counts the chosen events by buckets and types, each in every bucket that it overlaps', async ({ ask }) => {
  const hours = await ask<{ event_types: string[]; buckets: { start: number; counts: Record<string, number> }[] }>(
    `/helioviewer/distributions/size/h/from/${FROM + 1800}/to/${FROM + DAY}`,
    { paths: ['RHESSI'] },
  );
  expect(hours.body.event_types).toEqual(['FL']);
  expect(hours.body.buckets.map(({ start }) => (start - FROM) / 3600)).toEqual([11, 12]);
  const days = await ask<{ buckets: object[] }>(`/helioviewer/distributions/size/D/from/${FROM}/to/${FROM + 3 * DAY}`, {
    paths: ['RHESSI>>Solar Flares>>Flare'],
  });
  expect(days.body.buckets).toEqual([{ start: FROM, counts: { FL: 1 } }]);
});

it('the Events API places the chosen events at the times of frames, from one place and the ways from it', async ({ ask }) => {
  const timestamps = ['2014-01-01T11:00:00Z', String(FROM + DAY / 2), '2014-01-09T00:00:00Z'];
  const { body } = await ask<{
    events: Record<string, ApiEvent>;
    timestamps: Record<string, Record<string, { dx: number; visible: boolean }>>;
  }>('/helioviewer/events/frames_with_selections', { timestamps, selections: ['HEK>>Active Region'] });
  const [id = ''] = Object.keys(body.events);
  const [eleven, noon, later] = timestamps.map((time) => body.timestamps[time]!);
  expect(noon![id]!.dx - eleven![id]!.dx).toBeGreaterThan(8);
  expect(noon![id]!.dx - eleven![id]!.dx).toBeLessThan(10);
  expect([noon![id]!.visible, later]).toEqual([true, {}]);
  expect((await ask('/helioviewer/events/frames_with_selections', { timestamps, selections: ['HEK>>Flare'] })).body).toEqual({});
});

it('the Events API lists the regions that events name, and the events of one by any spelling', async ({ ask }) => {
  const { body } = await ask<{ regions: object[]; total_count: number }>('/api/v1/regions');
  expect(body).toEqual({
    regions: [
      {
        id: 'NOAA-11936',
        organization: 'NOAA',
        external_id: '11936',
        event_count: 2,
        first_seen: expect.stringMatching(/^201[34]-\d\d-\d\d \d\d:\d\d:\d\d$/),
        last_updated: '2014-01-02 03:04:05',
        latest_event_start: expect.stringMatching(/^201[34]-/),
      },
    ],
    total_count: 1,
  });
  const one = await ask<{ region: object; events: ApiEvent[] }>('/api/v2/regions/noaa/11936');
  expect(one.body.region).toEqual({ organization: 'NOAA', external_id: '11936', event_count: 2 });
  const single = await ask<ApiEvent>(new URL(one.body.events[0]!.url).pathname);
  expect(one.body.events[0]).toEqual(single.body);
  expect(one.body.events.map(({ path }) => path.split('>>')[0])).toEqual(['CCMC', 'HEK']);
  for (const path of ['NOAA/11937', 'HARP/11936', 'ESA/11936'])
    expect(await ask(`/api/v1/regions/${path}`)).toMatchObject({
      status: 404,
      body: { error: expect.stringContaining(`names the region ${path.replace('/', ' ')}`) },
    });
});

it('the Events API sums up the events of a week by source, path and label', async ({ ask }) => {
  const { body } = await ask<Record<string, object[] & Record<string, unknown>>>('/api/v1/stats');
  expect(body.summary).toMatchObject({ total_regions: 1, unique_sources: 3, total_distributions: null });
  const sources = body.by_source as unknown as { source: string; count: number; today_count: number; percentage: number }[];
  expect(sources.map(({ source, count }) => [source, count]).sort()).toEqual([
    ['CCMC', 1],
    ['HEK', 1],
    ['RHESSI', 1],
  ]);
  expect(body.summary!.total_events).toBe(sources.reduce((sum, { count }) => sum + count, 0));
  expect(sources.map(({ percentage }) => percentage)).toEqual([33.3, 33.3, 33.3]);
  expect(body.by_source_path).toContainEqual({ source: 'RHESSI', path: 'RHESSI>>Solar Flares>>Flare', count: 1 });
  expect(body.by_label!.length).toBeGreaterThan(0);
  expect((body.recent_events as unknown as { path: string }[])[0]!.path).toMatch(/^HEK/);
});

it('the Events API reports sources that do not answer, and records that could not be read', async ({ ask }) => {
  const found = async () =>
    (await ask<{ total: number; items: { display_source: string; error: string }[] }>('/api/v1/failures')).body;
  upstream.responders.hek = json({ result: [hekRecord(), hekRecord({ kb_archivid: 'x', event_starttime: '' })], overmax: false });
  upstream.responders['donki/CME'] = text('', 503);
  const { total, items } = await found();
  const records = items.find(({ display_source: source }) => source === 'HEK>>HEK')!;
  expect([total, records.error]).toEqual([items.length, '2 records have no time or place.']);
  expect(items.map(({ error }) => error).join(' ')).toMatch(/donki-cme\S* did not answer|DONKI.* did not answer/i);
});

it('the Events API serves the tree of a source, and the records that were written last', async ({ ask }) => {
  const tree = await ask<{ pin: string }[]>('/helioviewer/events/RHESSI/observation/2014-01-01T11:40:00');
  expect(tree.body.map(({ pin }) => pin)).toEqual(['F2']);
  const recents = await ask<(ApiEvent & { updated_at: string | null; created_at: string | null })[]>('/api/v1/events/recents');
  expect(recents.body.map(({ path, updated_at, created_at }) => [path.split('>>')[0], updated_at, created_at])).toEqual([
    ['HEK', '2014-01-02 03:04:05', '2014-01-02 03:04:05'],
    ['RHESSI', null, null],
    ['CCMC', '2014-01-01 09:00:00', null],
  ]);
});
