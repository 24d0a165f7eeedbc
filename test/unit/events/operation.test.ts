import { expect, it } from 'vitest';
import { EVENT_MEMORY } from '../../../src/platform/limits/events.ts';
import { readEventSettings } from '../../../src/platform/settings/events.ts';
import { EVENT_TYPES } from '../../../src/sun/events/event-types.ts';
import { cmeRecord, hekRecord } from '../../support/events/event-records.ts';
import { eventsApp } from '../../support/events/events-app.ts';
import { answered, testArchive } from '../../support/test-archive.ts';
import { json } from '../../support/upstream/test-upstream.ts';
import { upstreamOfEachTest } from '../../support/upstream/upstream-of-each-test.ts';

const upstream = upstreamOfEachTest({ hek: json({ result: [hekRecord()], overmax: false }), 'donki/CME': json([cmeRecord()]) });

interface Category {
  readonly name: string;
  readonly pin: string;
  readonly groups: readonly { readonly name: string; readonly data: readonly { readonly id: string }[] }[];
}

/** Memory for about 60 records of 30 000 characters. */
const ROOM_FOR_60 = { ...EVENT_MEMORY, instantBytes: 2_000_000 };

const app = () => eventsApp(upstream.url);

it('the tree of events lists every category of the sources in a fixed order, including empty ones', async () => {
  const tree = (await app().get()).body as Category[];
  expect(tree.map(({ name, pin }) => [name, pin])).toEqual(EVENT_TYPES.map(({ concept, pin }) => [concept, pin]));
  expect(tree.find(({ pin }) => pin === 'FL')!.groups).toEqual([]);
  const groupsOf = (pin: string) => tree.find((category) => category.pin === pin)!.groups.map(({ name }) => name);
  expect(groupsOf('C3')).toEqual(['CME', 'Solar Flares']);
  expect(groupsOf('FP')).toHaveLength(12);
  expect(groupsOf('FP')[0]).toBe('SIDC Operator');
  expect(groupsOf('F2')).toEqual(['Flare']);
});

it.each([
  ['hek', 31, 'HEK=ok'],
  ['hek,rhessi', 32, 'HEK=ok, RHESSI=ok'],
  ['RHESSI, Ccmc ,RHESSI', 3, 'RHESSI=ok, CCMC=ok'],
])('the tree of events lists only the categories of the sources %s, in their order', async (asked, count, states) => {
  const { body, sources } = await app().get(`&sources=${encodeURIComponent(asked)}`);
  expect([(body as Category[]).length, sources]).toEqual([count, states]);
});

it('the tree of events comes with the time at which each source was loaded', async () => {
  const service = app();
  const loaded = async () => (await service.get('&sources=HEK,RHESSI')).headers.get('X-Events-Loaded');
  expect(await loaded()).toBe('HEK=2024-01-31T12:00:00Z, RHESSI=2024-01-31T12:00:00Z');
  service.clock.nowMs += 60_000;
  expect(await loaded()).toBe('HEK=2024-01-31T12:00:00Z, RHESSI=2024-01-31T12:00:00Z');
});

it('the tree of events lists nothing in an archive without sources', async () => {
  expect(await answered(testArchive().get('/v2/events/?startTime=2014-01-01T00:00:00Z&format=flat'))).toEqual([200, []]);
});

it('response formats: tree links the groups of DONKI to its page, simpletree makes a list for each category', async () => {
  const tree = (await app().get('&sources=CCMC')).body as { groups: { name: string; url: string }[] }[];
  expect(tree[0]!.groups.map(({ name, url }) => [name, url])).toEqual([
    ['CME', 'https://ccmc.gsfc.nasa.gov/tools/DONKI/'],
    ['Solar Flares', 'https://ccmc.gsfc.nasa.gov/tools/DONKI/'],
  ]);
  const lists = (await app().get('&format=simpletree')).body as Record<string, unknown[]>;
  expect(Object.keys(lists)).toEqual(EVENT_TYPES.map(({ source, concept }) => `${source}>>${concept}`));
  expect(lists['HEK>>Active Region']).toMatchObject([{ id: 'ivo://sun.test/AR_1' }]);
  expect(lists['RHESSI>>Solar Flares']).toEqual([]);
});

it.each([
  ['a second before it starts', '2013-12-31T23:59:59Z', 0],
  ['when it starts', '2014-01-01T00:00:00Z', 1],
  ['when it ends', '2014-01-01T23:59:59Z', 1],
  ['a second after it ended', '2014-01-02T00:00:00Z', 0],
])('an event shows an event from its start to its end: %s', async (_when, startTime, count) => {
  expect(await app().records('&sources=HEK', startTime)).toHaveLength(count);
});

const large = (i: number) =>
  hekRecord({ kb_archivid: `ivo://large/${i}`, frm_name: 'X', event_description: String(i).padEnd(30_000, 'x') });

