// The timelines of the web client: getDataCoverage.
import { beforeEach, expect, it } from 'vitest';
import { archivedImage } from '../../support/memory/archived-images.ts';
import { register } from '../service.ts';
import { clientGet, getPath } from './web-client.ts';

const HOUR_MS = 3_600_000;
const START = Date.UTC(2024, 0, 10);
const at = (ms: number) => new Date(ms).toISOString();

interface Series {
  readonly sourceId: number;
  readonly name: string;
  readonly data: readonly (readonly [number, number])[];
}

/** Response of a JSONP request with a callback as jQuery names it. */
async function jsonp(query: string): Promise<unknown> {
  const callback = 'jQuery112407_1704067200000';
  const response = await clientGet(`action=getDataCoverage&${query}&callback=${callback}&_=1704067200001`);
  expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/javascript; charset=utf-8']);
  const script = await response.text();
  expect(script.startsWith(`${callback}(`) && script.endsWith(')')).toBe(true);
  return JSON.parse(script.slice(callback.length + 1, -1));
}

const images = async (query: string) => (await jsonp(query)) as readonly Series[];

const countsOf = ({ data }: Series) => data.filter(([, count]) => count > 0);

beforeEach(async () => {
  const times: [sourceId: number, ms: number][] = [
    ...[0, 1, 2].map((n): [number, number] => [10, START + n * 60_000]),
    [10, START + 24 * HOUR_MS],
    [10, START + 25 * HOUR_MS - 1],
    [13, START - 72 * HOUR_MS],
    [38, START],
    [39, START + 60_000],
  ];
  await register().addAll(
    times.map(([sourceId, ms], i) => {
      const { id: _id, ...image } = archivedImage(0, sourceId, at(ms), { fileName: `f${i}.jp2`, key: `jp2/a/f${i}.jp2` });
      return image;
    }),
  );
});

const threeDays = `startDate=${START}&endDate=${START + 72 * HOUR_MS}`;

it('getDataCoverage of images returns bins of an hour for three days, from three days before them to three days after', async () => {
  const [aia, other] = await images(`imageLayers=[10,1,100],[13,1,60],&${threeDays}`);
  expect([aia!.sourceId, aia!.name, other!.name]).toEqual([10, 'SDO AIA 171', 'SDO AIA 304']);
  expect([aia!.data.length, aia!.data[0]![0], aia!.data.at(-1)![0]]).toEqual([217, START - 72 * HOUR_MS, START + 144 * HOUR_MS]);
  expect(countsOf(aia!)).toEqual([
    [START, 3],
    [START + 24 * HOUR_MS, 2],
  ]);
  expect(countsOf(other!)).toEqual([[START - 72 * HOUR_MS, 1]]);
});

it('getDataCoverage of images returns single images as dots of their row up to a range of 105 minutes', async () => {
  const query = `imageLayers=[13,1,100],[10,1,100]&startDate=${START}&endDate=${START + 105 * 60_000}`;
  const [first, second] = await images(query);
  expect(first!.data).toEqual([]);
  expect(second!.data).toEqual([0, 1, 2].map((n) => [START + n * 60_000 + 1, 2]));
});

it('getDataCoverage of images chooses bins by the length of the range', async () => {
  const day = 24 * HOUR_MS;
  const cases: [spanMs: number, binMs: number, firstMs: number][] = [
    [6 * HOUR_MS, 300_000, START],
    [day, 900_000, START],
    [9 * day, HOUR_MS, START],
    [60 * day, day, START],
    // A week begins on Monday.
    [300 * day, 7 * day, Date.UTC(2024, 0, 8)],
    [600 * day, 31 * day, Date.UTC(2024, 0, 1)],
  ];
  const times = [0, 60_000, 120_000, day, 25 * HOUR_MS - 1].map((ms) => START + ms);
  for (const [spanMs, binMs, firstMs] of cases) {
    const [series] = await images(`imageLayers=[10,1,100]&startDate=${START}&endDate=${START + spanMs}`);
    const bin = series!.data.findIndex(([ms]) => ms === firstMs);
    expect(series!.data[bin + 1]![0] - firstMs).toBe(binMs);
    expect(series!.data[bin]).toEqual([firstMs, times.filter((ms) => ms >= firstMs && ms < firstMs + binMs).length]);
    const inRange = times.filter((ms) => ms <= START + 2 * spanMs).length;
    expect(series!.data.reduce((sum, [, count]) => sum + count, 0)).toBe(inRange);
  }
});

it('getDataCoverage of images passes failures to the callback, and responds with 400 without one', async () => {
  const query = `imageLayers=[10,1,100]&startDate=NaN&endDate=${START}`;
  expect(await jsonp(query)).toMatchObject({ error: expect.stringMatching(/for startDate, got NaN\.$/), errno: 25 });
  expect((await getPath(`/v2/getDataCoverage/?${query}`)).status).toBe(400);
  const many = Array.from({ length: 11 }, (_, i) => `[${i},1,100]`).join(',');
  expect(await jsonp(`imageLayers=${many}&${threeDays}`)).toMatchObject({ errno: 22 });
  const hostile = await clientGet(`action=getDataCoverage&${query}&callback=alert(1)`);
  expect([hostile.status, hostile.headers.get('Content-Type')]).toEqual([500, 'application/json; charset=utf-8']);
});
