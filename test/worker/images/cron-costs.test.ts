// Subrequests of the jobs of the clock with as much work as one run takes, against the figures in src/background.ts.
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { CRON_SUBREQUESTS, type CronJobs } from '../../../src/background.ts';
import { composeWorker } from '../../../src/composition/worker.ts';
import { GRIDS } from '../../../src/config/limits/grids.ts';
import { RECONCILIATION } from '../../../src/config/limits/images.ts';
import { imageGridKey, sourceGridPrefix } from '../../../src/domain/archive/keys.ts';
import { regularFileName } from '../../../src/domain/catalogue/archive-name.ts';
import { SHARD_COUNT } from '../../../src/domain/shards.ts';
import { GRID_FORMATS } from '../../../src/services/grids/grid-files.ts';
import { UPLOADS_PER_SWEEP } from '../../../src/services/images/sweep.ts';
import { DAY_MS } from '../../../src/util/durations.ts';
import { countedCalls } from '../counted-bindings.ts';
import { index, samples, sendAsAdmin } from '../service.ts';

type JobName = keyof typeof CRON_SUBREQUESTS;

/** Jobs of a few statements, and those that have nothing to do without movies, uploads, a mirror or webhooks. */
const IDLE = [
  'sweepMovies',
  'sweepScreenshots',
  'sweepUnusedMovies',
  'sweepClientStates',
  'sweepLinks',
  'sweepAudit',
  'sweepSharing',
  'wakeMovieWorkers',
  'runVideoUploads',
  'mirror',
  'sendWebhooks',
] as const satisfies readonly JobName[];

const START_MS = Date.UTC(2024, 4, 11);
const names = (count: number) => Array.from({ length: count }, (_, i) => regularFileName(10, START_MS + 1000 * i));
const numbers = (count: number) => JSON.stringify(Array.from({ length: count }, (_, i) => i));

/**
 * Runs a job of a new isolate; returns the number of its subrequests. Other hosts have nothing.
 * @param nothing Their response
 */
async function callsOf(job: JobName, nothing: () => Response = () => new Response('[]')): Promise<number> {
  const count = { calls: 0 };
  vi.stubGlobal('fetch', async () => {
    count.calls += 1;
    return nothing();
  });
  const bindings = ['DB', 'OPERATIONS', 'IMAGES', 'IMAGES_ODD', 'ARCHIVE'] as const;
  const counted = Object.fromEntries(bindings.map((name) => [name, countedCalls(env[name], count)]));
  const { services } = composeWorker(
    { ...env, ...counted },
    {
      async purge() {
        count.calls += 1;
        return true;
      },
    },
  );
  await (services as CronJobs)[job]();
  return count.calls;
}

/** As many withdrawn images as one sweep takes, whose removal was left to it. */
async function leaveRemovals() {
  await env.IMAGES.prepare(
    `INSERT INTO withdrawn_images (id, source_id, taken_at_ms, withdrawn_at_ms)
     SELECT 16000010 + 16 * value, 10, ? + 1000 * value, 0 FROM json_each(?)`,
  )
    .bind(START_MS, numbers(UPLOADS_PER_SWEEP))
    .run();
  await env.OPERATIONS.prepare(
    `INSERT INTO uploads (key, file_name, touched_at_ms) SELECT 'jp2/AIA/2024/05/11/171/' || value, value, 0 FROM json_each(?)`,
  )
    .bind(JSON.stringify(names(UPLOADS_PER_SWEEP)))
    .run();
}

/** Ingests an image, and inserts rows of copies of it from `startMs` on. */
async function addRows(count: number, startMs: number, stepMs: number) {
  const { name, bytes } = samples[0]!;
  await sendAsAdmin(`/admin/images/${name}`, { method: 'PUT', body: bytes });
  const { results } = await env.IMAGES.prepare('SELECT * FROM images LIMIT 1').all<Record<string, unknown>>();
  const columns = Object.keys(results[0]!).filter((column) => !['id', 'taken_at_ms', 'file_name'].includes(column));
  await env.IMAGES.prepare(
    `INSERT INTO images (id, taken_at_ms, ${columns.join(', ')})
     SELECT 16000010 + 16 * value, ? + ? * value, ${columns.join(', ')} FROM json_each(?), (SELECT * FROM images LIMIT 1)`,
  )
    .bind(startMs, stepMs, numbers(count))
    .run();
}

/** As many files with rows as one step of a reconciliation compares, whose hashes the bucket does not know. */
async function fillBucket() {
  const { bytes } = samples[0]!;
  await addRows(RECONCILIATION.objects, START_MS, 1000);
  for (const each of names(RECONCILIATION.objects)) await env.ARCHIVE.put(`jp2/AIA/2024/05/11/171/${each}`, bytes);
}

/** As many images with grids as the object of a day takes, of yesterday: of both kinds, one of which has its turn. */
async function fillDayOfGrids() {
  const yesterdayMs = Math.floor(Date.now() / DAY_MS - 1) * DAY_MS;
  await addRows(GRIDS.imagesOfDay, yesterdayMs, DAY_MS / GRIDS.imagesOfDay);
  const [grid] = (await env.ARCHIVE.list({ prefix: sourceGridPrefix(GRID_FORMATS.values, 10) })).objects;
  const bytes = await (await env.ARCHIVE.get(grid!.key))!.arrayBuffer();
  const images = await index().inRange(10, yesterdayMs, yesterdayMs + DAY_MS - 1, GRIDS.imagesOfDay);
  for (const format of Object.values(GRID_FORMATS))
    for (const image of images) await env.ARCHIVE.put(imageGridKey(format, image), bytes);
}

afterEach(() => void vi.unstubAllGlobals());

describe('a job of the clock', () => {
  it('removes as many withdrawn images as it may within its subrequests', async () => {
    await leaveRemovals();
    const calls = await callsOf('sweepUploads');
    expect(calls).toBeGreaterThan(CRON_SUBREQUESTS.sweepUploads / 2);
    expect(calls).toBeLessThanOrEqual(CRON_SUBREQUESTS.sweepUploads);
  });

  it('compares a thousand files whose hashes the bucket does not know by less than a hundred calls', async () => {
    await fillBucket();
    const calls = await callsOf('reconcile');
    // A call for each file, and two for most, would be 1000 to 2000.
    expect(calls).toBeLessThan(RECONCILIATION.objects / 10);
    expect(calls).toBeLessThan(RECONCILIATION.stepCalls);
  });

  it('puts the grids of a full day together within its subrequests', async () => {
    await fillDayOfGrids();
    const calls = await callsOf('foldGrids');
    expect(calls).toBeGreaterThan(GRIDS.imagesOfDay);
    // A deployment has a database for each shard.
    expect(calls + 2 * SHARD_COUNT).toBeLessThanOrEqual(CRON_SUBREQUESTS.foldGrids);
  });

  it.each([
    ['have no events', () => new Response('[]')],
    ['fail', () => new Response('', { status: 503 })],
  ] as const)('counts and looks at the events of all sources that %s within its subrequests', async (_, nothing) => {
    for (const job of ['countEvents', 'recordStatus'] as const) {
      const calls = await callsOf(job, nothing);
      expect(calls, job).toBeGreaterThan(10);
      expect(calls, job).toBeLessThanOrEqual(CRON_SUBREQUESTS[job]);
    }
  });

  it.each(IDLE)('keeps to its subrequests: %s', async (job) => {
    expect(await callsOf(job)).toBeLessThanOrEqual(CRON_SUBREQUESTS[job]);
  });
});
