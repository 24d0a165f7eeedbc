import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { BucketObject, ObjectClient } from '../../../src/cli/ingest/admin-client.ts';
import { indexBucket } from '../../../src/cli/ingest/index-bucket.ts';
import { EXIT, Outcomes } from '../../../src/cli/ingest/outcomes.ts';
import { runCommand } from '../../support/commands.ts';
import { serveApp } from '../../support/serve-app.ts';

/** A bucket of `count` objects; every hundredth one is refused, and the batch that contains `broken` fails. */
class MemoryBucket implements ObjectClient {
  readonly asked: string[] = [];
  readonly #paths: readonly string[];
  readonly #broken: string | undefined;

  constructor(count: number, broken?: string) {
    this.#paths = Array.from({ length: count }, (_, i) => `AIA/${String(i).padStart(5, '0')}.jp2`);
    this.#broken = broken;
  }

  async *list(prefix: string, after = ''): AsyncGenerator<BucketObject> {
    for (const path of this.#paths) if (path.startsWith(prefix) && path > after) yield { path, size: 7 };
  }

  async index(objects: readonly BucketObject[]) {
    this.asked.push(...objects.map(({ path }) => path));
    if (objects.some(({ path }) => path === this.#broken)) throw new Error('Status 500: The index is not available.');
    const refused = objects.filter(({ path }) => path.endsWith('00.jp2'));
    const problems = [
      ...refused.map(({ path }) => ({ path, outcome: 'refused' as const, reason: 'size' as const, sentence: 'Expected 1.' })),
      ...objects.slice(1, 2).map(({ path }) => ({ path, outcome: 'added' as const, warning: 'No end.' })),
    ];
    return { added: objects.length - refused.length, known: 0, problems, timesMs: {} };
  }
}

const run = (bucket: MemoryBucket, options: { after?: string; interrupted?: AbortSignal; onProgress?: () => void } = {}) => {
  const outcomes = new Outcomes();
  const { after = '', interrupted = new AbortController().signal } = options;
  let finished = after;
  const onProgress = (_: number, last: string) => {
    finished = last;
    options.onProgress?.();
  };
  const settings = { prefix: 'AIA/', after, readPackets: false, concurrency: 3, outcomes, interrupted, onProgress };
  return indexBucket(bucket, settings).then(() => ({ finished, outcomes }));
};

it('indexing a bucket asks for every object once, in batches, and counts the outcomes', async () => {
  const bucket = new MemoryBucket(1234);
  const { finished, outcomes } = await run(bucket);
  expect([bucket.asked.length, new Set(bucket.asked).size]).toEqual([1234, 1234]);
  expect(outcomes).toMatchObject({ added: 1221, refused: 13, failed: 0, warned: 13, exitStatus: EXIT.refused });
  expect(outcomes.table()).toContain('warned 13: No end.\n  00001.jp2, 00101.jp2, 00201.jp2 and 10 more');
  expect(finished).toBe('AIA/01233.jp2');
});

it('indexing a bucket fails for a prefix without objects, not behind the last, and goes on after a batch that fails', async () => {
  await expect(run(new MemoryBucket(0))).rejects.toThrow('The bucket has no objects whose keys begin with jp2/AIA/.');
  expect((await run(new MemoryBucket(3), { after: 'AIA/99999.jp2' })).finished).toBe('AIA/99999.jp2');
  const { outcomes } = await run(new MemoryBucket(250, 'AIA/00150.jp2'));
  expect(outcomes).toMatchObject({ added: 148, refused: 2, failed: 100 });
});

it('indexing a bucket stops at an interruption, and goes on from the place that it gives', async () => {
  const bucket = new MemoryBucket(3000);
  const interruption = new AbortController();
  let batches = 0;
  const onProgress = () => {
    batches += 1;
    if (batches === 4) interruption.abort();
  };
  const { finished } = await run(bucket, { interrupted: interruption.signal, onProgress });
  expect(bucket.asked.length).toBeLessThan(1500);
  const rest = new MemoryBucket(3000);
  await run(rest, { after: finished });
  expect(new Set([...bucket.asked, ...rest.asked]).size).toBe(3000);
  expect(rest.asked[0]! > finished).toBe(true);
});

it('npm run index shows what it has done when the bucket can be listed no further, and from where it goes on', async () => {
  const objects = Array.from({ length: 100 }, (_, i) => ({ path: `AIA/${100 + i}.jp2`, size: 7 }));
  const server = await serveApp(async (request) => {
    if (request.method === 'POST') return Response.json({ added: 100, known: 0, problems: [], timesMs: {} });
    if (!request.url.endsWith('199.jp2')) return Response.json({ objects, next: objects.at(-1)!.path });
    await sleep(500);
    return Response.json({ error: 'The place is not valid.' }, { status: 400 });
  });
  const env = { HELIOEDGE_URL: server.url, ADMIN_TOKEN: 'token' };
  const { code, stdout, stderr } = await runCommand('src/cli/index-bucket.ts', ['--prefix', 'AIA/'], env);
  expect([code, stderr]).toEqual([1, expect.stringContaining('Status 400: The place is not valid.')]);
  expect(stdout).toMatch(/accepted +100\n.*failed: go on with --after AIA\/199\.jp2\n$/s);
  await server.close();
});
