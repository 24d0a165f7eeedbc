import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { experimental_readRawConfig as readRawConfig } from 'wrangler';
import type { IndexedObject } from '../../src/archive/ingest/index-objects.ts';
import { MOVIE_NUDGE } from '../../src/movies/worker-protocol.ts';
import { D1StatusRegister } from '../../src/operator/status/d1-status-register.ts';
import type { InvocationCost, JobName } from '../../src/operator/status/jobs.ts';
import { JOB_LEASE_MS, JOBS, jobStates, jobsOf, OTHER_COSTS } from '../../src/operator/status/jobs.ts';
import { LISTS } from '../../src/platform/limits/images.ts';
import { JPIP, JPX, MOST_EMBEDDED_FRAMES } from '../../src/platform/limits/jpx.ts';
import { MEASURING } from '../../src/platform/limits/rendering.ts';
import { DAY_MS, MINUTE_MS } from '../../src/platform/util/durations.ts';
import { UPLOAD_NUDGE } from '../../src/sharing/videos/share.ts';
import { consumeQueue, MIRROR_FILE, runCron } from '../../src/worker/background.ts';
import { batchOf, idleJobs } from '../support/memory/background-jobs.ts';
import { databasesIn, migrated } from '../support/memory/sqlite-d1.ts';

/** Limits of an invocation: https://developers.cloudflare.com/workers/platform/limits/#subrequests, https://developers.cloudflare.com/d1/platform/limits/ */
const PLATFORM: InvocationCost = { subrequests: 10_000, statements: 1_000 };

/** Databases, budgets and records beside what a request does for each of many images, files or pages. */
const BESIDE = 50;

/** The heaviest requests. What they do for each is counted by unit/jpx/long-files.test.ts and worker/images/cron-costs.test.ts. */
const REQUESTS: Readonly<Record<string, InvocationCost>> = {
  'a JPX file that contains its frames': { subrequests: 3 * MOST_EMBEDDED_FRAMES + BESIDE, statements: BESIDE },
  'codestreams by JPIP': { subrequests: 2 * JPIP.requestCodestreams + BESIDE, statements: BESIDE },
  'a part of a long JPX file': { subrequests: 2 * JPX.partFrames + BESIDE, statements: BESIDE },
  'a series of images': { subrequests: 5 * MEASURING.seriesImages + BESIDE, statements: BESIDE },
  'a manifest of the archive': {
    subrequests: LISTS.files / LISTS.pageImages + BESIDE,
    statements: LISTS.files / LISTS.pageImages + BESIDE,
  },
};

const NOW = Date.UTC(2026, 4, 10);

/** Jobs that record their names, and their runs in a database; those in `failing` throw. */
function jobs(failing: readonly string[] = []) {
  const done: string[] = [];
  const records: Record<string, unknown>[] = [];
  const sent: unknown[] = [];
  const settled: string[] = [];
  const time = { nowMs: NOW };
  const jobRuns = new D1StatusRegister(databasesIn(migrated()), () => time.nowMs);
  const job = (name: string) => async () => {
    done.push(name);
    if (failing.includes(name)) throw new Error(`${name} is broken`);
    return name === 'sweepMovies' ? 3 : 0;
  };
  const named = Object.fromEntries(Object.keys(JOBS).map((name) => [name, job(name)])) as Record<JobName, () => Promise<number>>;
  const all = idleJobs({
    ...named,
    copyMirrorFile: job('copyMirrorFile'),
    jobRuns,
    send: async (queue, messages) => void sent.push(...messages.map((body) => ({ queue, body }))),
    clock: () => time.nowMs,
    log: (record) => void records.push(record),
  });
  return { all, done, records, sent, settled, time, jobRuns };
}

const ofClock = jobsOf('clock');

