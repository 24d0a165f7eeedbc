// The application: what is done for every request, and where the rest is mounted.
import { type Context, Hono } from 'hono';
import { RATE_LIMIT_PERIOD_SECONDS } from './config/limits/http.ts';
import { DRAWING } from './config/limits/rendering.ts';
import type { ServiceSettings } from './config/settings/service.ts';
import type { EdgeCache } from './http/edge-cache.ts';
import { asFailure, errorResponse, isOurFault, loggedUrl } from './http/errors.ts';
import { limitRate, type RateLimitBinding } from './http/rate-limit.ts';
import type { Representation } from './http/representation.ts';
import { addSecurityHeaders, allowAnyOrigin, preflightResponse } from './http/response-headers.ts';
import { send } from './http/send.ts';
import { ServerTiming } from './http/server-timing.ts';
import type { ImageIndex } from './ports/images.ts';
import type { ImmutableObjects, ObjectStore } from './ports/objects.ts';
import type { ScreenshotRegister } from './ports/rendering.ts';
import type { Clock } from './ports/timing.ts';
import { handleApi, isActionForm } from './routes/api.ts';
import { archivedFile } from './routes/images/jp2.ts';
import { asksForJpip, jpipAnswer } from './routes/jpip/jpip.ts';
import { namedJpx } from './routes/jpx/jpx-files.ts';
import { movieFile } from './routes/movies/movie-files.ts';
import { healthPage, OPENAPI_PATH, openApiPage } from './routes/pages.ts';
import { type EventService, noEvents } from './services/events/events.ts';
import { type MarkerSource, NO_MARKERS } from './services/events/marker-source.ts';
import type { JpipPorts } from './services/jpip/answer.ts';
import { JpipTargets } from './services/jpip/target.ts';
import { type MoviePorts, MovieService } from './services/movies/movies.ts';
import { EclipseService } from './services/rendering/eclipse.ts';
import { ImageDownloadService } from './services/rendering/image-downloads.ts';
import type { ImageFileRenderer } from './services/rendering/image-file-renderer.ts';
import type { PictureRenderer } from './services/rendering/picture-renderer.ts';
import { RenderSlots } from './services/rendering/render-slots.ts';
import { ScreenshotService } from './services/rendering/screenshots.ts';
import { TileService } from './services/rendering/tile.ts';
import type { TileRenderer } from './services/rendering/tile-renderer.ts';
import { NewsService } from './services/sharing/news-feed.ts';
import type { Sharing } from './services/sharing/sharing.ts';
import type { ShortLinks } from './services/sharing/short-links.ts';

export interface AppDependencies {
  readonly index: ImageIndex;
  readonly objects: ObjectStore & Pick<ImmutableObjects, 'create'>;
  readonly tiles: TileRenderer;
  readonly imageFiles: ImageFileRenderer;
  readonly pictures: PictureRenderer;
  readonly screenshotRegister: ScreenshotRegister;
  /** Unset: pictures have no events and no movies. */
  readonly markers?: MarkerSource;
  /** Unset: every category of events is empty. */
  readonly events?: EventService;
  /** Unset: nothing is shared, and the list of shared movies is empty. */
  readonly sharing?: Pick<Sharing, 'settings' | 'userVideos' | 'videoSharing'>;
  /** Unset: nothing is shortened. */
  readonly links?: ShortLinks;
  /** Unset: the news that come with the service. */
  readonly news?: NewsService;
  /** Unset: no movies are made. */
  readonly movies?: Pick<MoviePorts, 'register' | 'nudge' | 'settings' | 'secret'>;
  readonly edgeCache: EdgeCache;
  readonly clock: Clock;
  readonly settings: ServiceSettings;
  /** Static assets, of which the app itself asks for the page at `/` only. */
  readonly assets?: { fetch(request: Request): Promise<Response> };
  readonly rateLimiter?: RateLimitBinding;
  /** Unset: JPIP addresses lead nowhere. */
  readonly jpip?: Pick<JpipPorts, 'openIndex' | 'channels'> & { readonly rateLimiter?: RateLimitBinding };
  /** Keeps work going after the answer. Unset: the execution context of the request does. */
  readonly waitUntil?: (work: Promise<unknown>) => void;
  /** Takes one record per failure of ours. Unset: the console. */
  readonly log?: (record: Readonly<Record<string, unknown>>) => void;
}

export interface AppVariables {
  Variables: { requestId: string; timing: ServerTiming };
}

/** Further applications by the path under which they live, as `/admin`. They limit what they take by themselves. */
export type Mounts = Readonly<Record<string, Hono>>;

const NOT_MODIFIED = 304;

/** The root without an operation is the page for people. */
function asksForPage(method: string, { pathname, searchParams }: URL): boolean {
  return (method === 'GET' || method === 'HEAD') && pathname === '/' && !searchParams.has('action');
}

