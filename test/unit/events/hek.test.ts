import { expect, it } from 'vitest';
import { eventPositionAt } from '../../../src/sun/coordinates/sphere.ts';
import { DAY, hekRecord, NOON } from '../../support/events/event-records.ts';
import { eventsApp } from '../../support/events/events-app.ts';
import { json, text } from '../../support/upstream/test-upstream.ts';
import { upstreamOfEachTest } from '../../support/upstream/upstream-of-each-test.ts';

const upstream = upstreamOfEachTest();

const serve = (...result: unknown[]) => {
  upstream.responders.hek = json({ result, overmax: false });
  return eventsApp(upstream.url);
};

const REGION = hekRecord({
  ar_noaanum: 11936,
  ar_mtwilsoncls: 'BETA-GAMMA',
  hpc_boundcc: 'POLYGON((-150 -270,-90 -270,-90 -230,-150 -270))',
});

it('the HEK feed queries all events that overlap the UTC day', async () => {
  await serve().get('&sources=HEK');
  expect(upstream.requests).toHaveLength(1);
  expect(upstream.requests[0]!.pathname).toBe('/hek');
  expect(decodeURIComponent(upstream.requests[0]!.search)).toBe(
    '?cosec=2&cmd=search&type=column&event_type=**&event_coordsys=helioprojective&x1=-30000&x2=30000&y1=-30000&y2=30000' +
      '&showtests=hide&result_limit=1000&requestfrom=helioedge' +
      `&event_starttime=${DAY}T00:00:00&event_endtime=2014-01-02T00:00:00&page=1`,
  );
});

it('the HEK feed gives an active region all fields and columns that clients read, and views', async () => {
  const { x, y } = eventPositionAt({ kind: 'helioprojective', x: -123.4, y: -250.1, atMs: Date.parse(`${DAY}T00:00:00Z`) }, NOON);
  const [record] = await serve(REGION).records('&sources=HEK');
  expect(record).toMatchObject({
    id: 'ivo://sun.test/AR_1',
    legacy_id: 'ivo://sun.test/AR_1',
    path: 'HEK>>Active Region>>NOAA SWPC Observer',
    concept: 'Active Region',
    frm_name: 'NOAA SWPC Observer',
    frm_institute: 'NOAA SWPC',
    type: 'AR',
    pin: 'AR',
    label: 'NOAA 11936\nβγ',
    short_label: 'NOAA 11936 βγ',
    version: 'run-7',
    start: '2014-01-01 00:00:00',
    peak: null,
    end: '2014-01-01 23:59:59',
    visible: true,
    link: { url: 'https://www.lmsal.com/hek/her?cmd=view-voevent&ivorn=ivo%3A%2F%2Fsun.test%2FAR_1', text: 'HEK Archive Link' },
    hv_labels_formatted: { AR: 'NOAA 11936', 'Mt. Wilson Class.': 'βγ' },
    hv_rot_hpc_time_base: '2014-01-01T00:00:00',
    hv_rot_hpc_time_targ: '2014-01-01T12:00:00',
    // Columns of the HEK, the documented ones even when null.
    active: 'true',
    area_atdiskcenter: null,
    ar_axislength: null,
    ar_mcintoshcls: '',
    ar_mtwilsoncls: 'BETA-GAMMA',
  });
  expect(record!.hv_hpc_x).toBeCloseTo(x, 3);
  expect(record!.hv_hpc_y).toBeCloseTo(y, 3);
  // Half a day of solar rotation moves it west by about a hundred arcseconds.
  expect(record!.hv_hpc_x).toBeGreaterThan(-60);
  const footprint = record!.footprint_ring as { x: number; y: number }[];
  expect(footprint).toHaveLength(3);
  expect(footprint[1]!.x).toBeGreaterThan(-30);
  expect(record!.source).toMatchObject({ event_type: 'AR', frm_name: 'NOAA SWPC Observer', ar_noaanum: 11936 });
  const views = record!.views as { name: string; content: Record<string, unknown> }[];
  expect(views.map(({ name }) => name)).toEqual(['Active Region', 'Observation', 'Recognition Method', 'References', '(All)']);
  const [concept, observation, method, references, all] = views.map(({ content }) => content);
  expect(concept).toMatchObject({ concept: 'Active Region', ar_noaanum: 11936, event_type: 'AR', kb_archivist: 'Tester' });
  expect(observation).toEqual({ obs_observatory: 'GOES' });
  expect(method).toMatchObject({ frm_name: 'NOAA SWPC Observer', frm_contact: 'observer@sun.test' });
  expect(references).toEqual({ Edition: { type: 'html', url: 'http://sun.test/edition' } });
  expect(all).toMatchObject({ hpc_x: -123.4, frm_url: 'http://sun.test/method', obs_channelid: '' });
});

