import { describe, expect, it } from 'vitest';
import { Cooldown } from '../../../src/util/cooldown.ts';
import { Semaphore } from '../../../src/util/semaphore.ts';

const LIMITS = { capacity: 10, waitMs: 300, leaseMs: 10_000 };

describe('Semaphore', () => {
  it('grants leases up to its capacity, and the next one when one is released', async () => {
    const semaphore = new Semaphore(LIMITS);
    const first = await semaphore.acquire({ weight: 6 });
    expect(await semaphore.acquire({ weight: 4 })).not.toBeNull();
    const waiting = semaphore.acquire({ weight: 5 });
    semaphore.release(first!);
    expect(await waiting).toMatchObject({ weight: 5 });
  });

  it('grants nothing after the wait', async () => {
    const semaphore = new Semaphore({ ...LIMITS, waitMs: 0 });
    await semaphore.acquire({ weight: 10 });
    expect(await semaphore.acquire()).toBeNull();
  });

  it('reduces a weight to its capacity', async () => {
    expect(await new Semaphore(LIMITS).acquire({ weight: 1000 })).toMatchObject({ weight: 10 });
  });

  it('limits each group by itself', async () => {
    const semaphore = new Semaphore({ ...LIMITS, groupCapacity: 2, waitMs: 0 });
    for (const group of ['a', 'a', 'b']) expect(await semaphore.acquire({ group })).not.toBeNull();
    expect([await semaphore.acquire({ group: 'a' }), await semaphore.acquire({ group: 'b' })]).toEqual([
      null,
      expect.objectContaining({ group: 'b' }),
    ]);
  });

  it('ends a lease that was not released', async () => {
    let nowMs = 0;
    const semaphore = new Semaphore({ ...LIMITS, waitMs: 0 }, () => nowMs);
    await semaphore.acquire({ weight: 10 });
    nowMs = LIMITS.leaseMs - 1;
    expect(await semaphore.acquire()).toBeNull();
    nowMs = LIMITS.leaseMs;
    expect(await semaphore.acquire()).not.toBeNull();
  });
});

describe('Cooldown', () => {
  it('is active from its start until its time is over', () => {
    let nowMs = 0;
    const cooldown = new Cooldown(() => nowMs);
    expect(cooldown.isActive).toBe(false);
    cooldown.start(100);
    nowMs = 99;
    expect(cooldown.isActive).toBe(true);
    nowMs = 100;
    expect(cooldown.isActive).toBe(false);
  });

  it('can be ended early', () => {
    const cooldown = new Cooldown(() => 0);
    cooldown.start(100);
    cooldown.end();
    expect(cooldown.isActive).toBe(false);
  });
});
