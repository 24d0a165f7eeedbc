// Entry points of the Worker: HTTP requests, queue messages and the cron trigger; the service behind the cache.
import { exports, WorkerEntrypoint } from 'cloudflare:workers';
import { type Assembly, assemble } from './assemble.ts';
import type { Env } from './env.ts';
import { answer } from './gateway.ts';
import { consumeQueue, runCron } from './jobs/jobs.ts';

/** Forwards outgoing requests of the containers to the Worker. */
export { ContainerProxy } from '@cloudflare/containers';
export { IdSequence } from './storage/images/id-sequence.ts';
export { JpipChannel } from './storage/jpip/jpip-channel.ts';
export { MovieContainer } from './upstreams/movie-container.ts';

let assembled: Assembly | undefined;

function assembly(env: Env): Assembly {
  assembled ??= assemble(env, { purge: (tags) => exports.CachedService.purge(tags) });
  return assembled;
}

/** The service, in front of which Workers Cache stands in a deployment. Keys and cached responses belong to this entry point. */
export class CachedService extends WorkerEntrypoint<Env> {
  override async fetch(request: Request): Promise<Response> {
    return assembly(this.env).app.fetch(request, this.env, this.ctx);
  }

  /**
   * Deletes the cached responses with one of the tags, in all data centres. Callable from other entry points, whose own purge
   * would not reach these responses.
   * @throws Error when the platform refuses, as it does for more than a few purges a minute
   */
  async purge(tags: readonly string[]): Promise<void> {
    const result = await this.ctx.cache?.purge({ tags: [...tags] });
    if (result && !result.success) throw new Error(`The cache refused a purge: ${JSON.stringify(result.errors)}`);
  }
}

const worker: ExportedHandler<Env> = {
  fetch: (request, env, context) =>
    answer(request, {
      cached: (cacheable, key) => exports.CachedService.fetch(cacheable, { cf: { cacheKey: key } }),
      direct: (other) => assembly(env).app.fetch(other, env, context),
    }),
  scheduled: (_event, env) => runCron(assembly(env)),
  queue: (batch, env) => consumeQueue(batch, assembly(env)),
};

export default worker;
