// The services of the Worker over databases and objects in memory.
import { D1EventCounts } from '../../src/events/d1-event-counts.ts';
import { R2EventDays } from '../../src/events/event-days.ts';
import { EventService } from '../../src/events/event-service.ts';
import type { DayFeed } from '../../src/events/ports.ts';
import { XrayFlux } from '../../src/events/x-ray-flux.ts';
import { jpxParts } from '../../src/faces/jpx/jpx-manifest.ts';
import type { Services } from '../../src/faces/services.ts';
import type { RateLimitBinding } from '../../src/platform/admission/rate-limit.ts';
import { Turns } from '../../src/platform/admission/turns.ts';
import { LocalCache } from '../../src/platform/http/local-cache.ts';
import { SERVICE_VARIABLES } from '../../src/platform/settings/service.ts';
import { readVariables } from '../../src/platform/settings/variable.ts';
import type { XrayDay } from '../../src/sun/events/x-ray-flux.ts';
import { respond } from '../../src/worker/gateway.ts';
import type { Platform } from '../../src/worker/platform.ts';
import { type Composed, composeServices } from '../../src/worker/services.ts';
import { createApp } from '../../src/worker/worker.ts';
import { anyMemory } from './memory/any-memory.ts';
import { MemoryChannels } from './memory/channels.ts';
import { MemoryIdSequences } from './memory/id-sequences.ts';
import { MemoryObjectStore } from './memory/object-store.ts';
import { databasesIn, migrated } from './memory/sqlite-d1.ts';
import { unlimited } from './memory/unlimited.ts';

/** Parts of the platform, and services that take the place of real ones. */
export type Overrides = Partial<Composed>;

/** A platform in memory at this time, without pages, and with the default settings unless there are `variables`. */
function memoryPlatform({ variables = {}, objects = new MemoryObjectStore() }: Overrides): Platform {
  const databases = databasesIn(migrated());
  return {
    variables,
    settings: readVariables(SERVICE_VARIABLES, variables),
    databases,
    objects,
    ids: new MemoryIdSequences(),
    jpipChannels: new MemoryChannels().of,
    jpxParts: jpxParts(objects),
    caches: { purge: async () => undefined },
    requestLimiter: unlimited,
    pictureLimiter: unlimited,
    jpipLimiter: unlimited,
    turns: new Turns(),
    send: async () => undefined,
    movieContainers: () => undefined,
    isLocal: false,
    statusPoints: () => undefined,
    assets: { fetch: async () => new Response(null, { status: 404 }) },
    memory: anyMemory(),
    clock: Date.now,
    log: () => undefined,
    logFault: () => undefined,
  };
}

/** A source of X-ray flux that has no days. */
const NO_FLUX: DayFeed<XrayDay> = {
  name: 'goes-xray',
  source: 'GOES',
  isLocal: true,
  load: async () => ({ records: [], isCut: false, missing: [] }),
  read: () => null,
};

/** Real services, with `overrides` in place of some. There are no sources of events unless `events` has some. */
export function testServices(overrides: Overrides = {}): Composed {
  const platform = { ...memoryPlatform(overrides), ...overrides };
  const counts = new D1EventCounts(platform.databases);
  const store = new R2EventDays(platform.objects);
  const events = new EventService({ ...platform, feeds: [], store, counts });
  const xrayFlux = new XrayFlux({ ...platform, feed: NO_FLUX, store });
  return composeServices(platform, { events, xrayFlux, ...overrides });
}

type Serve = (request: Request) => Promise<Response>;

interface FrontOptions {
  readonly clock?: () => number;
  readonly limiter?: RateLimitBinding;
  readonly turns?: Pick<Turns, 'see'>;
  readonly waitUntil?: (work: Promise<unknown>) => void;
}

/** What stands in front of the service: the gateway and the edge cache. `fills`: the requests that the cache sent to the service. */
export function behindCache(
  direct: Serve,
  { clock = Date.now, limiter = unlimited, turns = new Turns(), waitUntil = () => undefined }: FrontOptions = {},
) {
  const fills: Request[] = [];
  const fill = (request: Request) => {
    fills.push(request);
    return direct(request);
  };
  const cache = new LocalCache({ service: fill, clock, waitUntil });
  const request: Serve = (given) => respond(given, { cached: cache.fetch, direct, limiter, turns, logFault: () => undefined });
  return { request, cache, fills };
}

/**
 * The application over services, behind the gateway and the edge cache as in a deployment. `direct`: without these. `settle` waits for
 * work that continues after responses.
 */
export function servedApp(services: Services) {
  const app = createApp(services);
  const background: Promise<unknown>[] = [];
  const waitUntil = (work: Promise<unknown>) => void background.push(work);
  const context = { waitUntil, passThroughOnException: () => undefined } as unknown as ExecutionContext;
  const direct = async (input: string | Request, init?: RequestInit): Promise<Response> => app.request(input, init, {}, context);
  const { request, cache, fills } = behindCache(direct, { clock: services.clock, waitUntil });
  return {
    request: (input: string | Request, init?: RequestInit): Promise<Response> => request(new Request(input, init)),
    direct,
    cache,
    fills,
    settle: async () => {
      while (background.length > 0) await background.shift();
    },
  };
}
