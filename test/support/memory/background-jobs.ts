import { JOBS, type JobName } from '../../../src/operator/status/jobs.ts';
import { type BackgroundJobs, consumeQueue, runCron } from '../../../src/worker/background.ts';

const nothing = async () => undefined;

/** Jobs that do nothing, but for `own`. */
export const idleJobs = (own: Partial<BackgroundJobs> = {}): BackgroundJobs => ({
  ...(Object.fromEntries(Object.keys(JOBS).map((name) => [name, nothing])) as Record<JobName, () => Promise<unknown>>),
  indexObjects: async () => ({ results: [], timesMs: { lookUp: 0, inspect: 0, register: 0 } }),
  copyMirrorFile: async () => 0,
  deliverWebhook: async () => null,
  deadLetters: { keepLetters: nothing },
  send: nothing,
  jobRuns: { begin: async () => true, beat: nothing },
  clock: Date.now,
  log: nothing,
  ...own,
});

/** A batch of messages with these bodies; `settled` gets what becomes of each. */
export function batchOf(queue: string, bodies: readonly unknown[], settled: string[] = []): MessageBatch {
  const messages = bodies.map((body, i) => ({
    id: `message-${i}`,
    attempts: 1,
    body,
    ack: () => settled.push(`ack ${i}`),
    retry: () => settled.push(`retry ${i}`),
  }));
  return { queue, messages } as unknown as MessageBatch;
}

/** Runs the jobs of a minute, and then what they sent to the queue, each message alone, until nothing is left. */
export async function runMinute(jobs: BackgroundJobs): Promise<void> {
  const sent: unknown[] = [];
  const send: BackgroundJobs['send'] = async (queue, messages) => void (queue === 'LONG_JOBS' && sent.push(...messages));
  await runCron({ ...jobs, send });
  for (const body of sent) await consumeQueue(batchOf('long-jobs', [body]), jobs);
}
