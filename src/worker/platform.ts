// The platform under the services: bindings as adapters, the budget of memory, clock and log.
import { DurableIdSequences, type IdSequences } from '../archive/image-index/durable-id-sequences.ts';
import type { ResponseCaches } from '../archive/purges.ts';
import { durableChannels, type JpxParts } from '../faces/index.ts';
import { analyticsPoints } from '../operator/index.ts';
import { clientRateLimit, isolateRateLimit, platformRateLimit, type RateLimitBinding } from '../platform/admission/rate-limit.ts';
import type { Turns } from '../platform/admission/turns.ts';
import { RATES, type RateName } from '../platform/limits/admission.ts';
import { RATE_LIMIT_PERIOD_SECONDS } from '../platform/limits/http.ts';
import { MEMORY_WAIT_MS, memoryLimits } from '../platform/limits/memory.ts';
import type { Send } from '../platform/ports/queues.ts';
import type { Log } from '../platform/ports/timing.ts';
import { CLIENT_VARIABLES } from '../platform/settings/clients.ts';
import type { WorkerVariables } from '../platform/settings/schema.ts';
import { SERVICE_VARIABLES } from '../platform/settings/service.ts';
import { readVariables } from '../platform/settings/variable.ts';
import { databasesFrom } from '../platform/storage/databases.ts';
import type { FoundObjects, ImmutableObjects, IncomingObjects, ObjectStore } from '../platform/storage/r2-object-store.ts';
import { R2ObjectStore } from '../platform/storage/r2-object-store.ts';
import { Failure, type FailureKind, when } from '../platform/util/errors.ts';
import { MemoryBudget } from '../platform/util/memory-budget.ts';
import { SingleFlight } from '../platform/util/single-flight.ts';

/** Bindings of wrangler.toml, and the variables and secrets of the schema. */
export interface Env extends WorkerVariables {
  readonly DB: D1Database;
  readonly OPERATIONS: D1Database;
  /** The image database of the local service. Others are named in SHARD_DATABASES. */
  readonly IMAGES: D1Database;
  readonly ARCHIVE: R2Bucket;
  /** Nudges of movies. */
  readonly JOBS: Queue;
  /** Work that may take minutes: jobs of the clock, files of the mirror, uploads to the video host. */
  readonly LONG_JOBS: Queue;
  /** Notifications of the bucket, which the service sends again for objects that are busy. */
  readonly OBJECTS: Queue;
  readonly WEBHOOKS: Queue;
  /** Rate limits; absent on this machine, whose one isolate counts itself. */
  readonly RENDER_LIMIT?: RateLimit;
  readonly JPIP_LIMIT?: RateLimit;
  readonly PICTURE_LIMIT?: RateLimit;
  /** Counts the requests that pass the edge cache. */
  readonly GATEWAY_LIMIT?: RateLimit;
  /** Cache models of the JPIP channels. */
  readonly JPIP_CHANNELS: DurableObjectNamespace;
  /** High-water marks of the ids of images. */
  readonly ID_SEQUENCES: DurableObjectNamespace;
  /** Containers of the movie workers; unused where MOVIE_WORKER_URL is set. */
  readonly MOVIE_WORKERS?: DurableObjectNamespace;
  /** Time series of the status (Workers Analytics Engine); optional. */
  readonly STATUS_POINTS?: AnalyticsEngineDataset;
  /** A point for each request, by operation (Workers Analytics Engine); optional. */
  readonly REQUEST_POINTS?: AnalyticsEngineDataset;
  /** Pages, built from src/explorer. */
  readonly ASSETS: Fetcher;
}

/** The most that a queue takes in a call. */
const MESSAGES_AT_ONCE = 100;

const clock = () => Date.now();
const log: Log = (record) => console.log(JSON.stringify(record));
export const logFault: Log = (record) => console.error(JSON.stringify(record));

