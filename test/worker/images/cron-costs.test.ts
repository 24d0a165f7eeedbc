// Subrequests of the jobs of the clock with as much work as one run takes, against the figures in src/background.ts.
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { CRON_SUBREQUESTS, type CronJobs } from '../../../src/background.ts';
import { composeWorker } from '../../../src/composition/worker.ts';
import { RECONCILIATION } from '../../../src/config/limits/images.ts';
import { regularFileName } from '../../../src/domain/catalogue/archive-name.ts';
import { UPLOADS_PER_SWEEP } from '../../../src/services/images/sweep.ts';
import { countedCalls } from '../counted-bindings.ts';
import { samples, sendAsAdmin } from '../service.ts';

type JobName = keyof typeof CRON_SUBREQUESTS;

const START_MS = Date.UTC(2024, 4, 11);
const names = (count: number) => Array.from({ length: count }, (_, i) => regularFileName(10, START_MS + 1000 * i));
const numbers = (count: number) => JSON.stringify(Array.from({ length: count }, (_, i) => i));

/** Runs a job of a new isolate; returns the number of its subrequests. */
async function callsOf(job: JobName): Promise<number> {
  const count = { calls: 0 };
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

/** As many files with rows as one step of a reconciliation compares, whose hashes the bucket does not know. */
async function fillBucket() {
  const { name, bytes } = samples[0]!;
  await sendAsAdmin(`/admin/images/${name}`, { method: 'PUT', body: bytes });
  const { results } = await env.IMAGES.prepare('SELECT * FROM images LIMIT 1').all<Record<string, unknown>>();
  const columns = Object.keys(results[0]!).filter((column) => !['id', 'taken_at_ms', 'file_name'].includes(column));
  await env.IMAGES.prepare(
    `INSERT INTO images (id, taken_at_ms, ${columns.join(', ')})
     SELECT 16000010 + 16 * value, ? + 1000 * value, ${columns.join(', ')} FROM json_each(?), (SELECT * FROM images LIMIT 1)`,
  )
    .bind(START_MS, numbers(RECONCILIATION.objects))
    .run();
  for (const each of names(RECONCILIATION.objects)) await env.ARCHIVE.put(`jp2/AIA/2024/05/11/171/${each}`, bytes);
}

describe('a job of the clock', () => {
  it('removes as many withdrawn images as it may within its subrequests', async () => {
    await leaveRemovals();
    const calls = await callsOf('sweepUploads');
    expect(calls).toBeGreaterThan(CRON_SUBREQUESTS.sweepUploads / 2);
    expect(calls).toBeLessThanOrEqual(CRON_SUBREQUESTS.sweepUploads);
  });

  it('reads files whose hashes the bucket does not know within its subrequests', async () => {
    await fillBucket();
    const calls = await callsOf('reconcile');
    expect(calls).toBeGreaterThan(2 * RECONCILIATION.objects);
    expect(calls).toBeLessThanOrEqual(CRON_SUBREQUESTS.reconcile);
  });

  it.each(['sweepMovies', 'sweepScreenshots', 'sweepUnusedMovies', 'sweepClientStates', 'sweepLinks', 'sweepAudit'] as const)(
    'keeps to its subrequests: %s',
    async (job) => {
      expect(await callsOf(job)).toBeLessThanOrEqual(CRON_SUBREQUESTS[job]);
    },
  );
});
