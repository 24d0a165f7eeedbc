import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { windowsOf } from '../../../src/archive/drawing/layer-renderer.ts';
import { drawn, pictureBytes } from '../../../src/archive/drawing/picture-cost.ts';
import { asFailure } from '../../../src/platform/http/errors.ts';
import { ServerTiming } from '../../../src/platform/http/response.ts';
import { memoryLimits } from '../../../src/platform/limits/memory.ts';
import { PICTURE_COST } from '../../../src/platform/limits/rendering.ts';
import { paceOf } from '../../../src/platform/ports/timing.ts';
import { MemoryBudget } from '../../../src/platform/util/memory-budget.ts';
import { anyMemory } from '../../support/memory/any-memory.ts';
import { archivedImage } from '../../support/memory/archived-images.ts';
import { callOf } from '../../support/memory/call.ts';

const MIB = 1 << 20;
const WAIT_MS = 50;

it('MemoryBudget.run frees the memory of work that fails, and fails as busy, with a time for the next attempt, without room in time', async () => {
  const memory = new MemoryBudget({ bytes: 100, jobBytes: 75, leaseMs: 60_000 });
  const failing = memory.run(70, WAIT_MS, () => Promise.reject(new Error('damaged')));
  await expect(failing).rejects.toThrow('damaged');
  expect(memory.used.jobs).toBe(0);
  expect(await memory.run(70, WAIT_MS, async () => memory.used.jobs)).toBe(70);
  const { promise, resolve } = Promise.withResolvers<void>();
  const running = memory.run(70, WAIT_MS, () => promise);
  const refused = memory.run(20, WAIT_MS, async () => 'never');
  const failure = asFailure(await refused.catch((error: unknown) => error));
  expect(failure).toMatchObject({ kind: 'busy', retryAfterSeconds: 10 });
  resolve();
  await running;
});

describe('the memory of a picture', () => {
  it('grows with its size and its layers, and that of the largest fits the budget', () => {
    const largest = pictureBytes({ width: 4096, height: 4096, layers: Array(5) });
    expect(largest).toBeGreaterThan(32 * MIB);
    expect(largest).toBeLessThan(40 * MIB);
    const three = pictureBytes({ width: 1920, height: 1200, layers: Array(3) });
    expect(pictureBytes({ width: 1920, height: 1200, layers: Array(1) })).toBeLessThan(three);
    expect(2 * three).toBeLessThan(memoryLimits().jobBytes);
  });

  it('counts the samples that a projection may hold of each image, and in views of the surface only those of its Sun', () => {
    const image = archivedImage(1, 10, '2024-05-10T12:00:00Z');
    const geometry = { ...image.geometry, width: 4096, height: 4096, scaleArcsecPerPixel: 0.6, rsunPixels: 1600 };
    const samples = (kind: 'polar' | 'unwrapped', scale: number, side = 1024) => {
      const projection = kind === 'polar' ? ({ kind, pole: 'north' } as const) : ({ kind } as const);
      return windowsOf({ projection, imageScaleArcsecPerPixel: scale, width: side, height: side }, [{ ...image, geometry }])[0];
    };
    expect([samples('polar', 2.05), samples('polar', 19.2), samples('unwrapped', 19.2)]).toEqual([1 << 20, 100 ** 2, 128 ** 2]);
    expect(samples('unwrapped', 0.6, 64)).toBe(18 * 64 ** 2);
    const windows = [1 << 20, 1 << 20, 500_000];
    const sphere = pictureBytes({ width: 1024, height: 1024, layers: Array(3), windows });
    expect(sphere).toBeLessThan(20 * MIB);
    expect(sphere - pictureBytes({ width: 1024, height: 1024, layers: Array(3) })).toBeGreaterThan(7 * MIB);
  });
});