it('an instant with more events than fit into a response keeps the smallest events and is marked as cut', async () => {
  const result = [...Array.from({ length: 150 }, (_, i) => large(i)), hekRecord()];
  upstream.responders.hek = json({ result, overmax: false });
  const service = eventsApp(upstream.url, { limits: { responseBytes: 12 << 20 }, days: { memory: ROOM_FOR_60 } });
  const { status, sources, body } = await service.get('&format=flat');
  expect([status, sources]).toEqual([200, 'HEK=ok;cut, CCMC=ok, RHESSI=ok, WSA=ok']);
  const ids = (body as { id: string }[]).map(({ id }) => id);
  expect(ids).toContain('ivo://sun.test/AR_1');
  expect(ids).toContain('2014-01-01T06:00:00-CME-001');
  expect(ids.filter((id) => id.startsWith('ivo://large/')).length).toBeGreaterThan(50);
  expect(ids.length).toBeLessThan(70);
});

it('an instant with more events than fit into a response marks no response as cut in which the events in progress fit', async () => {
  const result = Array.from({ length: 150 }, (_, i) => ({
    ...large(i),
    event_endtime: `2014-01-01T${i < 100 ? '06' : '18'}:00:00`,
  }));
  upstream.responders.hek = json({ result, overmax: false });
  const service = eventsApp(upstream.url, { limits: { responseBytes: 12 << 20 }, days: { memory: ROOM_FOR_60 } });
  const { sources, body } = await service.get('&format=flat&sources=HEK');
  expect([sources, (body as unknown[]).length]).toEqual(['HEK=ok', 50]);
});

it.each(['SDO', 'HEK,', 'HEK;CCMC', 'HEK,DONKI', ' '])('an events request names the valid sources for "%s"', async (sources) => {
  const { status, body } = await app().get(`&sources=${encodeURIComponent(sources)}`);
  expect(status).toBe(400);
  expect(body).toMatchObject({
    parameter: 'sources',
    error: expect.stringContaining('one or more of HEK, CCMC, RHESSI, WSA, separated by commas'),
  });
});

it('an events request accepts unused options of old clients', async () => {
  const { status } = await app().get('&eventType=AR&cacheOnly=true&force=1&ar_filter=x');
  expect(status).toBe(200);
});

const cacheControl = async (startTime: string) => {
  const service = app();
  service.clock.nowMs = Date.UTC(2014, 0, 1, 15);
  return (await service.get('', startTime)).headers.get('Cache-Control');
};

it('an events response allows caching for a day when its day is over, else for five minutes', async () => {
  expect(await cacheControl('2013-12-31T23:59:59Z')).toBe('public, max-age=86400');
  expect(await cacheControl('2014-01-01T00:00:00Z')).toBe('public, max-age=300');
  expect(await cacheControl('2014-01-02T00:00:00Z')).toBe('public, max-age=300');
});

it('an events response comes from the edge cache unchanged, whatever the form of its request', async () => {
  const { archive } = app();
  const path = '/v2/events/?startTime=2014-01-01T12:00:00Z';
  const first = await archive.get(path);
  await archive.settle();
  upstream.requests.length = 0;
  const second = await archive.get(`${path}&sources=HEK,CCMC,RHESSI,WSA&format=tree`);
  expect(second.headers.get('X-Events-Sources')).toBe('HEK=ok, CCMC=ok, RHESSI=ok, WSA=ok');
  expect(second.headers.get('Age')).toBe('0');
  expect(await second.text()).toBe(await first.text());
  expect(second.headers.get('Access-Control-Expose-Headers')).toContain('X-Events-Sources');
});

it('the addresses of the sources are real ones unless stated, and follow from one base address', () => {
  const [plain, ...stated] = ['real', ''].map((EVENTS_UPSTREAM) => readEventSettings({ EVENTS_UPSTREAM }));
  expect(stated).toEqual([plain]);
  for (const address of Object.values(readEventSettings({}))) expect(address).toMatch(/^https:/);
  const env = { EVENTS_UPSTREAM: 'http://127.0.0.1:9000/sources/' };
  expect(readEventSettings(env)).toEqual({
    hek: 'http://127.0.0.1:9000/sources/hek',
    donki: 'http://127.0.0.1:9000/sources/donki',
    scoreboard: 'http://127.0.0.1:9000/sources/scoreboard',
    xray: 'http://127.0.0.1:9000/sources/xray',
    wsa: 'http://127.0.0.1:9000/sources/wsa',
  });
});

it.each(['file:///etc/passwd', 'nowhere', 'http://user@host/', 'http://host/?a=1'])('no address of sources is %s', (address) => {
  expect(() => readEventSettings({ EVENTS_UPSTREAM: address })).toThrow(
    `Expected an http address for EVENTS_UPSTREAM, got ${address}.`,
  );
});
