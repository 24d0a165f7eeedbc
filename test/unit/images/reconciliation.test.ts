// The walk of the clock through objects and rows, over many pages.
import { describe, expect, it } from 'vitest';
import { RECONCILIATION } from '../../../src/config/limits/images.ts';
import { memoryLimits } from '../../../src/config/limits/memory.ts';
import { reconcileByClock, reconciliationState } from '../../../src/services/reconciliation/reconcile.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/util/durations.ts';
import { MemoryBudget } from '../../../src/util/memory-budget.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';
import { MemoryObjectStore } from '../../support/memory/object-store.ts';
import { archivedImage } from '../../support/test-archive.ts';

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
      lookUp: async (names: readonly string[]) => ({
        images: new Map(index.images.filter(({ fileName }) => names.includes(fileName)).map((image) => [image.fileName, image])),
        withdrawnKeys: new Set<string>(),
      }),
    },
    journal: { recorded: async () => new Set<string>() },
    objects,
    states: objects,
    sidecarVersion: VERSION,
    memory: new MemoryBudget(memoryLimits()),
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

describe('the comparison by the clock', () => {
  it('reads each object and row once in a round, a page a step, and finds nothing where everything fits', async () => {
    const count = 2 * RECONCILIATION.objects + 50;
    const { ports, records, round } = await archive(count);
    const steps = await round();
    // Three pages of files and of sidecars, and two of each source.
    expect(steps).toBe(3 + 3 + 2 + 2);
    expect(records).toEqual([]);
    expect(await reconciliationState(ports)).toMatchObject({ last: { examined: 3 * count, faults: {} } });
  });

  it('logs the faults of all pages, each once, and begins again a week after the start of the round', async () => {
    const count = RECONCILIATION.objects + 60;
    const { objects, ports, records, time, round } = await archive(count);
    objects.objects.delete('jp2/AIA/2024/05/10/171/image_5.jp2');
    objects.objects.delete(`jp2/AIA/2024/05/10/171/image_${count - 1}.jp2`);
    await objects.put('jp2/AIA/2024/05/10/171/zzz.jp2', new Uint8Array(1));
    await objects.put('idx/1/AIA/2024/05/10/171/image_7.jp2.idx', new Uint8Array(1));
    await round();
    const paths = records.map(({ kind, path, mended }) => `${kind} ${path} ${mended}`).sort();
    expect(paths).toEqual([
      'missing AIA/2024/05/10/171/image_259.jp2 null',
      'missing AIA/2024/05/10/171/image_5.jp2 null',
      'old-sidecar idx/1/AIA/2024/05/10/171/image_7.jp2.idx null',
      'unindexed AIA/2024/05/10/171/zzz.jp2 null',
    ]);
    const ended = await reconciliationState(ports);
    expect(ended!.last!.faults).toEqual({ missing: 2, 'old-sidecar': 1, unindexed: 1 });
    time.nowMs += DAY_MS;
    await reconcileByClock(ports);
    expect(await reconciliationState(ports), 'no step in the pause').toEqual(ended);
    time.nowMs += RECONCILIATION.pauseMs;
    await round();
    expect(records).toHaveLength(8);
  });
});
