// Entry points of the Worker: HTTP requests, queue messages and the cron trigger; the service behind Workers Cache.
import { exports, WorkerEntrypoint } from 'cloudflare:workers';
import { jpxParts } from '../faces/index.ts';
import { R2ObjectStore } from '../platform/storage/r2-object-store.ts';
import { type Env, type JpxEntry, outcomeOf } from './platform.ts';
import { type EdgeCache, handlersBehind, workerOfIsolate } from './worker.ts';

/** Forwards outgoing requests of the containers to the Worker. */
export { ContainerProxy } from '@cloudflare/containers';
export { IdSequence } from '../archive/image-index/id-sequence.ts';
export { JpipChannel } from '../faces/jpip/jpip-channel.ts';
export { MovieContainer } from '../movies/movie-container.ts';

/** The cache in front of the service, which only the service's own entry point can purge. */
const workersCache: EdgeCache = {
  fetch: (request, key) => exports.CachedService.fetch(request, { cf: { cacheKey: key } }),
  purge: (what) => exports.CachedService.purge(what),
};

/** The service, in front of which Workers Cache stands in a deployment. Keys and cached responses belong to this entry point. */
export class CachedService extends WorkerEntrypoint<Env> {
  override async fetch(request: Request): Promise<Response> {
    return workerOfIsolate(this.env, workersCache).app.fetch(request, this.env, this.ctx);
  }

  /**
   * Deletes the cached responses with one of the tags, or all, in all data centres.
   * @returns false when the platform refuses, as it does after some purges in a minute, and where no cache is in front
   */
  async purge(what: Parameters<EdgeCache['purge']>[0]): Promise<boolean> {
    const result = await this.ctx.cache?.purge('tags' in what ? { tags: [...what.tags] } : { purgeEverything: true });
    return result?.success ?? false;
  }
}

/** Parts of long JPX files (`JPX.partFrames`): the service calls it once for each. */
export class JpxCalls extends WorkerEntrypoint<Env> implements JpxEntry {
  readonly #parts = jpxParts(new R2ObjectStore(this.env.ARCHIVE));

  layouts(...given: Parameters<JpxEntry['layouts']>): ReturnType<JpxEntry['layouts']> {
    return outcomeOf(this.#parts.layouts(...given));
  }

  store(...given: Parameters<JpxEntry['store']>): ReturnType<JpxEntry['store']> {
    return outcomeOf(this.#parts.store(...given));
  }
}

export default handlersBehind(() => workersCache);
