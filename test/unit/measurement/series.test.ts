import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SeriesWalk } from '../../../src/measure/image-series.ts';
import { MINUTE_MS, SECOND_MS } from '../../../src/platform/util/durations.ts';
import { AIA_171, NOON } from '../../support/measurement/samples.ts';
import { repeatedService } from '../../support/measurement/service.ts';

/** The slots of images of these times. */
function slotsOf(range: { startMs: number; endMs: number; cadenceSeconds: number | null }, timesMs: readonly number[]) {
  const walk = new SeriesWalk(range);
  for (const takenAtMs of timesMs) walk.add({ takenAtMs });
  return walk.slots().map(({ atMs, image }) => ({ atMs, item: image?.takenAtMs ?? null }));
}

it('a walk has for each time of a cadence the nearest item at most half of it away', () => {
  const times = fc.uniqueArray(fc.integer({ min: 0, max: 200 }), { maxLength: 60 }).map((all) => all.sort((a, b) => a - b));
  fc.assert(
    fc.property(times, fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 200 }), (seconds, cadenceSeconds, end) => {
      const slots = slotsOf(
        { startMs: 0, endMs: end * SECOND_MS, cadenceSeconds },
        seconds.map((second) => second * SECOND_MS),
      );
      const expected = Array.from({ length: Math.floor(end / cadenceSeconds) + 1 }, (_, number) => {
        const at = number * cadenceSeconds;
        const near = seconds.filter((second) => second - at >= -cadenceSeconds / 2 && second - at < cadenceSeconds / 2);
        const nearest = near.sort((a, b) => Math.abs(a - at) - Math.abs(b - at) || a - b)[0];
        const item = nearest === undefined ? null : nearest * SECOND_MS;
        return { atMs: item ?? at * SECOND_MS, item };
      });
      expect(slots).toEqual(expected);
    }),
  );
});

it('a walk without a cadence has all items, and a gap after an interval of three times the median', () => {
  const slots = slotsOf({ startMs: 0, endMs: 1e6, cadenceSeconds: null }, [0, 12_000, 24_000, 90_000]);
  expect(slots.map(({ atMs, item }) => [atMs, item === null])).toEqual([
    ...[0, 12_000, 24_000].map((ms) => [ms, false]),
    [36_000, true],
    [90_000, false],
  ]);
});

it('a light curve of pixels has the image nearest to the only time of a range, at most half the cadence away', async () => {
  const { ask } = await repeatedService([NOON - 10 * MINUTE_MS, NOON + 4 * MINUTE_MS]);
  const range = { sourceId: AIA_171, startTime: new Date(NOON).toISOString(), endTime: new Date(NOON + MINUTE_MS).toISOString() };
  const region = { frame: 'pixel', x: 300.5, y: 200.5, width: 40, height: 20 };
  const dates = async (cadence: number) => {
    const response = await ask('getLightCurve', { ...range, ...region, cadence });
    return response.ok
      ? ((await response.json()) as { curve: { date: string }[] }).curve.map(({ date }) => date)
      : response.status;
  };
  expect([await dates(600), await dates(300)]).toEqual([[new Date(NOON + 4 * MINUTE_MS).toISOString()], 404]);
});
