import { expect, it } from 'vitest';
import type { TimedBuild } from '../../../src/movies/movie-plan.ts';
import { estimateSeconds, movieCost, secondsLeft, secondsPerMegapixel, UNMEASURED } from '../../../src/movies/movie-plan.ts';

const NOTHING = { builds: 0, cost: 0 };
const builds = (count: number, seconds: (cost: number, i: number) => number): TimedBuild[] =>
  Array.from({ length: count }, (_, i) => ({ cost: 10 + ((i * 37) % 90), seconds: seconds(10 + ((i * 37) % 90), i) }));

/** A second for each megapixel. */
const recent = [10, 20, 30, 40, 50, 60, 70, 80].map((cost) => ({ cost, seconds: cost }));

/** Deterministic noise of up to 20 % in both directions. */
const noisy = (i: number) => 1 + 0.2 * Math.sin(i * 2.4);

it('the cost of a movie counts its pixels once per image and once for encoding', () => {
  expect(movieCost({ frames: 300, framePixels: 1920 * 1200, outputPixels: 1920 * 1200, images: 1 })).toBeCloseTo(1382.4);
  expect(movieCost({ frames: 100, framePixels: 720 * 720, outputPixels: 1280 * 720, images: 2 })).toBeCloseTo(195.84);
});

it('secondsPerMegapixel defaults to the bench within 25 %: 300 frames of 1280x720 take 16 s with one layer, 20 s with two', () => {
  expect(secondsPerMegapixel([])).toBe(UNMEASURED);
  for (const [layers, measured] of Object.entries({ 1: 16, 2: 20 })) {
    const cost = movieCost({ frames: 300, framePixels: 1280 * 720, outputPixels: 1280 * 720, images: Number(layers) });
    const seconds = estimateSeconds({ cost, ahead: NOTHING, workers: 2, recent: [] });
    expect(Math.abs(seconds / measured - 1)).toBeLessThan(0.25);
  }
});

it('secondsPerMegapixel finds the speed under noise, and ignores builds that took a hundred times as long or no time', () => {
  expect(Math.abs(secondsPerMegapixel(builds(100, (cost, i) => 0.3 * cost * noisy(i))) / 0.3 - 1)).toBeLessThan(0.05);
  const slow = builds(100, (cost, i) => (i % 20 ? 0.3 : 30) * cost * noisy(i));
  expect(Math.abs(secondsPerMegapixel([...slow, { cost: 40, seconds: 0 }]) / 0.3 - 1)).toBeLessThan(0.1);
});

it('secondsPerMegapixel averages the two middle builds of an even number', () => {
  expect(secondsPerMegapixel([11, 9, 1, 100].map((seconds) => ({ cost: 40, seconds })))).toBeCloseTo(10 / 40);
});

it('estimateSeconds returns the time of a movie that starts at once, and divides the builds ahead among the workers', () => {
  expect(estimateSeconds({ cost: 30, ahead: NOTHING, workers: 2, recent })).toBe(30);
  expect(estimateSeconds({ cost: 30, ahead: { builds: 1, cost: 500 }, workers: 2, recent })).toBe(30);
  expect(estimateSeconds({ cost: 30, ahead: { builds: 4, cost: 200 }, workers: 2, recent })).toBe(130);
});

it('estimateSeconds stays within 25 % of the truth for four fifths of a long queue', () => {
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

it('secondsLeft covers the remaining frames of a running build, and the encoder delay at the end', () => {
  const left = (drawn: number, elapsedSeconds: number) => secondsLeft({ cost: 100, drawn, elapsedSeconds, recent });
  expect([left(0, 0), left(0.25, 25), left(0.6, 60), left(0.99, 97)]).toEqual([100, 75, 40, 3]);
  // All frames are drawn early: at most 30 % of the expected time remains.
  expect([left(1, 20), left(1, 80), left(1, 99), left(1, 500)]).toEqual([30, 20, 1, 1]);
  // Slower than expected.
  expect(left(0.5, 300)).toBe(50);
});
