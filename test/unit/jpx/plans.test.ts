import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  estimatedFrames,
  imageOfInterval,
  imagesOfRange,
  pairIntervals,
  planMessage,
  planRange,
  sampledFrames,
  sampleTimes,
  withoutRepeats,
} from '../../../src/archive/range-images.ts';
import { intervalsName, jpxName } from '../../../src/jp2/jpx/file-name.ts';
import { DAY_MS } from '../../../src/platform/util/durations.ts';
import { findSource } from '../../../src/sun/catalogue/sources.ts';
import { makeImage } from '../../support/imaging/images.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';

const NOON = Date.UTC(2014, 0, 1, 12);
const span = (seconds: number) => ({ startMs: NOON, endMs: NOON + seconds * 1000 });
const at = (seconds: number, fileName = `image_${seconds}.jp2`) => ({ fileName, takenAtMs: NOON + seconds * 1000 });

const sampled = (cadenceSeconds: number, steps: number, isChanged: boolean) =>
  ({ take: 'sampled', cadenceSeconds, steps, isChanged }) as const;

it.each([
  ['every image without a cadence, up to a thousand', 86_400, undefined, 1000, { take: 'all', isCut: false }],
  ['a thousand evenly spread images when there are more', 86_400, undefined, 1001, sampled(86, 1000, true)],
  ['every image when the cadence is zero', 60, 0, 12, { take: 'all', isCut: false }],
  ['the first thousand images when the cadence is below zero', 60, -1, 1001, { take: 'all', isCut: true }],
  ['the requested cadence up to a thousand steps', 60_000, 60, 5, sampled(60, 1000, false)],
  ['a thousand steps of a range that is a second longer', 60_001, 60, 5, sampled(60, 1000, true)],
  ['a cadence of whole steps of twice the range', 120_001, 60, 5, sampled(120, 1000, true)],
  ['a cadence of whole seconds when a fractional one is too fine', 10, 0.001, 5, sampled(1, 10, true)],
] as const)('the frames of a range show %s', (_, seconds, cadence, images, plan) => {
  expect(planRange(span(seconds), cadence, images)).toEqual(plan);
});

it('the frames of a range follow from the parameters, up to the most of a file, and never repeat a time', () => {
  expect(estimatedFrames(span(600), 60, 1000)).toBe(11);
  expect(estimatedFrames(span(0), 60, 1000)).toBe(1);
  expect(estimatedFrames(span(86_400), 1, 1000)).toBe(1000);
  expect([undefined, 0, -5].map((cadence) => estimatedFrames(span(600), cadence, 1000))).toEqual([51, 51, 51]);
  expect(estimatedFrames(span(86_400 * 365), undefined, 4096)).toBe(4096);
  expect(withoutRepeats([at(0, 'a'), at(0, 'b'), at(5, 'b'), at(9, 'c')])).toEqual([at(0, 'a'), at(9, 'c')]);
  expect(sampledFrames([at(9), at(0, 'b')], at(0, 'a'))).toEqual([at(0, 'b'), at(9)]);
});

it('the frames of a range keep to the rules for any images, range and cadence', () => {
  const images = fc.uniqueArray(fc.nat(5_000), { minLength: 1, maxLength: 2_000, size: 'max' });
  const cadence = fc.option(fc.oneof(fc.integer({ min: -5, max: 500 }), fc.double({ min: 0.01, max: 20, noNaN: true })), {
    nil: undefined,
  });
  fc.assert(
    fc.property(images, cadence, (seconds, cadenceSeconds) => {
      const ascending = seconds.toSorted((a, b) => a - b).map((s) => at(s));
      const [first, last] = [ascending[0]!, ascending.at(-1)!];
      const range = { startMs: first.takenAtMs, endMs: last.takenAtMs };
      const plan = planRange(range, cadenceSeconds, ascending.length);
      const nearest = (ms: number) =>
        ascending.reduce((best, image) => (Math.abs(image.takenAtMs - ms) < Math.abs(best.takenAtMs - ms) ? image : best));
      const frames = plan.take === 'all' ? ascending.slice(0, 1000) : sampledFrames(sampleTimes(range, plan).map(nearest), first);
      expect(frames.length).toBeGreaterThan(0);
      expect(frames.length).toBeLessThanOrEqual(1000);
      expect(frames[0]).toBe(first);
      if (plan.take === 'sampled' || !plan.isCut) expect(frames.at(-1)).toBe(last);
      for (let i = 1; i < frames.length; i++) expect(frames[i]!.takenAtMs).toBeGreaterThan(frames[i - 1]!.takenAtMs);
      const hasMessage = planMessage(plan, { ...range, cadenceSeconds: 12, lastFrameMs: frames.at(-1)!.takenAtMs }) !== null;
      expect(hasMessage).toBe(plan.take === 'all' ? ascending.length > 1000 : plan.isChanged);
    }),
    { numRuns: 60, seed: 20261121 },
  );
});

