// The HTTP application: middleware, the order of the routes, and the services behind them.
import { type Context, Hono, type Next } from 'hono';
import { RATE_LIMIT_PERIOD_SECONDS } from './config/limits/http.ts';
import { memoryLimits } from './config/limits/memory.ts';
import type { ServiceSettings } from './config/settings/service.ts';
import { Failure } from './domain/errors.ts';
import { NO_STORE } from './http/cache-policy.ts';
import type { NamedToken } from './http/credentials.ts';
import type { EdgeCache } from './http/edge-cache.ts';
import { asFailure, errorResponse, isOurFault, loggedUrl } from './http/errors.ts';
import { handleCall } from './http/handle-call.ts';
import type { OperationContext } from './http/operation.ts';
import { clientKey, limitRate } from './http/rate-limit.ts';
import type { Representation } from './http/representation.ts';
import { addSecurityHeaders, allowAnyOrigin, preflightResponse } from './http/response-headers.ts';
import { send } from './http/send.ts';
import { ServerTiming } from './http/server-timing.ts';
import { isActionForm, routedPath } from './http/target.ts';
import type { ImageIndex } from './ports/images.ts';
import type { ImmutableObjects, ObjectStore } from './ports/objects.ts';
import type { RateLimitBinding } from './ports/rate-limit.ts';
import type { ScreenshotRegister } from './ports/rendering.ts';
import type { Clock, Log } from './ports/timing.ts';
import { failureCallback, handleApi } from './routes/api.ts';
import { outlineFile } from './routes/events/outline-file.ts';
import { embeddedPage, oembed } from './routes/explorer/embed.ts';
import { notFoundPage, wantsPage } from './routes/explorer/not-found.ts';
import { explorerPage } from './routes/explorer/page.ts';
import { robotsFile, sitemapFile } from './routes/explorer/site-files.ts';
import { archivedFile } from './routes/images/jp2.ts';
import { isJpipRequest, jpipResponse } from './routes/jpip/jpip.ts';
import { namedJpx } from './routes/jpx/jpx-files.ts';
import { movieFile } from './routes/movies/movie-files.ts';
import { healthPage, OPENAPI_PATH, openApiPage } from './routes/pages.ts';
import type { Services } from './routes/services.ts';
import { sharedView } from './routes/sharing/client-state.ts';
import { statusRoutes } from './routes/status/status-routes.ts';
import { StateTables } from './services/bodies/state-tables.ts';
import { type MarkerSource, NO_MARKERS } from './services/events/event-markers.ts';
import { type EventService, noEvents } from './services/events/event-service.ts';
import { OutlinePictureService } from './services/events/outline-pictures.ts';
import { SampleProgressStore } from './services/images/sample-progress.ts';
import type { JpipPorts } from './services/jpip/response.ts';
import { JpipTargets } from './services/jpip/target.ts';
import type { JpxBudget } from './services/jpx/jpx-budget.ts';
import { type MoviePorts, MovieService } from './services/movies/movies.ts';
import { EclipseService } from './services/rendering/eclipse.ts';
import { ImageDownloadService } from './services/rendering/image-downloads.ts';
import type { ImageFileRenderer } from './services/rendering/image-file-renderer.ts';
import type { PictureRenderer } from './services/rendering/picture-renderer.ts';
import { RenderSlots } from './services/rendering/render-slots.ts';
import { ScreenshotService } from './services/rendering/screenshots.ts';
import { TileService } from './services/rendering/tile.ts';
import type { TileRenderer } from './services/rendering/tile-renderer.ts';
import type { ClientStates } from './services/sharing/client-states.ts';
import { NewsService } from './services/sharing/news-feed.ts';
import type { Sharing } from './services/sharing/sharing.ts';
import type { ShortLinks } from './services/sharing/short-links.ts';
import type { StatusService } from './services/status/service-status.ts';
import { MemoryBudget } from './util/memory-budget.ts';

