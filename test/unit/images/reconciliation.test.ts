import { expect, it, vi } from 'vitest';
import type { D1UploadJournal } from '../../../src/archive/image-index/d1-upload-journal.ts';
import { statedIds, stateIds } from '../../../src/archive/ingest/stated-ids.ts';
import { archivePath } from '../../../src/archive/keys.ts';
import { compareStep } from '../../../src/operator/reconciliation/find-faults.ts';
import { reconcileByClock, reconcileStep, reconciliationState } from '../../../src/operator/reconciliation/reconcile.ts';
import { RECONCILIATION } from '../../../src/platform/limits/images.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { anyMemory } from '../../support/memory/any-memory.ts';
import { archivedImage } from '../../support/memory/archived-images.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';
import { MemoryObjectStore } from '../../support/memory/object-store.ts';

const START = Date.UTC(2024, 4, 10);
const VERSION = 2;

/** An archive of `count` images of two sources whose files all fit. */
async function archive(count: number) {
  const objects = new MemoryObjectStore();
  const images = [];
  for (let i = 0; i < count; i += 1) {
    const bytes = new Uint8Array([i, i >> 8]);
    await objects.put(`jp2/AIA/2024/05/10/171/image_${i}.jp2`, bytes);
    await objects.put(`idx/${VERSION}/AIA/2024/05/10/171/image_${i}.jp2.idx`, bytes);
    const { sha256 } = (await objects.whole(`jp2/AIA/2024/05/10/171/image_${i}.jp2`, 10))!;
    images.push(
      archivedImage(26 + 16 * i, i % 2 === 0 ? 10 : 11, new Date(START + i * 1000).toISOString(), {
        fileName: `image_${i}.jp2`,
        key: `jp2/AIA/2024/05/10/171/image_${i}.jp2`,
        byteLength: 2,
        sha256,
      }),
    );
  }
  const index = new MemoryImageIndex(images);
  const time = { nowMs: START + DAY_MS };
  const records: Record<string, unknown>[] = [];
  const fail = () => Promise.reject(new Error('The clock mends nothing.'));
  const ports = {
    index,
    register: {
      lookUp: async (names: readonly string[]) => {
        const wanted = new Set(names);
        const found = index.images.filter(({ fileName }) => wanted.has(fileName));
        return { images: new Map(found.map((image) => [image.fileName, image])), withdrawnKeys: new Set<string>() };
      },
    },
    journal: { recorded: async () => new Set<string>(), begin: fail, take: fail, end: fail },
    objects,
    states: objects,
    sidecarVersion: VERSION,
    percent: 100,
    recordVersion: VERSION,
    memory: anyMemory(),
    indexObjects: fail,
    withdraw: fail,
    clock: () => time.nowMs,
    log: (record: Record<string, unknown>) => void records.push(record),
  };
  /** Steps of the clock until a round ends. */
  const round = async () => {
    const before = (await reconciliationState(ports))?.last?.endedAtMs;
    for (let steps = 1; steps < 100; steps += 1) {
      time.nowMs += MINUTE_MS;
      await reconcileByClock(ports);
      if ((await reconciliationState(ports))!.last?.endedAtMs !== before) return steps;
    }
    throw new Error('Expected an end of the round.');
  };
  return { objects, index, ports, records, time, round };
}

it('the comparison by the clock reads each object and row once in a round, a page a step, and finds nothing where everything fits', async () => {
  const count = 2 * RECONCILIATION.objects + 50;
  const { ports, records, round } = await archive(count);
  const steps = await round();
  // Three pages of files and of sidecars, two of each source, and an empty one of records.
  expect(steps).toBe(3 + 3 + 2 + 2 + 1);
  expect(records).toEqual([]);
  expect(await reconciliationState(ports)).toMatchObject({ last: { examined: 3 * count, faults: {} } });
});

it('the comparison by the clock logs the faults of all pages, each once, and begins again a month after the start of the round', async () => {
  const count = RECONCILIATION.objects + 60;
  const { objects, ports, records, time, round } = await archive(count);
  objects.objects.delete('jp2/AIA/2024/05/10/171/image_5.jp2');
  objects.objects.delete(`jp2/AIA/2024/05/10/171/image_${count - 1}.jp2`);
  await objects.put('jp2/AIA/2024/05/10/171/zzz.jp2', new Uint8Array(1));
  await objects.put('idx/1/AIA/2024/05/10/171/image_7.jp2.idx', new Uint8Array(1));
  await round();
  const paths = records.map(({ kind, path, mended }) => `${kind} ${path} ${mended}`).sort();
  expect(paths).toEqual([
    'missing AIA/2024/05/10/171/image_1059.jp2 null',
    'missing AIA/2024/05/10/171/image_5.jp2 null',
    'old-sidecar idx/1/AIA/2024/05/10/171/image_7.jp2.idx null',
    'unindexed AIA/2024/05/10/171/zzz.jp2 null',
  ]);
  const ended = await reconciliationState(ports);
  expect(ended!.last!.faults).toEqual({ missing: 2, 'old-sidecar': 1, unindexed: 1 });
  time.nowMs += DAY_MS;
  await reconcileByClock(ports);
  expect(await reconciliationState(ports), 'no step in the pause').toEqual(ended);
  time.nowMs += RECONCILIATION.monthMs;
  await round();
  expect(records).toHaveLength(8);
});

