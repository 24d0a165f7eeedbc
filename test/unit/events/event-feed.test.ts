import { expect, it } from 'vitest';
import { EVENT_FEED } from '../../../src/platform/limits/events.ts';
import { MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { edgeKey } from '../../../src/worker/gateway.ts';
import { cmeRecord, hekRecord } from '../../support/events/event-records.ts';
import { eventsApp } from '../../support/events/events-app.ts';
import { answered, testArchive } from '../../support/test-archive.ts';
import { json, text } from '../../support/upstream/test-upstream.ts';
import { upstreamOfEachTest } from '../../support/upstream/upstream-of-each-test.ts';

const NOON = Date.UTC(2014, 0, 3, 12);

const flare = (id: string, start: string, more: object = {}) =>
  hekRecord({
    kb_archivid: `ivo://sun.test/${id}`,
    event_type: 'FL',
    frm_name: 'SWPC <operator>',
    event_starttime: start,
    event_endtime: '2014-01-03T11:30:00',
    event_peaktime: '',
    ...more,
  });

const FLARES = [
  flare('FL_OLD', '2013-12-31T23:59:00'),
  flare('FL_1', '2014-01-01T00:00:00', { fl_goescls: 'C1.0' }),
  flare('FL_2', '2014-01-03T11:00:00', { fl_goescls: 'X2.1', event_peaktime: '2014-01-03T11:10:00' }),
  flare('FL_3', '2014-01-02T11:00:00'),
  hekRecord({ event_starttime: '2014-01-03T01:00:00' }),
];

const upstream = upstreamOfEachTest({ hek: json({ result: FLARES, overmax: false }), 'donki/CME': json([]) });

function feedsAt(nowMs = NOON) {
  const { archive, clock } = eventsApp(upstream.url);
  clock.nowMs = nowMs;
  return archive;
}

interface JsonFeed {
  readonly feed_url: string;
  readonly items: readonly Readonly<Record<string, string>>[];
}

const feedOf = async (path: string) => (await (await feedsAt().get(path)).json()) as JsonFeed;

it('the feed of a type of events lists events that began since two days ago, the newest first, with what was measured and their pages', async () => {
  const { feed_url, items } = await feedOf('/feeds/events/FL.json');
  expect(feed_url).toBe('http://sun.test/feeds/events/FL.json');
  expect(items.map(({ id, title, date_published }) => [id, title, date_published])).toEqual([
    ['http://sun.test/feeds/events/FL#ivo%3A%2F%2Fsun.test%2FFL_2', 'Flare: X2.1', '2014-01-03T11:00:00.000Z'],
    ['http://sun.test/feeds/events/FL#ivo%3A%2F%2Fsun.test%2FFL_3', 'Flare: Flare', '2014-01-02T11:00:00.000Z'],
    ['http://sun.test/feeds/events/FL#ivo%3A%2F%2Fsun.test%2FFL_1', 'Flare: C1.0', '2014-01-01T00:00:00.000Z'],
  ]);
  expect(items[0]!.content_text).toBe(
    'Flare by SWPC <operator> (HEK): from 2014-01-03 11:00:00 UTC, peak 2014-01-03 11:10:00 UTC, to 2014-01-03 11:30:00 UTC.',
  );
  expect(items[0]!.url).toMatch(/^https:\/\/www\.lmsal\.com\/hek\/.*FL_2$/);
});

it('the feed of a type of events links ejections to the analyses of DONKI, or to the explorer at their time', async () => {
  upstream.responders['donki/CME'] = json([
    cmeRecord({ activityID: '2014-01-03-CME-001', startTime: '2014-01-03T06:00Z' }),
    cmeRecord({ activityID: '2014-01-03-CME-002', startTime: '2014-01-03T05:00Z', link: '' }),
  ]);
  const { items } = await feedOf('/feeds/events/C3.json');
  expect(items.map(({ url }) => url)).toEqual([
    'https://donki.test/view/CME/1',
    expect.stringMatching(/^http:\/\/sun\.test\/\?.*2014-01-03T05:00:00Z/),
  ]);
  expect(items[0]!.title).toContain('1000 km/s');
});

it('the feed of a type of events shows what is no character of XML as a replacement character', async () => {
  const record = flare('FL_4', '2014-01-03T11:00:00', { fl_goescls: 'M1.0', frm_name: 'A\u0001B\u000b\uffffC\ud83d\ude80' });
  upstream.responders.hek = json({ result: [record], overmax: false });
  const atom = await (await feedsAt().get('/feeds/events/FL.atom')).text();
  expect(atom).toContain('Flare by A\ufffdB\ufffd\ufffdC\ud83d\ude80 (HEK)');
});

it(`the feed of a type of events ends after ${EVENT_FEED.events} events`, async () => {
  const at = (i: number) => new Date(NOON - i * MINUTE_MS).toISOString().slice(0, 19);
  upstream.responders.hek = json({ result: Array.from({ length: 90 }, (_, i) => flare(`FL_${i}`, at(i))), overmax: false });
  const { items } = await feedOf('/feeds/events/FL.json');
  expect(items).toHaveLength(EVENT_FEED.events);
  expect(items.at(-1)!.date_published).toBe('2014-01-03T11:21:00.000Z');
});

it('the feed of a type of events answers 503 rather than an empty feed while the source fails', async () => {
  upstream.responders.hek = text('', 500);
  const response = await feedsAt().get('/feeds/events/FL.atom');
  expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '60']);
});

it.each([
  ['/feeds/events/FL.rss', 400, 'format'],
  ['/feeds/events/XX.atom', 400, 'eventType'],
])('the feed of a type of events: %s is %i and names %s', async (path, status, parameter) => {
  expect(await answered(feedsAt().get(path))).toMatchObject([status, { parameter }]);
});

it('the feed of a type of events answers 404 where the service has no source of its type', async () => {
  expect((await testArchive().get('/feeds/events/FL.atom')).status).toBe(404);
  expect(edgeKey(new Request('https://sun.test/feeds/events/FL.atom?utm_source=x'))).toBe('/event-feed?eventType=FL&format=atom');
});
