import { expect, it } from 'vitest';
import { planMovie } from '../../../src/movies/movie-plan.ts';
import { type MovieRequest, parseMovieRequest } from '../../../src/movies/movie-recipe.ts';
import { DAY_MS } from '../../../src/platform/util/durations.ts';
import type { ArchivedImage } from '../../../src/sun/image.ts';
import { archivedImage } from '../../support/memory/archived-images.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';

const START = Date.UTC(2015, 0, 1);

/** Images of AIA 171 at these milliseconds after the start. */
const imagesAt = (offsets: readonly number[], sourceId = 10): ArchivedImage[] =>
  offsets.map((offset, i) => ({
    ...archivedImage(sourceId * 100_000 + i, sourceId, '2015-01-01T00:00:00Z', { fileName: `${sourceId}_${i}.jp2` }),
    takenAtMs: START + offset,
  }));
const every = (stepMs: number, count: number, fromMs = 0) => Array.from({ length: count }, (_, i) => fromMs + i * stepMs);

const REQUEST = {
  startTime: START,
  endTime: START + 10 * DAY_MS,
  layers: '[10,1,100]',
  imageScale: 2,
  x1: 0,
  y1: 0,
  x2: 200,
  y2: 100,
};

async function planned(images: readonly ArchivedImage[], changes: Partial<MovieRequest> = {}, queued = 0) {
  const index = new MemoryImageIndex(images);
  const { build, message } = await planMovie(index, parseMovieRequest({ ...REQUEST, ...changes }), queued);
  return { build, message, index, offsets: build.frames.map(({ atMs }) => atMs - START) };
}

it('the frames of a movie selects 300 of a thousand images, including the first and the last', async () => {
  const { offsets, message } = await planned(imagesAt(every(60_000, 1000)));
  expect([offsets.length, ...offsets.slice(0, 4), offsets.at(-1)]).toEqual([300, 0, 180_000, 420_000, 600_000, 999 * 60_000]);
  expect(message).toBe('It shows 300 of 1000 images (SDO AIA 171), one every 200 seconds on average.');
});

it('the frames of a movie spreads frames evenly over more images than are read', async () => {
  const { offsets, message, index } = await planned(imagesAt(every(60_000, 14_000)));
  expect([offsets.length, offsets[0], offsets.at(-1)]).toEqual([300, 0, 13_999 * 60_000]);
  const steps = offsets.slice(1).map((at, i) => at - offsets[i]!);
  expect(Math.max(...steps) / Math.min(...steps)).toBeLessThan(2.2);
  expect(message).toMatch(/^It shows 300 of more than 1200 images \(SDO AIA 171\), /);
  expect(index.searches).toBeLessThan(10);
});

it('the frames of a movie reach their number where most images are clustered in a long range', async () => {
  const images = imagesAt([...every(1000, 5000), 9 * DAY_MS]);
  const { offsets } = await planned(images);
  expect(offsets.length).toBe(300);
  expect(offsets.filter((at) => at < 5_000_000).length).toBe(299);
  expect(new Set(offsets).size).toBe(300);
});

it('the frames of a movie keep all images around a gap in the data', async () => {
  const { offsets } = await planned(imagesAt([...every(60_000, 3000), ...every(60_000, 3000, 6 * DAY_MS)]));
  expect(offsets.length).toBe(300);
  expect(offsets.every((at) => at < 3000 * 60_000 || at >= 6 * DAY_MS)).toBe(true);
});

it('the frames of a movie include the first and last image when the range is given without fractions of a second', async () => {
  const images = imagesAt(every(60_000, 100, 30));
  const times = { startTime: START + 60_000, endTime: START + 30 * 60_000 };
  const { offsets } = await planned(images, times);
  expect([offsets.length, offsets[0], offsets.at(-1)]).toEqual([30, 60_030, 30 * 60_000 + 30]);
  const exact = await planned(images, { ...times, endTime: times.endTime + 29 });
  expect([exact.offsets.length, exact.offsets.at(-1)]).toEqual([29, 29 * 60_000 + 30]);
});

