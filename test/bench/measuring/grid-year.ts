// A light curve of a box of 200 arcseconds over a year of images 12 minutes apart: from the local service and its bucket, and in this process,
// where the objects that it reads are counted.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../../src/cli/command.ts';
import { DAY_MS } from '../../../src/platform/util/durations.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';
import { MemoryObjectStore } from '../../support/memory/object-store.ts';
import { inFolder } from '../../support/system/in-folder.ts';
import { servedApp, testServices } from '../../support/test-services.ts';
import { median } from '../measure.ts';
import type { Bench, BenchResult } from '../run.ts';
import { timedRequest, whileRunning, withState } from '../service.ts';
import { type FiledDay, gridDays, YEAR } from './grid-days.ts';

const ROUNDS = 5;

const QUERY = new URLSearchParams({
  sourceId: String(YEAR.sourceId),
  startTime: new Date(YEAR.startMs).toISOString(),
  endTime: new Date(YEAR.startMs + YEAR.days * DAY_MS - 1000).toISOString(),
  ...{ x: '250', y: '200', width: '200', height: '200', grid: 'true', format: 'csv' },
});

const resultOf = (metric: string, unit: string, value: number): BenchResult => ({
  case: 'light curve of 200", a year from the grid',
  metric,
  unit,
  value,
});

/** The days, in memory and in a folder. */
async function madeDays(folder: string): Promise<MemoryObjectStore> {
  const objects = new MemoryObjectStore();
  const filed: FiledDay[] = [];
  for (const { key, bytes, metadata } of gridDays()) {
    const file = `${filed.length}.grids`;
    writeFileSync(join(folder, file), bytes);
    filed.push({ key, file, metadata });
    await objects.put(key, bytes, '', metadata);
  }
  writeFileSync(join(folder, 'days.json'), JSON.stringify(filed));
  return objects;
}

/** Milliseconds of requests to the local service. */
async function served(folder: string, log: (line: string) => void): Promise<number[]> {
  return withState(log, async (start, stateDir) => {
    // In a process of its own, because a runtime ends with the services that this process has stopped before.
    await run('test/bench/measuring/fill-grid-days.ts', [stateDir, folder]);
    return whileRunning(start, async (url) => {
      const times: number[] = [];
      for (let round = 0; round <= ROUNDS; round++) {
        const { totalMs, bytes } = await timedRequest(`${url}/v2/getLightCurve/?${QUERY}`);
        log(`${totalMs.toFixed(0)} ms, ${bytes} bytes`);
        if (round > 0) times.push(totalMs);
      }
      return times;
    });
  });
}

/** Objects and bytes that a request reads, and the rows of its response. */
async function counted(objects: MemoryObjectStore) {
  const { direct } = servedApp(testServices({ objects, index: new MemoryImageIndex([]) }));
  const text = await (await direct(`http://sun.test/v2/getLightCurve/?${QUERY}`)).text();
  const { reads } = objects;
  const stored = [...objects.objects.values()].reduce((sum, { length }) => sum + length, 0);
  return {
    reads: reads.length,
    bytes: reads.reduce((sum, { length }) => sum + length, 0),
    stored,
    rows: text.split('\n').length - 2,
  };
}

export const bench: Bench = {
  run: (log) =>
    inFolder(async (folder) => {
      const { reads, bytes, stored, rows } = await counted(await madeDays(folder));
      log(`${reads} objects, ${bytes} bytes, ${rows} rows`);
      return [
        resultOf('request', 'ms', median(await served(folder, log))),
        resultOf('rows', 'rows', rows),
        resultOf('objects read', 'objects', reads),
        resultOf('bytes read', 'MB', bytes / 1e6),
        resultOf('stored', 'MB', stored / 1e6),
      ];
    }),
};
