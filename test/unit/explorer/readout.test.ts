import { expect, it } from 'vitest';
import { readoutAt } from '../../../src/explorer/model/readout.ts';
import { earthAt, earthObserver, imageObserver } from '../../../src/sun/coordinates/observer.ts';
import { limbRadius, positionOf } from '../../../src/sun/coordinates/picture-plane.ts';
import { gridRuns } from '../../../src/sun/coordinates/solar-grid.ts';
import { SOLAR_RADIUS_M } from '../../../src/sun/geometry.ts';
import { carringtonRotation } from '../../../src/sun/maps/map-grid.ts';

const AUGUST_2017 = Date.UTC(2017, 7, 1);

/** The Earth as the observer, without a header. */
const fromEarth = (atMs: number) => imageObserver(atMs, earthObserver(atMs).distanceRadii * SOLAR_RADIUS_M, new Map());

it('the read-out gives the radius in solar radii, 1 at the limb, and no position of a place behind the Sun', () => {
  const observer = fromEarth(AUGUST_2017);
  expect(readoutAt({ x: 0, y: 0 }, observer).radius).toBeCloseTo(0, 9);
  expect(readoutAt({ x: limbRadius(observer), y: 0 }, observer).radius).toBeCloseTo(1, 6);
  expect(readoutAt({ x: 3000, y: 0 }, observer).stonyhurst).toBeNull();
  expect(positionOf({ longitude: 120, latitude: 0 }, fromEarth(AUGUST_2017))).toBeNull();
});

it('the solar grid stays on the visible disk and has 11 parallels', () => {
  const observer = fromEarth(AUGUST_2017);
  const lines = gridRuns((place) => positionOf(place, observer));
  const limb = limbRadius(observer);
  expect(Math.max(...lines.flat().map(({ x, y }) => Math.hypot(x, y)))).toBeLessThan(limb + 0.01);
  expect(lines.length).toBeGreaterThan(20);
});

// 1913 is the Whole Sun Month of August and September 1996.
it.each([
  [Date.UTC(2024, 4, 10, 12), 2284],
  [Date.UTC(2017, 7, 21, 18), 2194],
  [Date.UTC(1996, 7, 24), 1913],
])('the Carrington rotation gives at %d the rotation %d', (atMs, rotation) => {
  expect(carringtonRotation(atMs)).toBe(rotation);
});

it('the Carrington rotation counts up where the longitude passes 0', () => {
  const start = Date.UTC(2020, 0, 1);
  const at = (ms: number) => ({ rotation: carringtonRotation(ms), longitude: earthAt(ms).l0Degrees });
  let before = at(start);
  for (let hours = 1; hours < 24 * 120; hours += 1) {
    const here = at(start + hours * 3_600_000);
    expect(here.rotation - before.rotation).toBe(here.longitude > before.longitude ? 1 : 0);
    before = here;
  }
});
