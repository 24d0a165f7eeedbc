// The platform under the services: bindings as adapters, the budget of memory, clock and log.
import { memoryLimits } from '../config/limits/memory.ts';
import { CLIENT_VARIABLES } from '../config/settings/clients.ts';
import { readServiceSettings, type ServiceSettings, STORAGE_VARIABLES } from '../config/settings/service.ts';
import { readVariables } from '../config/variable.ts';
import type { Env } from '../env.ts';
import { ClientRateLimit, IsolateRateLimit, PlatformRateLimit, type Turns } from '../http/rate-limit.ts';
import type { IdSequences, ResponseCaches } from '../ports/images.ts';
import type { JpipChannels } from '../ports/jpip.ts';
import type { FoundObjects, ImmutableObjects, IncomingObjects, ObjectStore } from '../ports/objects.ts';
import type { Send } from '../ports/queues.ts';
import type { RateLimitBinding } from '../ports/rate-limit.ts';
import type { StatusPoints } from '../ports/status.ts';
import type { Clock, Log } from '../ports/timing.ts';
import type { JpxParts } from '../services/jpx/jpx-parts.ts';
import { type Databases, databasesFrom } from '../storage/databases.ts';
import { DurableIdSequences } from '../storage/images/durable-id-sequences.ts';
import { DurableChannels } from '../storage/jpip/durable-channels.ts';
import { R2ObjectStore } from '../storage/r2-object-store.ts';
import { analyticsPoints } from '../upstreams/analytics-sql.ts';
import { MemoryBudget } from '../util/memory-budget.ts';
import { calling, type JpxEntry } from './jpx-calls.ts';

export interface Platform {
  /** Variables and secrets, from which each subject reads its settings. */
  readonly variables: object;
  readonly settings: ServiceSettings;
  readonly databases: Databases;
  readonly objects: ObjectStore & ImmutableObjects & FoundObjects & IncomingObjects;
  readonly ids: IdSequences;
  readonly jpipChannels: JpipChannels;
  /** Calls for parts of long JPX files; null where they are read by the request itself. */
  readonly jpxCalls: JpxParts | null;
  readonly caches: ResponseCaches;
  readonly requestLimiter: RateLimitBinding;
  /** Counts units of `PICTURE_COST.unitPixels` and of `LISTS.unitRecords` for each client. */
  readonly pictureLimiter: RateLimitBinding;
  readonly turns: Turns;
  readonly jpipLimiter: RateLimitBinding;
  readonly send: Send;
  /** Containers of the movie workers, accessed only where the settings have some. */
  readonly movieContainers: () => DurableObjectNamespace | undefined;
  readonly statusPoints: StatusPoints;
  readonly assets: { fetch(request: Request): Promise<Response> };
  readonly memory: MemoryBudget;
  readonly clock: Clock;
  readonly log: Log;
  readonly logFault: Log;
}

/** The most that a queue takes in a call. */
const MESSAGES_AT_ONCE = 100;

const clock = () => Date.now();
const log: Log = (record) => console.log(JSON.stringify(record));
export const logFault: Log = (record) => console.error(JSON.stringify(record));

/** The platform of a Worker. `caches`: the edge cache in front of the service. `turns`: those of the isolate. */
export function platformOf(env: Env, caches: ResponseCaches, turns: Turns): Platform {
  const settings = readServiceSettings(env);
  const memory = new MemoryBudget(memoryLimits(settings.memoryBudget));
  const objects = new R2ObjectStore(env.ARCHIVE);
  return {
    variables: env,
    settings,
    databases: databasesFrom(env),
    objects,
    ids: new DurableIdSequences(env.ID_SEQUENCES, objects),
    jpipChannels: new DurableChannels(env.JPIP_CHANNELS),
    jpxCalls: calling(async () => (await import('cloudflare:workers')).exports.JpxCalls as unknown as JpxEntry),
    caches,
    requestLimiter: rateLimitOf(env, 'RENDER_LIMIT'),
    pictureLimiter: rateLimitOf(env, 'PICTURE_LIMIT'),
    turns,
    jpipLimiter: rateLimitOf(env, 'JPIP_LIMIT'),
    send: async (queue, messages, delaySeconds = 0) => {
      for (let i = 0; i < messages.length; i += MESSAGES_AT_ONCE)
        await env[queue].sendBatch(
          messages.slice(i, i + MESSAGES_AT_ONCE).map((body) => ({ body })),
          { delaySeconds },
        );
    },
    movieContainers: () => env.MOVIE_WORKERS,
    statusPoints: analyticsPoints(env.STATUS_POINTS),
    assets: env.ASSETS,
    memory,
    clock,
    log,
    logFault,
  };
}

const LIMIT_NAMES = { GATEWAY_LIMIT: 'all', RENDER_LIMIT: 'uncached', PICTURE_LIMIT: 'heavy', JPIP_LIMIT: 'jpip' } as const;

/** The rate limit of clients by a binding, or by counts in the isolate on this machine. */
export function rateLimitOf(env: Env, binding: keyof typeof LIMIT_NAMES): RateLimitBinding {
  const { rateLimits, rateCounters } = readVariables(STORAGE_VARIABLES, env);
  const known = rateLimits.find((limit) => limit.binding === binding);
  const policy = known && { name: LIMIT_NAMES[binding], quota: known.limit, seconds: known.seconds };
  const counter =
    policy && rateCounters === 'isolates'
      ? new IsolateRateLimit(policy, clock)
      : new PlatformRateLimit(policy, env[binding], clock);
  // What the cache has is sent to all clients.
  return new ClientRateLimit(counter, readVariables(CLIENT_VARIABLES, env), binding !== 'GATEWAY_LIMIT');
}