const range = { startMs: NOON, endMs: NOON + DAY_MS, lastFrameMs: NOON + 3_600_500, cadenceSeconds: 12 };

it('the message of a plan states the cadence that replaced the requested one, and where a movie of every image was cut', () => {
  const plan = planRange({ startMs: NOON, endMs: NOON + DAY_MS }, 12, 7200);
  expect(planMessage(plan, range)).toBe(
    'Movie cadence has been changed to one image every 86 seconds between 2014-01-01 12:00:00 and 2014-01-02 12:00:00: ' +
      'the maximum is 1000 frames per request. Ranges of up to 3.3 hours have every image that was requested.',
  );
  expect(planMessage({ take: 'all', isCut: true }, range)).toBe(
    'Movie has been cut at the maximum of 1000 frames per request: it has every image from 2014-01-01 12:00:00 through ' +
      '2014-01-01 13:00:00. Ranges of up to 3.3 hours have every image that was requested; a cadence of 86 seconds has the whole range.',
  );
});

const [interval] = pairIntervals([NOON / 1000], [NOON / 1000 + 101]);

it('the frames of intervals come from the middle of each, rounded to a second, with the nearest or the earlier image', () => {
  expect(pairIntervals([20, 0], [31, 10])).toEqual([
    { startMs: 20_000, middleMs: 26_000, endMs: 31_000 },
    { startMs: 0, middleMs: 5_000, endMs: 10_000 },
  ]);
  expect(imageOfInterval(interval!, at(48), at(53))).toEqual(at(53));
  expect(imageOfInterval(interval!, at(49), at(53))).toEqual(at(49));
  expect(imageOfInterval(interval!, at(50), at(53))).toEqual(at(50));
  expect(imageOfInterval(interval!, null, at(99))).toEqual(at(99));
});

it('the frames of intervals never show an image at the ends of the interval or outside', () => {
  expect(imageOfInterval(interval!, at(0), at(101))).toBeNull();
  expect(imageOfInterval(interval!, at(-5), at(99))).toEqual(at(99));
  expect(imageOfInterval(interval!, null, null)).toBeNull();
  const [instant] = pairIntervals([NOON / 1000], [NOON / 1000]);
  expect(imageOfInterval(instant!, null, at(0))).toBeNull();
});

const naming = (sourceId: number) => ({
  source: findSource(sourceId)!,
  hasFourLevels: false,
  startMs: Date.UTC(2014, 0, 1),
  endMs: Date.UTC(2014, 0, 1, 0, 45),
  linked: false,
});

it('the name of a JPX file has the cadence, a mark for links and a digest of intervals, and nothing that must be escaped', () => {
  expect(jpxName({ ...naming(6), cadenceSeconds: 1, linked: true })).toMatch(/^SOHO_MDI_magnetogram_F.*ZB1L$/);
  expect(jpxName({ ...naming(6), cadenceSeconds: -1 })).toMatch(/ZB-1$/);
  expect(jpxName({ ...naming(6), cadenceSeconds: 0 })).toMatch(/00Z$/);
  expect(jpxName(naming(97))).toMatch(/^RHESSI_12-25keV_Back-Projection_F/);
  expect(jpxName(naming(131))).toMatch(/^[A-Za-z0-9._-]+$/);
  expect(jpxName({ ...naming(14), startMs: Date.UTC(2014, 0, 1) + 250 })).toContain('_F2014-01-01T00.00.00.250Z_');
  // The MD5 of `1,2>>3,4`.
  expect(intervalsName(naming(14), [1, 2], [3, 4])).toMatch(/^SDO_AIA_335_F.*Z_T.*Z\.CMP113d41b22f810237db1ceac7be3af921$/);
});

