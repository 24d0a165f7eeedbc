// Entry points of the Worker: HTTP requests, queue messages and the cron trigger; the service behind the cache.
import { exports, WorkerEntrypoint } from 'cloudflare:workers';
import { gatewayLimiterOfIsolate, workerOfIsolate } from './composition/worker.ts';
import type { Env } from './env.ts';
import { respond } from './gateway.ts';
import { type PurgeCall, purgesBy } from './http/purges.ts';
import { consumeQueue, runCron } from './jobs/jobs.ts';

/** Forwards outgoing requests of the containers to the Worker. */
export { ContainerProxy } from '@cloudflare/containers';
export { IdSequence } from './storage/images/id-sequence.ts';
export { JpipChannel } from './storage/jpip/jpip-channel.ts';
export { MovieContainer } from './upstreams/movie-container.ts';

/** The cache in front of the service, which only its own entry point can purge. */
const workersCache = purgesBy((what) => exports.CachedService.purge(what));

/** Without it, the entry point behind the cache would only cost a second pass over the request. */
const hasWorkersCache = (env: Env) => env.EDGE_CACHE === 'workers-cache';

const workerOf = (env: Env) => workerOfIsolate(env, workersCache);

/** The service, in front of which Workers Cache stands in a deployment. Keys and cached responses belong to this entry point. */
export class CachedService extends WorkerEntrypoint<Env> {
  override async fetch(request: Request): Promise<Response> {
    return workerOf(this.env).app.fetch(request, this.env, this.ctx);
  }

  /**
   * Deletes the cached responses with one of the tags, or all, in all data centres.
   * @returns false when the platform refuses, as it does after some purges in a minute
   */
  async purge(what: Parameters<PurgeCall>[0]): Promise<boolean> {
    const result = await this.ctx.cache?.purge('tags' in what ? { tags: [...what.tags] } : { purgeEverything: true });
    return result?.success ?? true;
  }
}

const worker: ExportedHandler<Env> = {
  fetch: (request, env, context) =>
    respond(request, {
      cached: hasWorkersCache(env) ? (cacheable, key) => exports.CachedService.fetch(cacheable, { cf: { cacheKey: key } }) : null,
      direct: (other) => workerOf(env).app.fetch(other, env, context),
      limiter: gatewayLimiterOfIsolate(env),
    }),
  scheduled: (_event, env) => runCron(workerOf(env).services),
  queue: (batch, env) => consumeQueue(batch, workerOf(env).services),
};

export default worker;
