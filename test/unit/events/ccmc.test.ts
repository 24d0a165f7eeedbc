import { expect, it } from 'vitest';
import { parseLocation } from '../../../src/events/records/record.ts';
import { eventPositionAt } from '../../../src/sun/coordinates/sphere.ts';
import { cmeRecord, flareRecord, NOON, predictions } from '../../support/events/event-records.ts';
import { eventsApp } from '../../support/events/events-app.ts';
import { json, type Responder, text } from '../../support/upstream/test-upstream.ts';
import { upstreamOfEachTest } from '../../support/upstream/upstream-of-each-test.ts';

const upstream = upstreamOfEachTest();

type Record_ = Record<string, unknown>;

function serve({ cmes = [], flares = [] }: { cmes?: unknown; flares?: unknown }) {
  upstream.responders['donki/CME'] = json(cmes);
  upstream.responders['donki/FLR'] = json(flares);
  return eventsApp(upstream.url);
}

const queries = (path: string) =>
  upstream.requests.filter(({ pathname }) => pathname === path).map((url) => Object.fromEntries(url.searchParams));

const withoutAnalyses = cmeRecord({ cmeAnalyses: null });

/** Coordinates at noon of a place on the Sun at another time. */
function placed(latitude: number, longitude: number, atMs: number) {
  const { x, y } = eventPositionAt({ kind: 'stonyhurst', latitude, longitude, atMs }, NOON);
  return { hv_hpc_x: expect.closeTo(x, 3), hv_hpc_y: expect.closeTo(y, 3) };
}

it('the DONKI feed queries CMEs from a week before the day, and flares from a day before', async () => {
  await serve({}).get('&sources=CCMC');
  expect(queries('/donki/CME')).toEqual([{ startDate: '2013-12-25', endDate: '2014-01-01' }]);
  expect(queries('/donki/FLR')).toEqual([{ startDate: '2013-12-31', endDate: '2014-01-01' }]);
});

it('the DONKI feed gives a CME all fields that clients read, and views of it, its analyses and its model runs', async () => {
  const [record] = await serve({ cmes: [cmeRecord()] }).records('&sources=CCMC');
  expect(record).toMatchObject({
    ...placed(-7, 101, Date.UTC(2014, 0, 1, 6)),
    id: '2014-01-01T06:00:00-CME-001',
    path: 'CCMC>>DONKI>>CME',
    concept: 'DONKI',
    frm_name: 'CME',
    frm_institute: '',
    type: 'CE',
    pin: 'C3',
    version: 'M2M_CATALOG',
    label: 'Type: O\nHalf Angle: 42°\n1000 km/s\nModeled',
    short_label: 'Type: O Half Angle: 42° 1000 km/s Modeled',
    start: '2014-01-01 06:00:00',
    peak: null,
    // 193.5 solar radii at 1000 km/s, from 08:00.
    end: '2014-01-02 21:24:36',
    visible: false,
    footprint: [],
    footprint_ring: [],
    link: { url: 'https://donki.test/view/CME/1', text: 'Go to full analysis' },
    source: { activityID: '2014-01-01T06:00:00-CME-001', activeRegionNum: 11936 },
  });
  const views = record!.views as { name: string; content: Record_; tabgroup?: number }[];
  expect(views.map(({ name, tabgroup }) => [name, tabgroup])).toEqual([
    ['CME', undefined],
    ['Analysis 1', 1],
    ['Analysis 2', 2],
    ['Model 1', 2],
  ]);
  expect(views[0]!.content).toEqual({
    'Activity ID': '2014-01-01T06:00:00-CME-001',
    Catalog: 'M2M_CATALOG',
    'Active Region': '11936',
    'Start Time': '2014-01-01T06:00Z',
    Latitude: -7,
    Longitude: 101,
    'External Link': 'https://donki.test/view/CME/1',
    Instruments: 'SOHO: LASCO/C2, STEREO A: SECCHI/COR2',
    'Related Events': '2014-01-01T05:50:00-FLR-001',
    Note: 'Seen in the south-west.',
  });
  expect(views[2]!.content).toEqual({
    'Time at 21.5 Solar Radii': '2014-01-01T08:00Z',
    Type: 'O',
    Latitude: '-10',
    Longitude: '95',
    'Half Angle': '42',
    Speed: '1000',
    'Level of Data': '1',
    'Most Accurate': 'Yes',
    'External Link': 'https://donki.test/analysis/2',
  });
  expect(views[3]!.content).toEqual({
    'Completion Time': '2014-01-01T12:00Z',
    'External Link': 'https://donki.test/model/1',
    'Shock Arrival Time': '2014-01-03T00:00Z',
    au: '2',
    rmin_re: '5.9',
    kp_90: '4',
    kp_135: '5',
    kp_180: '6',
    'Is Earth GB': 'Yes',
    'Impact at Mars': '2014-01-04T10:00Z',
  });
});

