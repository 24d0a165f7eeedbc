import { expect, it } from 'vitest';
import { divide } from '../../../../src/picture/raster/resample.ts';

it.each([
  [100, 100, 128],
  [50, 100, 0],
  [75, 100, 64],
  [110, 100, 154],
  [150, 100, 255],
  [0, 0, 128],
  [1, 0, 255],
  [0, 1, 0],
])('shows the ratio of %d to %d as %d', (newer, older, level) => {
  const samples = Uint8Array.of(newer);
  divide(samples, Uint8Array.of(older));
  expect(samples[0]).toBe(level);
});
