// The Worker of an isolate: the application behind the edge cache, and the services behind it, made for the first request.
import { Hono, type Context as HonoContext } from 'hono';
import { withdrawnOr } from '../archive/find-image.ts';
import { purgesBy } from '../archive/purges.ts';
import type { Context, Services } from '../faces/index.ts';
import { failureContext, failureForPeople, isDeployed, routeOf, serviceOrigin } from '../faces/index.ts';
import { Admission } from '../platform/admission/admission.ts';
import type { RateLimitBinding } from '../platform/admission/rate-limit.ts';
import { CLIENT_HEADER, clientKey, clientOf, limitRate, unitsOf } from '../platform/admission/rate-limit.ts';
import { Turns } from '../platform/admission/turns.ts';
import { identifiedClient } from '../platform/http/credentials.ts';
import { asFailure, errorResponse, logFailure } from '../platform/http/errors.ts';
import { wantsPage } from '../platform/http/html.ts';
import type { PurgeCall } from '../platform/http/local-cache.ts';
import { checkHeaders, type Found, nothingAt, otherMethod } from '../platform/http/request.ts';
import { addSharedHeaders, appendAll, NO_STORE, preflightResponse, ServerTiming, send } from '../platform/http/response.ts';
import { REQUEST_LIMITS } from '../platform/limits/http.ts';
import { CLIENT_VARIABLES, type ClientSettings } from '../platform/settings/clients.ts';
import { readVariables } from '../platform/settings/variable.ts';
import { causeOf, type Failure } from '../platform/util/errors.ts';
import { consumeQueue, runCron } from './background.ts';
import { countRequest, respond } from './gateway.ts';
import { type Env, logFault, platformOf, rateLimitOf } from './platform.ts';
import { composeServices } from './services.ts';

interface AppVariables {
  Variables: { requestId: string; context: Context; found: Found<Context> };
}

type AppContext = HonoContext<AppVariables>;

export function createApp(services: Services): Hono<AppVariables> {
  const app = new Hono<AppVariables>();
  const watchClients = clientWatch(services);
  app.use(async (c, next) => {
    const timing = new ServerTiming();
    const found = routeOf(c.req.raw);
    watchClients(found);
    c.set('requestId', crypto.randomUUID());
    c.set('found', found);
    c.set('context', contextOf(c, services, timing));
    await next();
    const { headers } = c.res;
    headers.set('X-Request-Id', c.get('requestId'));
    headers.set('Server-Timing', timing.header());
    // A shared cache chooses a lifetime of its own for responses without one.
    if (!headers.has('Cache-Control')) headers.set('Cache-Control', NO_STORE);
    addSharedHeaders(headers, found.url);
  });
  app.onError(errorHandler);
  app.use(async (c, next) => {
    const { raw } = c.req;
    const { route, method, headers } = c.get('found');
    try {
      checkHeaders(headers);
    } catch (error) {
      await limitRate(services.requestLimiter, headers);
      throw error;
    }
    if (method === 'OPTIONS') return preflightResponse();
    // The operators and the movie workers have no rate limit. Requests that have none of their tokens have it.
    if (['operator', 'worker', 'jpip'].includes(route?.kind ?? '')) return next();
    const limits = await limitRate(services.requestLimiter, headers, unitsOf(raw, REQUEST_LIMITS));
    await services.turns.serve(c.get('context').client, next);
    appendAll(c.res.headers, limits);
  });
  app.all('*', async (c) => {
    const { raw } = c.req;
    const [found, context] = [c.get('found'), c.get('context')];
    const { route, method, url } = found;
    if (!route) throw nothingAt(url);
    if (route.methods && !route.methods.includes(method)) throw otherMethod(route.methods, method);
    const reply = await route.handle(context, found, raw);
    return reply instanceof Response ? reply : send(raw, reply, (error) => loggedFailure(error, c));
  });
  return app;
}

/** The request as routes see it. `waitUntil` logs the failure of work after the response, which no response reports. */
function contextOf(c: AppContext, services: Services, stopwatch: ServerTiming): Context {
  const { url, headers } = c.get('found');
  const client = clientKey(headers);
  const failed = (error: unknown) => services.logFault({ requestId: c.get('requestId'), afterResponse: causeOf(error) });
  const waitUntil = (work: Promise<unknown>) => c.executionCtx.waitUntil(work.catch(failed));
  const admission = new Admission(services, { client, stopwatch, waitUntil });
  return { services, version: 'v2', url, headers, client, stopwatch, waitUntil, admission };
}