it('runCron sends the long jobs, runs the others, logs what each has done, and notes in one row that none failed', async () => {
  const { all, done, records, sent, jobRuns } = jobs();
  await runCron(all);
  expect(done).toEqual(ofClock);
  expect(records).toEqual([{ job: 'sweepMovies', did: 3 }]);
  expect(sent).toEqual(jobsOf('queue').map((name) => ({ queue: 'LONG_JOBS', body: { kind: 'job', name, sentAtMs: NOW } })));
  const beats = await jobRuns.heartbeats();
  expect(beats.map(({ name }) => name)).toEqual(['job clock']);
  const good = jobStates(beats, NOW).filter(({ okAtMs }) => okAtMs === NOW);
  expect(good.map(({ name }) => name)).toEqual(ofClock);
});

it.each(ofClock)('runCron runs the other jobs when %s fails, which is late after a while', async (name) => {
  const { all, done, records, jobRuns } = jobs([name]);
  await runCron(all);
  expect(done).toEqual(ofClock);
  expect(records).toContainEqual({ job: name, failed: expect.stringContaining(`${name} is broken`) });
  const states = jobStates(await jobRuns.heartbeats(), NOW + JOBS[name].lateMs);
  expect(states.filter((each) => JOBS[each.name].runs === 'clock' && each.isLate).map((each) => each.name)).toEqual([name]);
});

it('runCron runs its jobs when the queue takes no message', async () => {
  const { all, done, records } = jobs();
  await runCron({ ...all, send: () => Promise.reject(new Error('The queue is away.')) });
  expect(done).toEqual(ofClock);
  expect(records).toContainEqual({ job: 'send', failed: expect.stringContaining('The queue is away.') });
});

const { rawConfig } = readRawConfig({ config: resolve(import.meta.dirname, '..', '..', 'wrangler.toml') });
const sumOf = (costs: readonly InvocationCost[], of: keyof InvocationCost) => costs.reduce((sum, cost) => sum + cost[of], 0);
const invocations: readonly (readonly [string, readonly InvocationCost[]])[] = [
  ['the clock', [OTHER_COSTS.clock, ...jobsOf('clock').map((name) => JOBS[name])]],
  ...jobsOf('queue').map((name) => [name, [JOBS[name], OTHER_COSTS.message]] as const),
  ['a file of the mirror', [OTHER_COSTS.mirrorFile]],
  ['a delivery of a webhook', [OTHER_COSTS.webhook]],
  ['notifications of the bucket', [OTHER_COSTS.notices]],
  ...Object.entries(REQUESTS).map(([name, cost]) => [name, [cost]] as const),
];

it('the work of an invocation allows as many subrequests as the heaviest request makes, and no more', () => {
  expect(rawConfig.limits?.subrequests).toBe(Math.max(...invocations.map(([, costs]) => sumOf(costs, 'subrequests'))));
});

it.each(invocations)(
  'the work of an invocation makes no more subrequests and statements than the platform allows: %s',
  (_, costs) => {
    expect(sumOf(costs, 'subrequests')).toBeLessThanOrEqual(rawConfig.limits?.subrequests ?? 0);
    expect(sumOf(costs, 'statements')).toBeLessThan(PLATFORM.statements);
    expect(rawConfig.limits?.subrequests).toBeLessThanOrEqual(PLATFORM.subrequests);
  },
);

const job = (name: JobName, sentAtMs: number) => ({ kind: 'job', name, sentAtMs });

it.each([
  ['the movie workers', MOVIE_NUDGE, 'wakeMovieWorkers'],
  ['the uploads', UPLOAD_NUDGE, 'runVideoUploads'],
])('consumeQueue runs the job of %s once for repeated messages', async (_, nudge, name) => {
  const { all, done, records, settled } = jobs();
  await consumeQueue(batchOf('jobs', [nudge, nudge, nudge], settled), all);
  expect([done, settled, records]).toEqual([[name], ['ack 0', 'ack 1', 'ack 2'], []]);
});

