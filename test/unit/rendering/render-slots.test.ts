import { describe, expect, it } from 'vitest';
import { RenderSlots } from '../../../src/services/rendering/render-slots.ts';

const LIMITS = { pixelsAtOnce: 100, waitMs: 300, leaseMs: 10_000, retryAfterSeconds: 7 };

/** Work that ends when `end` is called. */
function openEnded() {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { work: () => promise, end: () => resolve('done') };
}

describe('RenderSlots', () => {
  it('runs pictures concurrently if they fit together', async () => {
    const slots = new RenderSlots(LIMITS, () => performance.now());
    const first = openEnded();
    const running = slots.run(60, first.work);
    expect(await slots.run(40, async () => 'beside')).toBe('beside');
    first.end();
    expect(await running).toBe('done');
  });

  it('runs a waiting picture when an earlier one ends, also by a failure', async () => {
    const slots = new RenderSlots(LIMITS, () => performance.now());
    const failing = slots.run(90, async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      throw new Error('damaged');
    });
    const waiting = slots.run(20, async () => 'after');
    await expect(failing).rejects.toThrow('damaged');
    expect(await waiting).toBe('after');
  });

  it('runs a picture above the limit alone', async () => {
    const slots = new RenderSlots(LIMITS, () => performance.now());
    expect(await slots.run(1000, async () => 'alone')).toBe('alone');
  });

  it('fails as busy with a retry time when the wait expires', async () => {
    const slots = new RenderSlots(LIMITS, () => performance.now());
    const first = openEnded();
    const running = slots.run(90, first.work);
    await expect(slots.run(20, async () => 'never')).rejects.toMatchObject({ kind: 'busy', retryAfterSeconds: 7 });
    first.end();
    await running;
  });

  it('releases the lease of a cancelled request when it expires', async () => {
    let nowMs = 0;
    const slots = new RenderSlots(LIMITS, () => nowMs);
    void slots.run(100, () => new Promise(() => {}));
    nowMs = 10_000;
    expect(await slots.run(100, async () => 'next')).toBe('next');
  });
});
