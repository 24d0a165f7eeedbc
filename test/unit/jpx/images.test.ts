import { expect, it } from 'vitest';
import { imagesOfRange } from '../../../src/archive/range-images.ts';
import { makeImage } from '../../support/imaging/images.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';

const NOON = Date.UTC(2021, 5, 1, 12);
const ANY_XRT = 10_001;

const indexOf = (...shots: readonly (readonly [sourceId: number, seconds: number])[]) =>
  new MemoryImageIndex(shots.map(([sourceId, seconds], i) => ({ id: i + 1, ...makeImage(sourceId, NOON + seconds * 1000) })));
const every = (sourceId: number, seconds: number, count: number) =>
  Array.from({ length: count }, (_, i) => [sourceId, i * seconds] as const);
const range = (sourceId: number, from: number, to: number) => ({
  sourceId,
  startMs: NOON + from * 1000,
  endMs: NOON + to * 1000,
});
const secondsOf = (images: readonly { takenAtMs: number }[]) => images.map(({ takenAtMs }) => (takenAtMs - NOON) / 1000);

it('the images of a range stay within a thousand, evenly spread, and the message says so', async () => {
  const index = indexOf(...every(10, 12, 3000));
  const { images, message } = await imagesOfRange(index, range(10, -100, 40_000));
  expect(images).toHaveLength(1000);
  const seconds = secondsOf(images);
  expect([seconds[0], seconds.at(-1)]).toEqual([0, 2999 * 12]);
  const steps = seconds.slice(2).map((s, i) => s - seconds[i + 1]!);
  expect([Math.min(...steps), Math.max(...steps)]).toEqual([24, 36]);
  expect(message).toContain('one image every 35 seconds between 2021-06-01 11:58:20 and 2021-06-01 23:06:40');
  expect(message).toContain('the maximum is 1000 frames per request. Ranges of up to 3.3 hours have every image');
  const stated = await imagesOfRange(index, { ...range(10, 0, 40_000), cadenceSeconds: 24 });
  expect(stated.message).toContain('Ranges of up to 6.6 hours have every image');
});

it('the images of a range include images within the last second, whose fraction clients do not see', async () => {
  const index = indexOf([10, 0.03], [10, 60.03], [10, 120.03]);
  expect(secondsOf((await imagesOfRange(index, range(10, 0, 120))).images)).toEqual([0.03, 60.03, 120.03]);
  expect(secondsOf((await imagesOfRange(index, range(10, 0, 120.02))).images)).toEqual([0.03, 60.03]);
});

it('the images of a range come from all sources of a group, without repeated times', async () => {
  const index = indexOf([38, 0], [42, 0], [42, 60], [74, 90], [74, 120], [10, 30]);
  const { images } = await imagesOfRange(index, range(ANY_XRT, 0, 200));
  expect(secondsOf(images)).toEqual([0, 60, 90, 120]);
  const sampled = await imagesOfRange(index, { ...range(ANY_XRT, 0, 200), cadenceSeconds: 30 });
  expect(secondsOf(sampled.images)).toEqual([0, 60, 90, 120]);
  expect(images.map(({ sourceId }) => sourceId)).not.toContain(10);
});

it('the images of a range take at most four searches for any number of frames', async () => {
  const index = indexOf(...every(10, 12, 1500));
  await imagesOfRange(index, range(10, 0, 40_000));
  expect(index.searches).toBeLessThanOrEqual(4);
});
