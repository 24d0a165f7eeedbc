import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { trailing } from '../../../src/platform/util/trailing.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('runs that trail calls follow 30 calls a second five times, the last call included', () => {
  let calls = 0;
  const seen: number[] = [];
  const { soon } = trailing(200, () => seen.push(calls));
  for (; calls < 30; ) {
    calls += 1;
    soon();
    vi.advanceTimersByTime(1000 / 30);
  }
  vi.advanceTimersByTime(200);
  expect(seen.length).toBeGreaterThanOrEqual(5);
  expect(seen.length).toBeLessThanOrEqual(6);
  expect(seen.at(-1)).toBe(30);
});

it('runs that trail calls come at once by `now`, and not again for the same call', () => {
  const run = vi.fn();
  const { soon, now } = trailing(200, run);
  soon();
  now();
  expect(run).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1000);
  expect(run).toHaveBeenCalledTimes(1);
});