export interface AppDependencies {
  readonly index: ImageIndex;
  readonly objects: ObjectStore & Pick<ImmutableObjects, 'create'>;
  readonly tiles: TileRenderer;
  readonly imageFiles: ImageFileRenderer;
  readonly pictures: PictureRenderer;
  readonly screenshotRegister: ScreenshotRegister;
  /** Key of the hashes under which clients are stored, known to the service alone. */
  readonly clientSecret: string;
  /** Unset: pictures show no events and no shared movies. */
  readonly markers?: MarkerSource;
  /** Unset: every category of events is empty. */
  readonly events?: EventService;
  /** Unset: sharing is disabled, and the list of shared movies is empty. */
  readonly sharing?: Pick<Sharing, 'settings' | 'userVideos' | 'videoSharing'>;
  /** Unset: addresses are returned unshortened. */
  readonly links?: ShortLinks;
  /** Unset: the built-in news. */
  readonly news?: NewsService;
  /** Unset: views of the web client cannot be shared. */
  readonly clientStates?: ClientStates;
  /** Unset: movies are disabled. */
  readonly movies?: Pick<MoviePorts, 'register' | 'plans' | 'nudge' | 'settings' | 'secret'>;
  /** Unset: its state in `objects` is read, and not written here. */
  readonly sample?: SampleProgressStore;
  /** Unset: there are no pages of the status. */
  readonly status?: StatusService;
  /** Bearer tokens that may read `/metrics`. Unset: none. */
  readonly operators?: readonly NamedToken[];
  /** Unset: the tables in `objects`. */
  readonly stateTables?: StateTables;
  /** Local stand-in of the edge cache. Unset: responses are cached before the service. */
  readonly edgeCache?: EdgeCache | undefined;
  readonly clock: Clock;
  readonly settings: ServiceSettings;
  /** Static assets. The app requests only the page at `/`. */
  readonly assets?: { fetch(request: Request): Promise<Response> };
  readonly rateLimiter?: RateLimitBinding;
  /** Counts units of `PICTURE_UNIT_PIXELS` and of `LISTS.unitRecords` for each client. */
  readonly pictureLimiter?: RateLimitBinding;
  /** Work that tiles, screenshots and downloads leave for after the response: the parts of coefficient sidecars that they lacked. */
  readonly afterRendering?: () => Promise<void>;
  /** Unset: one of its own. */
  readonly memory?: MemoryBudget;
  /** Unset: records of JPX files are not limited. */
  readonly jpxBudget?: JpxBudget;
  /** Unset: JPIP is disabled. */
  readonly jpip?: Pick<JpipPorts, 'openIndex' | 'channels'> & { readonly rateLimiter?: RateLimitBinding };
  /** Keeps work alive after the response is sent. Unset: the execution context of the request. */
  readonly waitUntil?: (work: Promise<unknown>) => void;
  /** Receives one record per fault of the service. Unset: the console. */
  readonly log?: Log;
}

export interface AppVariables {
  Variables: { requestId: string; timing: ServerTiming };
}

type App = Hono<AppVariables>;
type AppContext = Context<AppVariables>;

/** Further applications by path, as `/admin`. They are exempt from the rate limit. */
export type Mounts = Readonly<Record<string, Hono>>;

export function createApp(deps: AppDependencies, mounts: Mounts = {}): App {
  const memory = deps.memory ?? new MemoryBudget(memoryLimits(deps.settings.memoryBudget));
  const services = servicesOf(deps, memory);
  const app: App = new Hono({ getPath: routedPath });
  app.use(commonHeaders);
  app.onError(errorHandler(deps.log ?? logToConsole));
  app.options('*', preflightResponse);
  for (const [path, mounted] of Object.entries(mounts)) app.route(path, mounted);
  addJpip(app, deps, memory);
  addRateLimit(app, deps.rateLimiter);
  app.get('/health', async (c) => send(c.req.raw, await cachedHealth(contextOf(c, deps, services))));
  if (deps.status) app.route('/', statusRoutes(deps.status, deps.operators ?? []));
  addFiles(app, deps, services);
  addApi(app, deps, services);
  return app;
}

function servicesOf(deps: AppDependencies, memory: MemoryBudget): Services {
  const ports = { markers: NO_MARKERS, slots: new RenderSlots(memory, deps), ...deps, memory };
  return {
    ...deps,
    sample: deps.sample ?? new SampleProgressStore(deps.objects),
    stateTables: deps.stateTables ?? new StateTables(deps),
    tiles: new TileService(ports),
    imageDownloads: new ImageDownloadService(ports),
    screenshots: new ScreenshotService(ports),
    eclipses: new EclipseService(ports),
    movies: deps.movies && new MovieService({ ...deps, ...deps.movies }),
    events: deps.events ?? noEvents(deps.clock),
    outlinePictures: new OutlinePictureService(ports),
    news: deps.news ?? new NewsService({ ...deps, source: null }),
  };
}

/** Assigns the request id and sets the headers that every response has. */
async function commonHeaders(c: AppContext, next: Next): Promise<void> {
  c.set('requestId', crypto.randomUUID());
  c.set('timing', new ServerTiming());
  await next();
  const { headers } = c.res;
  headers.set('X-Request-Id', c.get('requestId'));
  headers.set('Server-Timing', c.get('timing').header());
  // A shared cache chooses a lifetime of its own for responses without one.
  if (!headers.has('Cache-Control')) headers.set('Cache-Control', NO_STORE);
  allowAnyOrigin(headers);
  addSecurityHeaders(headers, new URL(c.req.url));
}

/** Responds to every failure, and logs those that are faults of the service. */
function errorHandler(log: Log) {
  return async (error: unknown, c: AppContext): Promise<Response> => {
    const failure = asFailure(error);
    const requestId = c.get('requestId');
    if (isOurFault(failure)) log({ requestId, failure: failure.kind, url: loggedUrl(c.req.url), cause: causeOf(failure) });
    const url = new URL(c.req.url);
    if (failure.kind === 'unknown-path' && wantsPage(c.req.raw)) return send(c.req.raw, await notFoundPage(url));
    return errorResponse(failure, { requestId, actionForm: isActionForm(url), callback: failureCallback(url) });
  };
}

