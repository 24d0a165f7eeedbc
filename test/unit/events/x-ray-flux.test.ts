import { describe, expect, it } from 'vitest';
import { xrayDay } from '../../../src/events/feeds/feeds.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { fluxBins, goesClass, type XrayDay } from '../../../src/sun/events/x-ray-flux.ts';
import { eventsApp } from '../../support/events/events-app.ts';
import { json, text } from '../../support/upstream/test-upstream.ts';
import { upstreamOfEachTest } from '../../support/upstream/upstream-of-each-test.ts';

const DAY = Date.UTC(2014, 0, 1);
const NEXT = DAY + DAY_MS;

/** A table as the server sends it. */
const table = (...rows: readonly (readonly [time: string, flux: unknown])[]) => ({
  HAPI: '2.0',
  status: { code: 1200, message: 'OK' },
  parameters: [
    { name: 'Time', type: 'isotime', units: 'UTC', length: 24, fill: null },
    { name: 'Long_Wave', type: 'double', units: 'Watts m^-2', fill: '-99999.0' },
  ],
  format: 'json',
  data: rows,
});

it.each([
  [1e-4, 'X1.0'],
  [Math.fround(1e-4), 'X1.0'],
  [9.999999999e-5, 'X1.0'],
  [9.999e-5, 'M9.9'],
  [2.13e-3, 'X21.3'],
  [4.05e-6, 'C4.0'],
  [1e-7, 'B1.0'],
  [2.3e-8, 'A2.3'],
  [4e-9, 'A0.4'],
])('classes of the X-ray flux turn a flux of %d into %s', (flux, name) => {
  expect(goesClass(flux)).toBe(name);
});

it('a day of the X-ray flux holds the measured minutes, without fill values, impossible fluxes and other days', () => {
  const rows = table(
    ['2014-01-01T00:00:00.000Z', 1.5e-6],
    ['2014-01-01T00:01:00.000Z', -99999],
    ['2014-01-01T00:02:30.000Z', '2e-6'],
    ['2014-01-01T00:03:00.000Z', 7],
    ['2014-01-01T00:04:00.000Z', null],
    ['2014-01-01T23:59:00.000Z', 3e-6],
    ['2014-01-02T00:00:00.000Z', 9e-6],
    ['never', 9e-6],
  );
  const { minutes } = xrayDay(rows, 'Long_Wave', DAY);
  expect(minutes.slice(0, 6)).toEqual([1.5e-6, null, 2e-6, null, null, null]);
  expect([minutes.length, minutes.at(-1), minutes.filter((flux) => flux !== null).length]).toEqual([1440, 3e-6, 3]);
});

const day = (dayMs: number, at: Readonly<Record<number, number>>): XrayDay => ({
  dayMs,
  minutes: Array.from({ length: 1440 }, (_, minute) => at[minute] ?? null),
});

it('bins of the X-ray flux show the highest minute of each, across the days, and stay within the limit for every range', () => {
  const days = [day(DAY, { 1438: 2e-6, 1439: 5e-6 }), day(NEXT, { 0: 3e-6, 2: 1e-6 })];
  expect(fluxBins(days, NEXT - 3 * MINUTE_MS, NEXT + 3 * MINUTE_MS, 6)).toEqual({
    startMs: NEXT - 4 * MINUTE_MS,
    binMs: 2 * MINUTE_MS,
    peaks: [null, 5e-6, 3e-6, 1e-6],
  });
  for (let hours = 1; hours <= 16 * 24; hours += 7) {
    const { peaks, binMs } = fluxBins([], DAY + 30_000, DAY + 30_000 + hours * HOUR_MS, 1500);
    expect(peaks.length).toBeLessThanOrEqual(1500);
    expect(peaks.length * binMs).toBeGreaterThanOrEqual(hours * HOUR_MS);
  }
});

