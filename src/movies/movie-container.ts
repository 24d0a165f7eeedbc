// The container of a movie worker. It has no internet access and reaches the service by a private host name.
import { exports } from 'cloudflare:workers';
import { Container } from '@cloudflare/containers';

const SERVICE_HOST = 'helioedge.internal';

const HEALTH_TIMEOUT_MS = 5_000;
const UNAUTHORIZED = 401;

type ContainerEnv = { readonly MOVIE_TOKEN?: string };

export class MovieContainer extends Container<ContainerEnv> {
  override defaultPort = 8080;
  /** Idle time after which the container is stopped. */
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

  /** Stops a worker that refuses the token, because it was started with an older one; the next call starts a new worker. */
  override async fetch(request: Request): Promise<Response> {
    const response = await super.fetch(request);
    if (response.status === UNAUTHORIZED) await this.stop();
    return response;
  }

  /** Keeps a busy worker, because its own requests to the service do not count as activity. */
  override async onActivityExpired(): Promise<void> {
    if (!this.ctx.container?.running) return;
    if (await this.#isBusy()) this.renewActivityTimeout();
    else await this.stop();
  }

  async #isBusy(): Promise<boolean> {
    try {
      const response = await this.containerFetch('http://movie/health', { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) });
      return response.ok && (await response.json<{ busy?: boolean }>()).busy === true;
    } catch {
      return false;
    }
  }
}

// Assigned because a static field would replace the setter of the base class.
MovieContainer.outboundByHost = { [SERVICE_HOST]: (request: Request) => exports.default.fetch(request) };
