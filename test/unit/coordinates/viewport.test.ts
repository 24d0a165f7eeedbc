import { describe, expect, it } from 'vitest';
import { viewportShift } from '../../../src/movies/movie-recipe.ts';
import { DAY_MS } from '../../../src/platform/util/durations.ts';
import { engineTurned } from '../../support/events/engine-sun.ts';

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

  it('stops at the eastern limb for times before its own', () => {
    const { dx, dy } = viewportShift({ x: -200, y: -150 }, NOON, NOON - 10 * DAY_MS);
    expect(Math.hypot(-200 + dx, -150 + dy)).toBeCloseTo(959.23, 1);
    expect(-200 + dx).toBeLessThan(-900);
  });

  it('stays where it is when its centre is beside the Sun', () => {
    expect(viewportShift({ x: 900, y: 400 }, NOON, NOON + DAY_MS)).toEqual({ dx: 0, dy: 0 });
    expect(viewportShift({ x: 0, y: -960 }, NOON, NOON + DAY_MS)).toEqual({ dx: 0, dy: 0 });
  });
});
