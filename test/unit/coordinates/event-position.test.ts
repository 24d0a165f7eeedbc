import { describe, expect, it } from 'vitest';
import { viewportShift } from '../../../src/movies/movie-recipe.ts';
import { DAY_MS } from '../../../src/platform/util/durations.ts';
import { earthAt } from '../../../src/sun/coordinates/observer.ts';
import { eventPositionAt, siderealDegreesPerDay } from '../../../src/sun/coordinates/sphere.ts';
import { engineTurned } from '../../support/events/engine-sun.ts';

const seenAt = (time: string, x: number, y: number) => ({ kind: 'helioprojective', x, y, atMs: Date.parse(time) }) as const;

/** Asserts a position, by default within 0.05 arcseconds. */
function expectAt(actual: { x: number; y: number }, x: number, y: number, withinArcsec = 0.05): void {
  expect(Math.abs(actual.x - x)).toBeLessThan(withinArcsec);
  expect(Math.abs(actual.y - y)).toBeLessThan(withinArcsec);
}

it('the position of an event is converted to an observer at 1 au on the disk, and scaled without a rotation beside it', () => {
  const place = seenAt('2012-07-05T13:01:46Z', 515, -342);
  const placed = eventPositionAt(place, place.atMs);
  expectAt(placed, 523.6178, -347.7228);
  expect(placed.isVisible).toBe(true);
  const beside = seenAt('2012-07-05T03:29:06Z', -883, -348);
  const scaled = eventPositionAt(beside, beside.atMs);
  expectAt(scaled, -897.724, -353.8028);
  expect(eventPositionAt(beside, beside.atMs + 5 * DAY_MS)).toEqual({ ...scaled, isVisible: true });
});

it.each([
  ['2011-03-07T12:00:00Z', -600, 350, 7],
  ['2014-09-08T00:00:00Z', -500, -420, 7],
  ['2019-12-21T06:30:00Z', 100, 700, 3],
  ['2024-05-10T12:00:00Z', 700, -250, -9],
  ['2037-06-21T18:00:00Z', -850, 100, 11],
])('the position of an event rotates with the Sun: observed %s at %i, %i, shown %i days later', (time, x, y, days) => {
  const place = seenAt(time, x, y);
  const atMs = place.atMs + days * DAY_MS;
  const expected = engineTurned(place, earthAt(place.atMs).distanceAu, place.atMs, atMs);
  expect(expected.isVisible).toBe(true);
  const placed = eventPositionAt(place, atMs);
  expectAt(placed, expected.x, expected.y, 0.25);
  expect(placed.isVisible).toBe(true);
});

it('the position of an event disappears at the western limb and reappears at the eastern one', () => {
  const place = seenAt('2014-03-01T00:00:00Z', 600, 200);
  const days = [2, 4, 6, 10, 14, 17, 20, 22, 24];
  const placed = days.map((day) => eventPositionAt(place, place.atMs + day * DAY_MS));
  expect(placed.map(({ isVisible }) => isVisible)).toEqual([true, false, false, false, false, false, true, true, true]);
  for (const [i, day] of days.entries()) {
    const { isVisible } = engineTurned(place, earthAt(place.atMs).distanceAu, place.atMs, place.atMs + day * DAY_MS);
    expect(placed[i]!.isVisible).toBe(isVisible);
  }
  expect(placed[6]!.x).toBeLessThan(-750);
});

it('the position of an event projects heliographic coordinates for an observer at 1 au', () => {
  // B0 is +7.25 degrees on 8 September and 0 on 7 December.
  const september = Date.UTC(2014, 8, 8, 12);
  const { y } = eventPositionAt({ kind: 'stonyhurst', latitude: 7.25, longitude: 0, atMs: september }, september);
  expect(Math.abs(y)).toBeLessThan(0.2);
  const december = Date.UTC(2014, 11, 7, 12);
  const limb = eventPositionAt({ kind: 'stonyhurst', latitude: 0, longitude: 89, atMs: december }, december);
  expectAt(limb, 959.08, 0, 0.5);
  expect(limb.isVisible).toBe(true);
  const behind = eventPositionAt({ kind: 'stonyhurst', latitude: 0, longitude: 90, atMs: december }, december);
  expect(behind.isVisible).toBe(false);
  const east = eventPositionAt({ kind: 'stonyhurst', latitude: 30, longitude: -40, atMs: december }, december);
  expect(east.x).toBeLessThan(-500);
  expect(east.y).toBeGreaterThan(450);
});

it('the position of an event rotates more slowly near a pole than on the equator', () => {
  expect(360 / siderealDegreesPerDay(0)).toBeCloseTo(25.128, 2);
  expect(360 / siderealDegreesPerDay(-60)).toBeCloseTo(30.76, 1);
  expect(siderealDegreesPerDay(60)).toBe(siderealDegreesPerDay(-60));
});

const NOON = Date.UTC(2013, 8, 1, 12);

describe('a field of view that follows solar rotation', () => {
  it.each([
    { x: -400, y: 300, days: 3 },
    { x: -400, y: -300, days: 3 },
    { x: 500, y: 250, days: -6 },
  ])('rotates with the Sun from $x, $y (y to the south) for $days days', ({ x, y, days }) => {
    const toMs = NOON + days * DAY_MS;
    const turned = engineTurned({ x, y: -y }, 1, NOON, toMs);
    const { dx, dy } = viewportShift({ x, y }, NOON, toMs);
    expect(Math.abs(x + dx - turned.x)).toBeLessThan(0.25);
    expect(Math.abs(y + dy + turned.y)).toBeLessThan(0.25);
  });

  it('stops when its centre passes the western limb, and does not jump to the eastern one later', () => {
    const shifts = [5, 9, 14, 22].map((days) => viewportShift({ x: 500, y: 100 }, NOON, NOON + days * DAY_MS));
    for (const { dx, dy } of shifts) {
      expect(Math.hypot(500 + dx, 100 + dy)).toBeCloseTo(959.23, 1);
      expect(500 + dx).toBeGreaterThan(900);
      expect(Math.abs(dx - shifts[0]!.dx)).toBeLessThan(0.1);
    }
  });

  it('stops at the eastern limb for times before its own, and stays where it is when its centre is beside the Sun', () => {
    const { dx, dy } = viewportShift({ x: -200, y: -150 }, NOON, NOON - 10 * DAY_MS);
    expect(Math.hypot(-200 + dx, -150 + dy)).toBeCloseTo(959.23, 1);
    expect(-200 + dx).toBeLessThan(-900);
    expect(viewportShift({ x: 900, y: 400 }, NOON, NOON + DAY_MS)).toEqual({ dx: 0, dy: 0 });
    expect(viewportShift({ x: 0, y: -960 }, NOON, NOON + DAY_MS)).toEqual({ dx: 0, dy: 0 });
  });
});
