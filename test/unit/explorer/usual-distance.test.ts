import { expect, it } from 'vitest';
import { usualDistance } from '../../../src/explorer/model/usual-distance.ts';

const HOURS = 9 * 24;
/** Images of each hour of nine days. */
const hourly = (countOf: (hour: number) => number) => Array.from({ length: HOURS }, (_, hour) => countOf(hour));

it.each<[what: string, counts: readonly number[], cadenceSeconds: number, expected: number]>([
  ['equals the cadence of images that come all day', hourly(() => 100), 36, 36],
  ['equals it around an outage of three hours', hourly((hour) => (hour >= 50 && hour < 53 ? 0 : 100)), 36, 36],
  ['equals a long cadence', hourly(() => 5), 720, 720],
  // The nearest ones are up to six hours away.
  ['follows two images a minute apart, twice a day', hourly((hour) => (hour % 12 === 0 ? 2 : 0)), 60, 7 * 3600],
  ['follows programmes of five hours with pauses of three', hourly((hour) => (hour % 8 < 5 ? 60 : 0)), 20, 3 * 3600],
  ['follows the night of the ground', hourly((hour) => (hour % 24 < 10 ? 240 : 0)), 15, 8 * 3600],
  ['equals an hour for bursts in every hour', hourly(() => 20), 30, 3600],
  ['equals the cadence without counts', [], 60, 60],
  ['equals the cadence without images', hourly(() => 0), 60, 60],
  ['equals the cadence of an archive of three hours', hourly((hour) => (hour >= 100 && hour < 103 ? 1 : 0)), 3600, 3600],
])('the usual distance of a source: %s', (_, counts, cadenceSeconds, expected) => {
  expect(usualDistance(counts, cadenceSeconds)).toBe(expected);
});
