// The jobs of the clock: a record for each, which clock, queue consumer, health, metrics and tests read.
import { MOVIE_NUDGE } from '../../movies/worker-protocol.ts';
import { GRIDS } from '../../platform/limits/grids.ts';
import { INDEXING, PURGES, RECONCILIATION, SWEEP } from '../../platform/limits/images.ts';
import { LISTED_NAMES, MIRROR_STEP } from '../../platform/limits/mirror.ts';
import { MAX_CONTAINERS } from '../../platform/limits/movies.ts';
import { SHARING } from '../../platform/limits/sharing.ts';
import { SHARD_COUNT } from '../../platform/storage/shards.ts';
import { isJsonObject } from '../../platform/util/bytes.ts';
import { MINUTE_MS } from '../../platform/util/durations.ts';
import { isWebhookMessage } from '../webhooks/d1-webhooks.ts';
import type { Heartbeat } from './d1-status-register.ts';

/** Most calls of an invocation, of which the platform has limits. */
export interface InvocationCost {
  /** Calls of D1, R2, Durable Objects, queues and other hosts. */
  readonly subrequests: number;
  /** Statements of D1; a batch has several. */
  readonly statements: number;
}

interface JobRecord extends InvocationCost {
  /** Place of its run of each minute: `clock` in the invocation of the cron trigger, one after the other; `queue` in one of its own, by a message. */
  readonly runs: 'clock' | 'queue';
  /** Milliseconds after its last success from which it is late. */
  readonly lateMs: number;
}

const OFTEN = { runs: 'clock', lateMs: 5 * MINUTE_MS } as const;
/** A run that was killed holds up the next one for `JOB_LEASE_MS`. */
const LONG = { runs: 'queue', lateMs: 15 * MINUTE_MS } as const;

/** Milliseconds for which a run of a job keeps others from beginning, also after it was killed. */
export const JOB_LEASE_MS = 3 * MINUTE_MS;

/** Image databases of a deployment: names and extents are searched in each, and each is asked now and then whether it has its shards. */
const DATABASES = SHARD_COUNT;

const { pages, names, maxPageNames } = MIRROR_STEP;

/** In the order in which the clock runs and sends them. `reconcile` is some steps of the comparison of objects and rows. */
export const JOBS = {
  sweepMovies: { ...OFTEN, subrequests: 1, statements: 4 },
  sweepScreenshots: { ...OFTEN, subrequests: 1, statements: 1 },
  sweepUnusedMovies: { ...OFTEN, subrequests: 1, statements: 6 },
  sweepClientStates: { ...OFTEN, subrequests: 102, statements: 2 },
  sweepLinks: { ...OFTEN, subrequests: 1, statements: 1 },
  sweepAudit: { ...OFTEN, subrequests: 1, statements: 2 },
  wakeMovieWorkers: { ...OFTEN, subrequests: 1 + MAX_CONTAINERS, statements: 2 },
  sweepSharing: { ...LONG, subrequests: 2 + 2 * SHARING.checksPerRun, statements: 3 + 2 * SHARING.checksPerRun },
  sweepUploads: {
    ...LONG,
    subrequests: 5 + 2 * PURGES.calls + DATABASES + SWEEP.uploads * SWEEP.callsPerUpload,
    statements: 5 + DATABASES + SWEEP.uploads * SWEEP.statementsPerUpload,
  },
  reconcile: { ...LONG, subrequests: RECONCILIATION.runCalls, statements: 800 },
  runVideoUploads: {
    ...LONG,
    lateMs: 30 * MINUTE_MS,
    subrequests: SHARING.runCalls + SHARING.callsPerUpload,
    statements: SHARING.runCalls / 2,
  },
  mirror: {
    ...LONG,
    subrequests: 20 + pages * MIRROR_STEP.callsPerPage + (3 * (names + maxPageNames)) / LISTED_NAMES,
    statements:
      20 + pages * MIRROR_STEP.statementsPerPage + (MIRROR_STEP.statementsPerNames * (names + maxPageNames)) / LISTED_NAMES,
  },
  recordStatus: { ...LONG, subrequests: 200, statements: 250 },
  foldGrids: {
    ...LONG,
    subrequests: 2 * DATABASES + GRIDS.clockDays + 2 * (GRIDS.foundOfDay / 1000 + DATABASES) + GRIDS.imagesOfDay + 10,
    statements: 100,
  },
  countEvents: { ...LONG, subrequests: 600, statements: 600 },
  sendWebhooks: { ...LONG, subrequests: 600, statements: 600 },
} as const satisfies Readonly<Record<string, JobRecord>>;

export type JobName = keyof typeof JOBS;

export const jobsOf = (runs: JobRecord['runs']): readonly JobName[] =>
  (Object.keys(JOBS) as JobName[]).filter((name) => JOBS[name].runs === runs);

/** Most calls for other messages than those of jobs. `clock` is beside its jobs: it sends, and notes the run of each where one fails. */
export const OTHER_COSTS = {
  clock: { subrequests: 20, statements: 20 },
  message: { subrequests: 2, statements: 2 },
  notices: { subrequests: 3 * INDEXING.objects + 6 * DATABASES, statements: 20 * DATABASES },
  webhook: { subrequests: 200, statements: 200 },
  mirrorFile: { subrequests: MIRROR_STEP.callsPerFile, statements: MIRROR_STEP.statementsPerFile },
} as const satisfies Readonly<Record<string, InvocationCost>>;

export type JobMessage = { readonly kind: 'job'; readonly name: JobName; readonly sentAtMs: number };

/** Queue of a message. Those of others, notifications of the bucket, have no kind. */
export function queueOf(body: unknown): 'JOBS' | 'LONG_JOBS' | 'OBJECTS' | 'WEBHOOKS' {
  if (!isJsonObject(body) || !('kind' in body)) return 'OBJECTS';
  if (isWebhookMessage(body)) return 'WEBHOOKS';
  return body.kind === MOVIE_NUDGE.kind ? 'JOBS' : 'LONG_JOBS';
}

/** A job, or the clock for a run in which none of its jobs failed. */
export type BeatName = JobName | 'clock';
/** Name of a heartbeat, among those of upstreams. */
export const jobBeat = (name: BeatName) => `job ${name}`;
export const isJobBeat = ({ name }: Pick<Heartbeat, 'name'>) => name.startsWith('job ');

/** Each job with the time of its last success, null before the first. */
export function jobStates(beats: readonly Heartbeat[], nowMs: number) {
  const okAt = new Map(beats.map(({ name, okAtMs }) => [name, okAtMs ?? 0]));
  return (Object.keys(JOBS) as JobName[]).map((name) => {
    const ofClock = JOBS[name].runs === 'clock' ? (okAt.get(jobBeat('clock')) ?? 0) : 0;
    const okAtMs = Math.max(okAt.get(jobBeat(name)) ?? 0, ofClock) || null;
    return { name, okAtMs, isLate: okAtMs === null || nowMs - okAtMs > JOBS[name].lateMs };
  });
}
