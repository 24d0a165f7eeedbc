import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Axis, resample, triangleTaps } from '../../../src/picture/raster/resample.ts';

const axis = fc.record({
  start: fc.double({ min: -3000, max: 5000, noNaN: true }),
  step: fc.double({ min: 0.01, max: 64, noNaN: true }),
  count: fc.integer({ min: 1, max: 600 }),
  size: fc.integer({ min: 1, max: 4096 }),
  reduce: fc.integer({ min: 0, max: 8 }),
});

it('taps of the triangle filter sum to one for every output pixel and stay inside the image', () => {
  fc.assert(
    fc.property(axis, (a: Axis) => {
      const { from, to, first, end, taps, starts, weights } = triangleTaps(a);
      for (let i = 0; i < to - from; i++) {
        const own = weights.subarray(i * taps, (i + 1) * taps);
        expect(own.reduce((sum, w) => sum + w, 0)).toBeCloseTo(1, 4);
        expect(first + (starts[i] as number)).toBeGreaterThanOrEqual(0);
        expect(first + (starts[i] as number) + taps).toBeLessThanOrEqual(Math.ceil(a.size / 2 ** a.reduce));
      }
      expect(end).toBeGreaterThanOrEqual(first);
    }),
    { numRuns: 300, seed: 2 },
  );
});

it('taps of the triangle filter leave samples unchanged where output pixels coincide with them', () => {
  const x = triangleTaps({ start: 3, step: 1, count: 4, size: 20, reduce: 0 });
  const samples = Uint8Array.from({ length: (x.end - x.first) ** 2 }, (_, i) => (i * 37) % 251);
  const out = new Uint8Array(16);
  resample(samples, x, x, out, 4);
  const width = x.end - x.first;
  const expected = [0, 1, 2, 3].flatMap((j) => [0, 1, 2, 3].map((i) => samples[(j + 3 - x.first) * width + i + 3 - x.first]));
  expect([...out]).toEqual(expected);
});

it('taps of the triangle filter interpolate linearly between samples when an image is enlarged', () => {
  const x = triangleTaps({ start: 0.5, step: 0.25, count: 5, size: 2, reduce: 0 });
  const y = triangleTaps({ start: 0, step: 1, count: 1, size: 1, reduce: 0 });
  const out = new Uint8Array(5);
  resample(Uint8Array.of(0, 200), x, y, out, 5);
  expect([...out]).toEqual([25, 75, 125, 175, 200]);
});

it('taps of the triangle filter place sample k of a reduced level at image pixel k * 2^n, as the wavelet filters do', () => {
  const { first, starts, weights, taps } = triangleTaps({ start: 64, step: 8, count: 1, size: 1024, reduce: 3 });
  let mean = 0;
  for (let t = 0; t < taps; t++) mean += (first + (starts[0] as number) + t) * (weights[t] as number);
  // The output pixel covers image pixels 64 to 71, so its centre is at pixel 67.5.
  expect(mean * 8).toBeCloseTo(67.5, 4);
});
