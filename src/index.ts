// Entry point of the Worker: HTTP requests, queue messages and the cron trigger.
import { type Assembly, assemble } from './assemble.ts';
import type { Env } from './env.ts';
import { consumeQueue, runCron } from './jobs/jobs.ts';

/** Forwards outgoing requests of the containers to the Worker. */
export { ContainerProxy } from '@cloudflare/containers';
export { IdSequence } from './storage/images/id-sequence.ts';
export { JpipChannel } from './storage/jpip/jpip-channel.ts';
export { MovieContainer } from './upstreams/movie-container.ts';

let assembled: Assembly | undefined;

function assembly(env: Env): Assembly {
  assembled ??= assemble(env);
  return assembled;
}

const worker: ExportedHandler<Env> = {
  fetch: (request, env, context) => assembly(env).app.fetch(request, env, context),
  scheduled: (_event, env) => runCron(assembly(env)),
  queue: (batch, env) => consumeQueue(batch, assembly(env)),
};

export default worker;
