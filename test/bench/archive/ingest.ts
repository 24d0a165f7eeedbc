// The two ways into the archive, on the same files: uploads one at a time, and indexing of a bucket that holds the files.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { adminClient, type BucketObject } from '../../../src/cli/ingest/admin-client.ts';
import { filesBelow } from '../../../src/cli/ingest/jp2-sources.ts';
import { uploadAll } from '../../../src/cli/ingest/upload.ts';
import { mapConcurrently } from '../../../src/platform/util/concurrency.ts';
import { sourceOfFileName } from '../../../src/sun/catalogue/archive-name.ts';
import { archiveDirectory } from '../../../src/sun/catalogue/datasource.ts';
import { inFolder } from '../../support/system/in-folder.ts';
import { atMinute, type LargeImage, largeImages } from '../images.ts';
import { clockMs } from '../measure.ts';
import type { Bench, Run } from '../run.ts';
import { ADMIN_TOKEN, whileRunning, withState } from '../service.ts';
import { changeBucket } from '../state-bucket.ts';

/** Files of each way, one a minute of the hour of their names: few enough for both images to take less than three minutes. */
const FILES = 40;
/** As `npm run ingest` and `npm run index` send them. */
const PARALLEL = 4;
/** Objects of a request in the bulk way, so that each of the parallel requests has one. */
const BATCH = FILES / PARALLEL;

/** Milliseconds of all files. */
async function uploads(folder: string, log: Run['log']): Promise<number> {
  return withState(log, (start) =>
    whileRunning(start, (url) =>
      clockMs(async () => {
        const outcomes = await uploadAll(adminClient(url, ADMIN_TOKEN), filesBelow(folder), { concurrency: PARALLEL });
        if (outcomes.added !== FILES) throw new Error(`Expected ${FILES} images, got ${outcomes.table()}`);
      }),
    ),
  );
}

async function bulk(files: readonly { readonly key: string; readonly path: string }[], log: Run['log']): Promise<number> {
  return withState(log, async (start, stateDir) => {
    await changeBucket(stateDir, { put: files });
    return whileRunning(start, (url) =>
      clockMs(async () => {
        const client = adminClient(url, ADMIN_TOKEN);
        const listed: BucketObject[] = [];
        for await (const object of client.list('')) listed.push(object);
        const batches = Array.from({ length: PARALLEL }, (_, i) => listed.slice(i * BATCH, (i + 1) * BATCH));
        let added = 0;
        await mapConcurrently(batches, PARALLEL, async (batch) => {
          const result = await client.index(batch, false);
          added += result.added;
          for (const { sentence } of result.problems) log(String(sentence));
        });
        if (added !== FILES) throw new Error(`Expected ${FILES} images, got ${added}.`);
      }),
    );
  });
}

async function measure(image: LargeImage, { log, add }: Run): Promise<void> {
  await inFolder(async (folder) => {
    const source = sourceOfFileName(image.fileName);
    if (!source) throw new Error(`Expected the name of an archived file, got ${image.fileName}.`);
    const files = Array.from({ length: FILES }, (_, i) => {
      const { fileName, file } = atMinute(image, i);
      const name = `${archiveDirectory(source, Date.UTC(2022, 0, 1), fileName)}/${fileName}`;
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, file);
      return { key: `jp2/${name}`, path };
    });
    const [put, indexed] = [await uploads(folder, log), await bulk(files, log)];
    const [rate, against] = [indexed, put].map((ms) => (1000 * FILES) / ms) as [number, number];
    add(`${image.name}, index in place`, 'images', '1/s', rate, against, rate / against);
    add(`${image.name}, upload`, 'images', '1/s', against);
  });
}

export const bench: Bench = async (run) => {
  for (const image of await largeImages(run.log)) await measure(image, run);
};