it('the DONKI feed places a CME without a source region by its best analysis', async () => {
  const [record] = await serve({ cmes: [cmeRecord({ sourceLocation: '' })] }).records('&sources=CCMC');
  expect(record).toMatchObject(placed(-10, 95, Date.UTC(2014, 0, 1, 6)));
});

const SLOW = [{ isMostAccurate: true, latitude: 0, longitude: 0, speed: 80, time21_5: '2014-01-02T00:00Z' }];

it.each([
  ['labels a CME without analyses with its start', { cmes: [withoutAnalyses] }, { label: '2014-01-01T06:00Z' }],
  ['shows a CME without analyses for five days', { cmes: [withoutAnalyses] }, { end: '2014-01-06 06:00:00' }],
  ['ends a slow CME with the queried week', { cmes: [cmeRecord({ cmeAnalyses: SLOW })] }, { end: '2014-01-08 06:00:00' }],
  ['shows a flare without an end for a day', { flares: [flareRecord({ endTime: null })] }, { end: '2014-01-02 11:30:00' }],
  ['drops links that are not http', { flares: [flareRecord({ link: 'javascript:alert(1)' })] }, { link: null }],
])('the DONKI feed %s', async (_, records, expected) => {
  expect(await serve(records).records('&sources=CCMC')).toMatchObject([expected]);
});

it('the DONKI feed shows a CME four days after its start', async () => {
  const app = serve({ cmes: [withoutAnalyses] });
  expect(await app.records('&sources=CCMC', '2014-01-05T12:00:00Z')).toHaveLength(1);
  expect(queries('/donki/CME')).toEqual([{ startDate: '2013-12-29', endDate: '2014-01-05' }]);
});

it('the DONKI feed gives a flare all fields that clients read', async () => {
  const [record] = await serve({ flares: [flareRecord()] }).records('&sources=CCMC');
  expect(record).toMatchObject({
    ...placed(-16, 45, Date.UTC(2014, 0, 1, 11, 52)),
    id: '2014-01-01T11:30:00-FLR-001',
    path: 'CCMC>>DONKI>>Solar Flares',
    type: 'FL',
    pin: 'C3',
    version: '',
    label: '2014-01-01T11:52Z\nM9.9\nAR 11936',
    start: '2014-01-01 11:30:00',
    peak: '2014-01-01 11:52:00',
    end: '2014-01-01 12:30:00',
    link: { url: 'https://donki.test/view/FLR/1', text: 'View on DONKI site' },
    views: [
      {
        name: 'Flare',
        content: {
          Instruments: 'GOES15: SEM/XRS 1.0-8.0',
          'Begin Time': '2014-01-01T11:30Z',
          'Peak Time': '2014-01-01T11:52Z',
          'End Time': '2014-01-01T12:30Z',
          Class: 'M9.9',
          'Active Region': '11936',
          'External Link': 'https://donki.test/view/FLR/1',
        },
      },
    ],
  });
});

it.each(['1970-01-01T00:00Z', '2014-01-03T12:31Z'])('the DONKI feed ignores a flare peak of %s', async (peakTime) => {
  const app = serve({ flares: [flareRecord({ peakTime })] });
  expect(await app.records('&sources=CCMC')).toMatchObject([
    { peak: null, label: 'M9.9\nAR 11936', ...placed(-16, 45, Date.UTC(2014, 0, 1, 11, 30)) },
  ]);
});

