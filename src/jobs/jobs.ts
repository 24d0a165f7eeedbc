// Background jobs, started by the cron trigger and by queue messages. A failing job is logged and never prevents the others.

import { INDEXING } from '../config/limits/images.ts';
import { isMovieNudge } from '../domain/movies/job.ts';
import { type ObjectNotice, parseObjectNotice } from '../domain/object-notice.ts';
import { isUploadNudge } from '../domain/sharing/share.ts';
import type { ListedObject } from '../ports/objects.ts';
import type { Log } from '../ports/timing.ts';
import type { IndexingOptions, indexObjects } from '../services/images/index-objects.ts';

/** Jobs that run one after the other, in this order. `reconcile` is one step of the comparison of objects and rows. */
const SWEEPS = [
  'sweepMovies',
  'sweepUploads',
  'sweepScreenshots',
  'sweepUnusedMovies',
  'sweepClientStates',
  'sweepLinks',
  'sweepAudit',
  'sweepSharing',
  'reconcile',
] as const;

/** A job returns the number of items that it processed, if it counts them. */
type Job = () => Promise<unknown>;

export interface CronJobs extends Readonly<Record<(typeof SWEEPS)[number], Job>> {
  readonly wakeMovieWorkers: Job;
  readonly runVideoUploads: Job;
  readonly mirror: Job;
  readonly recordStatus: Job;
  readonly log: Log;
}

export interface QueueJobs {
  readonly indexObjects: (objects: readonly ListedObject[], options: IndexingOptions) => ReturnType<typeof indexObjects>;
  readonly wakeMovieWorkers: Job;
  readonly runVideoUploads: Job;
  readonly log: Log;
}

async function run(name: string, job: Job, log: Log): Promise<void> {
  try {
    const did = await job();
    if (typeof did === 'number' && did > 0) log({ job: name, did });
  } catch (error) {
    log({ job: name, failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}

/**
 * Runs the jobs of the cron trigger, once a minute. It wakes the movie workers itself, because a message of the queue may be lost or late.
 * The jobs that may take minutes come last, at the same time.
 */
export async function runCron({ log, ...jobs }: CronJobs): Promise<void> {
  const { wakeMovieWorkers, runVideoUploads, mirror, recordStatus } = jobs;
  for (const name of SWEEPS) await run(name, jobs[name], log);
  await Promise.all([
    run('wakeMovieWorkers', wakeMovieWorkers, log),
    run('runVideoUploads', runVideoUploads, log),
    run('mirror', mirror, log),
    run('recordStatus', recordStatus, log),
  ]);
}

/** A message about an object, with its notice. */
interface NoticeMessage {
  readonly message: Message;
  readonly notice: ObjectNotice;
}

/**
 * Indexes the objects that the messages tell of. Only messages whose objects have a result are acknowledged; what cannot be indexed is
 * logged, and found again by `npm run index`. An object that the service has written itself is known already.
 */
async function indexNotices(notices: readonly NoticeMessage[], { indexObjects: index, log }: QueueJobs): Promise<void> {
  const written = new Map<string, NoticeMessage[]>();
  for (const each of notices) {
    if (!each.notice.isWritten) each.message.ack();
    else written.set(each.notice.key, [...(written.get(each.notice.key) ?? []), each]);
  }
  const groups = [...written.values()];
  if (groups.length === 0) return;
  try {
    const { results } = await index(
      groups.map((group) => group.at(-1)!.notice),
      { compareKnown: true },
    );
    results.forEach((result, i) => {
      const isBusy = result.outcome === 'busy';
      if (!isBusy && result.sentence) log({ job: 'indexObjects', ...result });
      for (const { message } of groups[i]!) {
        if (isBusy) message.retry({ delaySeconds: INDEXING.retrySeconds });
        else message.ack();
      }
    });
    const did = results.filter(({ outcome }) => outcome === 'added').length;
    if (did > 0) log({ job: 'indexObjects', did });
  } catch (error) {
    log({ job: 'indexObjects', failed: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    for (const { message } of groups.flat()) message.retry({ delaySeconds: INDEXING.retrySeconds });
  }
}

/**
 * Runs the jobs that a batch of queue messages names, each once. Movies, video uploads and notifications have queues of their own, so
 * that uploads, which may take minutes, never delay movies.
 * Acknowledges the messages of jobs, because such a message may be repeated or lost: the rows in D1 hold the work, and the cron
 * trigger runs the same jobs.
 */
export async function consumeQueue(batch: MessageBatch, jobs: QueueJobs): Promise<void> {
  const { wakeMovieWorkers, runVideoUploads, log } = jobs;
  const notices: NoticeMessage[] = [];
  for (const message of batch.messages) {
    const notice = parseObjectNotice(message.body);
    if (notice) {
      notices.push({ message, notice });
      continue;
    }
    if (!isMovieNudge(message.body) && !isUploadNudge(message.body)) log({ unknownJob: message.id, queue: batch.queue });
    message.ack();
  }
  await indexNotices(notices, jobs);
  const bodies = batch.messages.map(({ body }) => body);
  if (bodies.some(isMovieNudge)) await run('wakeMovieWorkers', wakeMovieWorkers, log);
  if (bodies.some(isUploadNudge)) await run('runVideoUploads', runVideoUploads, log);
}
