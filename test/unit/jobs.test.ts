// What the clock and the queue set going.
import { describe, expect, it } from 'vitest';
import { MOVIE_NUDGE } from '../../src/domain/movies/nudge.ts';
import { UPLOAD_NUDGE } from '../../src/domain/sharing/nudge.ts';
import { onMinute } from '../../src/jobs/clock.ts';
import { consumeQueue } from '../../src/jobs/queue.ts';

/** Jobs that note their names, some of which fail. */
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
    sweepSharing: job('sweepSharing'),
    runVideoUploads: job('runVideoUploads'),
    wakeMovieWorkers: job('wakeMovieWorkers'),
    log: (record: Record<string, unknown>) => records.push(record),
  };
}

/** A delivery of messages with these bodies, and the numbers of those acknowledged. */
function delivery(...bodies: unknown[]): { batch: MessageBatch; acknowledged: number[] } {
  const acknowledged: number[] = [];
  const messages = bodies.map((body, i) => ({ id: `message-${i}`, body, ack: () => acknowledged.push(i) }));
  return { batch: { queue: 'jobs', messages } as unknown as MessageBatch, acknowledged };
}

describe('each minute', () => {
  const EVERY = ['sweepMovies', 'sweepUploads', 'sweepSharing', 'runVideoUploads'];

  it('every job has its turn, the long one last, and what was done is logged', async () => {
    const { done, records, ...each } = jobs();
    await onMinute(each);
    expect(done).toEqual(EVERY);
    expect(records).toEqual([{ job: 'sweepMovies', did: 3 }]);
  });

  it.each(EVERY)('a failure of %s keeps no other job from its turn', async (name) => {
    const { done, records, ...each } = jobs([name]);
    await onMinute(each);
    expect(done).toEqual(EVERY);
    expect(records).toContainEqual({ job: name, failed: expect.stringContaining(`${name} is broken`) });
  });
});

describe('a delivery of the queue', () => {
  it('wakes the movie workers once, however often it says the same', async () => {
    const { batch, acknowledged } = delivery(MOVIE_NUDGE, MOVIE_NUDGE, MOVIE_NUDGE);
    const { done, records, ...each } = jobs();
    await consumeQueue(batch, each);
    expect([done, acknowledged, records]).toEqual([['wakeMovieWorkers'], [0, 1, 2], []]);
  });

  it('does everything that it speaks of, the long job last', async () => {
    const { batch } = delivery(UPLOAD_NUDGE, MOVIE_NUDGE, UPLOAD_NUDGE);
    const { done, ...each } = jobs();
    await consumeQueue(batch, each);
    expect(done).toEqual(['wakeMovieWorkers', 'runVideoUploads']);
  });

  it('with messages that nobody knows does the rest, takes them off the queue and says so', async () => {
    const { batch, acknowledged } = delivery(null, 'movies', { kind: 'films' }, MOVIE_NUDGE);
    const { done, records, ...each } = jobs();
    await consumeQueue(batch, each);
    expect([done, acknowledged]).toEqual([['wakeMovieWorkers'], [0, 1, 2, 3]]);
    expect(records).toEqual([0, 1, 2].map((i) => ({ unknownJob: `message-${i}`, queue: 'jobs' })));
  });

  it('whose first job fails still does the second, and does not come again', async () => {
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
