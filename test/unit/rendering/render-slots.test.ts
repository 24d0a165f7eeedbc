import { describe, expect, it } from 'vitest';
import { ServerTiming } from '../../../src/http/server-timing.ts';
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

  it('counts the cost of pictures for each client, and refuses one that exceeds the limit before it is rendered', async () => {
    const units = new Map<string, number>();
    const limiter = {
      limit: async ({ key }: { key: string }) => {
        units.set(key, (units.get(key) ?? 0) + 1);
        return { success: units.get(key)! <= 12 };
      },
    };
    const slots = new RenderSlots({ ...LIMITS, pixelsAtOnce: 4096 * 4096 }, () => performance.now(), limiter);
    let rendered = 0;
    const render = (client: string, side: number, layerCount: number) =>
      slots.render(
        { width: side, height: side, layers: Array(layerCount) },
        { client, stopwatch: new ServerTiming(), waitUntil: () => {} },
        async () => ({ bytes: new Uint8Array(++rendered), timings: {} }),
      );
    await render('192.0.2.1', 1024, 3);
    await render('192.0.2.1', 4096, 5);
    expect(units.get('192.0.2.1')).toBe(11);
    await expect(render('192.0.2.1', 4096, 1)).rejects.toMatchObject({ kind: 'rate-limited', retryAfterSeconds: 60 });
    expect(rendered).toBe(2);
    await render('192.0.2.2', 4096, 5);
    expect(rendered).toBe(3);
  });
});
