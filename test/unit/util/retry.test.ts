import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Failure } from '../../../src/platform/util/errors.ts';
import { backoffMs, delay, doubled, retry, retryAfterMs, TIMED_OUT, withTimeout } from '../../../src/platform/util/retry.ts';
import { SingleFlight } from '../../../src/platform/util/single-flight.ts';

beforeEach(() => void vi.useFakeTimers().setTimerTickMode('nextTimerAsync'));
afterEach(() => void vi.useRealTimers());

/** Work that fails some times, then returns the number of its attempt. */
const failing = (times: number) => (attempt: number) =>
  attempt > times ? Promise.resolve(attempt) : Promise.reject(new Error(`failure ${attempt}`));

it('retry returns the result of the first attempt that succeeds', async () => {
  const failures: unknown[] = [];
  const onRetry = (error: unknown) => failures.push((error as Error).message);
  expect(await retry(failing(2), { attempts: 3, firstMs: 1, onRetry })).toBe(3);
  expect(failures).toEqual(['failure 1', 'failure 2']);
});

it('retry throws the last error after the given attempts, or when the next one would begin after the deadline', async () => {
  await expect(retry(failing(9), { attempts: 3, firstMs: 1 })).rejects.toThrow('failure 3');
  await expect(retry(failing(9), { attempts: 1, firstMs: 60_000 })).rejects.toThrow('failure 1');
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
  const asking = (attempt: number) =>
    failing(2)(attempt).catch((error: Error) =>
      Promise.reject(Object.assign(error, { retryAfterMs: attempt === 1 ? 3 : 60_000 })),
    );
  await retry(asking, { firstMs: 60_000, longestMs: 5, onRetry });
  expect(waits).toEqual([3, 5]);
});

it('retry ends a wait with the reason of the signal', async () => {
  const stopping = new AbortController();
  const onRetry = () => stopping.abort(new Error('stopped'));
  await expect(retry(failing(9), { firstMs: 60_000, signal: stopping.signal, onRetry })).rejects.toThrow('stopped');
});

it('backoffMs doubles with each attempt, within a quarter, and stays at the longest wait', () => {
  for (const [attempt, ms] of Object.entries({ 1: 100, 2: 200, 4: 800 })) {
    const waits = Array.from({ length: 100 }, () => backoffMs(Number(attempt), 100));
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(0.75 * ms);
    expect(Math.max(...waits)).toBeLessThanOrEqual(1.25 * ms);
  }
  expect([1, 2, 3, 9].map((attempt) => doubled(attempt, 100, 300))).toEqual([100, 200, 300, 300]);
});

it('retryAfterMs reads seconds and dates', () => {
  const nowMs = Date.UTC(2024, 4, 10);
  expect(retryAfterMs('120', nowMs)).toBe(120_000);
  expect(retryAfterMs('Fri, 10 May 2024 00:05:00 GMT', nowMs)).toBe(300_000);
  expect(retryAfterMs('Fri, 10 May 2020 00:05:00 GMT', nowMs)).toBe(0);
  expect([retryAfterMs(null, nowMs), retryAfterMs('soon', nowMs)]).toEqual([null, null]);
});

it('withTimeout gives TIMED_OUT for work that does not settle in time', async () => {
  expect(await withTimeout(new Promise(() => {}), 10)).toBe(TIMED_OUT);
});

it('delay rejects with the reason of a signal that is aborted before or during the wait', async () => {
  await expect(delay(60_000, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
  const stopping = new AbortController();
  setTimeout(() => stopping.abort(new Error('stopped during the wait')), 10);
  await expect(delay(60_000, stopping.signal)).rejects.toThrow('during');
});

it('SingleFlight computes once for concurrent callers of a key, once for each key, and again once that has settled', async () => {
  const flights = new SingleFlight<string>(1000);
  let count = 0;
  const compute = async () => {
    await delay(5);
    count += 1;
    return `result ${count}`;
  };
  const results = await Promise.all([flights.run('a', compute), flights.run('a', compute), flights.run('b', compute)]);
  expect([results[0] === results[1], count]).toEqual([true, 2]);
  expect(await flights.run('a', compute)).toBe('result 3');
});

it('SingleFlight shares a failure with concurrent callers unless it concerns one caller alone, and forgets it', async () => {
  const flights = new SingleFlight<string>(1000);
  const failing = () => delay(5).then(() => Promise.reject(new Error('broken')));
  const results = await Promise.allSettled([flights.run('a', failing), flights.run('a', async () => 'shared')]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await flights.run('a', async () => 'again')).toBe('again');
  const callers = ['first', 'second', 'third'].map((name) =>
    flights.run('a', async () => {
      await delay(5);
      if (name === 'first') throw new Failure('rate-limited', 'refused');
      return name;
    }),
  );
  const settled = await Promise.allSettled(callers);
  const outcomes = settled.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.message));
  expect(outcomes).toEqual(['refused', 'second', 'second']);
});

it('SingleFlight computes anew where the older computation has not settled in time, and shares the newer one', async () => {
  const flights = new SingleFlight<string>(20);
  const [older, newer] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const first = flights.run('a', () => older.promise);
  await delay(30);
  const second = flights.run('a', () => newer.promise);
  await delay(5);
  older.resolve('older');
  await first;
  const third = flights.run('a', async () => 'a third computation');
  newer.resolve('newer');
  expect([await second, await third]).toEqual(['newer', 'newer']);
});
