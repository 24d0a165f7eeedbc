// Indexing of objects in place, over databases and objects in memory.
import { expect, it } from 'vitest';
import { type IndexingPorts, indexObjects, objectAt } from '../../../src/archive/ingest/index-objects.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { filledArchive } from '../../support/mirror/filled-archive.ts';
import { sampleFiles } from '../../support/mirror/sample-files.ts';

const START = Date.UTC(2024, 4, 10, 12);

it('objects that are indexed together succeed when one of them cannot be read, and the log says why', async () => {
  const files = await sampleFiles([10], { fromMs: START, toMs: START + 2 * MINUTE_MS, cadenceMs: MINUTE_MS });
  const { indexing } = filledArchive();
  for (const [path, bytes] of files) await indexing.objects.put(`jp2/${path}`, bytes);
  const [, broken] = [...files.keys()];
  const { whole } = indexing.objects;
  indexing.objects.whole = async (key, maxBytes) => {
    if (key === `jp2/${broken}`) throw new Error('The bucket broke off (10001).');
    return whole.call(indexing.objects, key, maxBytes);
  };
  const records: Record<string, unknown>[] = [];
  const ports: IndexingPorts = { ...indexing, log: (record) => void records.push(record) };
  const objects = [...files].map(([path, { length: size }]) => objectAt({ path, size }));
  const { results } = await indexObjects(ports, objects, { compareKnown: true });
  expect(results.map(({ outcome }) => outcome)).toEqual(['added', 'failed', 'added']);
  expect(results[1]!.sentence).toBe('The object could not be read, or its row not be added. Try again later.');
  expect(records).toEqual([{ job: 'indexObjects', path: broken, failed: expect.stringContaining('10001') }]);

  indexing.objects.whole = whole;
  const again = await indexObjects(ports, objects, { compareKnown: true });
  expect(again.results.map(({ outcome }) => outcome)).toEqual(['known', 'added', 'known']);
});

it('objects that are indexed together enter the archive with a warning where a codestream lacks its end', async () => {
  const files = await sampleFiles([10], { fromMs: START, toMs: START + MINUTE_MS, cadenceMs: MINUTE_MS });
  const { indexing } = filledArchive();
  const objects: ReturnType<typeof objectAt>[] = [];
  for (const [path, bytes] of files) {
    const jp2 = objects.length === 0 ? Buffer.concat([bytes.subarray(0, -2), Uint8Array.of(0, 0)]) : bytes;
    await indexing.objects.put(`jp2/${path}`, jp2);
    objects.push(objectAt({ path, size: jp2.length }));
  }
  const { results } = await indexObjects(indexing, objects);
  expect(results.map(({ outcome, warning = null }) => [outcome, warning])).toEqual([
    ['added', expect.stringMatching(/does not end with EOC/)],
    ['added', null],
  ]);
});

it('objects that are indexed together leave one note of their folder where they are older than a week, for the purge of nearest images', async () => {
  const { indexing } = filledArchive();
  const foldersAfter = async (cadenceMs: number, nowMs: number) => {
    const files = await sampleFiles([10], { fromMs: START, toMs: START + 2 * cadenceMs, cadenceMs });
    for (const [path, bytes] of files) await indexing.objects.put(`jp2/${path}`, bytes);
    const objects = [...files].map(([path, { length: size }]) => objectAt({ path, size }));
    const left: (readonly string[])[] = [];
    const leaveFolders = async (keys: readonly string[]) => void left.push(keys.map((key) => key.slice(0, key.lastIndexOf('/'))));
    await indexObjects({ ...indexing, journal: Object.assign(indexing.journal, { leaveFolders }), clock: () => nowMs }, objects);
    return left;
  };
  expect(await foldersAfter(MINUTE_MS, START + DAY_MS)).toEqual([]);
  const folder = 'jp2/AIA/2024/05/10/171';
  // The first of three is known.
  expect(await foldersAfter(17 * MINUTE_MS, START + 8 * DAY_MS)).toEqual([[folder, folder]]);
});
