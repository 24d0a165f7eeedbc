// The container of a movie worker, and how it reaches the service: by a host name that exists for it alone, without the internet.

import { exports } from 'cloudflare:workers';
import { Container } from '@cloudflare/containers';

/** The Worker, as a container sees it. */
const SERVICE_HOST = 'helioedge.internal';

const HEALTH_DEADLINE_MS = 5_000;
const UNAUTHORIZED = 401;

interface ContainerEnv {
  readonly MOVIE_TOKEN?: string;
}

export class MovieContainer extends Container<ContainerEnv> {
  override defaultPort = 8080;
  /** How long a worker that has nothing to do waits for work before its container is stopped. */
  override sleepAfter = '2m';
  override enableInternet = false;

  constructor(ctx: ConstructorParameters<typeof Container>[0], env: ContainerEnv) {
    super(ctx, env);
    this.envVars = {
      SERVICE_URL: `http://${SERVICE_HOST}`,
      MOVIE_TOKEN: env.MOVIE_TOKEN ?? '',
      WORKER_NAME: `container-${ctx.id.toString().slice(0, 12)}`,
    };
  }

  /** A worker that refuses the token was started with another one, and is ended: the next call starts one that knows it. */
  override async fetch(request: Request): Promise<Response> {
    const answer = await super.fetch(request);
    if (answer.status === UNAUTHORIZED) await this.stop();
    return answer;
  }

  /** A worker that is busy goes on: its own requests to the service are not what this counts as activity. */
  override async onActivityExpired(): Promise<void> {
    if (!this.ctx.container?.running) return;
    if (await this.#isBusy()) this.renewActivityTimeout();
    else await this.stop();
  }

  /** A worker that does not answer is no reason to go on. */
  async #isBusy(): Promise<boolean> {
    try {
      const answer = await this.containerFetch('http://movie/health', { signal: AbortSignal.timeout(HEALTH_DEADLINE_MS) });
      return answer.ok && (await answer.json<{ busy?: boolean }>()).busy === true;
    } catch {
      return false;
    }
  }
}

// As an assignment: the class has a setter for it, which a static field would define away.
MovieContainer.outboundByHost = {
  [SERVICE_HOST]: (request: Request) => exports.default.fetch(request),
};
