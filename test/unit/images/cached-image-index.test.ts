import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { nearestImage } from '../../../src/archive/find-image.ts';
import { CachedImageIndex, recordKey } from '../../../src/archive/image-index/cached-image-index.ts';
import { ServerTiming } from '../../../src/platform/http/response.ts';
import { KNOWN_IMAGES } from '../../../src/platform/limits/images.ts';
import { DAY_MS } from '../../../src/platform/util/durations.ts';
import type { ArchivedImage } from '../../../src/sun/image.ts';
import { anyMemory } from '../../support/memory/any-memory.ts';
import { archivedImage, IMAGES } from '../../support/memory/archived-images.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';
import { MemoryObjectStore } from '../../support/memory/object-store.ts';

const [, image] = IMAGES as [ArchivedImage, ArchivedImage];

/** An index whose replica has only some of the images, and the statements of both databases. */
function archive({ onReplica = IMAGES, objects = new MemoryObjectStore() } = {}) {
  const clock = { nowMs: 0 };
  const calls: string[] = [];
  const primary = new MemoryImageIndex(IMAGES);
  const replica = new MemoryImageIndex(onReplica);
  const noting = (name: string, index: MemoryImageIndex, others: object = {}) => {
    const database = index.databases.ofShard(0);
    const prepare = (query: string) => {
      calls.push(name);
      return database.prepare(query);
    };
    return { prepare, batch: (statements: D1PreparedStatement[]) => database.batch(statements), ...others };
  };
  const session = noting('replica', replica);
  const database = noting('primary', primary, { withSession: () => session }) as unknown as D1Database;
  const databases = { main: database, operations: database, images: [database], ofShard: () => database };
  const memory = anyMemory();
  const index = new CachedImageIndex({ databases, objects, clock: () => clock.nowMs, memory });
  return { index, objects, clock, calls, primary, replica };
}

const record = (objects: MemoryObjectStore, id: number, content: object) =>
  objects.put(recordKey(id), new TextEncoder().encode(JSON.stringify(content)));

it('the record of an image appears after the first read that did not find it, so that later reads need no database', async () => {
  const { index, objects, calls } = archive();
  await index.byId(26);
  await index.writeMissing();
  expect(objects.objects.has(recordKey(26))).toBe(true);
  calls.length = 0;
  const other = archive({ objects });
  other.primary.fail(new Error('The index is not available.'));
  other.replica.fail(new Error('The index is not available.'));
  expect(await other.index.byId(26)).toEqual(image);
  expect(await index.writeMissing()).toBe(0);
});

it('the record of an image stays away when the image is withdrawn elsewhere before it is written', async () => {
  const { index, objects, primary } = archive();
  for (const id of [26, 42]) await index.byId(id);
  primary.withdraw(26);
  const put = vi.spyOn(objects, 'put');
  await index.writeMissing();
  expect(put.mock.calls.map(([key]) => key).filter((key) => key.endsWith('.json'))).toEqual([recordKey(42)]);
});

it('the record of an image disappears when its id is given to another image after a loss of ids', async () => {
  const { index, objects } = archive();
  await record(objects, 26, { ...image, fileName: 'another.jp2' });
  await index.byId(26);
  await index.forget([26, 42]);
  expect(await index.byId(26)).toEqual(image);
});

it('an image by its id comes from the replica, then from the primary database, and is cached for a minute', async () => {
  const { index, clock, calls } = archive({ onReplica: [] });
  for (let i = 0; i < 3; i++) expect(await index.byId(26)).toEqual(image);
  expect(calls).toEqual(['replica', 'primary']);
  clock.nowMs = KNOWN_IMAGES.freshMs;
  await index.byId(26);
  expect(calls).toHaveLength(4);
});

it('images by their ids come from the replica, and those that it lacks from the primary database', async () => {
  const { index, calls } = archive({ onReplica: IMAGES.filter(({ id }) => id !== 26) });
  expect((await index.byIds([26, 42, 999])).map(({ id }) => id).sort()).toEqual([26, 42]);
  expect(await index.byIds([42])).toHaveLength(1);
  expect(calls).toEqual(['replica', 'primary', 'replica']);
});

it('an image by its id ignores a record of another id, and comes from the database again when it did not exist', async () => {
  const { index, objects, primary } = archive();
  await record(objects, 42, image);
  expect(await index.byId(42)).toMatchObject({ id: 42 });
  expect(await index.byId(999)).toBeNull();
  primary.images.push({ ...image, id: 999, takenAtMs: 999, fileName: 'image_999.jp2' });
  expect(await index.byId(999)).toMatchObject({ id: 999 });
});

it('an image by its id disappears here at once after its withdrawal, and elsewhere after a minute', async () => {
  const { index, objects, primary, clock } = archive({ onReplica: [] });
  await record(objects, 26, image);
  await index.byId(26);
  await objects.delete(recordKey(26));
  primary.withdraw(26);
  clock.nowMs = KNOWN_IMAGES.freshMs - 1;
  expect(await index.byId(26)).toEqual(image);
  clock.nowMs = KNOWN_IMAGES.freshMs;
  expect(await index.byId(26)).toBeNull();

  const here = archive({ onReplica: [] });
  await here.index.byId(26);
  here.primary.withdraw(26);
  await here.index.forget([26]);
  expect(await here.index.byId(26)).toBeNull();
});

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
