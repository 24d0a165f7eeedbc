import { describe, expect, it } from 'vitest';
import { backoffMs, delay, TIMED_OUT, withTimeout } from '../../../src/util/timeout.ts';

describe('withTimeout', () => {
  it('gives the result of work that settles in time', async () => {
    expect(await withTimeout(Promise.resolve('done'), 1000)).toBe('done');
    await expect(withTimeout(Promise.reject(new Error('broken')), 1000)).rejects.toThrow('broken');
  });

  it('gives TIMED_OUT for work that does not settle in time', async () => {
    expect(await withTimeout(new Promise(() => {}), 10)).toBe(TIMED_OUT);
  });
});

describe('delay', () => {
  it('settles after its time', async () => {
    const from = performance.now();
    await delay(20);
    expect(performance.now() - from).toBeGreaterThan(15);
  });
});

describe('backoffMs', () => {
  it('doubles with each attempt, within a quarter', () => {
    for (const [attempt, ms] of [
      [1, 100],
      [2, 200],
      [4, 800],
    ] as const) {
      const waits = Array.from({ length: 100 }, () => backoffMs(attempt, 100));
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(0.75 * ms);
      expect(Math.max(...waits)).toBeLessThanOrEqual(1.25 * ms);
    }
  });
});
