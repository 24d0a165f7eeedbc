import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MemoryBudget, type MemoryLease } from '../../../src/platform/util/memory-budget.ts';
import { delay } from '../../../src/platform/util/retry.ts';

const it = test
  .extend('clock', () => ({ nowMs: 0 }))
  .extend('budget', ({ clock }) => new MemoryBudget({ ...LIMITS, now: () => clock.nowMs }));

/** Bytes of an entry beside its value. */
const ENTRY = 200;
const LIMITS = { bytes: 10_000, jobBytes: 7_500, leaseMs: 60_000 };
const sized = { bytesOf: (bytes: number) => bytes, worthMs: 10 };

const expectLease = (lease: MemoryLease | null): MemoryLease => {
  expect(lease).not.toBeNull();
  return lease!;
};

describe('the caches of a memory budget', () => {
  it('share it: entries of one are evicted for those of another', ({ budget }) => {
    const [a, b] = [budget.cache<string, number>(sized), budget.cache<string, number>(sized)];
    for (let i = 0; i < 4; i += 1) a.set(`a${i}`, 2_000);
    expect([a.size, budget.used.cached]).toEqual([4, 4 * (2_000 + ENTRY)]);
    b.set('b', 5_000);
    expect([a.size, b.get('b'), budget.used.cached]).toEqual([2, 5_000, 2 * (2_000 + ENTRY) + 5_000 + ENTRY]);
    expect([a.get('a0'), a.get('a3')]).toEqual([undefined, 2_000]);
  });

  it('evict what takes the most room for the time of making it again, then what was used longest ago', ({ budget }) => {
    const cheap = budget.cache<string, number>({ ...sized, worthMs: 1 });
    const dear = budget.cache<string, number>({ ...sized, worthMs: 100 });
    dear.set('first', 2_000);
    dear.set('second', 2_000);
    cheap.set('cheap', 2_000);
    dear.get('first');
    dear.set('third', 4_000);
    expect([cheap.size, dear.size]).toEqual([0, 3]);
    dear.set('fourth', 2_000);
    expect([dear.get('second'), dear.get('first'), dear.get('fourth')]).toEqual([undefined, 2_000, 2_000]);
  });

  it('give up even dear entries that are not used any more', ({ budget }) => {
    const dear = budget.cache<number, number>({ ...sized, worthMs: 100 });
    const cheap = budget.cache<number, number>({ ...sized, worthMs: 10 });
    dear.set(0, 1_000);
    for (let i = 0; i < 200; i += 1) cheap.set(i, 1_000);
    expect([dear.size, cheap.size]).toEqual([0, 8]);
  });

  it('keep no value larger than the budget, and account for replaced and deleted values', ({ budget }) => {
    const cache = budget.cache<string, number>(sized);
    cache.set('large', 10_000);
    expect([cache.get('large'), budget.used.cached]).toEqual([undefined, 0]);
    cache.set('one', 1_000);
    cache.set('one', 3_000);
    expect(budget.used.cached).toBe(3_000 + ENTRY);
    cache.delete('one');
    cache.delete('one');
    expect(budget.used.cached).toBe(0);
  });
});

