import { describe, expect, it } from 'vitest';
import { RenderSlots } from '../../../src/services/rendering/render-slots.ts';

const LIMITS = { pixelsAtOnce: 100, waitMs: 300, leaseMs: 10_000, retryAfterSeconds: 7 };

/** Work that ends when it is told to. */
function openEnded() {
  const { promise, resolve } = Promise.withResolvers<string>();
  return { work: () => promise, end: () => resolve('done') };
}

describe('turns for drawing', () => {
  it('are taken at once as long as the pictures fit together', async () => {
    const slots = new RenderSlots(LIMITS, () => performance.now());
    const first = openEnded();
    const running = slots.run(60, first.work);
    expect(await slots.run(40, async () => 'beside')).toBe('beside');
    first.end();
    expect(await running).toBe('done');
  });

  it('come when an earlier picture is done, also one that failed', async () => {
    const slots = new RenderSlots(LIMITS, () => performance.now());
    const failing = slots.run(90, async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      throw new Error('damaged');
    });
    const waiting = slots.run(20, async () => 'after');
    await expect(failing).rejects.toThrow('damaged');
    expect(await waiting).toBe('after');
  });

  it('of a picture that alone is too large come when nothing else is drawn', async () => {
    const slots = new RenderSlots(LIMITS, () => performance.now());
    expect(await slots.run(1000, async () => 'alone')).toBe('alone');
  });

  it('are refused after a while, with the time to come back', async () => {
    const slots = new RenderSlots(LIMITS, () => performance.now());
    const first = openEnded();
    const running = slots.run(90, first.work);
    await expect(slots.run(20, async () => 'never')).rejects.toMatchObject({ kind: 'busy', retryAfterSeconds: 7 });
    first.end();
    await running;
  });

  it('end by themselves when a request vanishes without a word', async () => {
    let nowMs = 0;
    const slots = new RenderSlots(LIMITS, () => nowMs);
    void slots.run(100, () => new Promise(() => {}));
    nowMs = 10_000;
    expect(await slots.run(100, async () => 'next')).toBe('next');
  });
});