it('consumeQueue repeats and logs unknown messages, and runs the jobs of the others', async () => {
  const { all, done, records, settled } = jobs();
  const unknown = [null, 'movies', { kind: 'films' }, {}, ['uploads'], { kind: 'job', name: 'constructor', sentAtMs: 1 }];
  await consumeQueue(batchOf('jobs', [...unknown, MOVIE_NUDGE], settled), all);
  expect([done, settled]).toEqual([['wakeMovieWorkers'], [...[0, 1, 2, 3, 4, 5].map((i) => `retry ${i}`), 'ack 6']]);
  expect(records).toEqual([0, 1, 2, 3, 4, 5].map((i) => ({ unknownJob: `message-${i}`, queue: 'jobs' })));
});

it('consumeQueue runs a job once of the messages of many minutes, and again for a later one', async () => {
  const { all, done, time } = jobs();
  for (const minute of [3, 2, 1, 0, 0])
    await consumeQueue(batchOf('long-jobs', [job('countEvents', NOW - 1 - minute * MINUTE_MS)]), all);
  expect(done).toEqual(['countEvents']);
  time.nowMs += MINUTE_MS;
  await consumeQueue(batchOf('long-jobs', [job('countEvents', time.nowMs - 1)]), all);
  expect(done).toEqual(['countEvents', 'countEvents']);
});

it('consumeQueue begins no run beside one that goes on or was killed, until its lease has ended, and other jobs go on', async () => {
  const { all, done, time } = jobs();
  const killed = { ...all, mirror: () => new Promise<never>(() => undefined) };
  void consumeQueue(batchOf('long-jobs', [job('mirror', NOW - 1)]), killed);
  const runs: Record<number, readonly string[]> = {};
  for (let minute = 1; minute <= JOB_LEASE_MS / MINUTE_MS; minute += 1) {
    time.nowMs = NOW + minute * MINUTE_MS;
    for (const name of ['mirror', 'foldGrids'] as const)
      await consumeQueue(batchOf('long-jobs', [job(name, time.nowMs - 1)]), all);
    runs[minute] = done.splice(0);
  }
  expect(runs).toEqual({ 1: ['foldGrids'], 2: ['foldGrids'], 3: ['mirror', 'foldGrids'] });
});

it('consumeQueue leaves a message of a file to the queue that its work has thrown away, and takes the next', async () => {
  const { all, done, records, settled } = jobs();
  let failing = true;
  const copyMirrorFile = async ({ fileName }: { readonly fileName: string }) => {
    if (failing) throw new Error('The isolate has no memory.');
    return done.push(fileName);
  };
  const deliver = (fileName: string) =>
    consumeQueue(batchOf('long-jobs', [{ kind: MIRROR_FILE, fileName, attempts: 1 }], settled), { ...all, copyMirrorFile });
  await deliver('a.jp2');
  failing = false;
  await deliver('b.jp2');
  expect([settled, done]).toEqual([['retry 0', 'ack 0'], ['b.jp2']]);
  expect(records).toEqual([expect.objectContaining({ message: 'message-0', failed: expect.stringContaining('no memory') })]);
});

const notice = (key: string, { action = 'PutObject', ageMs = 0 } = {}) => ({
  action,
  bucket: 'archive',
  object: { key, size: 7 },
  eventTime: new Date(NOW - ageMs).toISOString(),
});

interface Delivery {
  /** Keyed by path. */
  readonly outcomes?: Readonly<Record<string, IndexedObject['outcome']>>;
  readonly isBroken?: boolean;
  readonly isQueueBroken?: boolean;
}