it('The clock takes as many pages in a minute as the share of a month needs, up to ten, and none for a share of nothing.', async () => {
  const { ports, time } = await archive(11 * RECONCILIATION.objects);
  const pages = async (percent: number) => {
    ports.objects.objects.delete('reconciliation.json');
    time.nowMs += MINUTE_MS;
    await reconcileByClock({ ...ports, percent });
    return ((await reconciliationState(ports))?.examined ?? 0) / RECONCILIATION.objects;
  };
  // 55,000 objects and rows in a round, in 43,200 minutes by one hundred percent.
  expect([await pages(0), await pages(100), await pages(200_000), await pages(10_000_000)]).toEqual([0, 1, 3, 10]);
});

it('Many lists of ids of a folder become one, unless a file has no row, whose id it may be.', async () => {
  const { objects, index, ports } = await archive(50);
  const own = index.images.filter(({ sourceId }) => sourceId === 10);
  index.images.splice(0, 50, ...own);
  for (const image of own) await stateIds(objects, [image]);
  const lists = () => [...objects.objects.keys()].filter((key) => key.startsWith('ids/')).length;
  const compare = () => compareStep(ports, { walk: 'files', after: '' }, 10);
  await compare();
  expect(lists()).toBe(own.length);
  for (const key of [...objects.objects.keys()]) {
    if (key.startsWith('jp2/') && !own.some((image) => image.key === key)) objects.objects.delete(key);
  }
  expect(await compare()).toMatchObject({ stated: 0, faults: [] });
  expect(lists()).toBe(1);
  const stated = await statedIds(
    objects,
    own.map((image) => ({ ...image, metadata: {} })),
  );
  expect(stated).toEqual(new Map(own.map(({ key, id }) => [key, id])));
});

it.each(['files', 'sidecars'] as const)('a step of the comparison waits for an upload that ends (%s)', async (walk) => {
  const { index, ports } = await archive(3);
  const uploaded = index.images.pop()!;
  const entries = new Set([uploaded.key]);
  const endUpload = () => {
    if (entries.delete(uploaded.key)) index.images.push(uploaded);
  };
  /** The upload ends after the first look at the index or at the journal. */
  const racing = {
    ...ports,
    register: {
      lookUp: async (names: readonly string[]) => {
        const known = await ports.register.lookUp(names);
        endUpload();
        return known;
      },
    },
    journal: {
      recorded: async () => {
        await new Promise(setImmediate);
        const uploads = new Set(entries);
        endUpload();
        return uploads;
      },
    },
  };
  expect(await compareStep(racing, { walk, after: '' }, 10)).toMatchObject({ examined: 3, faults: [] });
});

it('a step of the comparison looks up the names of a page once, and says why a file has no row', async () => {
  const { objects, index, ports } = await archive(4);
  const [gone, moved] = index.images.splice(0, 2) as [(typeof index.images)[number], (typeof index.images)[number]];
  index.images.push({ ...moved, key: 'jp2/AIA/2024/05/11/171/image_1.jp2' });
  await objects.put('jp2/AIA/2024/05/10/171/image_9.jp2', new Uint8Array(1));
  await objects.put('jp2/AIA/2024/05/10/171/notes.txt', new Uint8Array(1));
  const lookUp = vi.fn(async (names: readonly string[]) => ({
    ...(await ports.register.lookUp(names)),
    withdrawnKeys: new Set([gone.key]),
  }));
  const { faults } = await compareStep({ ...ports, register: { lookUp } }, { walk: 'files', after: '' }, 10);
  expect(faults.map(({ kind, path, sentence }) => `${kind} ${path.split('/').at(-1)}: ${sentence}`)).toEqual([
    'unindexed image_0.jp2: The image of this file has been withdrawn.',
    'unindexed image_1.jp2: The image of this name has the file AIA/2024/05/11/171/image_1.jp2.',
    'unindexed image_9.jp2: The index has no image of this file.',
    'unindexed notes.txt: The name is none of an image.',
  ]);
  expect(lookUp).toHaveBeenCalledTimes(1);
});

it.each<[string, Partial<Pick<D1UploadJournal, 'recorded' | 'begin' | 'take'>> & { readonly fileName?: string }, boolean]>([
  ['deletes a file of withdrawn content', {}, true],
  [
    'leaves one that an upload uses',
    { recorded: vi.fn(async (keys: readonly string[]) => new Set(keys)).mockResolvedValueOnce(new Set()) },
    false,
  ],
  ['leaves one that an upload begins to use', { begin: async () => ({ atMs: 1, isContinued: true }) }, false],
  ['leaves one with which an upload has begun', { take: async () => null }, false],
  ['leaves one whose row an upload has added', { fileName: 'image_1.jp2' }, false],
])('mending %s', async (_what, { fileName = 'image_9.jp2', ...others }, isDeleted) => {
  const { objects, ports } = await archive(2);
  const key = `jp2/AIA/2024/05/10/171/${fileName}`;
  await objects.put(key, new Uint8Array(1));
  const end = vi.fn();
  const begun = {
    recorded: ports.journal.recorded,
    begin: async () => ({ atMs: 1, isContinued: false }),
    take: async () => 2,
    end,
  };
  const outcome = { path: archivePath(key), outcome: 'refused', reason: 'withdrawn', sentence: 'Withdrawn.' } as const;
  vi.spyOn(ports.register, 'lookUp').mockResolvedValueOnce({ images: new Map(), withdrawnKeys: new Set() });
  const mending = { ...ports, journal: { ...begun, ...others }, indexObjects: async () => ({ results: [outcome] }) };
  const cursor = { walk: 'files', after: `AIA/2024/05/10/171/${fileName}`.slice(0, -1) } as const;
  await reconcileStep(mending, { cursor, mends: true, contents: 0 });
  expect([objects.objects.has(key), end.mock.calls]).toEqual([!isDeleted, Object.keys(others).length > 0 ? [] : [[key, 2]]]);
});
