import { expect, it } from 'vitest';
import { backoffMs, doubled, retry, retryAfterMs } from '../../../src/platform/util/retry.ts';

/** Work that fails some times, then returns the number of its attempt. */
const failing = (times: number) => (attempt: number) =>
  attempt > times ? Promise.resolve(attempt) : Promise.reject(new Error(`failure ${attempt}`));

it('retry returns the result of the first attempt that succeeds', async () => {
  const failures: unknown[] = [];
  const onRetry = (error: unknown) => failures.push((error as Error).message);
  expect(await retry(failing(2), { attempts: 3, firstMs: 1, onRetry })).toBe(3);
  expect(failures).toEqual(['failure 1', 'failure 2']);
});

it('retry throws the last error after the given attempts', async () => {
  await expect(retry(failing(9), { attempts: 3, firstMs: 1 })).rejects.toThrow('failure 3');
  await expect(retry(failing(9), { attempts: 1, firstMs: 60_000 })).rejects.toThrow('failure 1');
});

it('retry throws when the next attempt would begin after the deadline', async () => {
  await expect(retry(failing(9), { forMs: 0, firstMs: 1 })).rejects.toThrow('failure 1');
  await expect(retry(failing(Number.POSITIVE_INFINITY), { forMs: 30, firstMs: 1 })).rejects.toThrow(/failure [2-9]/);
});

it('retry does not repeat an error that is not transient', async () => {
  const isTransient = (error: unknown) => (error as Error).message === 'failure 1';
  await expect(retry(failing(9), { attempts: 5, firstMs: 1, isTransient })).rejects.toThrow('failure 2');
});

it('retry waits as long as the other side asks, up to the longest wait', async () => {
  const waits: number[] = [];
  const onRetry = (_: unknown, waitMs: number) => waits.push(waitMs);
  const askedMs = (error: unknown) => ((error as Error).message === 'failure 1' ? 3 : 60_000);
  await retry(failing(2), { firstMs: 60_000, longestMs: 5, askedMs, onRetry });
  expect(waits).toEqual([3, 5]);
});

it('retry ends a wait with the reason of the signal', async () => {
  const stopping = new AbortController();
  const onRetry = () => stopping.abort(new Error('stopped'));
  await expect(retry(failing(9), { firstMs: 60_000, signal: stopping.signal, onRetry })).rejects.toThrow('stopped');
});

it('backoffMs doubles with each attempt, within a quarter', () => {
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

it('backoffMs stays at the longest wait', () => {
  expect([1, 2, 3, 9].map((attempt) => doubled(attempt, 100, 300))).toEqual([100, 200, 300, 300]);
});

it('retryAfterMs reads seconds and dates', () => {
  const nowMs = Date.UTC(2024, 4, 10);
  expect(retryAfterMs('120', nowMs)).toBe(120_000);
  expect(retryAfterMs('Fri, 10 May 2024 00:05:00 GMT', nowMs)).toBe(300_000);
  expect(retryAfterMs('Fri, 10 May 2020 00:05:00 GMT', nowMs)).toBe(0);
  expect([retryAfterMs(null, nowMs), retryAfterMs('soon', nowMs)]).toEqual([null, null]);
});