/** JPIP has a rate limit of its own, because it draws nothing and a client sends one request for each frame of a movie. */
function addJpip(app: App, deps: AppDependencies, memory: MemoryBudget): void {
  if (!deps.jpip) return;
  const { rateLimiter, ...ports } = deps.jpip;
  const jpipPorts = { ...deps, ...ports, memory };
  const jpip = { ...jpipPorts, targets: new JpipTargets(jpipPorts) };
  app.get('*', async (c, next) => {
    const url = new URL(c.req.url);
    if (c.req.method !== 'GET' || !isJpipRequest(url)) return next();
    if (rateLimiter) await limitRate(rateLimiter, c.req.raw.headers, RATE_LIMIT_PERIOD_SECONDS);
    return jpipResponse(jpip, url, waitUntilOf(c, deps));
  });
}

function addRateLimit(app: App, rateLimiter: RateLimitBinding | undefined): void {
  if (!rateLimiter) return;
  app.use(async (c, next) => {
    await limitRate(rateLimiter, c.req.raw.headers, RATE_LIMIT_PERIOD_SECONDS);
    await next();
  });
}

/** The health through the stand-in of the edge cache: the supervisor of this machine asks each second. */
function cachedHealth(context: OperationContext<Services>): Promise<Representation> {
  const { services } = context;
  return handleCall({ key: 'health', callback: undefined, handle: () => healthPage(services) }, context, services);
}

/** The context of a document or file outside the operations. */
function contextOf(c: AppContext, deps: AppDependencies, services: Services): OperationContext<Services> {
  return {
    services,
    version: 'v2',
    url: new URL(c.req.url),
    headers: c.req.raw.headers,
    client: clientKey(c.req.raw.headers),
    stopwatch: c.get('timing'),
    waitUntil: waitUntilOf(c, deps),
  };
}

/** Documents and files that have a path of their own. */
function addFiles(app: App, deps: AppDependencies, services: Services): void {
  const sent = async (c: AppContext, representation: Promise<Representation>) => send(c.req.raw, await representation);
  app.get(OPENAPI_PATH, (c) => sent(c, openApiPage(contextOf(c, deps, services))));
  app.get('/robots.txt', (c) => sent(c, robotsFile(contextOf(c, deps, services))));
  app.get('/sitemap.xml', (c) => sent(c, sitemapFile(contextOf(c, deps, services))));
  app.get('/oembed', (c) => sent(c, oembed(contextOf(c, deps, services))));
  app.get('/embed', async (c) => {
    const page = await deps.assets?.fetch(new Request(new URL('/embed', c.req.url)));
    if (!page?.ok) throw new Failure('unknown-path', 'No pages are installed on this server.');
    return sent(c, embeddedPage(await page.text(), page.headers, contextOf(c, deps, services)));
  });
  app.get('/load/:key', (c) => sent(c, sharedView(c.req.param('key'), new URL(c.req.url))));
  app.get('/movies/:file{[^/]+\\.jpx}', (c) => sent(c, namedJpx(c.req.param('file'), contextOf(c, deps, services))));
  app.get('/cache/movies/*', (c) => sent(c, movieFile(c.req.path, contextOf(c, deps, services))));
  app.get('/cache/events/*', (c) => sent(c, outlineFile(c.req.path.slice(1), contextOf(c, deps, services))));
  app.get('/jp2/movies/:file{[^/]+\\.jpx}', (c) => sent(c, namedJpx(c.req.param('file'), contextOf(c, deps, services))));
  app.get('/jp2/:path{.+\\.jp2}', (c) => sent(c, archivedFile(c.req.param('path'), contextOf(c, deps, services))));
}

/** The explorer at `/`, and the operations at all other paths. */
function addApi(app: App, deps: AppDependencies, services: Services): void {
  app.all('*', async (c) => {
    const { raw: request } = c.req;
    const url = new URL(request.url);
    if (deps.assets && isPageRequest(c)) {
      const page = await deps.assets.fetch(new Request(new URL('/', url)));
      if (page.ok) return send(request, await explorerPage(await page.text(), page.headers, contextOf(c, deps, services)));
    }
    const call = { request, url, stopwatch: c.get('timing'), waitUntil: waitUntilOf(c, deps) };
    return send(request, await handleApi(services, call));
  });
}

/** GET of the root without an operation. */
function isPageRequest({ req }: AppContext): boolean {
  return (req.method === 'GET' || req.method === 'HEAD') && req.path === '/' && req.query('action') === undefined;
}

/** Keeps work alive after the response is sent, and logs its failure, which no response reports. */
function waitUntilOf(c: AppContext, { waitUntil, log = logToConsole }: AppDependencies) {
  return (work: Promise<unknown>): void => {
    const guarded = work.catch((error: unknown) => log({ requestId: c.get('requestId'), afterResponse: causeOf(error) }));
    if (waitUntil) waitUntil(guarded);
    else c.executionCtx.waitUntil(guarded);
  };
}

const logToConsole: Log = (record) => console.error(JSON.stringify(record));

/** The stack of the underlying error, for the log only. */
function causeOf(error: unknown): unknown {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
