import { expect, it } from 'vitest';
import { WSA_CAPABILITIES, wsaFootpoints } from '../../../demo/events/server.ts';
import { parseCoverageEvents } from '../../../src/events/counts/event-counts.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { hekRecord } from '../../support/events/event-records.ts';
import { eventsApp } from '../../support/events/events-app.ts';
import { json } from '../../support/upstream/test-upstream.ts';
import { upstreamOfEachTest } from '../../support/upstream/upstream-of-each-test.ts';

const NOON = Date.UTC(2014, 0, 1, 12);
const hek = (ms: number) => new Date(ms).toISOString().slice(0, 19);

/** A record of the HEK from one minute of the afternoon to another. */
function record(id: string, type: string, method: string, fromMinute: number, toMinute: number, more: object = {}) {
  return hekRecord({
    kb_archivid: `ivo://helio-informatics.org/${id}`,
    event_type: type,
    frm_name: method,
    event_starttime: hek(NOON + fromMinute * MINUTE_MS),
    event_endtime: hek(NOON + toMinute * MINUTE_MS),
    event_peaktime: '',
    ...more,
  });
}

const RECORDS = [
  record('FL_1', 'FL', 'SWPC', 10, 40, { event_peaktime: hek(NOON + 20 * MINUTE_MS), fl_goescls: 'C2.1' }),
  record('FL_2', 'FL', 'SWPC', 30, 50),
  record('FL_3', 'FL', 'Flare Detective - Trigger Module', 45, 55),
  record('AR_1', 'AR', 'NOAA SWPC Observer', -60, 60, { ar_noaanum: '11934' }),
  record('BU_1', 'BU', 'A method', 70, 80),
  record('LATE', 'FL', 'SWPC', 300, 310),
];

/** Windows of four hours, of which two touch the range, with two contours each. */
const CONTOURS = 2;
const FORECASTS = wsaFootpoints(new URLSearchParams({ sat: 'SO', start_date: '2014-01-01', end_date: '2014-01-02' }));

const upstream = upstreamOfEachTest({ hek: json({ result: RECORDS, overmax: false }) });

interface Series {
  readonly event_type: string;
  readonly res: string;
  readonly showInLegend: boolean;
  readonly data: readonly (Readonly<Record<string, unknown>> & readonly [number, number])[];
}

async function coverage(eventLayers: string, startMs: number, endMs: number): Promise<Series[]> {
  const { archive } = eventsApp(upstream.url);
  const query = `eventLayers=${eventLayers}&currentDate=${startMs}&startDate=${startMs}&endDate=${endMs}&callback=jQuery1`;
  const script = await (await archive.get(`/?action=getDataCoverage&${query}`)).text();
  return JSON.parse(/^jQuery1\((.*)\)$/s.exec(script)![1]!) as Series[];
}

it('getDataCoverage of events below a day states the fields that the client reads in every point', async () => {
  const [flares] = await coverage('[FL,SWPC,1]', NOON, NOON + HOUR_MS);
  expect(flares).toMatchObject({ event_type: 'FL', res: 'm', showInLegend: true });
  expect(flares!.data[0]).toEqual({
    id: 'ivo://helio-informatics.org/FL_1',
    kb_archivid: 'FL_1',
    concept: 'Flare',
    event_type: 'FL',
    frm_name: 'SWPC',
    frm_specificid: expect.any(String),
    event_starttime: '2014-01-01T12:10:00',
    event_peaktime: '2014-01-01T12:20:00',
    event_endtime: '2014-01-01T12:40:00',
    hv_labels_formatted: { 'GOES Class': 'C2.1' },
    strength: { value: 2.1e-6, unit: 'W/m2', text: 'C2.1' },
    modifier: 0,
    x: NOON + 10 * MINUTE_MS,
    x2: NOON + 40 * MINUTE_MS,
    y: 1,
  });
  expect(flares!.data.map(({ kb_archivid }) => kb_archivid)).toEqual(['FL_1', 'FL_2']);
});

it('getDataCoverage of events below a day puts overlapping events into lanes that all series share', async () => {
  const series = await coverage('[AR,all,1],[FL,all,1]', NOON, NOON + HOUR_MS);
  const lanes = series.map(({ event_type, data }) => [event_type, data.map(({ kb_archivid, y }) => [kb_archivid, y])]);
  expect(lanes).toEqual([
    ['AR', [['AR_1', 1]]],
    [
      'FL',
      [
        ['FL_1', 2],
        ['FL_2', 3],
        ['FL_3', 2],
      ],
    ],
  ]);
  const [region] = series[0]!.data;
  expect([region!.x, region!.x2]).toEqual([NOON - HOUR_MS, NOON + HOUR_MS]);
});

it('getDataCoverage of events of today allows caching for five minutes, because sources go on reporting them', async () => {
  const { archive, clock } = eventsApp(upstream.url);
  const policyAt = async (nowMs: number) => {
    clock.nowMs = nowMs;
    const query = `eventLayers=[FL,all,1]&startDate=${NOON}&endDate=${NOON + HOUR_MS}`;
    return (await archive.get(`/?action=getDataCoverage&${query}`)).headers.get('Cache-Control');
  };
  expect(await policyAt(NOON + 10 * HOUR_MS)).toBe('public, max-age=300');
  expect(await policyAt(NOON + 13 * HOUR_MS)).toBe('public, max-age=86400');
});