it('the DONKI feed accepts null instead of an empty list, and skips and counts records without a position', async () => {
  const none = await serve({ cmes: null, flares: null }).get('&sources=CCMC&format=flat');
  expect([none.sources, none.body]).toEqual(['CCMC=ok', []]);
  const app = serve({
    cmes: [cmeRecord({ sourceLocation: null, cmeAnalyses: [] }), 7],
    flares: [flareRecord(), flareRecord({ flrID: 'b', sourceLocation: '' }), flareRecord({ flrID: 'c', beginTime: null })],
  });
  const { sources, body } = await app.get('&sources=CCMC&format=flat');
  expect(sources).toBe('CCMC=ok;skipped=3');
  expect(body).toHaveLength(1);
});

it.each([
  ['N10E20', 10, -20],
  ['S07W101', -7, 101],
  ['n5 w3', 5, 3],
  [' S16.5E180 ', -16.5, -180],
  ['N00W00', 0, 0],
])('a location parses %s to latitude %d and longitude %d', (written, latitude, longitude) => {
  expect(parseLocation(written)).toEqual({ latitude: latitude || expect.closeTo(0), longitude: longitude || expect.closeTo(0) });
});

it.each(['', 'N10', 'E20N10', 'N95E10', 'N10E181', 'N1OE20', 'N10E2000', '10,20', 'null'])('no location is "%s"', (written) => {
  expect(parseLocation(written)).toBeNull();
});

const serveModel = (dataset: string, responder: Responder) => {
  upstream.responders['scoreboard/data'] = (url, response, request) =>
    (url.searchParams.get('id') === dataset ? responder : json(predictions()))(url, response, request);
  return eventsApp(upstream.url);
};

it('the flare scoreboard feed queries the regions of each model, from two days before the day to its end', async () => {
  await serveModel('', json(predictions())).get('&sources=CCMC');
  const requests = queries('/scoreboard/data');
  expect(requests.map(({ id }) => id).sort()).toEqual(
    'AEffort AMOS_v1 ASAP_1 ASSA_1 BoM_flare1 DAFFS MAG4_LOS_FEr MAG4_LOS_r MAG4_SHARP MAG4_SHARP_FE MAG4_SHARP_HMI SIDC_Operator'
      .split(' ')
      .map((model) => `${model}_REGIONS`)
      .sort(),
  );
  const { id: _id, ...query } = requests[0]!;
  expect(query).toEqual({
    'time.min': '2013-12-30T00:00:00.0',
    'time.max': '2014-01-02T00:00:00.0',
    format: 'json',
    include: 'header',
  });
});

it('the flare scoreboard feed gives a prediction all fields that clients read', async () => {
  const [record] = await serveModel('MAG4_LOS_FEr_REGIONS', json(predictions({}))).records('&sources=CCMC');
  expect(record).toMatchObject({
    ...placed(-16, 40, Date.UTC(2013, 11, 31, 22)),
    id: expect.stringMatching(/^[0-9a-f]{64}$/),
    path: 'CCMC>>Solar Flare Predictions>>MAG4 LoS FEr',
    concept: 'Solar Flare Predictions',
    type: 'FP',
    pin: 'FP',
    label: 'MAG4 LoS FEr\nC+: 80%\nM+: 5%\nX: 1.23%',
    start: '2014-01-01 00:00:00',
    end: '2014-01-02 00:00:00',
    link: null,
    source: { C: null, M: null, CPlus: 0.8, NOAARegionId: 11936, CataniaLatitude: null },
  });
});

it('the flare scoreboard feed places regions by another observer where NOAA has no coordinates, and drops rows without any', async () => {
  const none = { NOAALatitude: 999, NOAALongitude: 999, NOAALocationTime: null };
  const table = predictions({ ...none, CataniaLatitude: -1, CataniaLongitude: 7 }, none, { NOAALatitude: 91 });
  const app = serveModel('ASSA_1_REGIONS', json(table));
  expect(await app.records('&sources=CCMC')).toMatchObject([placed(-1, 7, Date.UTC(2013, 11, 31, 23, 30))]);
  expect((await app.get('&sources=CCMC')).sources).toBe('CCMC=ok;skipped=2');
});

