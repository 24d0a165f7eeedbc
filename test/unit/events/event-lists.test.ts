// Operations about HEK events that older pages and the web client's "View source data" request.
import { expect, it } from 'vitest';
import { daysInId } from '../../../src/events/records/shapes.ts';
import { hekRecord } from '../../support/events/event-records.ts';
import { eventsApp } from '../../support/events/events-app.ts';
import { json, text } from '../../support/upstream/test-upstream.ts';
import { upstreamOfEachTest } from '../../support/upstream/upstream-of-each-test.ts';

const FLARE_ID = 'FL_SWPC_20140101_121000';
const RECORDS = [
  hekRecord({ hpc_y: -250, ar_noaanum: '11934', kb_archivid: 'ivo://helio-informatics.org/AR_long_20140101_000000' }),
  hekRecord({
    hpc_y: -250,
    ar_noaanum: '11934',
    event_endtime: '2014-01-01T18:00:00',
    kb_archivid: 'ivo://helio-informatics.org/AR_short_20140101_000000',
  }),
  hekRecord({
    event_type: 'FL',
    frm_name: 'SSW Latest Events',
    hpc_y: 300,
    fl_goescls: 'C2.1',
    event_peaktime: null,
    kb_archivid: `ivo://helio-informatics.org/${FLARE_ID}`,
    refs: [{ ref_name: 'Edition', ref_type: 'html', ref_url: 'http://sun.test/edition' }],
  }),
];

const upstream = upstreamOfEachTest({ hek: json({ result: RECORDS, overmax: false }) });

type Json = Readonly<Record<string, unknown>>;

async function action(query: string): Promise<{ status: number; body: unknown }> {
  const response = await eventsApp(upstream.url).archive.get(`/?action=${query}`);
  return { status: response.status, body: await response.json() };
}

const noon = 'startTime=2014-01-01T12:00:00Z';

it('getEvents lists the HEK events from north to south, with one row for each NOAA region', async () => {
  const { body } = await action(`getEvents&${noon}&eventType=**&ar_filter=true`);
  const events = body as Json[];
  expect(events.map(({ kb_archivid }) => String(kb_archivid).slice(28))).toEqual([FLARE_ID, 'AR_short_20140101_000000']);
  expect(events[0]).toMatchObject({ event_type: 'FL', hv_labels_formatted: { 'GOES Class': 'C2.1' } });
});

it('getEvents lists all types for helios, which sends milliseconds to the path of the operation', async () => {
  const path = '/v2/getEvents/?eventType=**&startTime=2014-01-01T12:00:00.000Z';
  const response = await eventsApp(upstream.url).archive.get(path);
  const events = (await response.json()) as Json[];
  expect(events.map(({ event_type }) => event_type)).toEqual(['FL', 'AR']);
});

it('getEvents selects types and methods, and returns false for none', async () => {
  expect((await action(`getEvents&${noon}&eventType=fl`)).body).toHaveLength(1);
  expect((await action(`getEvents&${noon}&eventType=CH`)).body).toBe(false);
  expect((await action(`getEventsByEventLayers&${noon}&eventLayers=[AR,NOAA_SWPC_Observer,1]`)).body).toHaveLength(1);
  expect((await action(`getEventsByEventLayers&${noon}&eventLayers=[AR,SPoCA,1]`)).body).toBe(false);
  expect(await action(`getEvents&${noon}&eventType=<script>`)).toMatchObject({ body: { parameter: 'eventType' } });
});

it('getEvent returns the record of an id, with and without its prefix, as texts', async () => {
  for (const id of [FLARE_ID, encodeURIComponent(`ivo://helio-informatics.org/${FLARE_ID}`)]) {
    const { status, body } = await action(`getEvent&kb_archivid=${id}`);
    expect([status, body]).toMatchObject([
      200,
      {
        event_type: 'FL',
        concept: 'Flare',
        fl_goescls: 'C2.1',
        hpc_y: '300',
        hv_labels_formatted: { 'GOES Class': 'C2.1' },
        refs: [{ ref_name: 'Edition', ref_url: 'http://sun.test/edition' }],
      },
    ]);
    expect(Object.values(body as Json)).not.toContain(null);
  }
});

it('getEvent finds days in ids, refuses those without, and fails for unknown ones, but not while the HEK is away', async () => {
  const days = daysInId('ivo://helio-informatics.org/AR_SPoCA_20110806_033415_20110805T000020_0');
  expect([days, daysInId('FL_1')]).toEqual([[Date.UTC(2011, 7, 5), Date.UTC(2011, 7, 6)], []]);
  const { archive } = eventsApp(upstream.url);
  expect((await archive.get('/v2/getEvent/?kb_archivid=FL_SWPC_20140101_999999')).status).toBe(404);
  const refused = await archive.get('/v2/getEvent/?kb_archivid=FL_1');
  expect([refused.status, await refused.json()]).toMatchObject([400, { parameter: 'kb_archivid' }]);
  upstream.responders.hek = text('', 500);
  const response = await eventsApp(upstream.url).archive.get(`/v2/getEvent/?kb_archivid=${FLARE_ID}`);
  expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '60']);
});

it('types and methods: getDefaultEventTypes lists the twenty types of the interface', async () => {
  const { body } = await action('getDefaultEventTypes');
  expect(Object.keys(body as Json)).toHaveLength(20);
  expect(body).toMatchObject({ 'Active Region/AR': {}, 'Flare/FL': {}, 'CME/CE': {} });
});

it('types and methods: getEventFRMs and getFRMs count the events of each method', async () => {
  const { body } = await action(`getEventFRMs&${noon}`);
  const method = { frm_name: 'SSW%20Latest%20Events', concept: 'Flare', count: 1, frm_contact: 'observer@sun.test' };
  expect(body).toMatchObject({ 'Flare/FL': { 'SSW Latest Events': method }, 'Coronal Hole/CH': {} });
  const range = await action('getFRMs&startTime=2014-01-01T00:00:00Z&endTime=2014-01-02T00:00:00Z');
  expect(range.body).toMatchObject({ 'Active Region/AR': { 'NOAA SWPC Observer': { count: 2 } } });
  const long = await action('getFRMs&startTime=2014-01-01T00:00:00Z&endTime=2015-01-02T00:00:00Z');
  expect(long.body).toMatchObject({ parameter: 'endTime' });
});
