// Background work, started by the cron trigger and by queue messages. A failing job is logged and never prevents the others.
import { z } from 'zod';
import type { IndexingOptions, indexObjects } from '../archive/ingest/index-objects.ts';
import { MOVIE_NUDGE } from '../movies/worker-protocol.ts';
import type { BeatName, D1StatusRegister, JobMessage, JobName, PlannedFile, WebhookMessage } from '../operator/index.ts';
import { isWebhookMessage, JOB_LEASE_MS, JOBS, jobBeat, jobsOf } from '../operator/index.ts';
import { INDEXING } from '../platform/limits/images.ts';
import type { Send } from '../platform/ports/queues.ts';
import type { Clock, Log } from '../platform/ports/timing.ts';
import type { ListedObject } from '../platform/storage/r2-object-store.ts';
import { isJsonObject } from '../platform/util/bytes.ts';
import { traceOf } from '../platform/util/errors.ts';
import { UPLOAD_NUDGE } from '../sharing/videos/share.ts';

export interface BackgroundJobs extends Readonly<Record<JobName, () => Promise<unknown>>> {
  readonly indexObjects: (objects: readonly ListedObject[], options: IndexingOptions) => ReturnType<typeof indexObjects>;
  readonly copyMirrorFile: (file: PlannedFile) => Promise<number>;
  /** Seconds until the next attempt; null where none is needed. */
  readonly deliverWebhook: (message: WebhookMessage, attempt: number) => Promise<number | null>;
  readonly deadLetters: { keepLetters(queue: string, messages: readonly Message[]): Promise<void> };
  readonly send: Send;
  readonly jobRuns: Pick<D1StatusRegister, 'begin' | 'beat'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Runs a job, and logs what it did. @returns whether it succeeded */
async function succeeds(name: JobName, { [name]: job, log }: BackgroundJobs): Promise<boolean> {
  try {
    const did = await job();
    if (typeof did === 'number' && did > 0) log({ job: name, did });
    return true;
  } catch (error) {
    log({ job: name, failed: traceOf(error) });
    return false;
  }
}

/** Notes the end of a run; one that is killed notes nothing, and is late after a while. */
async function note(name: BeatName, isGood: boolean, { jobRuns, log }: BackgroundJobs): Promise<void> {
  const noted = jobRuns.beat(jobBeat(name), isGood ? null : 'The log has its failure.');
  await noted.catch((error: unknown) => log({ job: name, unnoted: traceOf(error) }));
}

const run = async (name: JobName, jobs: BackgroundJobs): Promise<void> => note(name, await succeeds(name, jobs), jobs);

/** Sends a message for each job with an invocation of its own, and runs the others. Wakes movie workers, whose message may be late. */
export async function runCron(jobs: BackgroundJobs): Promise<void> {
  const { send, clock, log } = jobs;
  const sentAtMs = clock();
  const messages = jobsOf('queue').map((name): JobMessage => ({ kind: 'job', name, sentAtMs }));
  await send('LONG_JOBS', messages).catch((error: unknown) => log({ job: 'send', failed: traceOf(error) }));
  const ran: (readonly [BeatName, boolean])[] = [];
  for (const name of jobsOf('clock')) ran.push([name, await succeeds(name, jobs)]);
  // One row for all while none of them fails, because D1 counts each row of each minute.
  if (ran.every(([, isGood]) => isGood)) return note('clock', true, jobs);
  for (const [name, isGood] of ran) await note(name, isGood, jobs);
}

/** Runs the job of a message unless another run is under way or has begun since: a queue that is behind has a message of each minute. */
async function runSent({ name, sentAtMs }: JobMessage, jobs: BackgroundJobs): Promise<void> {
  if (await jobs.jobRuns.begin(jobBeat(name), sentAtMs, JOB_LEASE_MS)) await run(name, jobs);
}

interface NoticeMessage {
  readonly message: Message;
  readonly notice: z.output<typeof NOTICE>;
}

const isWaiting = ({ notice }: NoticeMessage, nowMs: number): boolean => nowMs - notice.writtenAtMs < INDEXING.waitMs;

/** Repeats a message after a minute, then after twice as long as before: five attempts outlast an outage of half an hour. */
const retryLater = ({ message }: NoticeMessage) =>
  message.retry({ delaySeconds: INDEXING.retrySeconds * 2 ** (message.attempts - 1) });

/** Delivers messages about busy objects later, as new messages, because a shard may be moved; those that have waited too long take an attempt. */
async function postpone(busy: readonly NoticeMessage[], { send, clock, log }: BackgroundJobs): Promise<void> {
  const waiting = busy.filter((each) => isWaiting(each, clock()));
  const bodies = waiting.map(({ message }) => message.body);
  const failed = (error: unknown) => void log({ job: 'indexObjects', failed: traceOf(error) });
  const sent = bodies.length === 0 ? [] : await send('OBJECTS', bodies, INDEXING.retrySeconds).then(() => waiting, failed);
  for (const each of busy) {
    if (sent?.includes(each)) each.message.ack();
    else retryLater(each);
  }
}

/** Indexes the objects of the messages, and acknowledges those with a result. What cannot be indexed is logged: `npm run index` finds it. */
async function indexNotices(notices: readonly NoticeMessage[], jobs: BackgroundJobs): Promise<void> {
  const { indexObjects: index, log } = jobs;
  for (const { notice, message } of notices) if (!notice.isWritten) message.ack();
  const written = notices.filter(({ notice }) => notice.isWritten);
  const groups = [...Map.groupBy(written, ({ notice }) => notice.key).values()];
  if (groups.length === 0) return;
  const objects = groups.map((group) => group.at(-1)!.notice);
  const failed = (error: unknown) => void log({ job: 'indexObjects', failed: traceOf(error) });
  const indexed = await index(objects, { compareKnown: true }).catch(failed);
  if (!indexed) return groups.flat().forEach(retryLater);
  const { results } = indexed;
  const busy: NoticeMessage[] = [];
  for (const [i, result] of results.entries()) {
    const group = groups[i]!;
    if (result.outcome === 'busy') busy.push(group.pop()!);
    if (result.outcome !== 'busy' && result.outcome !== 'failed' && result.sentence) log({ job: 'indexObjects', ...result });
    for (const each of group) result.outcome === 'failed' ? retryLater(each) : each.message.ack();
  }
  await postpone(busy, jobs);
  const did = results.filter(({ outcome }) => outcome === 'added').length;
  if (did > 0) log({ job: 'indexObjects', did });
}

/** Nudges: such a message may be repeated or lost, because rows in D1 hold the work, and the clock runs the same jobs. */
const NUDGES = [
  [MOVIE_NUDGE, 'wakeMovieWorkers'],
  [UPLOAD_NUDGE, 'runVideoUploads'],
] as const;

/** Queues of messages that no consumer could work off. */
const DEAD = /-dead$/;

/** Works off a batch. A message that fails, or whose invocation is killed, is delivered again, and ends among the dead letters. */
export async function consumeQueue({ queue, messages }: MessageBatch, jobs: BackgroundJobs): Promise<void> {
  if (DEAD.test(queue)) return jobs.deadLetters.keepLetters(queue, messages);
  const notices: NoticeMessage[] = [];
  const nudged = new Set<JobName>();
  for (const message of messages) {
    const { body } = message;
    const { data: notice } = NOTICE.safeParse(body);
    const nudge = NUDGES.find(([{ kind }]) => isMessage(body, kind));
    if (notice) notices.push({ message, notice });
    else if (nudge) nudged.add(nudge[1]);
    else await workOff(message, queue, jobs);
    if (nudge) message.ack();
  }
  await indexNotices(notices, jobs);
  for (const name of nudged) await run(name, jobs);
}

async function workOff(message: Message, queue: string, jobs: BackgroundJobs): Promise<void> {
  const { log, copyMirrorFile, deliverWebhook } = jobs;
  const { body } = message;
  try {
    if (isJob(body)) await runSent(body, jobs);
    else if (isMirrorFile(body)) await copyMirrorFile(body);
    else if (isWebhookMessage(body)) {
      const delaySeconds = await deliverWebhook(body, message.attempts);
      if (delaySeconds !== null) return message.retry({ delaySeconds });
    } else {
      // One of a newer version, before a rollback, is delivered to that again, or ends among the dead letters.
      log({ unknownJob: message.id, queue });
      return message.retry();
    }
    message.ack();
  } catch (error) {
    log({ message: message.id, queue, failed: traceOf(error) });
    message.retry();
  }
}

const DELETED = ['DeleteObject', 'LifecycleDeletion'];

/** An event notification of R2, as its queue delivers it. `size`: bytes. `writtenAtMs`: time of the event; NaN when the message does not say. */
const NOTICE = z
  .object({
    action: z.enum(['PutObject', 'CopyObject', 'CompleteMultipartUpload', ...DELETED]),
    object: z.object({ key: z.string(), size: z.number().default(0) }),
    eventTime: z.string().catch(''),
  })
  .transform(({ action, object, eventTime }) => ({
    ...object,
    isWritten: !DELETED.includes(action),
    writtenAtMs: Date.parse(eventTime),
  }));

const isMessage = (body: unknown, kind: string): body is Record<string, unknown> => isJsonObject(body) && body.kind === kind;

const isJob = (body: unknown): body is JobMessage =>
  isMessage(body, 'job') && Object.hasOwn(JOBS, String(body.name)) && typeof body.sentAtMs === 'number';

/** A message of a file that the mirror has listed. */
export const MIRROR_FILE = 'mirror-file';

const isMirrorFile = (body: unknown): body is PlannedFile & { readonly kind: string } =>
  isMessage(body, MIRROR_FILE) && typeof body.fileName === 'string' && typeof body.attempts === 'number';
