import { describe, expect, it } from 'vitest';
import { cmeRecord, flareRecord, hekRecord, predictions } from '../../support/events/event-records.ts';
import { eventsApp, oneFlare } from '../../support/events/events-app.ts';
import { json, text } from '../../support/upstream/test-upstream.ts';
import { upstreamOfEachTest } from '../../support/upstream/upstream-of-each-test.ts';

const flare = (id: string, start: string, more: object = {}) =>
  hekRecord({
    kb_archivid: `ivo://sun.test/${id}`,
    event_type: 'FL',
    frm_name: 'SWPC',
    event_starttime: `2014-01-01T${start}`,
    event_endtime: '2014-01-01T20:00:00',
    event_peaktime: '',
    ...more,
  });

const FLARES = [
  flare('FL_C', '12:10:00', {
    fl_goescls: 'M2.5',
    event_peaktime: '2014-01-01T12:20:00',
    fl_peakflux: 1500,
    fl_peakfluxunit: 'DN/sec',
  }),
  flare('FL_A', '12:10:00', { fl_goescls: 'C1.0' }),
  flare('FL_B', '12:10:00'),
  flare('FL_LATE', '13:00:00'),
  flare('FL_BEFORE', '00:00:00', { event_starttime: '2013-12-31T23:00:00' }),
  hekRecord({ ar_noaanum: 11936, ar_mcintoshcls: 'Dkc', area_atdiskcenter: 2.5e9 }),
];

const upstream = upstreamOfEachTest({
  hek: json({ result: FLARES, overmax: false }),
  'donki/CME': json([cmeRecord()]),
  'donki/FLR': json([flareRecord()]),
  'scoreboard/data': json(predictions({}, { NOAARegionId: 11937, NOAALatitude: 3 })),
});

const DAY = 'start=2014-01-01Z&stop=2014-01-02Z';

interface Data {
  readonly parameters: readonly { readonly name: string; readonly type: string; readonly length?: number }[];
  readonly data: readonly (readonly (string | number)[])[];
}

/** The records of a dataset as objects. */
async function recordsOf(dataset: string, range = DAY, setup: Parameters<typeof eventsApp>[1] = {}) {
  const { archive } = eventsApp(upstream.url, setup);
  const response = await archive.get(`/hapi/data?dataset=${dataset}&${range}&format=json`);
  const { parameters, data } = (await response.json()) as Data;
  return data.map((row) => Object.fromEntries(parameters.map(({ name }, i) => [name, row[i]!])));
}

