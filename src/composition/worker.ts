// The Worker of an isolate: the application, and the services behind it, made for the first request.
import type { Env } from '../env.ts';
import type { ResponseCaches } from '../ports/images.ts';
import type { RateLimitBinding } from '../ports/rate-limit.ts';
import { createApp } from './app.ts';
import { platformOf, rateLimitOf } from './platform.ts';
import { composeServices } from './services.ts';

export type ComposedWorker = ReturnType<typeof composeWorker>;

/** `workersCache`: the cache in front of the service in a deployment. */
export function composeWorker(env: Env, workersCache: ResponseCaches) {
  const services = composeServices(platformOf(env, workersCache));
  return { app: createApp(services), services };
}

let ofIsolate: ComposedWorker | undefined;

/** The bindings are the same for every request of an isolate. */
export function workerOfIsolate(env: Env, workersCache: ResponseCaches): ComposedWorker {
  ofIsolate ??= composeWorker(env, workersCache);
  return ofIsolate;
}

let gatewayLimiter: RateLimitBinding | undefined;

/** The rate limit of the gateway, apart from the services, which a hit of the cache does not need. */
export function gatewayLimiterOfIsolate(env: Env): RateLimitBinding {
  gatewayLimiter ??= rateLimitOf(env, 'GATEWAY_LIMIT');
  return gatewayLimiter;
}

/** Forgets the services with their caches, for bindings that have been emptied. */
export function forgetWorker(): void {
  ofIsolate = undefined;
  gatewayLimiter = undefined;
}