function logToConsole(record: Readonly<Record<string, unknown>>): void {
  console.error(JSON.stringify(record));
}

/** What is behind a failure, for the log alone. */
function causeOf(error: unknown): unknown {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}

function servicesOf(deps: AppDependencies) {
  const ports = { markers: NO_MARKERS, slots: new RenderSlots(DRAWING, () => performance.now()), ...deps };
  return {
    ...deps,
    tiles: new TileService(ports),
    imageDownloads: new ImageDownloadService(ports),
    screenshots: new ScreenshotService(ports),
    eclipses: new EclipseService(ports),
    movies: deps.movies && new MovieService({ ...deps, ...deps.movies }),
    events: deps.events ?? noEvents(deps.clock),
    news: deps.news ?? new NewsService({ ...deps, source: null }),
  };
}

export function createApp(deps: AppDependencies, mounts: Mounts = {}): Hono<AppVariables> {
  const { rateLimiter, assets, log = logToConsole } = deps;
  const services = servicesOf(deps);
  const jpipPorts = deps.jpip && { ...deps, ...deps.jpip };
  const jpip = jpipPorts && { ...jpipPorts, targets: new JpipTargets(jpipPorts) };
  const app = new Hono<AppVariables>({ strict: false });

  /** Work after the answer may fail without anybody waiting for it: it is logged. */
  function keepGoing(c: Context<AppVariables>, work: Promise<unknown>): void {
    const guarded = work.catch((error: unknown) => log({ requestId: c.get('requestId'), afterAnswer: causeOf(error) }));
    if (deps.waitUntil) deps.waitUntil(guarded);
    else c.executionCtx.waitUntil(guarded);
  }

  const sent = async (c: Context<AppVariables>, answer: Promise<Representation>) => send(c.req.raw, await answer);

  app.use(async (c, next) => {
    c.set('requestId', crypto.randomUUID());
    c.set('timing', new ServerTiming());
    await next();
    const { headers } = c.res;
    headers.set('X-Request-Id', c.get('requestId'));
    headers.set('Server-Timing', c.get('timing').header());
    allowAnyOrigin(headers);
    addSecurityHeaders(headers, new URL(c.req.url));
  });

  app.onError((error, c) => {
    const failure = asFailure(error);
    const requestId = c.get('requestId');
    if (isOurFault(failure)) log({ requestId, failure: failure.kind, url: loggedUrl(c.req.url), cause: causeOf(failure) });
    return errorResponse(failure, { requestId, actionForm: isActionForm(new URL(c.req.url)) });
  });

  app.options('*', preflightResponse);
  app.get('/health', (c) => sent(c, healthPage(services)));
  for (const [path, mounted] of Object.entries(mounts)) app.route(path, mounted);
  // Under a limit of its own: nothing is drawn, and a movie is a request for each frame.
  app.get('*', async (c, next) => {
    const url = new URL(c.req.url);
    if (!jpip || c.req.method !== 'GET' || !asksForJpip(url)) return next();
    if (deps.jpip?.rateLimiter) await limitRate(deps.jpip.rateLimiter, c.req.raw.headers, RATE_LIMIT_PERIOD_SECONDS);
    return jpipAnswer(jpip, url);
  });
  app.use(async (c, next) => {
    if (rateLimiter) await limitRate(rateLimiter, c.req.raw.headers, RATE_LIMIT_PERIOD_SECONDS);
    await next();
  });
  const contextOf = (c: Context<AppVariables>) => {
    const waitUntil = (work: Promise<unknown>) => keepGoing(c, work);
    const { raw } = c.req;
    return {
      services,
      version: 'v2',
      url: new URL(raw.url),
      headers: raw.headers,
      stopwatch: c.get('timing'),
      waitUntil,
    } as const;
  };
  app.get(OPENAPI_PATH, (c) => sent(c, openApiPage()));
  app.get('/movies/:file{[^/]+\\.jpx}', (c) => sent(c, namedJpx(c.req.param('file'), contextOf(c))));
  app.get('/cache/movies/*', (c) => sent(c, movieFile(c.req.path, contextOf(c))));
  app.get('/jp2/:path{.+\\.jp2}', (c) => sent(c, archivedFile(c.req.param('path'), contextOf(c))));
  app.all('*', async (c) => {
    const { raw: request } = c.req;
    const url = new URL(request.url);
    if (assets && asksForPage(request.method, url)) {
      const page = await assets.fetch(request);
      if (page.ok || page.status === NOT_MODIFIED) return new Response(page.body, page);
    }
    const waitUntil = (work: Promise<unknown>) => keepGoing(c, work);
    return sent(c, handleApi(services, { request, url, stopwatch: c.get('timing'), waitUntil }));
  });
  return app;
}
