// What the queue delivers: messages that there may be work. Any of them may come twice, late, or not at all.
import { isMovieNudge } from '../domain/movies/nudge.ts';
import { isUploadNudge } from '../domain/sharing/nudge.ts';
import { attempt, type Log } from './attempt.ts';

export interface QueueJobs {
  readonly wakeMovieWorkers: () => Promise<unknown>;
  readonly runVideoUploads: () => Promise<unknown>;
  readonly log: Log;
}

/** Acknowledges every message, whatever becomes of it: the rows in D1 remember the work, and the clock nudges again. */
export async function consumeQueue(batch: MessageBatch, { wakeMovieWorkers, runVideoUploads, log }: QueueJobs): Promise<void> {
  const bodies = batch.messages.map(({ body }) => body);
  for (const message of batch.messages) {
    if (!isMovieNudge(message.body) && !isUploadNudge(message.body)) log({ unknownJob: message.id, queue: batch.queue });
    message.ack();
  }
  // Waking is short, uploads are long.
  if (bodies.some(isMovieNudge)) await attempt('wakeMovieWorkers', wakeMovieWorkers, log);
  if (bodies.some(isUploadNudge)) await attempt('runVideoUploads', runVideoUploads, log);
}
