import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/platform/util/durations.ts';
import { earthAt, wrap180 } from '../../../src/sun/coordinates/observer.ts';
import { engineEarth } from '../../support/events/engine-sun.ts';

const [START, END] = [Date.UTC(1990, 0, 1), Date.UTC(2050, 0, 1)];
const STEP_MS = 6.37 * DAY_MS;
const times = Array.from({ length: Math.floor((END - START) / STEP_MS) }, (_, i) => START + i * STEP_MS);

/** Largest absolute difference from astronomy-engine. */
const largest = (difference: (atMs: number) => number) => Math.max(...times.map((atMs) => Math.abs(difference(atMs))));

describe('the ephemeris of the Earth from 1990 to 2050', () => {
  it.each([
    ['the distance', 'distanceAu', 2e-5],
    ['B0', 'b0Degrees', 0.01],
    ['the Carrington longitude L0', 'l0Degrees', 0.01],
  ] as const)('gives %s (%s) within %f of VSOP87', (_, of, most) => {
    expect(largest((atMs) => wrap180(earthAt(atMs)[of] - engineEarth(atMs)[of]))).toBeLessThan(most);
  });

  it('gives the motion in a month within 0.002 degrees, and keeps L0 from 0 to 360 degrees', () => {
    const moved = (at: typeof earthAt | typeof engineEarth, atMs: number) =>
      wrap180(at(atMs + 30 * DAY_MS).longitudeDegrees - at(atMs).longitudeDegrees);
    expect(largest((atMs) => moved(earthAt, atMs) - moved(engineEarth, atMs))).toBeLessThan(0.002);
    for (const atMs of times) {
      const { l0Degrees } = earthAt(atMs);
      expect(l0Degrees >= 0 && l0Degrees < 360).toBe(true);
    }
  });
});
