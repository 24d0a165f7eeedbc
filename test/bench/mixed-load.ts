// The memory of an isolate in this process under a mixed load: the bytes that its budget accounts for, and those of all buffers.
import { peakMemoryBytes, resetPeakMemory } from '../../src/jp2/core/core.ts';
import { memoryLimits } from '../../src/platform/limits/memory.ts';
import { mapConcurrently } from '../../src/platform/util/concurrency.ts';
import { isolateOn, mixedPaths } from '../support/mixed-load.ts';
import { archiveOfFiles, type SampleArchive } from '../support/sample-archive.ts';
import { atMinute, largeImages } from './images.ts';
import { collectGarbage, settleMemory } from './memory.ts';
import type { Bench, Run } from './run.ts';

/** Parallel requests, and copies of each large image, a minute apart. */
const LOAD = { parallel: 12, copies: 5 };
/** Options of `mixedPaths` for archives of 4096 x 4096 pixels. */
const PATHS = {
  tileScale: 0.60511022,
  days: 6,
  screenshots: [
    ...[800, 1200, 1920].map((side) => ({ side, layers: '[11,1,100]' })),
    { side: 1920, layers: '[11,1,100],[19,1,50]' },
    { side: 4096, layers: '[11,1,100],[19,1,50]' },
  ],
  width: 2048,
};
/** Milliseconds between looks at the parts of the budget. */
const LOOK_MS = 2;
/** Budgets in MiB: the default, and the least that is accepted. */
const BUDGETS = [80, 64];

/** The requests of a mixed load against one isolate. */
async function mixedLoad(mebibytes: number, archive: SampleArchive, { add }: Run): Promise<void> {
  resetPeakMemory();
  await settleMemory();
  const before = process.memoryUsage();
  const { get, settle, memory } = isolateOn(archive, { limits: memoryLimits(mebibytes), eventsPerDay: 400, patience: 4 });
  const paths = mixedPaths(archive, PATHS);
  let [buffers, cached, jobs, refused] = [0, 0, 0, 0];
  const look = () => {
    [cached, jobs] = [Math.max(cached, memory.used.cached), Math.max(jobs, memory.used.jobs)];
  };
  const looking = setInterval(look, LOOK_MS);
  const from = performance.now();
  await mapConcurrently(paths, LOAD.parallel, async (path) => {
    const answer = await get(path);
    if (/^(429|503)/.test(answer)) refused += 1;
    else if (!answer.startsWith('200')) throw new Error(`Expected 200, got ${answer} for ${path}.`);
    collectGarbage();
    buffers = Math.max(buffers, process.memoryUsage().arrayBuffers - before.arrayBuffers);
  });
  await settle();
  clearInterval(looking);
  const name = `${paths.length} requests, ${LOAD.parallel} at a time, budget of ${mebibytes} MiB`;
  const mib = { 'accounted, most': memory.mostBytes, 'caches, most': cached, 'jobs, most': jobs, 'buffers in use': buffers };
  for (const [metric, bytes] of Object.entries({ ...mib, core: peakMemoryBytes })) add(name, metric, 'MiB', bytes / 2 ** 20);
  add(name, 'refused', 'requests', refused);
  add(name, 'in all', 's', (performance.now() - from) / 1000);
}

export const bench: Bench = async (run) => {
  const images = await largeImages(run.log);
  const copies = images.flatMap((image) => Array.from({ length: LOAD.copies }, (_, i) => atMinute(image, i)));
  for (const mebibytes of BUDGETS) {
    run.log(`a budget of ${mebibytes} MiB`);
    const archive = await archiveOfFiles(copies.map(({ fileName, file }) => ({ path: `SDO/${fileName}`, jp2: file })));
    await mixedLoad(mebibytes, archive, run);
  }
};
