import { expect, it } from 'vitest';
import { ingestionStatus, sourceStatuses, statusLevel } from '../../../src/archive/ingestion-status.ts';
import { HOUR_MS } from '../../../src/platform/util/durations.ts';
import { allSources, findSource } from '../../../src/sun/catalogue/sources.ts';

const NOW = Date.parse('2024-01-10T00:00:00.750Z');
const hoursAgo = (hours: number) => ({ startMs: 0, endMs: NOW - 750 - hours * HOUR_MS });

it('ingestionStatus reports time, age and measurement of the newest image of each instrument', () => {
  const extents = new Map([
    [8, hoursAgo(5)],
    [10, hoursAgo(1)],
    [13, hoursAgo(1)],
    [98, hoursAgo(24 * 3000)],
    [21, hoursAgo(100)],
  ]);
  expect(ingestionStatus(extents, NOW)).toEqual({
    AIA: { time: '2024-01-09T23:00:00Z', level: 1, secondsBehind: 3600, measurement: 'AIA 171' },
    RHESSI: {
      time: '2015-10-24T00:00:00Z',
      level: 5,
      secondsBehind: 259_200_000,
      measurement: 'RHESSI 25-50keV Back Projection',
    },
    SECCHI: { time: '2024-01-05T20:00:00Z', level: 2, secondsBehind: 360_000, measurement: 'EUVI-A 195' },
  });
});

it('ingestionStatus has the groups of the public service, sorted by name', () => {
  const extents = new Map(allSources.filter((source) => source.id < 10000).map((source) => [source.id, hoursAgo(1)]));
  expect(Object.keys(ingestionStatus(extents, NOW))).toEqual(
    'AIA CCOR-1 CCOR-2 COSMO EIT EUI GONG HMI LASCO MDI RHESSI SECCHI SJI SUVI SWAP SXT WFI+NFI XRT'.split(' '),
  );
});

it('sourceStatuses has every source with images by its id, also those without an instrument in the status', () => {
  const extents = new Map([
    [13, hoursAgo(5)],
    [75, hoursAgo(24 * 3000)],
    [10, hoursAgo(1)],
  ]);
  expect(sourceStatuses(extents, NOW)).toEqual([
    { sourceId: 10, nickname: 'AIA 171', time: '2024-01-09T23:00:00Z', level: 1, secondsBehind: 3600 },
    { sourceId: 13, nickname: 'AIA 304', time: '2024-01-09T19:00:00Z', level: 3, secondsBehind: 18_000 },
    expect.objectContaining({ sourceId: 75, nickname: expect.stringMatching(/^TRACE/), level: 5 }),
  ]);
});

it('ingestionStatus never reports a negative age', () => {
  expect(ingestionStatus(new Map([[10, hoursAgo(-1)]]), NOW).AIA).toMatchObject({ secondsBehind: 0, level: 1 });
});

it('statusLevel allows a specific delay for each instrument', () => {
  const levels = (sourceId: number, hours: number[]) => hours.map((h) => statusLevel(findSource(sourceId)!, h * 3600));
  expect(levels(10, [2, 2.001, 4, 12, 12.001, 168, 168.001])).toEqual([1, 2, 2, 3, 4, 4, 5]);
  expect(levels(0, [14, 24, 48, 49])).toEqual([1, 2, 3, 4]);
  expect(levels(20, [84, 120, 144, 168, 169])).toEqual([1, 2, 3, 4, 5]);
});