async function deliver(bodies: readonly unknown[], { outcomes = {}, isBroken = false, isQueueBroken = false }: Delivery) {
  const { all, records, settled } = jobs();
  const asked: string[] = [];
  const sent: unknown[] = [];
  const indexObjects = async (objects: readonly { key: string }[]) => {
    if (isBroken) throw new Error('The index is not available.');
    asked.push(...objects.map(({ key }) => key));
    const results = objects.map(({ key }) => ({ path: key, outcome: outcomes[key]!, sentence: 'Expected more.' }));
    return { results, timesMs: { lookUp: 0, inspect: 0, register: 0 } };
  };
  const send = async (_: string, again: readonly unknown[], delaySeconds?: number) => {
    if (isQueueBroken) throw new Error('The queue is not available.');
    sent.push(...again.map((body) => ({ body, delaySeconds })));
  };
  await consumeQueue(batchOf('objects', bodies, settled), { ...all, indexObjects, send });
  return { asked, settled: settled.sort(), records, sent };
}

it('a batch of notifications of the bucket indexes each written object once, and acknowledges its messages', async () => {
  const bodies = [notice('a'), notice('b', { action: 'CopyObject' }), notice('a'), notice('c', { action: 'DeleteObject' })];
  const { asked, settled } = await deliver(bodies, { outcomes: { a: 'added', b: 'refused' } });
  expect(asked).toEqual(['a', 'b']);
  expect(settled).toEqual(['ack 0', 'ack 1', 'ack 2', 'ack 3']);
});

it('a batch of notifications of the bucket logs refusals, and tries an object again that could not be read', async () => {
  const outcomes = { a: 'failed', b: 'refused', c: 'added' } as const;
  const { settled, records } = await deliver([notice('a'), notice('b'), notice('c')], { outcomes });
  expect(settled).toEqual(['ack 1', 'ack 2', 'retry 0']);
  expect(records).toContainEqual({ job: 'indexObjects', path: 'b', outcome: 'refused', sentence: 'Expected more.' });
});

it('a batch of notifications of the bucket is tried again after a minute, and then after twice as long each time', async () => {
  const delays: unknown[] = [];
  const failed = { ...jobs().all, indexObjects: async () => Promise.reject(new Error('The index is not available.')) };
  for (let attempts = 1; attempts <= 5; attempts += 1) {
    const retry = (options?: QueueRetryOptions) => void delays.push(options?.delaySeconds);
    const [message] = batchOf('objects', [notice('a')]).messages;
    await consumeQueue({ ...batchOf('objects', []), messages: [{ ...message!, attempts, retry }] }, failed);
  }
  expect(delays).toEqual([60, 120, 240, 480, 960]);
});

it('a batch of notifications of the bucket retries busy objects once each, without counting an attempt', async () => {
  const bodies = [notice('a'), notice('b'), notice('a')];
  const { settled, sent } = await deliver(bodies, { outcomes: { a: 'busy', b: 'added' } });
  expect(settled).toEqual(['ack 0', 'ack 1', 'ack 2']);
  expect(sent).toEqual([{ body: bodies[2], delaySeconds: 60 }]);
});

it('a batch of notifications of the bucket takes attempts of objects that have been busy for a day, or when the queue takes no messages', async () => {
  const bodies = [notice('a', { ageMs: DAY_MS }), notice('b'), { ...notice('c'), eventTime: undefined }];
  const late = await deliver(bodies, { outcomes: { a: 'busy', b: 'busy', c: 'busy' } });
  expect([late.settled, late.sent.length]).toEqual([['ack 1', 'retry 0', 'retry 2'], 1]);
  const broken = await deliver([notice('a')], { outcomes: { a: 'busy' }, isQueueBroken: true });
  expect(broken.settled).toEqual(['retry 0']);
  expect(broken.records).toEqual([{ job: 'indexObjects', failed: expect.stringContaining('not available') }]);
});

it('a batch of notifications of the bucket tries all objects again when the index fails', async () => {
  const { settled, records } = await deliver([notice('a'), notice('b')], { isBroken: true });
  expect(settled).toEqual(['retry 0', 'retry 1']);
  expect(records).toEqual([{ job: 'indexObjects', failed: expect.stringContaining('not available') }]);
});
