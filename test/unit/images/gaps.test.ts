import { expect, it } from 'vitest';
import { gapsOf, knownReason } from '../../../src/archive/gaps.ts';
import { D1ImageIndex } from '../../../src/archive/image-index/d1-image-index.ts';
import { D1ImageRegister } from '../../../src/archive/image-index/d1-image-register.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { findSource } from '../../../src/sun/catalogue/sources.ts';
import { makeImage } from '../../support/imaging/images.ts';
import { archivedImage } from '../../support/memory/archived-images.ts';
import { MemoryIdSequences } from '../../support/memory/id-sequences.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';
import { databasesIn, migrated } from '../../support/memory/sqlite-d1.ts';
import { testArchive } from '../../support/test-archive.ts';

const START = Date.UTC(2024, 4, 10);
const AIA_171 = 10;

/** Times each `cadenceMs` in a range, except for those within one of `missing`. */
function times(fromMs: number, toMs: number, cadenceMs: number, missing: readonly (readonly [number, number])[] = []): number[] {
  const all = Array.from({ length: Math.ceil((toMs - fromMs) / cadenceMs) }, (_, i) => fromMs + i * cadenceMs);
  return all.filter((ms) => !missing.some(([from, to]) => ms > from && ms < to));
}

async function indexWith(takenAtMs: readonly number[], sourceId = AIA_171) {
  const databases = databasesIn(migrated());
  const register = new D1ImageRegister({ databases, ids: new MemoryIdSequences() });
  await register.addAll(takenAtMs.map((ms, i) => makeImage(sourceId, ms, { fileName: `${sourceId}_${i}.jp2` })));
  return new D1ImageIndex(databases);
}

const range = (days: number) => ({ startMs: START, endMs: START + days * DAY_MS });
const hours = (gaps: readonly { startMs: number; endMs: number }[]) =>
  gaps.map(({ startMs, endMs }) => [(startMs - START) / HOUR_MS, (endMs - START) / HOUR_MS]);

it('the gaps of a source follow the cadence of a source with an image each minute, and leave out single missing images', async () => {
  const missing = [
    [START + 3 * HOUR_MS, START + 4 * HOUR_MS],
    [START + 30 * HOUR_MS, START + 30 * HOUR_MS + 2 * MINUTE_MS],
    [START + 40 * HOUR_MS, START + 41.5 * HOUR_MS],
  ] as const;
  const index = await indexWith(times(START - DAY_MS, START + 3 * DAY_MS, MINUTE_MS, missing));
  const { gaps, cadenceMs, foundFromMs, nextMs } = await gapsOf(index, AIA_171, range(2));
  expect([cadenceMs, foundFromMs, nextMs]).toEqual([MINUTE_MS, 10 * MINUTE_MS, null]);
  expect(hours(gaps)).toEqual([
    [3, 4],
    [40, 41.5],
  ]);
  expect(gaps.map(({ missing: count, cadenceMs: beside }) => [count, beside])).toEqual([
    [59, MINUTE_MS],
    [89, MINUTE_MS],
  ]);
});

it('the gaps of a source are none between two images that follow each other', async () => {
  const index = await indexWith(times(START - DAY_MS, START + DAY_MS, MINUTE_MS));
  const { gaps, cadenceMs } = await gapsOf(index, AIA_171, { startMs: START + 1, endMs: START + 1 });
  expect([gaps, cadenceMs]).toEqual([[], MINUTE_MS]);
});

it('the gaps of a source follow the cadence of the images beside them where the cadence changes', async () => {
  const half = START + 5 * DAY_MS;
  const index = await indexWith([
    ...times(START, half, 10 * MINUTE_MS, [[START + DAY_MS, START + DAY_MS + 4 * HOUR_MS]]),
    ...times(half, START + 12 * DAY_MS, 2 * HOUR_MS, [[half + DAY_MS, half + DAY_MS + 10 * HOUR_MS]]),
  ]);
  const { gaps } = await gapsOf(index, AIA_171, range(10));
  expect(hours(gaps)).toEqual([
    [24, 28],
    [144, 154],
  ]);
  expect(gaps.map(({ cadenceMs }) => cadenceMs)).toEqual([10 * MINUTE_MS, 2 * HOUR_MS]);
});

it('the gaps of a source include a gap that begins before the range and one that ends after it, with the images beside them', async () => {
  const missing = [
    [START - 6 * HOUR_MS, START + 6 * HOUR_MS],
    [START + 20 * HOUR_MS, START + 30 * HOUR_MS],
  ] as const;
  const index = await indexWith(times(START - 2 * DAY_MS, START + 3 * DAY_MS, 5 * MINUTE_MS, missing));
  expect(hours((await gapsOf(index, AIA_171, range(1))).gaps)).toEqual([
    [-6, 6],
    [20, 30],
  ]);
});

it('the gaps of a source name the reason that the archive has no earlier or no later image', async () => {
  const index = await indexWith(times(START + 10 * HOUR_MS, START + 20 * HOUR_MS, MINUTE_MS));
  const { gaps } = await gapsOf(index, AIA_171, range(1));
  expect(gaps.map(({ why }) => why?.reason)).toEqual(['before-first', 'after-last']);
  expect(hours(gaps).map(([from, to]) => [from, Math.round(to!)])).toEqual([
    [0, 10],
    [20 - 1 / 60, 24],
  ]);
  const empty = await gapsOf(index, AIA_171, { startMs: START - 90 * DAY_MS, endMs: START - 80 * DAY_MS });
  expect(empty).toMatchObject({ cadenceMs: null, gaps: [{ why: { reason: 'before-first' } }] });
  const later = await gapsOf(index, AIA_171, { startMs: START + 80 * DAY_MS, endMs: START + 90 * DAY_MS });
  expect(later.gaps).toMatchObject([{ startMs: START + 20 * HOUR_MS - MINUTE_MS, why: { reason: 'after-last' } }]);
});

