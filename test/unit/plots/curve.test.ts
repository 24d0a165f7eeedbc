import { expect, it } from 'vitest';
import { timeAxis } from '../../../src/picture/plots/axes.ts';
import { curveAxis, curvePaths } from '../../../src/picture/plots/curve.ts';

it('the axis of a curve has room for all of its values and intervals, and none below zero without values there', () => {
  const points = Array.from({ length: 100_000 }, (_, i) => ({ atMs: i, value: 100 + (i % 11), lower: 99, upper: 112 }));
  const { from, to, ticks } = curveAxis(points, 'mean', 'DN/s');
  expect(from).toBeCloseTo(99 - 0.06 * 13, 9);
  expect(to).toBeCloseTo(112 + 0.06 * 13, 9);
  expect(ticks.map(({ at }) => at)).toEqual([100, 105, 110]);
  const flat = (value: number, lower: number, upper: number) => [0, 1].map((atMs) => ({ atMs, value, lower, upper }));
  const zero = curveAxis(flat(0, 0, 0), 'area', 'arcsec2');
  expect([zero.from > -0.1, zero.to > 1, zero.title]).toEqual([true, true, 'area (arcsec2)']);
  const dark = curveAxis(flat(0, 0, 0.5), 'mean', 'level');
  expect([dark.from < 0, dark.from > -0.1, dark.to > 0.5, dark.to < 0.6]).toEqual([true, true, true, true]);
  const single = curveAxis(flat(300, 280, 320), 'mean', 'DN/s');
  expect([single.from < 280, single.from > 270, single.to > 320]).toEqual([true, true, true]);
});

it('a value between gaps is drawn with its interval', () => {
  const point = (atMs: number, value: number | null) => ({
    atMs,
    value,
    lower: value === null ? null : value - 2,
    upper: value === null ? null : value + 2,
  });
  const points = [point(10, 5), point(20, null), point(30, 5), point(40, 6)];
  const { bands, lines, marks } = curvePaths(points, (x, y) => ({ x, y }), { from: -100, to: 100 });
  expect(bands).toBe('M7 7L13 7L13 3L7 3ZM30 7L40 8L40 4L30 3Z');
  expect([lines, marks]).toEqual(['M10 5M30 5L40 6', 'M10 5h0M30 5h0M40 6h0']);
});

it('the axis of times names the days of the times alone, not those of the room beside them', () => {
  const [first, last] = [Date.UTC(2024, 4, 9), Date.UTC(2024, 4, 12)];
  expect(timeAxis(first, last, 900_000).title).toBe('Time, 2024-05-09 to 2024-05-12 (UTC)');
  expect(timeAxis(first, first + 3_600_000, 900_000).title).toBe('Time on 2024-05-09 (UTC)');
});

it('an interval that has no end on the axis becomes an arrow, and no block', () => {
  const open = (atMs: number, upper: number | null) => ({ atMs, value: 5, lower: 3, upper });
  const { bands, arrows } = curvePaths([open(10, null), open(20, 900), open(30, 900), open(40, 7)], (x, y) => ({ x, y }), {
    from: 0,
    to: 10,
  });
  // At most one in 14 pixels.
  expect(arrows).toBe('M10 5v-16m-4 4l4 -4l4 4M30 5v-16m-4 4l4 -4l4 4');
  expect(bands).toBe('M10 5L20 5L30 5L40 7L40 3L30 3L20 3L10 3Z');
});
