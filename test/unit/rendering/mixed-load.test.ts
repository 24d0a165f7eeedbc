// One budget of memory under a mixed load: what competes is evicted or waits, and every answer is right.
import { expect, it } from 'vitest';
import { partKey } from '../../../src/archive/reading/coefficients.ts';
import { memoryLimits } from '../../../src/platform/limits/memory.ts';
import { mapConcurrently } from '../../../src/platform/util/concurrency.ts';
import { MINUTE_MS } from '../../../src/platform/util/durations.ts';
import type { MemoryLimits } from '../../../src/platform/util/memory-budget.ts';
import { NOON } from '../../support/events/event-records.ts';
import { isolateOn, mixedPaths } from '../../support/mixed-load.ts';
import { sampleArchive } from '../../support/sample-archive.ts';

const MIB = 1 << 20;
/** The tightest budget: the largest screenshot below needs 21 MiB, a day of the HEK 24. */
const TIGHT: MemoryLimits = { bytes: 20 * MIB, jobBytes: 15 * MIB, leaseMs: 60_000 };
const PARALLEL = 12;
const OPTIONS = { eventsPerDay: 40, patience: 60 };
const LOAD = {
  tileScale: 2.42044088,
  days: 4,
  screenshots: [...[256, 512].map((side) => ({ side, layers: '[10,1,100]' })), { side: 1536, layers: '[10,1,100],[4,1,50]' }],
  width: 512,
};

const shots = [1024, 512, 512, 512].map((size, i) => ({ sourceId: 10, timeMs: NOON + i * MINUTE_MS, size }));
const archive = await sampleArchive([...shots, { sourceId: 4, timeMs: NOON, size: 512 }]);

it('an isolate under a mixed load stays within its budget of memory, and every answer is the one of an isolate with room for all', async () => {
  const paths = mixedPaths(archive, LOAD);
  expect(new Set(paths).size).toBe(paths.length);
  const roomy = isolateOn(archive, { ...OPTIONS, limits: memoryLimits() });
  const expected = new Map<string, string>();
  for (const path of paths) expected.set(path, await roomy.get(path));
  await roomy.settle();
  for (const [path, answer] of expected) expect([path, answer.slice(0, 3)]).toEqual([path, '200']);

  const tight = isolateOn(archive, { ...OPTIONS, limits: TIGHT });
  const wrong: string[] = [];
  let mostJobs = 0;
  // Some of them again, so that cached heads and days compete with what is made.
  const again = paths.filter((path) => !/takeScreenshot|downloadImage/.test(path)).slice(-20);
  await mapConcurrently([...paths, ...again], PARALLEL, async (path) => {
    if ((await tight.get(path)) !== expected.get(path)) wrong.push(path);
    const { cached, jobs } = tight.memory.used;
    expect(cached + jobs).toBeLessThanOrEqual(TIGHT.bytes);
    mostJobs = Math.max(mostJobs, jobs);
  });
  await tight.settle();
  expect(wrong).toEqual([]);
  // The load would have taken more than the budget, and at times one job took all of it.
  expect(roomy.memory.mostBytes).toBeGreaterThan(TIGHT.bytes);
  expect([tight.memory.mostBytes, tight.memory.used.jobs]).toEqual([TIGHT.bytes, 0]);
  expect(mostJobs).toBeGreaterThan(0);
}, 120_000);

const SIDE = 768;

/** An image as indexing in place leaves it: without a coefficient sidecar. */

const bare = await sampleArchive([{ sourceId: 10, timeMs: NOON, size: SIDE }]);

const SCENE = `date=${new Date(NOON).toISOString()}&imageScale=8&layers=[10,1,100]&x0=0&y0=0&width=300&height=300`;
const PICTURES = [
  ['a tile', '/v2/getTile/?id=1&x=0&y=0&imageScale=8'],
  ['a screenshot', `/v2/takeScreenshot/?${SCENE}&display=true`],
  ['a download', `/v2/downloadImage/?id=1&width=${SIDE}`],
] as const;

it.for(PICTURES)('the coefficient sidecar of an image without one gains a missing part after %s', async ([, path]) => {
  const isolate = isolateOn(bare, { limits: memoryLimits(), eventsPerDay: 0, patience: 60 });
  const image = bare.images[0]!;
  const made = () => (['A', 'B', 'C'] as const).filter((part) => isolate.objects.objects.has(partKey(image, part)));
  expect(made()).toEqual([]);
  expect(await isolate.get(path)).toMatch(/^200 /);
  await isolate.settle();
  expect(made()).toEqual(['A']);
});