describe('a list of events of HAPI', () => {
  it('lists the events that begin in the range, by start and id, each with a later time than the one before', async () => {
    const records = await recordsOf('event_list_FL');
    expect(records.map(({ id, start, time }) => [String(id).split('/').at(-1), start, time])).toEqual([
      ['FL_A', '2014-01-01T12:10:00.000000Z', '2014-01-01T12:10:00.000000Z'],
      ['FL_B', '2014-01-01T12:10:00.000000Z', '2014-01-01T12:10:00.001000Z'],
      ['FL_C', '2014-01-01T12:10:00.000000Z', '2014-01-01T12:10:00.002000Z'],
      ['FL_LATE', '2014-01-01T13:00:00.000000Z', '2014-01-01T13:00:00.000000Z'],
    ]);
  });

  it('gives an event the same time in every range', async () => {
    const records = await recordsOf('event_list_FL', 'start=2014-01-01T12:10:00.001Z&stop=2014-01-01T13:00Z');
    expect(records.map(({ time }) => time)).toEqual(['2014-01-01T12:10:00.001000Z', '2014-01-01T12:10:00.002000Z']);
  });

  it('gives the values that the HEK measured, and fill values for others', async () => {
    const [weak, unknown, strong] = await recordsOf('event_list_FL');
    expect(strong).toMatchObject({
      ...{ goes_class: 'M2.5', peak: '2014-01-01T12:20:00.000000Z', peak_flux: 1500, peak_flux_unit: 'DN/sec' },
      ...{ method: 'SWPC', x: -123.4, y: -250.1, longitude: -1e31 },
    });
    expect([strong!.goes_flux, weak!.goes_flux]).toEqual([expect.closeTo(2.5e-5, 10), expect.closeTo(1e-6, 12)]);
    expect(unknown).toMatchObject({ goes_class: '-', goes_flux: -1e31, peak_flux: -1e31, peak: '9999-12-31T23:59:59.999999Z' });
    expect(await recordsOf('event_list_AR')).toMatchObject([
      { noaa_region: 11936, mcintosh_class: 'Dkc', area: 2.5e9, area_unit: 'km2', spots: -1e31 },
    ]);
  });

  it('gives the values of the other sources of events', async () => {
    expect(await recordsOf('event_list_C3_CE')).toMatchObject([
      { speed: 1000, half_angle: 42, speed_class: 'O', latitude: -7, longitude: 101, x: -1e31 },
    ]);
    expect(await recordsOf('event_list_C3_FL')).toMatchObject([
      { start: '2014-01-01T11:30:00.000000Z', goes_class: 'M9.9', noaa_region: 11936, latitude: -16, longitude: 45 },
    ]);
    const chances = await recordsOf('event_list_FP');
    expect(chances).toHaveLength(24);
    expect(chances[0]).toMatchObject({ C: -1e31, C_plus: 0.8, M_plus: 0.05, X: 0.0123 });
    expect(new Set(chances.map(({ time }) => time)).size).toBe(24);
    expect(await recordsOf('event_list_F2', DAY, { flares: await oneFlare() })).toMatchObject([
      { id: 'RHESSI-14010105', peak_rate: 1500, counts: 2.5e6, energy_band: '25-50', x: 655, y: -225 },
    ]);
  });

  it('gives strings that fit their length in binary and CSV', async () => {
    const label = 'ö'.repeat(200);
    upstream.responders.hek = json({ result: [flare('FL_1', '12:00:00', { frm_name: `${label},\n"x"` })], overmax: false });
    const { archive } = eventsApp(upstream.url);
    const query = `/hapi/data?dataset=event_list_FL&${DAY}`;
    const { parameters } = (await (await archive.get('/hapi/info?dataset=event_list_FL')).json()) as Data;
    const bytes = new Uint8Array(await (await archive.get(`${query}&format=binary`)).arrayBuffer());
    expect(bytes.length).toBe(parameters.reduce((sum, { length }) => sum + (length ?? 8), 0));
    expect(await (await archive.get(`${query}&parameters=method`)).text()).toBe(
      `2014-01-01T12:00:00.000000Z,${'ö'.repeat(40)}\n`,
    );
  });

  it('names its last counted day on which an event began as the sample, and the last day of all before one is counted', async () => {
    upstream.responders['donki/CME'] = json([cmeRecord({ startTime: '2014-01-01T06:00Z' })]);
    const { archive, service, clock } = eventsApp(upstream.url);
    const sampleOf = async (dataset: string) => {
      archive.cache.entries.clear();
      const response = await archive.get(`/hapi/info?dataset=${dataset}`);
      const { sampleStartDate, sampleStopDate } = (await response.json()) as Readonly<Record<string, string>>;
      return `${sampleStartDate} ${sampleStopDate}`.replaceAll('T00:00:00.000000Z', '');
    };
    const flares = [
      ...FLARES,
      flare('FL_LATER', '12:00:00', { event_starttime: '2014-01-05T12:00:00', event_endtime: '2014-01-05T13:00:00' }),
    ];
    upstream.responders.hek = json({ result: flares, overmax: false });
    clock.nowMs = Date.UTC(2014, 0, 3, 12);
    expect(await sampleOf('event_list_C3_CE')).toBe('2014-01-03 2014-01-04');
    await service.counting.byClock();
    expect(await Promise.all(['event_list_C3_CE', 'event_list_C3_FL', 'event_list_FL', 'event_list_CH'].map(sampleOf))).toEqual([
      '2014-01-01 2014-01-02',
      '2014-01-01 2014-01-02',
      '2014-01-01 2014-01-02',
      '2014-01-03 2014-01-04',
    ]);
  });

  it('enters the catalogue with its first counted event, and can be read before', async () => {
    const { archive, service, clock } = eventsApp(upstream.url);
    const listed = async () => {
      archive.cache.entries.clear();
      const { catalog } = (await (await archive.get('/hapi/catalog')).json()) as {
        readonly catalog: readonly { readonly id: string }[];
      };
      return catalog.map(({ id }) => id).filter((id) => id.startsWith('event_list'));
    };
    clock.nowMs = Date.UTC(2014, 0, 3, 12);
    expect(await listed()).toEqual([]);
    expect((await archive.get('/hapi/info?dataset=event_list_FL')).status).toBe(200);
    await service.counting.byClock();
    expect(await listed()).toEqual(['event_list_AR', 'event_list_FL', 'event_list_C3_CE', 'event_list_C3_FL', 'event_list_FP']);
  });

  it('asks only the feeds of its type', async () => {
    await recordsOf('event_list_C3_CE');
    expect(new Set(upstream.requests.map(({ pathname }) => pathname))).toEqual(new Set(['/donki/CME', '/donki/FLR']));
  });

  it('refuses an incomplete answer when a source fails, and more days than a response has', async () => {
    upstream.responders.hek = text('', 500);
    const { archive } = eventsApp(upstream.url);
    const failed = await archive.get(`/hapi/data?dataset=event_list_FL&${DAY}`);
    expect([failed.status, failed.headers.get('Retry-After')]).toEqual([503, '60']);
    const long = await archive.get('/hapi/data?dataset=event_list_FL&start=2014-01-01T12:00Z&stop=2014-02-10T12:00Z');
    expect(await long.json()).toMatchObject({
      status: { code: 1408, message: expect.stringContaining('A response has at most 40 days.') },
    });
    const info = await archive.get('/hapi/info?dataset=event_list_FL');
    expect(await info.json()).toMatchObject({ maxRequestDuration: 'P39D', timeStampLocation: 'begin' });
    expect((await archive.get('/hapi/info?dataset=event_list_C3')).status).toBe(404);
  });
});
