// The Worker of an isolate: the application behind the edge cache, and the services behind it, made for the first request.
import { purgesBy } from '../archive/purges.ts';
import { clientOf, type RateLimitBinding } from '../platform/admission/rate-limit.ts';
import { Turns } from '../platform/admission/turns.ts';
import { identifiedClient } from '../platform/http/credentials.ts';
import type { PurgeCall } from '../platform/http/local-cache.ts';
import { CLIENT_VARIABLES, type ClientSettings } from '../platform/settings/clients.ts';
import { readVariables } from '../platform/settings/variable.ts';
import { createApp } from './app.ts';
import { consumeQueue, runCron } from './background.ts';
import type { Env } from './env.ts';
import { respond } from './gateway.ts';
import { logFault, platformOf, rateLimitOf } from './platform.ts';
import { countRequest } from './request-counts.ts';
import { composeServices } from './services.ts';

/** The cache in front of the service: Workers Cache, or its stand-in on this machine. */
export interface EdgeCache {
  /** The response under a key: of the service where the cache has none. */
  fetch(request: Request, key: string): Promise<Response>;
  readonly purge: PurgeCall;
}

export type ComposedWorker = ReturnType<typeof composeWorker>;

/** Turns of the clients of an isolate, in which the gateway may run with the service. */
const turns = new Turns();

export function composeWorker(env: Env, cache: Pick<EdgeCache, 'purge'>) {
  const services = composeServices(platformOf(env, purgesBy(cache.purge), turns));
  return { app: createApp(services), services };
}

interface Kept {
  worker?: ComposedWorker;
  clientTokens?: ClientSettings['clientTokens'];
  /** The rate limit of the gateway, apart from the services, which a hit of the cache does not need. */
  gatewayLimiter?: RateLimitBinding;
  cache?: EdgeCache;
}

/** Kept by an isolate, whose bindings are the same for every request. */
let kept: Kept = {};

export function workerOfIsolate(env: Env, cache: Pick<EdgeCache, 'purge'>): ComposedWorker {
  kept.worker ??= composeWorker(env, cache);
  return kept.worker;
}

/** Forgets the services with their caches, and the stand-in of the edge cache, for bindings that have been emptied. */
export function forgetWorker(): void {
  kept = {};
}

/** Handlers of requests, the cron trigger and queue messages. `makeCache` makes the cache of an isolate. */
export function handlersBehind(makeCache: (env: Env) => EdgeCache): ExportedHandler<Env> {
  const cacheOf = (env: Env) => (kept.cache ??= makeCache(env));
  const workerOf = (env: Env) => workerOfIsolate(env, cacheOf(env));
  return {
    async fetch(request, env, context) {
      const startMs = Date.now();
      kept.gatewayLimiter ??= rateLimitOf(env, 'GATEWAY_LIMIT');
      kept.clientTokens ??= readVariables({ clientTokens: CLIENT_VARIABLES.clientTokens }, env).clientTokens;
      const entryPoints = {
        cached: (cacheable: Request, key: string) => cacheOf(env).fetch(cacheable, key),
        direct: (other: Request) => workerOf(env).app.fetch(other, env, context),
        limiter: kept.gatewayLimiter,
        turns,
        logFault,
      };
      const { headers } = request;
      const client = headers.has('Authorization') ? await identifiedClient(headers, kept.clientTokens) : clientOf(headers);
      const response = await respond(request, entryPoints, client);
      countRequest(env, request, response, Date.now() - startMs);
      return response;
    },
    scheduled: (_event, env) => runCron(workerOf(env).services),
    queue: (batch, env) => consumeQueue(batch, workerOf(env).services),
  };
}
