import { expect, it } from 'vitest';
import { decimalsOf, placeAt } from '../../../src/explorer/model/measured-shape.ts';
import {
  type CurveRow,
  type CurveSeries,
  type MapSeries,
  nearestRow,
  reasonsOf,
  SeriesReader,
  seriesCode,
  seriesParameters,
  usualCadence,
  usualStep,
} from '../../../src/explorer/model/series.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { ASTRONOMICAL_UNIT_M } from '../../../src/sun/geometry.ts';

const NOON = Date.UTC(2024, 4, 10, 12);
const CURVE: CurveSeries = {
  operation: 'getLightCurve',
  sourceId: 10,
  startMs: NOON,
  endMs: NOON + HOUR_MS,
  cadenceSeconds: 60,
  shape: { kind: 'circle', x: 100, y: 200, radius: 50 },
  trackFromMs: Date.UTC(2024, 4, 10, 12),
  isOfLevels: false,
  statistics: ['mean', 'area'],
  threshold: 300,
};
const MAP: MapSeries = {
  operation: 'getTimeDistance',
  sourceId: 10,
  startMs: NOON,
  endMs: NOON + HOUR_MS,
  cadenceSeconds: null,
  shape: { kind: 'radial', angle: 270, from: 900, to: 1200 },
  trackFromMs: null,
  isOfLevels: false,
  width: 10,
  step: 2.4,
};

it('a measurement over time asks with the parameters of its operation alone', () => {
  const range = { sourceId: 10, startTime: '2024-05-10T12:00:00Z', endTime: '2024-05-10T13:00:00Z' };
  const figures = { statistics: 'mean,area', threshold: 300 };
  expect(seriesParameters(CURVE)).toEqual({
    ...range,
    cadence: 60,
    circle: '[100,200,50]',
    ...figures,
    track: 'rotation',
    trackFrom: '2024-05-10T12:00:00Z',
  });
  expect(seriesParameters(MAP)).toEqual({ ...range, radial: '[270,900,1200]', width: 10, step: 2.4 });
  expect(seriesParameters({ ...CURVE, statistics: ['mean'] })).not.toHaveProperty('threshold');
  for (const series of [CURVE, MAP])
    expect(seriesParameters({ ...series, isOfLevels: true })).toEqual({ ...seriesParameters(series), raw: 'true' });
});

it('a measurement over time offers programs with its own address for each format', () => {
  const code = (series: CurveSeries | MapSeries) =>
    Object.fromEntries(seriesCode(series, (format) => `http://h/${format}`).map(({ name, text }) => [name, text]));
  expect(code(CURVE).curl).toContain('"http://h/csv"');
  expect(code(CURVE).Python).toMatch(/read_csv\("http:\/\/h\/csv"[\s\S]*subplots\(2,[\s\S]*curve\["areaLower"\]/);
  expect(code(MAP).curl).toMatch(/"http:\/\/h\/fits"[\s\S]*"http:\/\/h\/png"/);
  expect(code(MAP).Python).toContain('urlopen("http://h/fits")');
});

it('a measurement over time asks for as many images as a plot shows, and for at most 256 positions along a path', () => {
  expect(usualCadence(2 * HOUR_MS, 60)).toBeNull();
  expect(usualCadence(2 * HOUR_MS, null)).toBeNull();
  expect(usualCadence(23 * HOUR_MS, 12)).toBe(720);
  // Never more often than the source has images.
  expect(usualCadence(400 * 24 * HOUR_MS, 86_400)).toBe(172_800);
  expect(usualStep(MAP.shape, 2.4)).toBe(2.4);
  expect(300 / usualStep(MAP.shape, 0.6)).toBeLessThan(256);
});

const facts = { images: 2, rows: 3, unit: 'DN/s', law: 'AIA v5 171', status: 'exact', caveats: [], rotation: null };
const rows = [
  { id: 26, date: '2024-05-10T12:00:03.000Z', reason: null, censored: 0, mean: 251.2 },
  { id: null, date: '2024-05-10T12:10:00.000Z', reason: 'gap', censored: null, mean: null },
  { id: 27, date: '2024-05-10T12:20:03.000Z', reason: null, censored: 0, mean: 250 },
];
const text = `${JSON.stringify({ ...facts, curve: [] }).slice(0, -2)}\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]}\n`;

it.each([1, 7, 100, 10_000])('the rows of a measurement arrive in pieces of %i characters, each once it is whole', (length) => {
  const reader = new SeriesReader<CurveRow>();
  const read: CurveRow[] = [];
  for (let at = 0; at < text.length; at += length) {
    expect(reader.isComplete).toBe(false);
    read.push(...reader.add(text.slice(at, at + length)));
  }
  expect(read).toEqual(rows);
  expect(reader.facts).toMatchObject(facts);
  expect(reader.isComplete).toBe(true);
});

it('the rows of a measurement show that they are cut off, count by the reason for a missing one, and answer by time', () => {
  const reader = new SeriesReader<CurveRow>();
  expect(reader.add(text.slice(0, -4))).toHaveLength(2);
  expect(reader.isComplete).toBe(false);
  expect([...reasonsOf(rows)]).toEqual([['gap', 1]]);
  const times = rows.map(({ date }) => Date.parse(date));
  expect([NOON - 1, NOON + 6 * MINUTE_MS, NOON + HOUR_MS].map((ms) => nearestRow(times, ms))).toEqual([0, 1, 2]);
  expect(nearestRow([], NOON)).toBe(-1);
});

it.each([
  [{ value: 252.3, lower: 229.8, upper: 275.9 }, 0],
  [{ value: 12.34, lower: 12.1, upper: 12.6 }, 2],
  [{ value: 8123, lower: 7000, upper: 9400 }, -2],
  [{ value: 8000, lower: 7900, upper: null }, 0],
  [{ value: 0.0123, lower: null, upper: null }, 4],
  [{ value: 0, lower: null, upper: null }, 0],
])('a value: %j has %i decimals, with which its interval has two digits', (interval, decimals) => {
  expect(decimalsOf(interval)).toBe(decimals);
});

it('a value belongs to the place that the picture shows at a point, as the observer of the image saw it', () => {
  const image = { width: 512, height: 256, scale: 2, refPixelX: 256.5, refPixelY: 128.5, dsun: 0.5 * ASTRONOMICAL_UNIT_M };
  expect(placeAt(image, { x: -1, y: 1 })).toEqual({ x: -2, y: -2 });
  expect(placeAt(image, { x: 1.1, y: -1 })).toEqual({ x: 2, y: 2 });
  expect(placeAt(image, { x: -515, y: 0 })).toBeNull();
  expect(placeAt(image, { x: 0, y: -259 })).toBeNull();
  const turned = { x: 0, y: 0, across: { x: 0, y: 512 }, down: { x: -256, y: 0 } };
  expect([placeAt(image, { x: 0, y: -259 }, turned), placeAt(image, { x: -515, y: 0 }, turned)]).toEqual([
    { x: 0, y: 517.9989 },
    null,
  ]);
});
