import { expect, it, vi } from 'vitest';
import { boundsOf, poleOfInaccessibility } from '../../../src/sun/coordinates/rings.ts';
import { isInside, type Points } from '../../support/events/outlined-records.ts';

const square = (left: number, top: number, side: number): Points => [
  [left, top],
  [left + side, top],
  [left + side, top + side],
  [left, top + side],
];

it('the pole of inaccessibility lies at the centre of a square, between the edges of a ring, and in the largest part', () => {
  expect(poleOfInaccessibility([square(10, -20, 60)])).toEqual([40, 10]);
  const [x, y] = poleOfInaccessibility([square(0, 0, 100), square(15, 15, 70)]);
  expect(isInside([x, y], [square(0, 0, 100)])).toBe(true);
  expect(isInside([x, y], [square(15, 15, 70)])).toBe(false);
  const largest = poleOfInaccessibility([square(0, 0, 20), square(100, 0, 60), square(300, 0, 30)]);
  expect(Math.hypot(largest[0] - 130, largest[1] - 30)).toBeLessThan(4);
});

it.each([1, 0.01, 1e-6])('the pole of inaccessibility lies inside a sliver %d wide and 1000 long', (width) => {
  const sliver: Points = [
    [0, 0],
    [1000, 700],
    [1000, 700 + width],
    [0, width],
  ];
  expect(isInside(poleOfInaccessibility([sliver]), [sliver])).toBe(true);
});

it('the pole of inaccessibility lies in one of the loops of an eight, and in the middle of shapes without area', () => {
  const eight: Points = [
    [0, 0],
    [100, 100],
    [100, 0],
    [0, 100],
  ];
  expect(isInside(poleOfInaccessibility([eight]), [eight])).toBe(true);
  const line: Points = [
    [0, 0],
    [10, 20],
    [20, 40],
  ];
  expect(poleOfInaccessibility([line])).toEqual([10, 20]);
  expect(poleOfInaccessibility([[[7, 8]]])).toEqual([7, 8]);
});

it('the pole of inaccessibility takes a bounded number of distances for 4000 vertices with equally deep points everywhere', () => {
  const circle = (radius: number): Points =>
    Array.from({ length: 2000 }, (_, i) => {
      const angle = (Math.PI * i) / 1000;
      return [radius * Math.cos(angle), radius * Math.sin(angle)];
    });
  const rings = [circle(1000), circle(999)];
  const distances = vi.spyOn(Math, 'sqrt');
  const pole = poleOfInaccessibility(rings);
  expect(distances.mock.calls.length).toBeLessThanOrEqual(3_000);
  distances.mockRestore();
  expect(isInside(pole, rings)).toBe(true);
});

it('bounds cover hundreds of thousands of vertices', () => {
  const ring: Points = Array.from({ length: 300_000 }, (_, i) => [i, 5 - i]);
  expect(boundsOf([ring])).toEqual({ left: 0, top: -299_994, right: 299_999, bottom: 5 });
});
