// The Worker: what it is asked over HTTP, by the queue and by the clock.
import { type Assembly, assemble } from './assemble.ts';
import type { Env } from './env.ts';
import { onMinute } from './jobs/clock.ts';
import { consumeQueue } from './jobs/queue.ts';

/** What carries the requests of containers to the Worker. */
export { ContainerProxy } from '@cloudflare/containers';
export { JpipChannel } from './storage/jpip/jpip-channel.ts';
export { MovieContainer } from './upstreams/movie-container.ts';

let assembled: Assembly | undefined;

function assembly(env: Env): Assembly {
  assembled ??= assemble(env);
  return assembled;
}

const worker: ExportedHandler<Env> = {
  fetch: (request, env, context) => assembly(env).app.fetch(request, env, context),
  scheduled: (_event, env) => onMinute(assembly(env)),
  queue: (batch, env) => consumeQueue(batch, assembly(env)),
};

export default worker;
