// Entry point of the Worker on this machine, where no Workers Cache exists: a stand-in is in its place.
import { waitUntil } from 'cloudflare:workers';
import { LocalCache } from '../platform/http/local-cache.ts';
import type { Env } from './platform.ts';
import { handlersBehind, workerOfIsolate } from './worker.ts';

export { CachedService, ContainerProxy, IdSequence, JpipChannel, JpxCalls, MovieContainer } from './index.ts';

/** Context of a request that fills the cache: its work ends after the response, also when the client has gone. */
const context = { waitUntil, passThroughOnException: () => undefined, props: {} } as unknown as ExecutionContext;

const handlers = handlersBehind((env) => {
  const service = async (request: Request) => workerOfIsolate(env, cache).app.fetch(request, env, context);
  const cache = new LocalCache({ service, waitUntil });
  return cache;
});

export default {
  ...handlers,
  async fetch(request, env, context) {
    const response = await handlers.fetch!(request, env, context);
    // As the platform does: without it, the connection ends while a refused upload is still sent.
    if (request.body && !request.bodyUsed) await request.body.pipeTo(new WritableStream());
    return response;
  },
} satisfies ExportedHandler<Env>;
