import { resolve } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { experimental_readRawConfig as readRawConfig } from 'wrangler';
import { CRON_SUBREQUESTS, consumeQueue, runCron } from '../../src/background.ts';
import { MOVIE_NUDGE } from '../../src/domain/movies/worker-protocol.ts';
import { UPLOAD_NUDGE } from '../../src/domain/sharing/share.ts';
import type { IndexedObject } from '../../src/services/images/index-objects.ts';
import { DAY_MS } from '../../src/util/durations.ts';
import { noIndexing } from '../support/memory/no-indexing.ts';

/** Subrequests of an invocation, unless an account has more: https://developers.cloudflare.com/workers/platform/limits/#subrequests */
const SUBREQUESTS_OF_PAID_PLAN = 10_000;

const NOW = Date.UTC(2026, 4, 10);

/** Jobs that record their names; those in `failing` throw. */
function jobs(failing: readonly string[] = []) {
  const done: string[] = [];
  const records: Record<string, unknown>[] = [];
  const job =
    (name: string, count = 0) =>
    async () => {
      done.push(name);
      if (failing.includes(name)) throw new Error(`${name} is broken`);
      return count;
    };
  return {
    done,
    records,
    sweepMovies: job('sweepMovies', 3),
    sweepUploads: job('sweepUploads'),
    sweepScreenshots: job('sweepScreenshots'),
    sweepUnusedMovies: job('sweepUnusedMovies'),
    sweepClientStates: job('sweepClientStates'),
    sweepLinks: job('sweepLinks'),
    sweepAudit: job('sweepAudit'),
    sweepSharing: job('sweepSharing'),
    reconcile: job('reconcile'),
    ...noIndexing,
    clock: () => NOW,
    runVideoUploads: job('runVideoUploads'),
    mirror: job('mirror'),
    recordStatus: job('recordStatus'),
    foldGrids: job('foldGrids'),
    countEvents: job('countEvents'),
    sendWebhooks: job('sendWebhooks'),
    wakeMovieWorkers: job('wakeMovieWorkers'),
    log: (record: Record<string, unknown>) => records.push(record),
  };
}

/** A batch of messages with these bodies, and the indices of the acknowledged ones. */
function delivery(...bodies: unknown[]): { batch: MessageBatch; acknowledged: number[] } {
  const acknowledged: number[] = [];
  const messages = bodies.map((body, i) => ({ id: `message-${i}`, body, ack: () => acknowledged.push(i) }));
  return { batch: { queue: 'jobs', messages } as unknown as MessageBatch, acknowledged };
}

describe('runCron', () => {
  const EVERY = [
    'sweepMovies',
    'sweepUploads',
    'sweepScreenshots',
    'sweepUnusedMovies',
    'sweepClientStates',
    'sweepLinks',
    'sweepAudit',
    'sweepSharing',
    'reconcile',
    'wakeMovieWorkers',
    'runVideoUploads',
    'mirror',
    'recordStatus',
    'foldGrids',
    'countEvents',
    'sendWebhooks',
  ];

  it('runs every job, the longest last, and logs the number of processed items', async () => {
    const { done, records, ...each } = jobs();
    await runCron(each);
    expect(done).toEqual(EVERY);
    expect(records).toEqual([{ job: 'sweepMovies', did: 3 }]);
  });

  it('wakes the movie workers while an upload takes minutes', async () => {
    const { done, ...each } = jobs();
    const { promise, resolve } = Promise.withResolvers<void>();
    const running = runCron({ ...each, runVideoUploads: () => promise });
    await vi.waitFor(() => expect(done).toContain('wakeMovieWorkers'));
    resolve();
    await running;
  });

  it.each(EVERY)('runs the other jobs when %s fails', async (name) => {
    const { done, records, ...each } = jobs([name]);
    await runCron(each);
    expect(done).toEqual(EVERY);
    expect(records).toContainEqual({ job: name, failed: expect.stringContaining(`${name} is broken`) });
  });
});

describe('the jobs of a minute', () => {
  it('make together no more subrequests than an invocation has', () => {
    const { rawConfig } = readRawConfig({ config: resolve(import.meta.dirname, '..', '..', 'wrangler.toml') });
    const configured = rawConfig.limits?.subrequests ?? 0;
    const stated = Object.values(CRON_SUBREQUESTS).reduce((sum, calls) => sum + calls, 0);
    expect(stated).toBeLessThanOrEqual(configured);
    expect(configured).toBeLessThanOrEqual(SUBREQUESTS_OF_PAID_PLAN);
  });
});

