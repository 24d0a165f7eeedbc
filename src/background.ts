// Background jobs, started by the cron trigger and by queue messages. A failing job is logged and never prevents the others.
import { GRIDS } from './config/limits/grids.ts';
import { INDEXING, PURGES, RECONCILIATION } from './config/limits/images.ts';
import { MIRROR_STEP } from './config/limits/mirror.ts';
import { SHARING } from './config/limits/sharing.ts';
import { MAX_CONTAINERS } from './config/settings/movies.ts';
import { MOVIE_NUDGE } from './domain/movies/worker-protocol.ts';
import { SHARD_COUNT } from './domain/shards.ts';
import { UPLOAD_NUDGE } from './domain/sharing/share.ts';
import type { ListedObject } from './ports/objects.ts';
import type { Clock, Log } from './ports/timing.ts';
import type { IndexedObject, IndexingOptions, indexObjects } from './services/images/index-objects.ts';
import { CALLS_PER_UPLOAD, UPLOADS_PER_SWEEP } from './services/images/sweep.ts';
import { traceOf } from './util/causes.ts';
import { isJsonObject } from './util/json.ts';

/** Image databases of a deployment: names and extents are searched in each, and each is asked now and then whether it has its shards. */
const DATABASES = SHARD_COUNT;

/**
 * Jobs that run one after the other, in this order, with the most subrequests of each: calls of D1, R2, Durable Objects and other hosts. All
 * jobs of a minute share those of one invocation, which `limits.subrequests` of wrangler.toml bounds. `reconcile` is some steps
 * of the comparison of objects and rows.
 */
const SWEEPS = {
  sweepMovies: 1,
  sweepUploads: 4 + PURGES.calls + DATABASES + UPLOADS_PER_SWEEP * CALLS_PER_UPLOAD,
  sweepScreenshots: 1,
  sweepUnusedMovies: 1,
  sweepClientStates: 102,
  sweepLinks: 1,
  sweepAudit: 1,
  sweepSharing: 2 + 2 * SHARING.checksPerRun,
  reconcile: RECONCILIATION.runCalls,
} as const;

/** Jobs that may take minutes, which run at the same time after the others. */
const LONG_JOBS = {
  wakeMovieWorkers: 1 + MAX_CONTAINERS,
  runVideoUploads: SHARING.runCalls + SHARING.callsPerUpload,
  mirror: MIRROR_STEP.files * MIRROR_STEP.callsPerFile + MIRROR_STEP.pages * MIRROR_STEP.callsPerPage,
  recordStatus: 200,
  foldGrids: 2 * DATABASES + GRIDS.clockDays + 2 * (GRIDS.foundOfDay / 1000 + DATABASES) + GRIDS.imagesOfDay + 10,
  countEvents: 600,
  sendWebhooks: 600,
} as const;

/** The most subrequests of each job of the cron trigger. */
export const CRON_SUBREQUESTS = { ...SWEEPS, ...LONG_JOBS };

const namesOf = <Name extends string>(jobs: Readonly<Record<Name, number>>) => Object.keys(jobs) as Name[];

/** A job returns the number of items that it processed, if it counts them. */
type Job = () => Promise<unknown>;

export interface CronJobs extends Readonly<Record<keyof typeof CRON_SUBREQUESTS, Job>> {
  readonly log: Log;
}

export interface QueueJobs {
  readonly indexObjects: (objects: readonly ListedObject[], options: IndexingOptions) => ReturnType<typeof indexObjects>;
  /** Sends messages about objects again, to be delivered in `delaySeconds`. */
  readonly sendAgain: (messages: readonly unknown[], delaySeconds: number) => Promise<void>;
  readonly wakeMovieWorkers: Job;
  readonly runVideoUploads: Job;
  readonly clock: Clock;
  readonly log: Log;
}

async function run(name: string, job: Job, log: Log): Promise<void> {
  try {
    const did = await job();
    if (typeof did === 'number' && did > 0) log({ job: name, did });
  } catch (error) {
    log({ job: name, failed: traceOf(error) });
  }
}

/**
 * Runs the jobs of the cron trigger, once a minute. It wakes the movie workers itself, because a message of the queue may be lost or late.
 * The jobs that may take minutes come last, at the same time.
 */
export async function runCron({ log, ...jobs }: CronJobs): Promise<void> {
  for (const name of namesOf(SWEEPS)) await run(name, jobs[name], log);
  await Promise.all(namesOf(LONG_JOBS).map((name) => run(name, jobs[name], log)));
}

/** A message about an object, with its notice. */
interface NoticeMessage {
  readonly message: Message;
  readonly notice: ObjectNotice;
}

const isWaiting = ({ notice: { writtenAtMs } }: NoticeMessage, nowMs: number): boolean =>
  writtenAtMs !== null && nowMs - writtenAtMs < INDEXING.waitMs;

