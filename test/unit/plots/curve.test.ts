import { expect, it } from 'vitest';
import { curveAxis } from '../../../src/domain/plots/curve.ts';

it('the axis of a curve of a year has room for all of its 100,000 values and their intervals', () => {
  const points = Array.from({ length: 100_000 }, (_, i) => ({ atMs: i, value: 100 + (i % 11), lower: 99, upper: 112 }));
  const { from, to, ticks } = curveAxis(points, 'mean', 'DN/s');
  expect(from).toBeCloseTo(99 - 0.06 * 13, 9);
  expect(to).toBeCloseTo(112 + 0.06 * 13, 9);
  expect(ticks.map(({ at }) => at)).toEqual([100, 105, 110]);
});