describe('consumeQueue', () => {
  it('wakes the movie workers once for repeated messages', async () => {
    const { batch, acknowledged } = delivery(MOVIE_NUDGE, MOVIE_NUDGE, MOVIE_NUDGE);
    const { done, records, ...each } = jobs();
    await consumeQueue(batch, each);
    expect([done, acknowledged, records]).toEqual([['wakeMovieWorkers'], [0, 1, 2], []]);
  });

  it('runs every job that the batch names, the longest last', async () => {
    const { batch } = delivery(UPLOAD_NUDGE, MOVIE_NUDGE, UPLOAD_NUDGE);
    const { done, ...each } = jobs();
    await consumeQueue(batch, each);
    expect(done).toEqual(['wakeMovieWorkers', 'runVideoUploads']);
  });

  it('runs the uploads alone for their message', async () => {
    const { batch } = delivery(UPLOAD_NUDGE);
    const { done, ...each } = jobs();
    await consumeQueue(batch, each);
    expect(done).toEqual(['runVideoUploads']);
  });

  it('acknowledges and logs unknown messages, and runs the jobs of the others', async () => {
    const { batch, acknowledged } = delivery(null, 'movies', { kind: 'films' }, {}, ['uploads'], MOVIE_NUDGE);
    const { done, records, ...each } = jobs();
    await consumeQueue(batch, each);
    expect([done, acknowledged]).toEqual([['wakeMovieWorkers'], [0, 1, 2, 3, 4, 5]]);
    expect(records).toEqual([0, 1, 2, 3, 4].map((i) => ({ unknownJob: `message-${i}`, queue: 'jobs' })));
  });

  it('runs the second job and acknowledges the batch when the first job fails', async () => {
    const { batch, acknowledged } = delivery(MOVIE_NUDGE, UPLOAD_NUDGE);
    const { done, records, ...each } = jobs(['wakeMovieWorkers']);
    await consumeQueue(batch, each);
    expect([done, acknowledged]).toEqual([
      ['wakeMovieWorkers', 'runVideoUploads'],
      [0, 1],
    ]);
    expect(records).toEqual([{ job: 'wakeMovieWorkers', failed: expect.stringContaining('is broken') }]);
  });
});

describe('a batch of notifications of the bucket', () => {
  const notice = (key: string, { action = 'PutObject', ageMs = 0 } = {}) => ({
    action,
    bucket: 'archive',
    object: { key, size: 7 },
    eventTime: new Date(NOW - ageMs).toISOString(),
  });

  interface Delivery {
    /** By path. */
    readonly outcomes?: Readonly<Record<string, IndexedObject['outcome']>>;
    readonly isBroken?: boolean;
    readonly isQueueBroken?: boolean;
  }

  async function deliver(bodies: readonly unknown[], { outcomes = {}, isBroken = false, isQueueBroken = false }: Delivery) {
    const { records, ...each } = jobs();
    const asked: string[] = [];
    const settled: string[] = [];
    const sent: unknown[] = [];
    const messages = bodies.map((body, i) => ({
      id: `message-${i}`,
      body,
      ack: () => settled.push(`ack ${i}`),
      retry: () => settled.push(`retry ${i}`),
    }));
    const indexObjects = async (objects: readonly { key: string }[]) => {
      if (isBroken) throw new Error('The index is not available.');
      asked.push(...objects.map(({ key }) => key));
      const results = objects.map(({ key }) => ({ path: key, outcome: outcomes[key]!, sentence: 'Expected more.' }));
      return { results, timesMs: { lookUp: 0, inspect: 0, register: 0 } };
    };
    const sendAgain = async (again: readonly unknown[], delaySeconds: number) => {
      if (isQueueBroken) throw new Error('The queue is not available.');
      sent.push(...again.map((body) => ({ body, delaySeconds })));
    };
    await consumeQueue({ queue: 'objects', messages } as unknown as MessageBatch, { ...each, indexObjects, sendAgain });
    return { asked, settled: settled.sort(), records, sent };
  }

  it('indexes each written object once, and acknowledges its messages', async () => {
    const bodies = [notice('a'), notice('b', { action: 'CopyObject' }), notice('a'), notice('c', { action: 'DeleteObject' })];
    const { asked, settled } = await deliver(bodies, { outcomes: { a: 'added', b: 'refused' } });
    expect(asked).toEqual(['a', 'b']);
    expect(settled).toEqual(['ack 0', 'ack 1', 'ack 2', 'ack 3']);
  });

  it('logs refusals, and tries an object again that could not be read', async () => {
    const outcomes = { a: 'failed', b: 'refused', c: 'added' } as const;
    const { settled, records } = await deliver([notice('a'), notice('b'), notice('c')], { outcomes });
    expect(settled).toEqual(['ack 1', 'ack 2', 'retry 0']);
    expect(records).toContainEqual({ job: 'indexObjects', path: 'b', outcome: 'refused', sentence: 'Expected more.' });
  });

  it('retries busy objects once each, without counting an attempt', async () => {
    const bodies = [notice('a'), notice('b'), notice('a')];
    const { settled, sent } = await deliver(bodies, { outcomes: { a: 'busy', b: 'added' } });
    expect(settled).toEqual(['ack 0', 'ack 1', 'ack 2']);
    expect(sent).toEqual([{ body: bodies[2], delaySeconds: 60 }]);
  });

  it('takes attempts of objects that have been busy for a day, or when the queue takes no messages', async () => {
    const late = await deliver([notice('a', { ageMs: DAY_MS }), notice('b')], { outcomes: { a: 'busy', b: 'busy' } });
    expect([late.settled, late.sent.length]).toEqual([['ack 1', 'retry 0'], 1]);
    const broken = await deliver([notice('a')], { outcomes: { a: 'busy' }, isQueueBroken: true });
    expect(broken.settled).toEqual(['retry 0']);
    expect(broken.records).toEqual([{ job: 'indexObjects', failed: expect.stringContaining('not available') }]);
  });

  it('tries all objects again when the index fails', async () => {
    const { settled, records } = await deliver([notice('a'), notice('b')], { isBroken: true });
    expect(settled).toEqual(['retry 0', 'retry 1']);
    expect(records).toEqual([{ job: 'indexObjects', failed: expect.stringContaining('not available') }]);
  });
});