const ANY_XRT = 10_001;

const indexOf = (...shots: readonly (readonly [sourceId: number, seconds: number])[]) =>
  new MemoryImageIndex(shots.map(([sourceId, seconds], i) => ({ id: i + 1, ...makeImage(sourceId, NOON + seconds * 1000) })));
const every = (sourceId: number, seconds: number, count: number) =>
  Array.from({ length: count }, (_, i) => [sourceId, i * seconds] as const);
const rangeOf = (sourceId: number, from: number, to: number) => ({
  sourceId,
  startMs: NOON + from * 1000,
  endMs: NOON + to * 1000,
});
const secondsOf = (images: readonly { takenAtMs: number }[]) => images.map(({ takenAtMs }) => (takenAtMs - NOON) / 1000);

it('the images of a range stay within a thousand, evenly spread, and the message says so', async () => {
  const index = indexOf(...every(10, 12, 3000));
  const { images, message } = await imagesOfRange(index, rangeOf(10, -100, 40_000));
  expect(images).toHaveLength(1000);
  const seconds = secondsOf(images);
  expect([seconds[0], seconds.at(-1)]).toEqual([0, 2999 * 12]);
  const steps = seconds.slice(2).map((s, i) => s - seconds[i + 1]!);
  expect([Math.min(...steps), Math.max(...steps)]).toEqual([24, 36]);
  expect(message).toContain('one image every 35 seconds between 2014-01-01 11:58:20 and 2014-01-01 23:06:40');
  expect(message).toContain('the maximum is 1000 frames per request. Ranges of up to 3.3 hours have every image');
  const stated = await imagesOfRange(index, { ...rangeOf(10, 0, 40_000), cadenceSeconds: 24 });
  expect(stated.message).toContain('Ranges of up to 6.6 hours have every image');
});

it('the images of a range include images within the last second, whose fraction clients do not see', async () => {
  const index = indexOf([10, 0.03], [10, 60.03], [10, 120.03]);
  expect(secondsOf((await imagesOfRange(index, rangeOf(10, 0, 120))).images)).toEqual([0.03, 60.03, 120.03]);
  expect(secondsOf((await imagesOfRange(index, rangeOf(10, 0, 120.02))).images)).toEqual([0.03, 60.03]);
});

it('the images of a range that are withdrawn once its ends are known are none', async () => {
  const ends = await indexOf([10, 0]).ends(10, NOON, NOON);
  const index = Object.assign(indexOf(), { ends: async () => ends });
  await expect(imagesOfRange(index, rangeOf(10, 0, 60))).rejects.toMatchObject({ kind: 'no-frames' });
});

it('the images of a range come from all sources of a group, without repeated times', async () => {
  const index = indexOf([38, 0], [42, 0], [42, 60], [74, 90], [74, 120], [10, 30]);
  const { images } = await imagesOfRange(index, rangeOf(ANY_XRT, 0, 200));
  expect(secondsOf(images)).toEqual([0, 60, 90, 120]);
  const sampled = await imagesOfRange(index, { ...rangeOf(ANY_XRT, 0, 200), cadenceSeconds: 30 });
  expect(secondsOf(sampled.images)).toEqual([0, 60, 90, 120]);
  expect(images.map(({ sourceId }) => sourceId)).not.toContain(10);
});

it('the images of a range include those of one millisecond at the end of a search', async () => {
  const index = indexOf(...every(10, 1, 2000), [10, 1999.0005], [10, 2001]);
  const { images } = await imagesOfRange(index, { ...rangeOf(10, 0, 3000), most: 4000 });
  expect(secondsOf(images).slice(-3)).toEqual([1999, 1999.0005, 2001]);
});

it('the images of a range take at most four searches for any number of frames', async () => {
  const index = indexOf(...every(10, 12, 1500));
  await imagesOfRange(index, rangeOf(10, 0, 40_000));
  expect(index.searches).toBeLessThanOrEqual(4);
});
