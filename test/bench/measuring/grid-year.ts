// A light curve of a box of 200 arcseconds over a year of images 12 minutes apart: from the local service and its bucket, and in this process,
// where the objects that it reads are counted.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS } from '../../../src/platform/util/durations.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';
import { MemoryObjectStore } from '../../support/memory/object-store.ts';
import { inFolder } from '../../support/system/in-folder.ts';
import { servedApp, testServices } from '../../support/test-services.ts';
import { median, repeated } from '../measure.ts';
import type { Bench, Run } from '../run.ts';
import { timedRequest, whileRunning, withState } from '../service.ts';
import { changeBucket } from '../state-bucket.ts';
import { gridDays, YEAR } from './grid-days.ts';

const ROUNDS = 5;

const QUERY = new URLSearchParams({
  sourceId: String(YEAR.sourceId),
  startTime: new Date(YEAR.startMs).toISOString(),
  endTime: new Date(YEAR.startMs + YEAR.days * DAY_MS - 1000).toISOString(),
  ...{ x: '250', y: '200', width: '200', height: '200', grid: 'true', format: 'csv' },
});

const NAME = 'light curve of 200", a year from the grid';

/** Adds objects and bytes that a request reads, and the rows of its response. */
async function addReads({ add }: Run, objects: MemoryObjectStore): Promise<void> {
  const { direct } = servedApp(testServices({ objects, index: new MemoryImageIndex([]) }));
  const text = await (await direct(`http://sun.test/v2/getLightCurve/?${QUERY}`)).text();
  const { reads } = objects;
  const stored = [...objects.objects.values()].reduce((sum, { length }) => sum + length, 0);
  add(NAME, 'rows', 'rows', text.split('\n').length - 2);
  add(NAME, 'objects read', 'objects', reads.length);
  add(NAME, 'bytes read', 'MB', reads.reduce((sum, { length }) => sum + length, 0) / 1e6);
  add(NAME, 'stored', 'MB', stored / 1e6);
}

export const bench: Bench = (run) =>
  inFolder(async (folder) => {
    const objects = new MemoryObjectStore();
    const put: { key: string; path: string; metadata: Readonly<Record<string, string>> }[] = [];
    for (const { key, bytes, metadata } of gridDays()) {
      const path = join(folder, `${put.length}.grids`);
      writeFileSync(path, bytes);
      put.push({ key, path, metadata });
      await objects.put(key, bytes, '', metadata);
    }
    await addReads(run, objects);
    await withState(run.log, async (start, stateDir) => {
      await changeBucket(stateDir, { put });
      await whileRunning(start, async (url) => {
        const times = await repeated(() => timedRequest(`${url}/v2/getLightCurve/?${QUERY}`), ROUNDS);
        run.add(NAME, 'request', 'ms', median(times.map(({ totalMs }) => totalMs)));
      });
    });
  });