it('a drawn picture counts the cost of pictures for each client, and refuses one that exceeds the limit before it is rendered', async () => {
  const units = new Map<string, number>();
  const pictureLimiter = {
    limit: async ({ key }: { key: string }) => {
      units.set(key, (units.get(key) ?? 0) + 1);
      return { success: units.get(key)! <= 12 };
    },
  };
  let rendered = 0;
  const render = (client: string, side: number, layerCount: number) =>
    drawn(
      { width: side, height: side, layers: Array(layerCount).fill({}) },
      callOf({ client, pictureLimiter }),
      async () => new Uint8Array(++rendered),
    );
  await render('192.0.2.1', 1024, 3);
  await render('192.0.2.1', 4096, 5);
  expect(units.get('192.0.2.1')).toBe(12);
  await expect(render('192.0.2.1', 4096, 1)).rejects.toMatchObject({ kind: 'rate-limited', retryAfterSeconds: 60 });
  expect(rendered).toBe(2);
  await render('192.0.2.2', 4096, 5);
  expect(rendered).toBe(3);
});

it.each([true, false])(
  'a drawn picture makes what its images lack after the response where it reads images: %s',
  async (reads) => {
    let made = 0;
    const { admission } = callOf({ afterRendering: async () => void made++ });
    await admission.hold(1, async () => undefined, { reads });
    expect(made).toBe(Number(reads));
  },
);

it('a drawn picture lets other requests go first after each step of a picture, of the milliseconds that it took', async () => {
  const turns: number[] = [];
  const call = callOf({ step: async (ms) => void turns.push(ms) });
  await drawn({ width: 1024, height: 1024 }, call, async (pace) => {
    for (let i = 0; i < 200; i += 1) await pace.pause(0.2 / PICTURE_COST.msPerPixel);
    return new Uint8Array();
  });
  expect(turns.length).toBe(5);
  expect(Math.max(...turns)).toBeCloseTo(8);
});

it('a drawn picture keeps layers that are drawn at once to one turn for each step of their picture', async () => {
  const turns: number[] = [];
  const pauseMs = 2;
  let sinceTurn = 0;
  let most = 0;
  const step = async (ms: number) => {
    turns.push(ms);
    await new Promise((resolve) => setTimeout(resolve));
    sinceTurn = 0;
  };
  const pace = paceOf({ stopwatch: new ServerTiming(), step });
  const layer = async () => {
    for (let i = 0; i < 50; i += 1) {
      sinceTurn += pauseMs;
      most = Math.max(most, sinceTurn);
      await pace.pause(pauseMs / PICTURE_COST.msPerPixel);
    }
  };
  await Promise.all([layer(), layer(), layer(), layer(), layer()]);
  // 500 ms in steps of 8 ms, and of one more pause of each layer that waited.
  expect(most).toBeLessThanOrEqual(8 + 5 * pauseMs);
  expect(turns.length).toBeGreaterThan(500 / 20);
});

it('a drawn picture draws one large picture of a client after the other, and those of others meanwhile', async () => {
  const memory = anyMemory();
  const [running, order]: [Promise<unknown>[], string[]] = [[], []];
  const { promise, resolve } = Promise.withResolvers<void>();
  const render = (client: string, side: number, work: () => Promise<void>) =>
    drawn({ width: side, height: side }, callOf({ client, memory }), async () => {
      await work();
      order.push(`${client} ${side}`);
    });
  running.push(render('192.0.2.1', 4096, () => promise));
  running.push(render('192.0.2.1', 4096, async () => undefined));
  await render('192.0.2.2', 2048, async () => undefined);
  expect(order).toEqual(['192.0.2.2 2048']);
  resolve();
  await Promise.all(running);
  expect(order.slice(1)).toEqual(['192.0.2.1 4096', '192.0.2.1 4096']);
});

it('a drawn picture tells a client whose pictures have its share of the memory, with a time for the next attempt', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const call = callOf();
  const { promise, resolve } = Promise.withResolvers<Uint8Array>();
  const running = drawn({ width: 4096, height: 4096 }, call, () => promise);
  const refused = drawn({ width: 4096, height: 4096 }, call, () => promise).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(6_000);
  expect(await refused).toMatchObject({ kind: 'rate-limited', retryAfterSeconds: 10 });
  resolve(new Uint8Array());
  await running;
});