/** Logs once that a request names no client: all such requests share one rate limit. Those of movie workers come from the Worker itself. */
function clientWatch(services: Services): (found: Found) => void {
  let isQuiet = !isDeployed(services);
  return ({ headers, path, route }) => {
    if (isQuiet || headers.has(CLIENT_HEADER) || route?.kind === 'worker') return;
    isQuiet = true;
    services.logFault({ client: 'unknown', path });
  };
}

/** The failure of a request, which is logged where it is a fault of the service. */
async function loggedFailure(error: unknown, c: AppContext): Promise<Failure> {
  const { url, services } = c.get('context');
  const failure = await withdrawnOr(services.index, asFailure(error)).catch(asFailure);
  logFailure(services.logFault, failure, { requestId: c.get('requestId'), url });
  return failure;
}

/** Responds to every failure. */
async function errorHandler(error: unknown, c: AppContext): Promise<Response> {
  const [requestId, context] = [c.get('requestId'), c.get('context')];
  const { url } = context;
  const failure = await loggedFailure(error, c);
  if (wantsPage(c.req.raw)) {
    const page = await failureForPeople(failure, c.get('found').path, context);
    if (page) return send(c.req.raw, page);
  }
  return errorResponse(failure, { requestId, ...failureContext(url, serviceOrigin(context)) });
}

/** The cache in front of the service: Workers Cache, or its stand-in on this machine. */
export interface EdgeCache {
  /** The response under a key: of the service where the cache has none. */
  fetch(request: Request, key: string): Promise<Response>;
  readonly purge: PurgeCall;
}

type ComposedWorker = ReturnType<typeof composeWorker>;

/** Turns of the clients of an isolate, in which the gateway may run with the service. */
const turns = new Turns();

export function composeWorker(env: Env, cache: Pick<EdgeCache, 'purge'>) {
  const services = composeServices(platformOf(env, purgesBy(cache.purge), turns));
  return { app: createApp(services), services };
}

interface Kept {
  worker?: ComposedWorker;
  clientTokens?: ClientSettings['CLIENT_TOKENS'];
  /** The rate limit of the gateway, apart from the services, which a hit of the cache does not need. */
  gatewayLimiter?: RateLimitBinding;
  cache?: EdgeCache;
}

/** Kept by an isolate, whose bindings are the same for every request. */
let kept: Kept = {};

export const workerOfIsolate = (env: Env, cache: Pick<EdgeCache, 'purge'>): ComposedWorker =>
  (kept.worker ??= composeWorker(env, cache));

/** Forgets the services with their caches, and the stand-in of the edge cache, for bindings that have been emptied. */
export function forgetWorker(): void {
  kept = {};
}

/** The client of a request, by its token or its address. */
async function clientIn({ headers }: Request, env: Env): Promise<string | null> {
  if (!headers.has('Authorization')) return clientOf(headers);
  kept.clientTokens ??= readVariables({ CLIENT_TOKENS: CLIENT_VARIABLES.CLIENT_TOKENS }, env).CLIENT_TOKENS;
  return identifiedClient(headers, kept.clientTokens);
}

/** Handlers of requests, the cron trigger and queue messages. `makeCache` makes the cache of an isolate. */
export function handlersBehind(makeCache: (env: Env) => EdgeCache): ExportedHandler<Env> {
  const cacheOf = (env: Env) => (kept.cache ??= makeCache(env));
  const workerOf = (env: Env) => workerOfIsolate(env, cacheOf(env));
  return {
    async fetch(request, env, context) {
      const startMs = Date.now();
      const entryPoints = {
        cached: (cacheable: Request, key: string) => cacheOf(env).fetch(cacheable, key),
        direct: (other: Request) => workerOf(env).app.fetch(other, env, context),
        // Made where a wrong setting is answered as a fault of the service.
        get limiter() {
          kept.gatewayLimiter ??= rateLimitOf(env, 'GATEWAY_LIMIT');
          return kept.gatewayLimiter;
        },
        turns,
        logFault,
      };
      const response = await respond(request, entryPoints, () => clientIn(request, env));
      countRequest(env, request, response, Date.now() - startMs);
      return response;
    },
    scheduled: (_event, env) => runCron(workerOf(env).services),
    queue: (batch, env) => consumeQueue(batch, workerOf(env).services),
  };
}
