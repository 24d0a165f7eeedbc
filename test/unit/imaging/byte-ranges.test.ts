import fc from 'fast-check';
import { expect, it } from 'vitest';
import { coalesce } from '../../../src/jp2/window.ts';

it('ranges that overlap, touch or are close are joined', () => {
  const ranges = [
    { offset: 500, length: 10 },
    { offset: 0, length: 100 },
    { offset: 90, length: 20 },
    { offset: 115, length: 5 },
    { offset: 700, length: 0 },
  ];
  expect(coalesce(ranges, 5, 6)).toEqual([
    { offset: 0, length: 120 },
    { offset: 500, length: 10 },
  ]);
  expect(coalesce([])).toEqual([]);
});

it('too many ranges are joined across their smallest gaps', () => {
  const ranges = [0, 100, 150, 1000, 3000].map((offset) => ({ offset, length: 10 }));
  expect(coalesce(ranges, 0, 3)).toEqual([
    { offset: 0, length: 160 },
    { offset: 1000, length: 10 },
    { offset: 3000, length: 10 },
  ]);
  expect(coalesce(ranges, 0, 1)).toEqual([{ offset: 0, length: 3010 }]);
});

it('every requested range is inside one joined range, and joined ranges are sorted, disjoint and few', () => {
  const range = fc.record({ offset: fc.nat(1_000_000), length: fc.nat(20_000) });
  fc.assert(
    fc.property(fc.array(range, { maxLength: 40 }), fc.nat(5000), fc.integer({ min: 1, max: 8 }), (ranges, gap, most) => {
      const joined = coalesce(ranges, gap, most);
      expect(joined.length).toBeLessThanOrEqual(most);
      for (const { offset, length } of ranges.filter((range) => range.length > 0))
        expect(joined.some((r) => r.offset <= offset && r.offset + r.length >= offset + length)).toBe(true);
      joined.slice(1).forEach(({ offset }, i) => {
        const before = joined[i] as { offset: number; length: number };
        expect(offset - before.offset - before.length).toBeGreaterThan(gap);
      });
    }),
    { seed: 7, numRuns: 300 },
  );
});
