import { describe, expect, it } from 'vitest';
import {
  buildSpeed,
  estimateSeconds,
  movieCost,
  secondsLeft,
  type TimedBuild,
  UNMEASURED,
} from '../../../src/domain/movies/eta.ts';

const NOTHING = { builds: 0, cost: 0 };
const builds = (count: number, seconds: (cost: number, i: number) => number): TimedBuild[] =>
  Array.from({ length: count }, (_, i) => ({ cost: 10 + ((i * 37) % 90), seconds: seconds(10 + ((i * 37) % 90), i) }));

/** Deterministic noise of up to 20 % in both directions. */
const noisy = (i: number) => 1 + 0.2 * Math.sin(i * 2.4);

it('counts the pixels of a movie once per image and once for encoding', () => {
  expect(movieCost({ frames: 300, framePixels: 1920 * 1200, outputPixels: 1920 * 1200, images: 1 })).toBeCloseTo(1382.4);
  expect(movieCost({ frames: 100, framePixels: 720 * 720, outputPixels: 1280 * 720, images: 2 })).toBeCloseTo(195.84);
});

describe('buildSpeed', () => {
  it('defaults to the bench within 25 %: 300 frames of 1280x720 take 16 s with one layer, 20 s with two', () => {
    expect(buildSpeed([])).toBe(UNMEASURED);
    for (const [images, measured] of [
      [1, 16],
      [2, 20],
    ] as const) {
      const cost = movieCost({ frames: 300, framePixels: 1280 * 720, outputPixels: 1280 * 720, images });
      const seconds = estimateSeconds({ cost, ahead: NOTHING, workers: 2, recent: [] });
      expect(Math.abs(seconds / measured - 1)).toBeLessThan(0.25);
    }
  });

  it('scales the bench to the machine when the builds are few or similar', () => {
    const asFast = (factor: number) => ({ fixed: factor * UNMEASURED.fixed, perCost: factor * UNMEASURED.perCost });
    expect(buildSpeed([{ cost: 80, seconds: 12 }])).toEqual(asFast(3));
    const small = { cost: 4, seconds: 3 };
    expect(estimateSeconds({ cost: 1200, ahead: NOTHING, workers: 2, recent: [small, small, small] })).toBeLessThan(60);
  });

  it('finds a proportional speed under noise', () => {
    const { fixed, perCost } = buildSpeed(builds(100, (cost, i) => 0.3 * cost * noisy(i)));
    expect(Math.abs((fixed + perCost * 60) / (0.3 * 60) - 1)).toBeLessThan(0.05);
  });

  it('finds a fixed part under noise', () => {
    const { fixed, perCost } = buildSpeed(builds(100, (cost, i) => (20 + 0.3 * cost) * noisy(i)));
    for (const cost of [15, 60, 95]) expect(Math.abs((fixed + perCost * cost) / (20 + 0.3 * cost) - 1)).toBeLessThan(0.1);
  });

  it('ignores a few builds that took a hundred times as long', () => {
    const { fixed, perCost } = buildSpeed(builds(100, (cost, i) => (i % 20 ? 0.3 : 30) * cost * noisy(i)));
    expect(Math.abs((fixed + perCost * 60) / (0.3 * 60) - 1)).toBeLessThan(0.1);
  });

  it('averages builds of equal cost', () => {
    const equal = Array.from({ length: 20 }, (_, i) => ({ cost: 40, seconds: i % 2 ? 9 : 11 }));
    const { fixed, perCost } = buildSpeed(equal);
    expect(fixed + perCost * 40).toBeCloseTo(10);
  });
});

describe('an estimate', () => {
  const recent = [10, 20, 30, 40, 50, 60, 70, 80].map((cost) => ({ cost, seconds: cost }));

  it('is the build time of a movie that starts at once', () => {
    expect(estimateSeconds({ cost: 30, ahead: NOTHING, workers: 2, recent })).toBe(30);
    expect(estimateSeconds({ cost: 30, ahead: { builds: 1, cost: 500 }, workers: 2, recent })).toBe(30);
  });

  it('divides the builds ahead of a queued movie among the workers', () => {
    expect(estimateSeconds({ cost: 30, ahead: { builds: 4, cost: 200 }, workers: 2, recent })).toBe(130);
  });

  it('is at least one second', () => {
    expect(estimateSeconds({ cost: 0.01, ahead: NOTHING, workers: 1, recent })).toBe(1);
  });

  it('of a running build covers the remaining frames, and the encoder delay at the end', () => {
    const left = (drawn: number, elapsedSeconds: number) => secondsLeft({ cost: 100, drawn, elapsedSeconds, recent });
    expect([left(0, 0), left(0.25, 25), left(0.6, 60), left(0.99, 97)]).toEqual([100, 75, 40, 3]);
    // All frames are drawn early: at most 30 % of the expected time remains.
    expect([left(1, 20), left(1, 80), left(1, 99), left(1, 500)]).toEqual([30, 20, 1, 1]);
    // Slower than expected.
    expect(left(0.5, 300)).toBe(50);
  });

  it('is right within 25 % for four fifths of a long queue', () => {
    const history = builds(100, (cost, i) => (3 + 0.25 * cost) * noisy(i));
    const queue = builds(600, (cost, i) => (3 + 0.25 * cost) * noisy(i + 1000));
    for (const workers of [1, 2, 8]) {
      const free = Array.from({ length: workers }, () => 0);
      let ahead = 0;
      const right = queue.filter(({ cost, seconds }, i) => {
        const estimate = estimateSeconds({ cost, ahead: { builds: i, cost: ahead }, workers, recent: history });
        const next = free.indexOf(Math.min(...free));
        const end = free[next]! + seconds;
        free[next] = end;
        ahead += cost;
        return Math.abs(estimate / end - 1) <= 0.25;
      });
      expect(right.length / queue.length).toBeGreaterThanOrEqual(0.8);
    }
  });
});
