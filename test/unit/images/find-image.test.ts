import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nearestImage } from '../../../src/archive/find-image.ts';
import { ServerTiming } from '../../../src/platform/http/response.ts';
import { DAY_MS } from '../../../src/platform/util/durations.ts';
import { archivedImage } from '../../support/memory/archived-images.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';

const WEEK_MS = 7 * DAY_MS;
const NOW_MS = Date.UTC(2024, 0, 31);

/** Images of AIA 171 at these times, in milliseconds before now. */
function archiveOf(ages: readonly number[]) {
  const images = ages.map((age, i) => archivedImage(16 * (i + 1) + 10, 10, new Date(NOW_MS - age).toISOString()));
  return { index: new MemoryImageIndex(images), stopwatch: new ServerTiming() };
}

it('nearestImage agrees with a linear search, and is settled if the next image is older than a week', async () => {
  const ages = fc.uniqueArray(fc.integer({ min: 0, max: 2 * WEEK_MS }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(ages, fc.integer({ min: -1000, max: 3 * WEEK_MS }), async (all, requestAge) => {
      const found = await nearestImage(archiveOf(all), { sourceId: 10, atMs: NOW_MS - requestAge }, NOW_MS);
      const oldestFirst = all.toSorted((a, b) => b - a);
      const distance = Math.min(...all.map((age) => Math.abs(age - requestAge)));
      const expected = oldestFirst.find((age) => Math.abs(age - requestAge) === distance)!;
      expect(found.image.takenAtMs).toBe(NOW_MS - expected);
      expect(found.distanceSeconds).toBeCloseTo((requestAge - expected) / 1000, 6);
      const successor = oldestFirst[oldestFirst.indexOf(expected) + 1];
      expect(found.isSettled).toBe(successor !== undefined && successor > WEEK_MS);
    }),
  );
});

it('nearestImage names a source without images, or an unknown id, in its failure', async () => {
  const failureOf = (sourceId: number) =>
    nearestImage(archiveOf([1]), { sourceId, atMs: 0 }, NOW_MS).catch((error: Error) => error);
  expect(await failureOf(13)).toMatchObject({
    kind: 'no-image',
    message: 'No data of the requested type (AIA 304) are currently available.',
  });
  expect(await failureOf(9999)).toMatchObject({
    kind: 'no-image',
    message: 'No data of the requested type (sourceId 9999) are currently available.',
  });
});