it('the HEK feed groups events by recognition method, from north to south', async () => {
  const app = serve(
    hekRecord({ kb_archivid: 'ivo://south', hpc_y: -400, ar_noaanum: 1 }),
    hekRecord({ kb_archivid: 'ivo://north', hpc_y: 400, ar_noaanum: 2 }),
    hekRecord({ kb_archivid: 'ivo://spoca', frm_name: 'SPoCA', frm_specificid: 'SPoCA_v1_AR_0000012345' }),
  );
  const tree = (await app.get('&sources=HEK')).body as {
    name: string;
    pin: string;
    groups: { name: string; data: { id: string; start: string }[] }[];
  }[];
  const [category] = tree;
  expect(category).toMatchObject({ name: 'Active Region', pin: 'AR' });
  expect(category!.groups).toMatchObject([
    {
      name: 'NOAA SWPC Observer',
      contact: 'observer@sun.test',
      url: 'http://sun.test/method',
      data: [{ id: 'ivo://north' }, { id: 'ivo://south' }],
    },
    {
      name: 'SPoCA',
      data: [{ id: 'ivo://spoca', label: 'SPoCA 12345', start: '2014-01-01T00:00:00', end: '2014-01-01T23:59:59' }],
    },
  ]);
});

it('the HEK feed reads page by page to the last one', async () => {
  upstream.responders.hek = (url, response) => {
    const page = Number(url.searchParams.get('page'));
    const result = [hekRecord({ kb_archivid: `ivo://page-${page}`, ar_noaanum: page })];
    response.end(JSON.stringify({ result, overmax: page < 3 ? 'true' : false }));
  };
  const records = await eventsApp(upstream.url).records('&sources=HEK');
  expect(upstream.requests.map((url) => url.searchParams.get('page'))).toEqual(['1', '2', '3']);
  expect(records.map(({ id }) => id).sort()).toEqual(['ivo://page-1', 'ivo://page-2', 'ivo://page-3']);
});

it('the HEK feed reads up to a maximum of pages and records, and marks the day as cut', async () => {
  upstream.responders.hek = (url, response) => {
    const page = url.searchParams.get('page');
    const result = Array.from({ length: 40 }, (_, i) => hekRecord({ kb_archivid: `ivo://${page}/${i}`, ar_noaanum: 0 }));
    response.end(JSON.stringify({ result, overmax: true }));
  };
  const byPages = await eventsApp(upstream.url, { limits: { pages: 2 } }).get('&sources=HEK');
  expect(byPages.sources).toBe('HEK=ok;cut');
  expect(upstream.requests).toHaveLength(2);
  const byRecords = eventsApp(upstream.url, { limits: { records: 50 } });
  expect(await byRecords.records('&sources=HEK')).toHaveLength(50);
  expect((await byRecords.get('&sources=HEK')).sources).toBe('HEK=ok;cut');
});

it('the HEK feed accepts invalid UTF-8', async () => {
  const body = JSON.stringify({ result: [hekRecord({ kb_archivist: 'Andr~' })], overmax: false });
  upstream.responders.hek = text(Buffer.from(body.replace('~', '\xe9'), 'latin1'));
  const [record] = await eventsApp(upstream.url).records('&sources=HEK');
  expect(record!.kb_archivist).toBe('Andr\ufffd');
});

it('the HEK feed accepts lone surrogates, even in ids that become part of links', async () => {
  const [record] = await serve(hekRecord({ kb_archivid: 'ivo://half/\ud800' })).records('&sources=HEK');
  expect(record).toMatchObject({
    id: 'ivo://half/\ufffd',
    link: { url: expect.stringMatching(/ivo%3A%2F%2Fhalf%2F%EF%BF%BD$/) },
  });
});

it('the HEK feed skips and counts tests, empty reports, unknown types and records without a position', async () => {
  const app = serve(
    REGION,
    hekRecord({ kb_archivid: 'ivo://test', event_testflag: 'true' }),
    hekRecord({ kb_archivid: 'ivo://nothing', event_type: 'NR' }),
    hekRecord({ kb_archivid: 'ivo://unknown', event_type: 'ZZ' }),
    hekRecord({ kb_archivid: 'ivo://nowhere', hpc_x: null, hpc_y: null }),
    hekRecord({ kb_archivid: 'ivo://never', event_starttime: 'yesterday' }),
    'not a record',
    null,
  );
  const { sources, body } = await app.get('&sources=HEK&format=flat');
  expect(sources).toBe('HEK=ok;skipped=5');
  expect(body).toMatchObject([{ id: 'ivo://sun.test/AR_1' }]);
});