it('the gaps of a source appear by days in a range of more than three years', async () => {
  const index = await indexWith(times(START, START + 1500 * DAY_MS, DAY_MS, [[START + 1000 * DAY_MS, START + 1010 * DAY_MS]]));
  const { gaps, foundFromMs } = await gapsOf(index, AIA_171, range(1499));
  expect(foundFromMs).toBe(3 * DAY_MS);
  expect(hours(gaps)).toEqual([[24_000, 24_240]]);
});

const gapAt = (startMs: number, endMs: number) => ({ startMs, endMs });
const reasonOf = (id: number, from: string, to: string) =>
  knownReason(findSource(id)!, gapAt(Date.parse(from), Date.parse(to)))?.reason ?? null;

it('reasons of gaps include outages, ends of missions, and eclipses of SDO by time of day, length and season', () => {
  const idOf = (nickname: string) => {
    for (let id = 0; id < 200; id += 1) if (findSource(id)?.nickname === nickname) return id;
    throw new Error(nickname);
  };
  expect(reasonOf(0, '1998-06-24T20:00:00Z', '1998-10-13T00:00:00Z')).toBe('outage');
  expect(reasonOf(0, '1998-06-24T20:00:00Z', '2001-10-13T00:00:00Z')).toBeNull();
  expect(reasonOf(10, '2009-01-01T00:00:00Z', '2010-02-01T00:00:00Z')).toBe('not-launched');
  expect(reasonOf(idOf('MDI Mag'), '2011-04-12T00:00:00Z', '2024-01-01T00:00:00Z')).toBe('mission-ended');
  expect(reasonOf(idOf('EUVI-B 195'), '2014-10-01T00:00:00Z', '2024-01-01T00:00:00Z')).toBe('mission-ended');
  expect(reasonOf(idOf('EUVI-A 195'), '2014-10-01T00:00:00Z', '2024-01-01T00:00:00Z')).toBeNull();
  expect(reasonOf(10, '2015-09-05T06:40:00Z', '2015-09-05T07:50:00Z')).toBe('eclipse');
  expect(reasonOf(10, '2016-03-01T06:45:00Z', '2016-03-01T07:40:00Z')).toBe('eclipse');
  expect(reasonOf(10, '2015-06-21T06:40:00Z', '2015-06-21T07:50:00Z'), 'in summer').toBeNull();
  expect(reasonOf(10, '2015-09-05T16:40:00Z', '2015-09-05T17:50:00Z'), 'in the afternoon').toBeNull();
  expect(reasonOf(10, '2015-09-05T04:00:00Z', '2015-09-05T10:00:00Z'), 'for six hours').toBeNull();
  expect(reasonOf(0, '2015-09-05T06:40:00Z', '2015-09-05T07:50:00Z'), 'of SOHO').toBeNull();
});

const index = () =>
  new MemoryImageIndex(
    times(Date.UTC(2024, 0, 20), Date.UTC(2024, 0, 31, 11), 5 * MINUTE_MS, [[Date.UTC(2024, 0, 25), Date.UTC(2024, 0, 26)]]).map(
      (ms, i) => archivedImage(26 + 16 * i, AIA_171, new Date(ms).toISOString()),
    ),
  );

it('getDataGaps lists the gaps of the last 30 days unless a range is given', async () => {
  const { get } = testArchive({ index: index() });
  const body = await (await get('/v2/getDataGaps/?sourceId=10')).json();
  expect(body).toMatchObject({
    start: '2024-01-01T12:00:00Z',
    end: '2024-01-31T12:00:00Z',
    cadenceSeconds: 300,
    foundFromSeconds: 7200,
    gaps: [
      { start: '2024-01-01T12:00:00.000Z', end: '2024-01-20T00:00:00.000Z', reason: 'before-first' },
      { start: '2024-01-25T00:00:00.000Z', end: '2024-01-26T00:00:00.000Z', seconds: 86_400, missing: 287, reason: null },
      { end: '2024-01-31T12:00:00.000Z', reason: 'after-last' },
    ],
    next: null,
  });
});

it('getDataGaps adds its gaps to the status of an instrument on request, up to the newest image', async () => {
  const { get } = testArchive({ index: index() });
  expect(await (await get('/v2/getStatus/')).json()).toEqual({ AIA: expect.not.objectContaining({ gaps: expect.anything() }) });
  const { AIA: status } = (await (await get('/v2/getStatus/?gaps=true')).json()) as Record<string, Record<string, unknown>>;
  expect(status).toMatchObject({ time: '2024-01-31T10:55:00Z', measurement: 'AIA 171' });
  expect(status!.gaps).toMatchObject({
    count: 1,
    seconds: 86_400,
    cadenceSeconds: 300,
    longest: [{ start: '2024-01-25T00:00:00.000Z' }],
  });
});

it('getDataGaps refuses a range that ends before it begins, and a group of datasources', async () => {
  const { get } = testArchive();
  const wrong = await get('/v2/getDataGaps/?sourceId=10&startTime=2024-01-02T00:00:00Z&endTime=2024-01-01T00:00:00Z');
  expect([wrong.status, await wrong.json()]).toEqual([400, expect.objectContaining({ parameter: 'endTime' })]);
  expect((await get('/v2/getDataGaps/?sourceId=10001')).status).toBe(400);
  expect((await get('/v2/getDataGaps/?sourceId=10&startTime=2099-01-01T00:00:00Z')).status).toBe(200);
});
