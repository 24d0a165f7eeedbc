import { expect, it } from 'vitest';
import { D1ImageIndex } from '../../../src/archive/image-index/d1-image-index.ts';
import { AIA_171, LASCO_C2, NOON, nameOf, SIZE } from '../../support/measurement/samples.ts';
import { MemoryObjectStore } from '../../support/memory/object-store.ts';
import { databasesIn, migrated } from '../../support/memory/sqlite-d1.ts';
import { sampleFile } from '../../support/sample-files.ts';
import { servedApp, testServices } from '../../support/test-services.ts';

const TIMES = [0, 1, 2].map((i) => NOON + i * 720_000);
/** From the first image to after the last one. */

const databases = databasesIn(migrated());
const services = testServices({ objects: new MemoryObjectStore(), databases, index: new D1ImageIndex(databases) });
const app = servedApp(services);
const get = (path: string) => app.request(`http://sun.test${path}`);
const linesOf = async (query: string) =>
  (await (await get(`/hapi/data?${query}`)).text())
    .trim()
    .split('\n')
    .map((line) => line.split(','));

type Row = Readonly<Record<'id' | 'mean' | 'meanLower' | 'meanUpper' | 'count', number>>;

for (const [sourceId, timeMs] of [...TIMES.map((ms) => [AIA_171, ms]), [LASCO_C2, NOON]] as const) {
  const result = await services.ingest({
    fileName: nameOf(sourceId, timeMs),
    jp2: await sampleFile({ sourceId, timeMs, size: SIZE }),
    replace: false,
  });
  expect(result.outcome).toBe('added');
}
const info = (await (await get('/hapi/info?dataset=lightcurve_10')).json()) as Readonly<Record<string, string>>;
const range = `start=${info.startDate}&stop=${info.stopDate}`;

it.each([
  ['lightcurve_10', ''],
  ['lightcurve_10_100_-200.5_240_240', '&x=100&y=-200.5&width=240&height=240'],
])('a light curve of HAPI: %s has the means and intervals of getLightCurve', async (dataset, region) => {
  const times = 'startTime=2024-05-10T12:00:00Z&endTime=2024-05-10T12:59:59Z';
  const response = await get(`/v2/getLightCurve/?sourceId=10&${times}&grid=true${region}`);
  const { curve } = (await response.json()) as { readonly curve: readonly Row[] };
  expect(curve).toHaveLength(3);
  const lines = await linesOf(`dataset=${dataset}&${range}&parameters=mean,lower,upper,count,unit,id`);
  for (const [i, [, mean, lower, upper, count, unit, id]] of lines.entries()) {
    const row = curve[i]!;
    expect([unit, Number(id), Number(count)]).toEqual(['DN/s', row.id, row.count]);
    const measured = [row.mean, row.meanLower, row.meanUpper];
    for (const [j, value] of [mean, lower, upper].entries()) expect(Number(value) / measured[j]!).toBeCloseTo(1, 5);
  }
});

it('a light curve of HAPI gives the images from start to stop, stop excluded', async () => {
  const [[first], [second]] = (await linesOf(`dataset=lightcurve_10&${range}&parameters=id`)) as [string[], string[]];
  expect((await linesOf(`dataset=lightcurve_10&start=${first}&stop=${second}&parameters=id`)).map(([time]) => time)).toEqual([
    first,
  ]);
});

it('a light curve of HAPI enters the catalogue for each datasource whose images have grids, and says how to name a rectangle', async () => {
  const { catalog } = (await (await get('/hapi/catalog')).json()) as { readonly catalog: readonly { readonly id: string }[] };
  expect(catalog.map(({ id }) => id).filter((id) => id.startsWith('lightcurve'))).toEqual(['lightcurve_10']);
  const info = await get('/hapi/info?dataset=lightcurve_10_0_0_500_500');
  expect(await info.json()).toMatchObject({
    description: expect.stringContaining('lightcurve_10_<x>_<y>_<width>_<height>'),
    maxRequestDuration: 'P399D',
    parameters: [{ name: 'time' }, { name: 'mean', fill: '-1e+31' }, {}, {}, {}, {}, { name: 'unit', fill: '-' }, {}],
  });
});

it('a light curve of HAPI gives no records where no law is known', async () => {
  const { startDate, stopDate } = (await (await get('/hapi/info?dataset=lightcurve_4')).json()) as Readonly<
    Record<string, string>
  >;
  const lasco = `start=${startDate}&stop=${stopDate}`;
  const response = await get(`/hapi/data?dataset=lightcurve_4&${lasco}&format=json`);
  expect(await response.json()).toMatchObject({ status: { code: 1201 }, data: [] });
});

it.each([
  [1406, 'info', 'lightcurve_10_0_0_500'],
  [1406, 'info', 'lightcurve_10_0_0_500_0500'],
  [1406, 'info', 'lightcurve_10_0_0_0_500'],
  [1406, 'info', 'lightcurve_10_0_0_500000_500'],
  [1406, 'info', 'lightcurve_11'],
  [1406, 'data', 'lightcurve_10_90000_0_100_100'],
  [1406, 'data', 'lightcurve_10_0_0_1_1'],
])('a light curve of HAPI gets the status %i for %s of %s', async (code, endpoint, dataset) => {
  const response = await get(`/hapi/${endpoint}?dataset=${dataset}${endpoint === 'data' ? `&${range}` : ''}`);
  expect([response.status, await response.json()]).toMatchObject([404, { status: { code } }]);
});