it('the HEK feed falls back to heliographic coordinates where helioprojective ones are missing', async () => {
  const [record] = await serve(hekRecord({ hpc_x: null, hpc_y: '', hgs_x: -20, hgs_y: 10 })).records('&sources=HEK');
  const { x, y } = eventPositionAt(
    { kind: 'stonyhurst', latitude: 10, longitude: -20, atMs: Date.parse(`${DAY}T00:00:00Z`) },
    NOON,
  );
  expect([record!.hv_hpc_x, record!.hv_hpc_y]).toEqual([expect.closeTo(x, 3), expect.closeTo(y, 3)]);
});

const START = '2014-01-01T05:00:00';
const EMERGING = { event_type: 'EF', frm_name: 'Emerging flux region module', event_peaktime: `${DAY}T09:00:00` };

it.each([
  ['a SPoCA region at its end', { frm_name: 'SPoCA', event_type: 'CH' }, null, '2014-01-01T20:00:00'],
  ['a flare at its peak', { event_peaktime: `${DAY}T11:00:00` }, '2014-01-01 11:00:00', '2014-01-01T11:00:00'],
  ['a flare at a peak of long before', { event_peaktime: '1858-11-17T00:00:00' }, null, START],
  ['a flare at a peak a day before its start', { event_peaktime: '2013-12-31T04:59:59' }, null, START],
  ['a flare a day after its end', { event_peaktime: '2014-01-02T19:00:00' }, '2014-01-02 19:00:00', '2014-01-02T19:00:00'],
  ['a flare at a later peak', { event_peaktime: '2014-01-02T20:00:01' }, null, START],
  ['a flare of no end', { event_endtime: '9999-12-31T00:00:00', event_peaktime: '2030-01-01T00:00:00' }, null, START],
  ['a SPoCA region of no end', { frm_name: 'SPoCA', event_type: 'CH', event_endtime: '9999-12-31T00:00:00' }, null, START],
  ['old emerging flux', { ...EMERGING, frm_versionnumber: '0.54' }, '2014-01-01 09:00:00', '2014-01-01T09:00:00'],
  ['emerging flux of a newer module at its start', { ...EMERGING, frm_versionnumber: '0.55' }, '2014-01-01 09:00:00', START],
])('the HEK feed dates the position of %s, whose peak it trusts near the event alone', async (_what, columns, peak, placedAt) => {
  const daylight = { event_type: 'FL', event_starttime: START, event_endtime: `${DAY}T20:00:00` };
  const [record] = await serve(hekRecord({ ...daylight, ...columns })).records('&sources=HEK');
  expect(record).toMatchObject({ peak, hv_rot_hpc_time_base: placedAt });
});

it('the HEK feed reduces a repeated NOAA region, also with a thousands separator, to the row of the shortest interval', async () => {
  const app = serve(
    hekRecord({ kb_archivid: 'ivo://long', ar_noaanum: 11936, event_endtime: '2014-01-03T00:00:00' }),
    hekRecord({ kb_archivid: 'ivo://short', ar_noaanum: '11,936', event_endtime: `${DAY}T13:00:00` }),
    hekRecord({ kb_archivid: 'ivo://other', ar_noaanum: 11937 }),
  );
  expect((await app.records('&sources=HEK')).map(({ id }) => id).sort()).toEqual(['ivo://other', 'ivo://short']);
  const later = await app.records('&sources=HEK', '2014-01-01T14:00:00Z');
  expect(later.map(({ id }) => id).sort()).toEqual(['ivo://long', 'ivo://other']);
});

it('the HEK feed distinguishes equal labels of one method by their coordinates', async () => {
  const app = serve(
    hekRecord({ kb_archivid: 'ivo://a', event_type: 'SG', hpc_x: 100, hpc_y: 200 }),
    hekRecord({ kb_archivid: 'ivo://b', event_type: 'SG', hpc_x: -100, hpc_y: -200 }),
    hekRecord({ kb_archivid: 'ivo://c', event_type: 'SS' }),
  );
  const labels = (await app.records('&sources=HEK')).map(({ label }) => label);
  expect(labels).toEqual(['Sigmoid\n(100″, 200″)', 'Sigmoid\n(-100″, -200″)', 'Sunspot']);
});

it('the HEK feed keeps the last version of a repeated record', async () => {
  expect(await serve(REGION, { ...REGION, frm_specificid: 'run-8' }).records('&sources=HEK')).toMatchObject([
    { version: 'run-8' },
  ]);
});