it('the frames of a movie follow the layer with the most images and show the nearest image of the others', async () => {
  const sparse = imagesAt(every(600_000, 3), 4);
  const { build } = await planned([...sparse, ...imagesAt(every(60_000, 20))], { layers: '[4,1,100],[10,1,50]' });
  expect(build.frames.length).toBe(20);
  expect(build.frames.map(({ images }) => images[0]![0] - 400_000)).toEqual([
    ...Array.from({ length: 6 }, () => 0),
    ...Array.from({ length: 10 }, () => 1),
    ...Array.from({ length: 4 }, () => 2),
  ]);
});

it('the frames of a movie count a source twice that two layers show', async () => {
  const { build } = await planned(imagesAt(every(60_000, 400)), {
    layers: '[10,1,100],[10,1,50,1,1,1]',
    startTime: START + 60_000,
  });
  expect(build.frames.length).toBe(150);
  expect(build.frames[0]!.images).toEqual([[1_000_001], [1_000_001, 1_000_000]]);
});

it('the frames of a movie plans fewer frames while other movies wait', async () => {
  const images = imagesAt(every(60_000, 1000));
  expect((await planned(images, {}, 20)).offsets.length).toBe(225);
  const { offsets, message } = await planned(images, {}, 50);
  expect(offsets.length).toBe(150);
  expect(message).toMatch(/ while 50 movies wait\.$/);
});

const images = imagesAt(every(60_000, 40));

it('a plan takes a handful of index queries for any number of frames and differences', async () => {
  const { index } = await planned(imagesAt(every(60_000, 1000)), {
    startTime: START + 3_600_000,
    layers: '[10,1,100,1,5,1],[10,1,50,2,1,1,2015-01-01T00:00:30Z]',
  });
  expect(index.searches).toBeLessThanOrEqual(7);
});

it('a plan makes a deterministic plan, with a key that depends on request and images', async () => {
  const [a, b] = [await planned(images), await planned(images)];
  expect(a.build).toEqual(b.build);
  expect(a.build.key).toMatch(/^[0-9a-f]{64}$/);
  const others = [
    await planned(images, { frameRate: 10 }),
    await planned(images, { watermark: false }),
    await planned(images, { size: 1 }),
    await planned(images.slice(0, 39)),
    await planned(images.map((image) => ({ ...image, id: image.id + 1 }))),
  ];
  expect(new Set([a, ...others].map(({ build }) => build.key)).size).toBe(6);
});

it('a plan states the dimensions, frame rate and cost of the build', async () => {
  const { build } = await planned(images, { size: 1, layers: '[10,1,100],[10,1,50,2,1,1,2015-01-01T00:00:00Z]' });
  expect(build).toMatchObject({ width: 1280, height: 720, frameRate: 15, layerCount: 2 });
  expect(build.cost).toBeCloseTo((40 * (1280 * 720 + 3 * 1280 * 640)) / 1e6);
  const enhanced = await planned(images, { size: 1, filters: '[mgn]' });
  expect(enhanced.build.cost).toBeCloseTo((40 * (1280 * 720 + 5 * 1280 * 640)) / 1e6);
});

it('a plan starts the plan of a difference at the first image with a reference, and reports it', async () => {
  const { offsets, build, message } = await planned(imagesAt(every(60_000, 40)), { layers: '[10,1,100],[10,1,50,1,5,1]' });
  expect([offsets.length, offsets[0], offsets.at(-1)]).toEqual([35, 5 * 60_000, 39 * 60_000]);
  expect(build.frames[0]!.images).toEqual([[1_000_005], [1_000_005, 1_000_000]]);
  expect(message).toBe('It starts at 2015-01-01 00:05:00: before, there is no image to compare with.');
});

it.each([
  ['before all of it', '[10,1,100,2,1,1,2014-12-31T00:00:00Z]'],
  ['within it', '[10,1,100,1,40,1]'],
])('a plan fails for a difference without references %s', async (_, layers) => {
  await expect(planned(imagesAt(every(60_000, 40)), { layers })).rejects.toMatchObject({ kind: 'no-earlier-image' });
});

it('a plan has the frames of a difference that have a reference, and fails when a source has no images', async () => {
  for (const [count, frames] of Object.entries({ 31: 9, 39: 1 })) {
    const { offsets } = await planned(imagesAt(every(60_000, 40)), { layers: `[10,1,100,1,${count},1]` });
    expect(offsets.length).toBe(frames);
  }
  await expect(planned(images, { layers: '[10,1,100],[11,1,100]' })).rejects.toMatchObject({ kind: 'no-image' });
});
