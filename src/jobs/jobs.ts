// Background jobs, started by the cron trigger and by queue messages. A failing job is logged and never prevents the others.

import { isMovieNudge } from '../domain/movies/job.ts';
import { isUploadNudge } from '../domain/sharing/share.ts';
import type { Log } from '../ports/timing.ts';

/** A job returns the number of items that it processed, if it counts them. */
type Job = () => Promise<unknown>;

export interface CronJobs {
  readonly sweepMovies: Job;
  readonly sweepUploads: Job;
  readonly sweepScreenshots: Job;
  readonly sweepLinks: Job;
  readonly sweepAudit: Job;
  readonly sweepSharing: Job;
  readonly wakeMovieWorkers: Job;
  readonly runVideoUploads: Job;
  readonly log: Log;
}

export interface QueueJobs {
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
  const { sweepMovies, sweepUploads, sweepScreenshots, sweepLinks, sweepAudit, sweepSharing, wakeMovieWorkers, runVideoUploads } =
    jobs;
  for (const [name, job] of Object.entries({
    sweepMovies,
    sweepUploads,
    sweepScreenshots,
    sweepLinks,
    sweepAudit,
    sweepSharing,
  })) {
    await run(name, job, log);
  }
  await Promise.all([run('wakeMovieWorkers', wakeMovieWorkers, log), run('runVideoUploads', runVideoUploads, log)]);
}

/**
 * Runs the jobs that a batch of queue messages names, each once. Movies and video uploads have queues of their own, so that uploads,
 * which may take minutes, never delay movies.
 * Acknowledges every message, because a message may be repeated or lost: the rows in D1 hold the work, and the cron trigger
 * runs the same jobs.
 */
export async function consumeQueue(batch: MessageBatch, { wakeMovieWorkers, runVideoUploads, log }: QueueJobs): Promise<void> {
  for (const message of batch.messages) {
    if (!isMovieNudge(message.body) && !isUploadNudge(message.body)) log({ unknownJob: message.id, queue: batch.queue });
    message.ack();
  }
  const bodies = batch.messages.map(({ body }) => body);
  if (bodies.some(isMovieNudge)) await run('wakeMovieWorkers', wakeMovieWorkers, log);
  if (bodies.some(isUploadNudge)) await run('runVideoUploads', runVideoUploads, log);
}