/** The platform of a Worker. `caches`: the edge cache in front of the service. `turns`: those of the isolate. */
export function platformOf(env: Env, caches: ResponseCaches, turns: Turns) {
  const objects: ObjectStore & ImmutableObjects & FoundObjects & IncomingObjects = new R2ObjectStore(env.ARCHIVE);
  const ids: IdSequences = new DurableIdSequences({ namespace: env.ID_SEQUENCES, objects });
  const send: Send = async (queue, messages, delaySeconds = 0) => {
    for (let i = 0; i < messages.length; i += MESSAGES_AT_ONCE)
      await env[queue].sendBatch(
        messages.slice(i, i + MESSAGES_AT_ONCE).map((body) => ({ body })),
        { delaySeconds },
      );
  };
  const assets: { fetch(request: Request): Promise<Response> } = env.ASSETS;
  const settings = readVariables(SERVICE_VARIABLES, env);
  return {
    /** Variables and secrets, from which each subject reads its settings. */
    variables: env as object,
    settings,
    databases: databasesFrom(env),
    objects,
    ids,
    jpipChannels: durableChannels(env.JPIP_CHANNELS),
    jpxParts: calling(async () => (await import('cloudflare:workers')).exports.JpxCalls as unknown as JpxEntry),
    caches,
    requestLimiter: rateLimitOf(env, 'RENDER_LIMIT'),
    /** Counts units of `PICTURE_COST.unitPixels` and of `LISTS.unitRecords` for each client. */
    pictureLimiter: rateLimitOf(env, 'PICTURE_LIMIT'),
    turns,
    jpipLimiter: rateLimitOf(env, 'JPIP_LIMIT'),
    send,
    /** Containers of the movie workers, accessed only where the settings have some. */
    movieContainers: () => env.MOVIE_WORKERS,
    /** Whether there is one isolate, which counts requests itself. */
    isLocal: env.RENDER_LIMIT === undefined,
    statusPoints: analyticsPoints(env.STATUS_POINTS),
    assets,
    memory: new MemoryBudget(memoryLimits(settings.MEMORY_BUDGET)),
    clock,
    log,
    logFault,
  };
}

export type Platform = Readonly<ReturnType<typeof platformOf>>;

/** The rate limit of clients by a binding, or by counts in the isolate on this machine. */
export function rateLimitOf(env: Env, binding: RateName): RateLimitBinding {
  const { name, units: quota } = RATES[binding];
  const policy = { name, quota, seconds: RATE_LIMIT_PERIOD_SECONDS };
  const counted = env[binding];
  const counter = counted ? platformRateLimit(policy, counted, clock) : isolateRateLimit(policy, clock);
  // What the cache has is sent to all clients.
  return clientRateLimit(counter, readVariables(CLIENT_VARIABLES, env), binding !== 'GATEWAY_LIMIT');
}

/** Result of a call of the Worker to itself, because errors lose their class on the way. */
type Outcome<T> = { readonly value: T } | { readonly kind: FailureKind; readonly sentence: string };

export type JpxEntry = {
  [Name in 'layouts' | 'store']: (...given: Parameters<JpxParts[Name]>) => Promise<Outcome<Awaited<ReturnType<JpxParts[Name]>>>>;
};

export const outcomeOf = <T>(work: Promise<T>): Promise<Outcome<T>> =>
  work.then((value) => ({ value })).catch(when(Failure, ({ kind, message: sentence }) => ({ kind, sentence })));

async function resultOf<T>(called: Promise<Outcome<T>>): Promise<T> {
  const outcome = await called;
  if ('value' in outcome) return outcome.value;
  throw new Failure(outcome.kind, outcome.sentence);
}

/** Parts of long JPX files by calls, each of which is an invocation with subrequests of its own. */
export const calling = (entry: () => Promise<JpxEntry>): JpxParts => ({
  layouts: async (images) => resultOf((await entry()).layouts(images)),
  store: async (key, ranges) => resultOf((await entry()).store(key, ranges)),
  flights: new SingleFlight(MEMORY_WAIT_MS.background),
});
