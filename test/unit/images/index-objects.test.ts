// Indexing of objects in place, over databases and objects in memory.
import { expect, it, vi } from 'vitest';
import { D1Withdrawals } from '../../../src/archive/image-index/d1-withdrawals.ts';
import { objectAt } from '../../../src/archive/ingest/index-objects.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { beforeNext } from '../../support/memory/before-next.ts';
import { MemoryObjectStore } from '../../support/memory/object-store.ts';
import { filledArchive } from '../../support/mirror/filled-archive.ts';
import { sampleFiles } from '../../support/mirror/sample-files.ts';

const START = Date.UTC(2024, 4, 10, 12);

it('objects that are indexed together succeed when one of them cannot be read, and the log says why', async () => {
  const files = await sampleFiles([10], { fromMs: START, toMs: START + 2 * MINUTE_MS, cadenceMs: MINUTE_MS });
  const records: object[] = [];
  const { objects: stored, services } = filledArchive({ log: (record) => void records.push(record) });
  for (const [path, bytes] of files) await stored.put(`jp2/${path}`, bytes);
  const [, broken] = [...files.keys()];
  const whole = vi.spyOn(stored, 'whole').mockImplementation(async (key, maxBytes) => {
    if (key === `jp2/${broken}`) throw new Error('The bucket broke off (10001).');
    return MemoryObjectStore.prototype.whole.call(stored, key, maxBytes);
  });
  const objects = [...files].map(([path, { length: size }]) => objectAt({ path, size }));
  const { results } = await services.indexObjects(objects, { compareKnown: true });
  expect(results.map(({ outcome }) => outcome)).toEqual(['added', 'failed', 'added']);
  expect(results[1]!.sentence).toBe('The object could not be read, or its row not be added. Try again later.');
  expect(records).toEqual([{ job: 'indexObjects', path: broken, failed: expect.stringContaining('10001') }]);

  whole.mockRestore();
  const again = await services.indexObjects(objects, { compareKnown: true });
  expect(again.results.map(({ outcome }) => outcome)).toEqual(['known', 'added', 'known']);
});

it.each([
  ['is refused', () => undefined, [{ outcome: 'refused', reason: 'withdrawn' }]],
  [
    'gets no row, also when the isolate ends after the rows',
    () => vi.spyOn(D1Withdrawals.prototype, 'ofContents').mockRejectedValueOnce('The isolate ended.'),
    'The isolate ended.',
  ],
])('an object whose content is withdrawn under another name while it is indexed %s', async (_, ending, results) => {
  const { objects: stored, services } = filledArchive();
  const files = await sampleFiles([10], { fromMs: START, toMs: START, cadenceMs: MINUTE_MS });
  const [[path, bytes]] = [...files] as [[string, Uint8Array]];
  await stored.put(`jp2/${path}`, bytes);
  await services.indexObjects([objectAt({ path, size: bytes.length })], {});
  const copy = path.replace(/[^/]+$/, 'copy.jp2');
  await stored.put(`jp2/${copy}`, bytes);
  beforeNext(stored, 'list', () => services.withdraw(path.split('/').at(-1)!).then(ending));
  const indexed = services.indexObjects([objectAt({ path: copy, size: bytes.length })], {});
  expect({ results: await indexed.then((all) => all.results, String) }).toMatchObject({ results });
  expect([...(await services.knownNames(['copy.jp2']))]).toEqual([]);
  vi.restoreAllMocks();
});

it('objects that are indexed together enter the archive with a warning where a codestream lacks its end', async () => {
  const files = await sampleFiles([10], { fromMs: START, toMs: START + MINUTE_MS, cadenceMs: MINUTE_MS });
  const { objects: stored, services } = filledArchive();
  const objects: ReturnType<typeof objectAt>[] = [];
  for (const [path, bytes] of files) {
    const jp2 = objects.length === 0 ? Buffer.concat([bytes.subarray(0, -2), Uint8Array.of(0, 0)]) : bytes;
    await stored.put(`jp2/${path}`, jp2);
    objects.push(objectAt({ path, size: jp2.length }));
  }
  const { results } = await services.indexObjects(objects, {});
  expect(results.map(({ outcome, warning = null }) => [outcome, warning])).toEqual([
    ['added', expect.stringMatching(/does not end with EOC/)],
    ['added', null],
  ]);
});

it('objects that are indexed together leave one note of their folder where they are older than a week, for the purge of nearest images', async () => {
  let nowMs = START + DAY_MS;
  const { objects: stored, services, databases } = filledArchive({ clock: () => nowMs });
  /** Notes that indexing leaves. */
  const notesOf = async (cadenceMs: number) => {
    const files = await sampleFiles([10], { fromMs: START, toMs: START + 2 * cadenceMs, cadenceMs });
    for (const [path, bytes] of files) await stored.put(`jp2/${path}`, bytes);
    const objects = [...files].map(([path, { length: size }]) => objectAt({ path, size }));
    await services.indexObjects(objects, {});
    const { results } = await databases.operations.prepare('DELETE FROM uploads RETURNING key').all<{ key: string }>();
    return results.map(({ key }) => key);
  };
  expect(await notesOf(MINUTE_MS)).toEqual([]);
  nowMs += 7 * DAY_MS;
  expect(await notesOf(MINUTE_MS), 'of known files').toEqual([]);
  expect(await notesOf(17 * MINUTE_MS)).toEqual(['jp2/AIA/2024/05/10/171/']);
});
