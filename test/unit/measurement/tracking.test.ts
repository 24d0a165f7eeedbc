import { expect, it } from 'vitest';
import { trackBetween } from '../../../src/measure/regions.ts';
import { earthObserver } from '../../../src/sun/coordinates/observer.ts';
import { discAt } from '../../support/measurement/disc.ts';
import { runPython } from '../../support/measurement/python.ts';
import { hasModules } from '../../support/programs.ts';

const NOON = Date.UTC(2024, 4, 10, 12);
const HOUR_MS = 3_600_000;
/** Arcseconds a pixel of AIA. */
const SCALE = 0.6;

const hasPython = hasModules('numpy');

it.skipIf(!hasPython)('places rotate as by an independent formula in numpy, within half a pixel of AIA after a day', () => {
  const places = [-800, -400, 0, 400, 800]
    .flatMap((x) => [-600, -200, 100, 450].map((y) => [x, y] as const))
    .filter(([x, y]) => {
      return Math.hypot(x, y) < 930;
    });
  const spans = [
    [NOON, 6],
    [NOON, 24],
    [NOON, -24],
    [NOON + 180 * 24 * HOUR_MS, 24],
  ] as const;
  const observer = (atMs: number) => ({ b0: earthObserver(atMs).b0Degrees, distance: earthObserver(atMs).distanceRadii });
  const cases = spans.map(([fromMs, hours]) => {
    return { from: observer(fromMs), to: observer(fromMs + hours * HOUR_MS), days: hours / 24, places };
  });
  const expected = JSON.parse(runPython('rotate.py', JSON.stringify(cases))) as ([number, number] | null)[][];
  let compared = 0;
  for (const [i, [fromMs, hours]] of spans.entries()) {
    const track = trackBetween(discAt(fromMs), discAt(fromMs + hours * HOUR_MS));
    for (const [p, [x, y]] of places.entries()) {
      const found = track({ x, y });
      const other = expected[i]![p];
      if (found === 'hidden' || found === 'off-disc' || !other) expect(found).toBe(other ? found : 'hidden');
      else {
        compared += 1;
        expect(Math.hypot(found.x - other[0], found.y - other[1]) / SCALE, `${x}, ${y} after ${hours} hours`).toBeLessThan(0.5);
      }
    }
  }
  expect(compared).toBeGreaterThan(50);
});

it('a track tells places beside the Sun from those that have rotated behind the limb', () => {
  const track = trackBetween(discAt(NOON), discAt(NOON + 96 * HOUR_MS));
  expect(track({ x: 1100, y: 0 })).toBe('off-disc');
  expect(track({ x: 800, y: 0 })).toBe('hidden');
});