/**
 * Delivers messages about busy objects later: as new messages, because a move of a shard takes longer than all attempts of one. Those that
 * have waited too long take an attempt instead, so that they end in the queue of the failed ones.
 */
async function postpone(busy: readonly NoticeMessage[], { sendAgain, clock, log }: QueueJobs): Promise<void> {
  const { retrySeconds: delaySeconds } = INDEXING;
  const waiting = busy.filter((each) => isWaiting(each, clock()));
  let sent: readonly NoticeMessage[] = [];
  try {
    if (waiting.length > 0)
      await sendAgain(
        waiting.map(({ message }) => message.body),
        delaySeconds,
      );
    sent = waiting;
  } catch (error) {
    log({ job: 'indexObjects', failed: traceOf(error) });
  }
  for (const each of busy) {
    if (sent.includes(each)) each.message.ack();
    else each.message.retry({ delaySeconds });
  }
}

/**
 * Indexes the objects that the messages tell of. Only messages whose objects have a result are acknowledged; what cannot be indexed is
 * logged, and found again by `npm run index`. An object that the service has written itself is known already.
 */
async function indexNotices(notices: readonly NoticeMessage[], jobs: QueueJobs): Promise<void> {
  const { indexObjects: index, log } = jobs;
  const written = new Map<string, NoticeMessage[]>();
  for (const each of notices) {
    if (!each.notice.isWritten) each.message.ack();
    else written.set(each.notice.key, [...(written.get(each.notice.key) ?? []), each]);
  }
  const groups = [...written.values()];
  if (groups.length === 0) return;
  const retry = ({ message }: NoticeMessage) => message.retry({ delaySeconds: INDEXING.retrySeconds });
  let results: readonly IndexedObject[];
  try {
    const objects = groups.map((group) => group.at(-1)!.notice);
    ({ results } = await index(objects, { compareKnown: true }));
  } catch (error) {
    log({ job: 'indexObjects', failed: traceOf(error) });
    groups.flat().forEach(retry);
    return;
  }
  const busy: NoticeMessage[] = [];
  for (const [i, result] of results.entries()) {
    const group = groups[i]!;
    if (result.outcome === 'busy') busy.push(group.pop()!);
    if (result.outcome !== 'busy' && result.outcome !== 'failed' && result.sentence) log({ job: 'indexObjects', ...result });
    for (const each of group) result.outcome === 'failed' ? retry(each) : each.message.ack();
  }
  await postpone(busy, jobs);
  const did = results.filter(({ outcome }) => outcome === 'added').length;
  if (did > 0) log({ job: 'indexObjects', did });
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
    if (![MOVIE_NUDGE, UPLOAD_NUDGE].some((nudge) => isMessage(message.body, nudge)))
      log({ unknownJob: message.id, queue: batch.queue });
    message.ack();
  }
  await indexNotices(notices, jobs);
  const isNamed = (nudge: { readonly kind: string }) => batch.messages.some(({ body }) => isMessage(body, nudge));
  if (isNamed(MOVIE_NUDGE)) await run('wakeMovieWorkers', wakeMovieWorkers, log);
  if (isNamed(UPLOAD_NUDGE)) await run('runVideoUploads', runVideoUploads, log);
}

/** An event notification of R2, as its queue delivers it. */
interface ObjectNotice {
  /** Whether the object was written, by a put, a copy or a multipart upload; otherwise it was deleted. */
  readonly isWritten: boolean;
  readonly key: string;
  /** Bytes; 0 for a deleted object. */
  readonly size: number;
  /** Time of the event; null when the message does not say. */
  readonly writtenAtMs: number | null;
}

const WRITTEN: readonly unknown[] = ['PutObject', 'CopyObject', 'CompleteMultipartUpload'];
const DELETED: readonly unknown[] = ['DeleteObject', 'LifecycleDeletion'];

/** Whether the body of a message is one that names a job. */
const isMessage = (body: unknown, { kind }: { readonly kind: string }) => isJsonObject(body) && body.kind === kind;

/** The notice in the body of a message; null for other messages. */
function parseObjectNotice(body: unknown): ObjectNotice | null {
  if (!isJsonObject(body) || !isJsonObject(body.object)) return null;
  const isWritten = WRITTEN.includes(body.action);
  if (!isWritten && !DELETED.includes(body.action)) return null;
  const { key, size = 0 } = body.object;
  if (typeof key !== 'string' || typeof size !== 'number') return null;
  const writtenAtMs = typeof body.eventTime === 'string' ? Date.parse(body.eventTime) : Number.NaN;
  return { isWritten, key, size, writtenAtMs: Number.isNaN(writtenAtMs) ? null : writtenAtMs };
}
