import { expect, it } from 'vitest';
import { delay, TIMED_OUT, withTimeout } from '../../../src/platform/util/retry.ts';

it('withTimeout gives TIMED_OUT for work that does not settle in time', async () => {
  expect(await withTimeout(new Promise(() => {}), 10)).toBe(TIMED_OUT);
});

it('delay rejects with the reason of a signal that is aborted before or during the wait', async () => {
  await expect(delay(60_000, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
  await expect(delay(60_000, AbortSignal.timeout(10))).rejects.toThrow('timeout');
});