it.each([
  ['numbers', -1],
  ['text', '-1'],
])('the flare scoreboard feed places regions by another observer where all NOAA columns are -1, as %s', async (_as, fill) => {
  const filled = { NOAALatitude: fill, NOAALongitude: fill, NOAALocationTime: fill };
  const model = { ModelLatitude: 15, ModelLongitude: -40, ModelLocationTime: '2014-01-01T00:00:00.0' };
  const app = serveModel('ASSA_1_REGIONS', json(predictions({ ...filled, ...model }, filled)));
  expect(await app.records('&sources=CCMC')).toMatchObject([placed(15, -40, Date.UTC(2014, 0, 1))]);
  expect((await app.get('&sources=CCMC')).sources).toBe('CCMC=ok;skipped=1');
});

it('the flare scoreboard feed accepts a measured position of one degree south and east', async () => {
  const app = serveModel('ASSA_1_REGIONS', json(predictions({ NOAALatitude: -1, NOAALongitude: -1 })));
  expect(await app.records('&sources=CCMC')).toHaveLength(1);
});

it.each([
  ['at the start of the window', null, Date.UTC(2014, 0, 1)],
  ['at its own time', '2013-12-31T12:00:00.0', Date.UTC(2013, 11, 31, 12)],
])('the flare scoreboard feed places a region that has HMI coordinates only %s', async (_when, HARPLocationTime, atMs) => {
  const none = { NOAALatitude: 999, NOAALongitude: 999, NOAALocationTime: null };
  const patch = { HARPRegionId: 3000, HARPLatitude: 15, HARPLongitude: 40, HARPLocationTime };
  const app = serveModel('DAFFS_REGIONS', json(predictions({ ...none, ...patch })));
  const path = 'CCMC>>Solar Flare Predictions>>DAFFS';
  expect(await app.records('&sources=CCMC')).toMatchObject([{ path, ...placed(15, 40, atMs) }]);
});

it.each(['1970-01-01T00:00:00.0', '2013-12-21T23:59:59.0', '2014-01-02T00:00:01.0'])(
  'the flare scoreboard feed replaces an implausible measurement time of %s by the time of issue, else by the start of the window',
  async (NOAALocationTime) => {
    const rows = [{ NOAALocationTime }, { NOAALocationTime, issue_time: NOAALocationTime, NOAALatitude: 20 }];
    const app = serveModel('AMOS_v1_REGIONS', json(predictions(...rows)));
    expect(await app.records('&sources=CCMC')).toMatchObject([
      placed(20, 40, Date.UTC(2014, 0, 1)),
      placed(-16, 40, Date.UTC(2013, 11, 31, 23, 30)),
    ]);
  },
);

it('the flare scoreboard feed labels predictions without probabilities, and shows only the newest window of each model', async () => {
  const without = serveModel('ASAP_1_REGIONS', json(predictions({ CPlus: -1, MPlus: null, X: -1 })));
  expect(await without.records('&sources=CCMC')).toMatchObject([{ label: 'ASAP\nNo probabilities given' }]);
  const old = { start_window: '2013-12-31T18:00:00.0', end_window: '2014-01-01T18:00:00.0' };
  const app = serveModel('AMOS_v1_REGIONS', json(predictions({}, old, { ...old, NOAALatitude: 10 })));
  expect(await app.records('&sources=CCMC')).toMatchObject([{ start: '2014-01-01 00:00:00' }]);
  expect(await app.records('&sources=CCMC', '2013-12-31T20:00:00Z')).toHaveLength(2);
});

it('the flare scoreboard feed counts predictions as complete without an unknown model, and as incomplete without one that is down', async () => {
  const unknown = serveModel('DAFFS_REGIONS', json({ status: { code: 1406, message: 'unknown dataset id' } }));
  expect((await unknown.get('&sources=CCMC')).sources).toBe('CCMC=ok');
  upstream.responders['scoreboard/data'] = (url, response, request) =>
    (url.searchParams.get('id') === 'BoM_flare1_REGIONS' ? text('no', 503) : json(predictions({})))(url, response, request);
  const { sources, body } = await eventsApp(upstream.url).get('&sources=CCMC&format=flat');
  expect(sources).toBe('CCMC=failed;missing=Bureau_of_Meteorology');
  expect(body).toHaveLength(11);
});