it('getDataCoverage of events below a day hides a series in the legend when its events are only beside the range', async () => {
  const [series] = await coverage('[BU,all,1]', NOON, NOON + HOUR_MS);
  // The client has no colour for UV bursts.
  expect(series).toMatchObject({ event_type: 'UNK', showInLegend: false });
  expect(series!.data).toHaveLength(1);
});

it('getDataCoverage of events below a day finds methods whose names have arrived with blanks and plus signs', async () => {
  expect(await coverage('[AR,NOAA+SWPC+Observer;SPoCA,1]', NOON, NOON + HOUR_MS)).toHaveLength(1);
  expect(await coverage('[AR,NOAA%20SWPC%20Observer,1],', NOON, NOON + HOUR_MS)).toHaveLength(1);
  expect(await coverage('[AR,SPoCA,1]', NOON, NOON + HOUR_MS)).toEqual([]);
  expect(parseCoverageEvents('[undefined,all,1],[FL,all,0],[AR,a;b (c, d),1]')).toEqual([
    {
      source: 'HEK',
      labels: false,
      notation: 'pins',
      paths: [
        ['Active Region', 'a'],
        ['Active Region', 'b_(c,d)'],
      ],
    },
  ]);
});

const post = async (paths: unknown, startMs: number, endMs: number) => {
  const { archive, clock } = eventsApp(upstream.url);
  clock.nowMs = NOON;
  const query = new URLSearchParams({ startDate: String(startMs), endDate: String(endMs), currentDate: String(startMs) });
  const response = await archive.get(`/v2/eventsDataCoverage/?${query}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ event_selections: paths }),
  });
  return { status: response.status, body: (await response.json()) as Series[] & { message?: string } };
};

it('eventsDataCoverage answers as getDataCoverage for the same events by paths, single and in bins', async () => {
  for (const hours of [1, 36]) {
    const [from, to] = [NOON - HOUR_MS, NOON + (hours - 1) * HOUR_MS];
    const { status, body } = await post(['HEK>>Flare>>SWPC', 'HEK>>Active Region'], from, to);
    expect([status, body]).toEqual([200, await coverage('[FL,SWPC,1],[AR,all,1]', from, to)]);
    expect(body.map(({ event_type }) => event_type)).toEqual(['AR', 'FL']);
  }
});

it('eventsDataCoverage narrows to one event by its id, and orders the points of a series by time', async () => {
  const { body: one } = await post(['HEK>>Flare>>SWPC>>ivo://helio-informatics.org/FL_2'], NOON, NOON + HOUR_MS);
  expect(one.map(({ data }) => data.map(({ id }) => id))).toEqual([['ivo://helio-informatics.org/FL_2']]);
  const { body: flares } = await post(['HEK>>Flare'], NOON, NOON + HOUR_MS);
  const starts = flares[0]!.data.map(({ x }) => Number(x));
  expect([starts.length, starts]).toEqual([3, starts.toSorted((a, b) => a - b)]);
});

it('eventsDataCoverage shows connections of WSA under their own type, the group as the name of their method', async () => {
  upstream.responders['wsa/load_helioviewer_footpoint_capabilities'] = json(WSA_CAPABILITIES);
  upstream.responders['wsa/load_helioviewer_footpoints'] = json(FORECASTS);
  const { body } = await post(['WSA>>Magnetic Connectivity>>SO'], NOON + HOUR_MS, NOON + 2 * HOUR_MS);
  expect(body).toMatchObject([{ event_type: 'MC', res: 'm', showInLegend: true }]);
  const [point] = body[0]!.data;
  expect(point).toMatchObject({ concept: 'Magnetic Connectivity', frm_name: 'SO AGONG', id: expect.stringMatching(/\D/) });
  expect([body[0]!.data.length, (await post(['WSA>>Magnetic Connectivity>>PSP'], NOON, NOON + HOUR_MS)).body]).toEqual([
    2 * CONTOURS,
    [],
  ]);
});

it.each([
  [[], NOON, 'event_selections'],
  [undefined, NOON, 'event_selections'],
  [['HEK>Flare'], NOON, 'event_selections'],
  [['HEK'], NOON - 1, 'endDate'],
])('eventsDataCoverage refuses the paths %j until %i, and names the parameter %s', async (paths, endMs, parameter) => {
  const { status, body } = await post(paths, NOON, endMs);
  expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(parameter)]);
});

it('getDataCoverage of events in bins counts each event in every bin that it overlaps, in all bins of the range and its sides', async () => {
  const start = NOON - 24 * HOUR_MS;
  const series = await coverage('[FL,all,1],[AR,all,1]', start, start + 36 * HOUR_MS);
  expect(series.map(({ event_type, res, showInLegend }) => [event_type, res, showInLegend])).toEqual([
    ['AR', '30m', true],
    ['FL', '30m', true],
  ]);
  const counts = (of: Series) => of.data.filter(([, count]) => count > 0).map(([ms, count]) => [(ms - NOON) / MINUTE_MS, count]);
  expect(series[0]!.data).toHaveLength(3 * 72 + 1);
  expect(counts(series[0]!)).toEqual([-60, -30, 0, 30, 60].map((minute) => [minute, 1]));
  expect(counts(series[1]!)).toEqual([
    [0, 1],
    [30, 3],
    [300, 1],
  ]);
});