describe('the jobs of a memory budget', () => {
  beforeEach(() => void vi.useFakeTimers().setTimerTickMode('nextTimerAsync'));
  afterEach(() => void vi.useRealTimers());

  it('evict cached entries, and run at the same time as far as they fit', async ({ budget }) => {
    const cache = budget.cache<string, number>(sized);
    for (let i = 0; i < 8; i += 1) cache.set(`${i}`, 1_000);
    const first = expectLease(await budget.acquire(5_000, { waitMs: 0 }));
    expect(budget.used).toEqual({ cached: 4 * (1_000 + ENTRY), jobs: 5_000 });
    expect(await budget.acquire(3_000, { waitMs: 0 })).toBeNull();
    const second = expectLease(await budget.acquire(2_500, { waitMs: 0 }));
    cache.set('new', 2_500);
    expect(budget.used).toEqual({ cached: 2 * (1_000 + ENTRY), jobs: 7_500 });
    budget.release(first);
    budget.release(second);
    expect([budget.used.jobs, budget.mostBytes <= LIMITS.bytes]).toEqual([0, true]);
  });

  it('run alone when they are larger than their share, or than the budget', async ({ budget }) => {
    for (const bytes of [9_000, 50_000]) {
      const lease = expectLease(await budget.acquire(bytes, { waitMs: 0 }));
      expect([lease.bytes <= LIMITS.bytes, await budget.acquire(1, { waitMs: 0 })]).toEqual([true, null]);
      budget.release(lease);
    }
    expect(budget.mostBytes).toBe(LIMITS.bytes);
  });

  it('start when they are large although small ones keep coming', async ({ budget }) => {
    let [small, isDone] = [0, false];
    const one = async () => {
      while (!isDone) {
        const lease = await budget.acquire(2_500, { waitMs: 5_000 });
        small += 1;
        await delay(5);
        if (lease) budget.release(lease);
      }
    };
    const others = Promise.all([one(), one(), one(), one()]);
    await delay(50);
    for (const bytes of [6_000, 9_000]) {
      const lease = expectLease(await budget.acquire(bytes, { waitMs: 5_000 }));
      await delay(20);
      budget.release(lease);
    }
    const before = small;
    await delay(100);
    isDone = true;
    await others;
    expect(small).toBeGreaterThan(before);
    expect(budget.mostBytes).toBeLessThanOrEqual(LIMITS.bytes);
  });

  it('pass a large one that waits when they are small, as far as both fit together', async ({ budget }) => {
    const running = expectLease(await budget.acquire(4_000, { waitMs: 0 }));
    const large = budget.acquire(5_000, { waitMs: 5_000 });
    await delay(30);
    const passing = expectLease(await budget.acquire(2_500, { waitMs: 0 }));
    expect(await budget.acquire(1_000, { waitMs: 0 })).toBeNull();
    budget.release(running);
    budget.release(expectLease(await large));
    budget.release(passing);
  });

  it('find room when they are small, whatever large ones run', async () => {
    const budget = new MemoryBudget({ ...LIMITS, small: { bytes: 500, room: 1_000 } });
    const acquire = (bytes: number) => budget.acquire(bytes, { waitMs: 0 });
    const large = expectLease(await acquire(4_000));
    expect(await acquire(2_600)).toBeNull();
    expectLease(await acquire(2_500));
    const small = [await acquire(500), await acquire(500), await acquire(500)];
    expect(small.map((lease) => lease?.bytes)).toEqual([500, 500, undefined]);
    budget.release(large);
    expectLease(await acquire(4_000));
  });

  it('take half of the bytes at most for one owner, unless one job needs more, and do not delay other owners', async ({
    budget,
  }) => {
    const own = { waitMs: 0, owner: 'one' };
    const first = expectLease(await budget.acquire(2_500, own));
    expect(await budget.acquire(1_500, own)).toBeNull();
    const waiting = budget.acquire(1_500, { ...own, waitMs: 5_000 });
    await delay(30);
    expectLease(await budget.acquire(4_000, { waitMs: 0, owner: 'other' }));
    budget.release(first);
    budget.release(expectLease(await waiting));
    expectLease(await budget.acquire(3_500, { ...own, waitMs: 0 }));
  });

  it('count no longer when they did not end in time', async ({ budget, clock }) => {
    expectLease(await budget.acquire(7_500, { waitMs: 0 }));
    expect(await budget.acquire(7_500, { waitMs: 0 })).toBeNull();
    clock.nowMs = LIMITS.leaseMs;
    expect(budget.used.jobs).toBe(0);
    expectLease(await budget.acquire(7_500, { waitMs: 0 }));
  });

  it('start although they looked so late that they counted as cancelled', async ({ budget, clock }) => {
    const running = expectLease(await budget.acquire(7_500, { waitMs: 0 }));
    const late = [budget.acquire(5_000, { waitMs: 60_000 }), budget.acquire(5_000, { waitMs: 60_000 })];
    // The isolate was busy for seconds, and another job is the first one to look again.
    clock.nowMs = 5_000;
    expect(await budget.acquire(1_000, { waitMs: 0 })).toBeNull();
    budget.release(running);
    expectLease(await budget.acquire(1_000, { waitMs: 0 }));
    expect((await Promise.race(late))?.bytes).toBe(5_000);
  });

  it('overtake one whose request was cancelled while it waited', async ({ budget, clock }) => {
    const running = expectLease(await budget.acquire(7_500, { waitMs: 0 }));
    // Its timer never fires, like those of a cancelled request.
    vi.setTimerTickMode('manual');
    void budget.acquire(9_000, { waitMs: 60_000 });
    budget.release(running);
    const others = [await budget.acquire(1_000, { waitMs: 0 })];
    clock.nowMs = 3_000;
    others.push(await budget.acquire(1_000, { waitMs: 0 }));
    expect(others.map((lease) => lease?.bytes)).toEqual([undefined, 1_000]);
  });
});
