// The two ways into the archive, on the same files: uploads one at a time, and indexing of a bucket that holds the files.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../../src/cli/command.ts';
import { adminClient, type BucketObject } from '../../../src/cli/ingest/admin-client.ts';
import { filesBelow } from '../../../src/cli/ingest/jp2-sources.ts';
import { uploadAll } from '../../../src/cli/ingest/upload.ts';
import { mapConcurrently } from '../../../src/platform/util/concurrency.ts';
import { sourceOfFileName } from '../../../src/sun/catalogue/archive-name.ts';
import { archiveDirectory } from '../../../src/sun/catalogue/datasource.ts';
import { inFolder } from '../../support/system/in-folder.ts';
import { atMinute, type LargeImage, largeImages } from '../images.ts';
import type { Bench, BenchResult } from '../run.ts';
import { ADMIN_TOKEN, withState } from '../service.ts';

/** Files of each way, one a minute of the hour of their names: few enough for both images to take less than three minutes. */
const FILES = 40;
/** As `npm run ingest` and `npm run index` send them. */
const PARALLEL = 4;
/** Objects of a request in the bulk way, so that each of the parallel requests has one. */
const BATCH = FILES / PARALLEL;

const perSecond = (count: number, ms: number) => (1000 * count) / ms;

async function uploads(folder: string, log: (line: string) => void): Promise<{ total: number; stages: Map<string, number> }> {
  return withState(log, async (start) => {
    const service = await start();
    const client = adminClient(service.url, ADMIN_TOKEN);
    const stages = new Map<string, number>();
    const timed = async <T>(stage: string, work: () => Promise<T>): Promise<T> => {
      const from = performance.now();
      try {
        return await work();
      } finally {
        stages.set(stage, (stages.get(stage) ?? 0) + performance.now() - from);
      }
    };
    const timedClient = {
      ...client,
      find: (name: string) => timed('look up', () => client.find(name)),
      put: (name: string, jp2: Uint8Array) => timed('send and inspect', () => client.put(name, jp2)),
    };
    const from = performance.now();
    const outcomes = await uploadAll(timedClient, filesBelow(folder), { concurrency: PARALLEL });
    const total = performance.now() - from;
    await service.stop();
    if (outcomes.added !== FILES) throw new Error(`Expected ${FILES} images, got ${outcomes.table()}`);
    return { total, stages };
  });
}

async function bulk(folder: string, log: (line: string) => void): Promise<{ total: number; stages: Map<string, number> }> {
  return withState(log, async (start, stateDir) => {
    // In a process of its own, because a runtime ends with the services that this process has stopped before.
    await run('test/bench/fill-bucket.ts', [stateDir, folder]);
    const service = await start();
    const client = adminClient(service.url, ADMIN_TOKEN);
    const stages = new Map<string, number>();
    const from = performance.now();
    const listed: BucketObject[] = [];
    for await (const object of client.list('')) listed.push(object);
    stages.set('list', performance.now() - from);
    let added = 0;
    const batches = Array.from({ length: PARALLEL }, (_, i) => listed.slice(i * BATCH, (i + 1) * BATCH));
    await mapConcurrently(batches, PARALLEL, async (batch) => {
      const result = await client.index(batch, false);
      added += result.added;
      for (const [stage, ms] of Object.entries(result.timesMs)) stages.set(stage, (stages.get(stage) ?? 0) + ms);
      for (const { sentence } of result.problems) log(String(sentence));
    });
    const total = performance.now() - from;
    await service.stop();
    if (added !== FILES) throw new Error(`Expected ${FILES} images, got ${added}.`);
    return { total, stages };
  });
}

async function measure(image: LargeImage, log: (line: string) => void): Promise<BenchResult[]> {
  return inFolder(async (folder) => {
    const source = sourceOfFileName(image.fileName);
    if (!source) throw new Error(`Expected the name of an archived file, got ${image.fileName}.`);
    const files = Array.from({ length: FILES }, (_, i) => {
      const { fileName, file } = atMinute(image, i);
      return { path: `${archiveDirectory(source, Date.UTC(2022, 0, 1), fileName)}/${fileName}`, bytes: file };
    });
    for (const { path, bytes } of files) {
      const file = join(folder, path);
      mkdirSync(join(file, '..'), { recursive: true });
      writeFileSync(file, bytes);
    }
    const put = await uploads(folder, log);
    const indexed = await bulk(folder, log);
    const rate = perSecond(FILES, indexed.total);
    const against = perSecond(FILES, put.total);
    log(`${image.name}: indexed ${rate.toFixed(1)}, uploaded ${against.toFixed(1)} images a second`);
    const stage =
      (way: string) =>
      ([name, ms]: [string, number]): BenchResult => ({
        case: `${image.name}, ${way}`,
        metric: name,
        unit: 'ms/image',
        value: ms / FILES,
      });
    return [
      { case: `${image.name}, index in place`, metric: 'images', unit: '1/s', value: rate, against, ratio: rate / against },
      ...[...indexed.stages].map(stage('index in place')),
      { case: `${image.name}, upload`, metric: 'images', unit: '1/s', value: against },
      ...[...put.stages].map(stage('upload')),
    ];
  });
}

export const bench: Bench = {
  run: async (log) => {
    const results: BenchResult[] = [];
    for (const image of await largeImages(log)) results.push(...(await measure(image, log)));
    return results;
  },
};
