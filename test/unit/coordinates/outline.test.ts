import { expect, it } from 'vitest';
import { DAY_MS } from '../../../src/platform/util/durations.ts';
import { earthAt } from '../../../src/sun/coordinates/observer.ts';
import { type Outline, outlineAt } from '../../../src/sun/coordinates/outline.ts';
import { eventPositionAt } from '../../../src/sun/coordinates/sphere.ts';

const NOON = Date.UTC(2014, 5, 7, 12);
/** Frame of outlines as seen from the Earth. */
const seenAtTime = (atMs: number) => ({ kind: 'helioprojective' as const, atMs });
const LIMB_ARCSEC = 959.23;

const SQUARE: Outline = [
  [400, 100],
  [560, 100],
  [560, 260],
  [400, 260],
];
const radius = ([x, y]: readonly [number, number]) => Math.hypot(x, y);

function area(outline: Outline): number {
  const twice = outline.reduce((sum, [x, y], i) => {
    const [nextX, nextY] = outline[(i + 1) % outline.length]!;
    return sum + x * nextY - nextX * y;
  }, 0);
  return Math.abs(twice) / 2;
}

it('the outline of an event closes along the limb when a part of it lies behind', () => {
  const whole = outlineAt(SQUARE, seenAtTime(NOON), NOON + 2.5 * DAY_MS)!;
  const cut = outlineAt(SQUARE, seenAtTime(NOON), NOON + 4 * DAY_MS)!;
  const onLimb = cut.filter((vertex) => Math.abs(radius(vertex) - LIMB_ARCSEC) < 0.01);
  expect(onLimb.length).toBeGreaterThanOrEqual(5);
  expect(cut.length - onLimb.length).toBe(2);
  expect(Math.max(...cut.map(radius))).toBeLessThan(LIMB_ARCSEC + 0.01);
  expect(area(cut)).toBeLessThan(0.5 * area(whole));
  // The outline crosses the limb at the latitudes of the square.
  for (const [, y] of onLimb) expect(y > 90 && y < 280).toBe(true);
});

it('the outline of an event scales without rotation when it lies beside the Sun or reaches far above it', () => {
  const { distanceAu } = earthAt(NOON);
  const scaled = (outline: Outline) => outline.map(([x, y]) => [x * distanceAu, y * distanceAu]);
  const prominence: Outline = [
    [-960, 80],
    [-1010, 80],
    [-1010, 140],
    [-960, 140],
  ];
  const ejection: Outline = [
    [300, 300],
    [4000, 3000],
    [3000, 4000],
  ];
  expect(outlineAt(prominence, seenAtTime(NOON), NOON + 3 * DAY_MS)).toEqual(scaled(prominence));
  expect(outlineAt(ejection, seenAtTime(NOON), NOON + 3 * DAY_MS)).toEqual(scaled(ejection));
});

it('the outline of an event stays unchanged across the limb at its own time, and keeps its shape when rotated onto the disk', () => {
  const across: Outline = [
    [-860, 100],
    [-960, 100],
    [-960, 220],
    [-860, 220],
  ];
  const { distanceAu } = earthAt(NOON);
  for (const [i, [x, y]] of outlineAt(across, seenAtTime(NOON), NOON)!.entries()) {
    expect(x).toBeCloseTo(across[i]![0] * distanceAu, 1);
    expect(y).toBeCloseTo(across[i]![1] * distanceAu, 1);
  }
  const later = outlineAt(across, seenAtTime(NOON), NOON + 6 * DAY_MS)!;
  expect(later).toHaveLength(4);
  for (const vertex of later) expect(vertex[0] > -560 && vertex[0] < 250).toBe(true);
  expect(later[1]![0]).toBeLessThan(later[0]![0]);
});

it('the outline of an event ends at the limb when it surrounds a pole that tilts away', () => {
  const march = Date.UTC(2014, 2, 7);
  const { distanceAu } = earthAt(march);
  const ring: Outline = Array.from({ length: 24 }, (_, i) => {
    const placed = eventPositionAt({ kind: 'stonyhurst', latitude: -85, longitude: i * 15, atMs: march }, march);
    return [placed.x / distanceAu, placed.y / distanceAu] as const;
  });
  expect(outlineAt(ring, seenAtTime(march), march + DAY_MS)).toHaveLength(24);
  const may = outlineAt(ring, seenAtTime(march), march + 75 * DAY_MS)!;
  const onLimb = may.filter((vertex) => Math.abs(radius(vertex) - LIMB_ARCSEC) < 0.01);
  expect(onLimb.length).toBeGreaterThanOrEqual(4);
  expect(Math.max(...may.map(radius))).toBeLessThan(LIMB_ARCSEC + 0.01);
  // The southern limb, from 5 degrees east to 5 degrees west of the pole.
  for (const [x, y] of onLimb) expect(y < -950 && Math.abs(x) < 90).toBe(true);
});