describe('getXrayFlux', () => {
  const upstream = upstreamOfEachTest({
    xray: json(table(['2014-01-01T12:00:00.000Z', 1.5e-6], ['2014-01-01T12:01:00.000Z', 2.5e-5])),
  });
  const requested = () => upstream.requests.filter(({ pathname }) => pathname === '/xray/data');
  const path = (startTime: string, endTime: string) => `/v2/getXrayFlux/?startTime=${startTime}&endTime=${endTime}`;
  const NOON = path('2014-01-01T11:59:00Z', '2014-01-01T12:02:00Z');

  it('asks for the minutes of a day, and returns the peaks of bins, and records of HAPI for each minute', async () => {
    const { archive } = eventsApp(upstream.url);
    const response = await archive.get(NOON);
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=86400');
    expect(await response.json()).toEqual({
      instrument: 'GOES XRS',
      band: '0.1-0.8 nm',
      unit: 'W/m2',
      startTime: '2014-01-01T11:59:00Z',
      binSeconds: 60,
      peaks: [null, 1.5e-6, 2.5e-5, null],
      missingDays: [],
    });
    expect(requested().map(({ searchParams }) => Object.fromEntries(searchParams))).toEqual([
      {
        id: 'goesp_xray_flux_P1M',
        parameters: 'Long_Wave',
        'time.min': '2014-01-01T00:00:00.0Z',
        'time.max': '2014-01-02T00:00:00.0Z',
        format: 'json',
      },
    ]);
    const records = await archive.get('/hapi/data?dataset=xray_flux&start=2014-01-01T11:00Z&stop=2014-01-01T13:00Z');
    expect(await records.text()).toBe('2014-01-01T12:00:00.000000Z,0.0000015\n2014-01-01T12:01:00.000000Z,0.000025\n');
  });

  it('names the days that the source does not deliver, and is soon asked again', async () => {
    const app = eventsApp(upstream.url);
    upstream.responders.xray = text('no', 503);
    const failed = await app.archive.get(NOON);
    expect(failed.headers.get('Cache-Control')).toBe('public, max-age=60');
    expect(await failed.json()).toMatchObject({ peaks: [null, null, null, null], missingDays: ['2014-01-01'] });
    const count = requested().length;
    upstream.responders.xray = json(table(['2014-01-01T12:00:00.000Z', 1.5e-6]));
    app.clock.nowMs += 2 * MINUTE_MS;
    expect(await (await app.archive.get(NOON)).json()).toMatchObject({ peaks: [null, 1.5e-6, null, null], missingDays: [] });
    expect(requested()).toHaveLength(count + 1);
  });

  it('asks for no day before the first measurement or after today', async () => {
    const app = eventsApp(upstream.url);
    for (const [from, to] of [
      ['2010-04-01T00:00:00Z', '2010-04-13T23:59:00Z'],
      ['2024-02-01T00:00:00Z', '2024-02-04T00:00:00Z'],
    ] as const) {
      const { peaks, missingDays } = (await (await app.archive.get(path(from, to))).json()) as Record<string, unknown[]>;
      expect([new Set(peaks), missingDays]).toEqual([new Set([null]), []]);
    }
    expect(requested()).toEqual([]);
  });

  it.each([
    ['2014-01-02T00:00:00Z', '2014-01-01T00:00:00Z', /^Expected a time after startTime for endTime, got 2014-01-01T00:00:00Z\./],
    [
      '2014-01-01T00:00:00Z',
      '2014-01-17T00:00:01Z',
      /^Expected a time at most 16 days after startTime for endTime, got 2014-01-17T00:00:01Z\./,
    ],
    ['2014-01-01T00:00:00Z', 'tomorrow', /for endTime, got tomorrow\./],
  ])('refuses the range from %s to %s', async (from, to, sentence) => {
    const response = await eventsApp(upstream.url).archive.get(path(from, to));
    const body = (await response.json()) as { error: string; parameter: string };
    expect([response.status, body.parameter]).toEqual([400, 'endTime']);
    expect(body.error).toMatch(sentence);
  });
});
