// What the queue delivers: messages that there may be work. Any of them may come twice, late, or not at all.
import { isMovieNudge } from '../domain/movie/nudge.ts';
import { isUploadNudge } from '../domain/sharing/nudge.ts';

export interface QueueJobs {
  readonly wakeMovieWorkers: () => Promise<unknown>;
  readonly runVideoUploads: () => Promise<unknown>;
  /** Takes one record per message that nobody knows. */
  readonly log: (record: Readonly<Record<string, unknown>>) => void;
}

/** Acknowledges every message: the rows in D1 remember the work, and the clock nudges again. */
export async function consumeQueue(batch: MessageBatch, { wakeMovieWorkers, runVideoUploads, log }: QueueJobs): Promise<void> {
  const bodies = batch.messages.map(({ body }) => body);
  for (const message of batch.messages) {
    if (!isMovieNudge(message.body) && !isUploadNudge(message.body)) log({ unknownJob: message.id, queue: batch.queue });
    message.ack();
  }
  // Waking is short, uploads are long.
  if (bodies.some(isMovieNudge)) await wakeMovieWorkers();
  if (bodies.some(isUploadNudge)) await runVideoUploads();
}
