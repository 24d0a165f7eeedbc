// What the queue delivers: messages that there may be work. Any of them may come twice, late, or not at all.
import { isMovieNudge } from '../domain/movie/nudge.ts';

interface QueueJobs {
  readonly wakeMovieWorkers: () => Promise<void>;
  /** Takes one record per message that nobody knows. */
  readonly log: (record: Readonly<Record<string, unknown>>) => void;
}

/** Acknowledges every message: the rows in D1 remember the work, and the clock nudges again. */
export async function consumeQueue(batch: MessageBatch, { wakeMovieWorkers, log }: QueueJobs): Promise<void> {
  const known = batch.messages.filter(({ body }) => isMovieNudge(body));
  for (const message of batch.messages) {
    if (!known.includes(message)) log({ unknownJob: message.id, queue: batch.queue });
    message.ack();
  }
  if (known.length > 0) await wakeMovieWorkers();
}