it.each([
  ['AR', 'HMI SHARP', { frm_specificid: 'HMI_SHARP_0003563' }, 'HMI SHARP 3563'],
  ['AR', 'SolarMonitor Active Region Tracker (SMART)', { frm_specificid: '20140101.POS.1' }, 'SMART 20140101.POS.1'],
  ['AR', 'Another method', {}, 'Active Region'],
  [
    'CE',
    'CACTus (Computer Aided CME Tracking)',
    {
      cme_radiallinvel: 412,
      cme_radiallinvelstddev: 33,
      cme_radiallinvelunit: 'km/s',
      cme_angularwidth: 60,
      cme_angularwidthunit: 'deg',
    },
    '412 ± 33 km/s\n60 deg',
  ],
  [
    'CE',
    'CDAW_GopalswamyYashiroFreeland',
    { cme_radiallinvel: 700, cme_radiallinvelunit: 'km/s', cme_mass: 2e15, cme_massunit: 'g' },
    '700 km/s\n2000000000000000 g',
  ],
  ['CH', 'LMSAL forecaster + SSW PFSS package', { area_atdiskcenter: 3.21e10, area_unit: 'km2' }, '3.2e10 km²'],
  ['CH', 'SPoCA', { frm_specificid: 'SPoCA_v1_CH_0000007142' }, 'SPoCA 7142'],
  [
    'EF',
    'Emerging flux region module',
    {
      area_atdiskcenter: 4e8,
      area_atdiskcenteruncert: 1e7,
      area_unit: 'km2',
      ef_pospeakfluxonsetrate: 5,
      ef_onsetrateunit: 'Mx/s',
    },
    '4.0e8 ± 1.0e7 km²\n5 Mx/s',
  ],
  ['FI', 'AAFDCC', { fi_length: 120000, fi_lengthunit: 'km' }, '120000 km'],
  ['FL', 'SWPC', { fl_goescls: 'M9.9' }, 'M9.9'],
  ['FL', 'Flare Detective - Trigger Module', { fl_peakflux: 1234, fl_peakfluxunit: 'DN/sec/pixel' }, '1234 DN/sec/pixel'],
  ['FL', 'SWPC', {}, 'Flare'],
  ['SG', 'Sigmoid Sniffer', { sg_shape: 'S-shaped' }, 'S-shaped'],
  ['CW', 'Anything', {}, 'Coronal Wave'],
  ['AR', 'NOAA SWPC Observer', { ar_noaanum: 12000, ar_mtwilsoncls: 'ALPHA' }, 'NOAA 12000\nα'],
  ['AR', 'NOAA SWPC Observer', { ar_noaanum: 12000, ar_mtwilsoncls: 'BETA-GAMMA-DELTA' }, 'NOAA 12000\nβγδ'],
  ['AR', 'NOAA SWPC Observer', { ar_noaanum: 12000, ar_mtwilsoncls: 'Unclassified' }, 'NOAA 12000\nUnclassified'],
])('the label of a HEK event shows what the method measured, for %s by %s', async (event_type, frm_name, columns, label) => {
  const [record] = await serve(hekRecord({ event_type, frm_name, ...columns })).records('&sources=HEK');
  expect(record!.label).toBe(label);
});

it.each([600, 601, 800, 1200, 2000])('the outline of a HEK event keeps its shape with %d corners', async (corners) => {
  const angles = Array.from({ length: corners + 1 }, (_, i) => (2 * Math.PI * i) / corners);
  const ring = angles.map((angle) => `${(100 + 200 * Math.cos(angle)).toFixed(2)} ${(200 * Math.sin(angle)).toFixed(2)}`);
  const columns = { hpc_boundcc: `POLYGON((${ring.join(',')}))`, event_starttime: `${DAY}T12:00:00` };
  const [record] = await serve(hekRecord(columns)).records('&sources=HEK');
  const footprint = record!.footprint_ring as { x: number; y: number }[];
  expect(footprint.length).toBeGreaterThan(300);
  expect(footprint.length).toBeLessThanOrEqual(600);
  const doubled = footprint.reduce((sum, { x, y }, i) => {
    const next = footprint[(i + 1) % footprint.length]!;
    return sum + x * next.y - next.x * y;
  }, 0);
  // As seen from 1 au; the Earth is at 0.9833 au.
  expect(Math.abs(doubled / 2) / (Math.PI * 200 ** 2)).toBeCloseTo(0.9833 ** 2, 3);
});

it('the outline of a HEK event takes the ring with the most vertices', async () => {
  const rings = 'MULTIPOLYGON(((0 0,10 0,10 10,0 0)),((100 0,110 0,110 10,100 10,100 0)))';
  expect((await serve(hekRecord({ hpc_boundcc: rings })).records('&sources=HEK'))[0]!.footprint_ring).toHaveLength(4);
});
