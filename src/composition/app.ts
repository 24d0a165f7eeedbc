// The HTTP application: middleware, the order of the routes, and the responses of unknown paths.
import { Hono, type Context as HonoContext } from 'hono';
import { REQUEST_LIMITS } from '../config/limits/http.ts';
import { Failure, shown } from '../domain/errors.ts';
import { NO_STORE } from '../http/cache-policy.ts';
import { asFailure, errorResponse, isOurFault, logFailure } from '../http/errors.ts';
import { ignoredNotices, withNotices } from '../http/operation.ts';
import { CLIENT_HEADER, clientKey, limitRate, rateLimitHeaders, unitsOf } from '../http/rate-limit.ts';
import {
  acceptsGzip,
  apiPath,
  checkHeaders,
  collectParameters,
  findTarget,
  isActionForm,
  isJpipRequest,
  routedPath,
} from '../http/request.ts';
import {
  addSecurityHeaders,
  allowAnyOrigin,
  preflightResponse,
  type Representation,
  ServerTiming,
  send,
} from '../http/response.ts';
import { notFoundPage, wantsPage } from '../routes/explorer/not-found.ts';
import { EXPLORER_PATHS, explorerPage, explorerWithoutView } from '../routes/explorer/page.ts';
import { fileAt } from '../routes/files.ts';
import { adminRoutes } from '../routes/internal/admin.ts';
import { movieWorkerRoutes } from '../routes/internal/movie-worker-routes.ts';
import { jpipResponse } from '../routes/jpip/jpip.ts';
import { docsAt, failureCallback, operations } from '../routes/operations.ts';
import { homePage } from '../routes/pages.ts';
import { type Context, isDeployed, type Services, serviceOrigin } from '../routes/services.ts';
import { statusRoutes } from '../routes/status/status-routes.ts';
import { withdrawnOr } from '../services/images/find-image.ts';
import { causeOf } from '../util/causes.ts';

interface AppVariables {
  Variables: { requestId: string; context: Context };
}

type AppContext = HonoContext<AppVariables>;

export function createApp(services: Services): Hono<AppVariables> {
  const app = new Hono<AppVariables>({ getPath: routedPath });
  const watchClients = clientWatch(services);
  app.use(async (c, next) => {
    const timing = new ServerTiming();
    watchClients(c.req);
    c.set('requestId', crypto.randomUUID());
    c.set('context', contextOf(c, services, timing));
    await next();
    const { headers } = c.res;
    headers.set('X-Request-Id', c.get('requestId'));
    headers.set('Server-Timing', timing.header());
    // A shared cache chooses a lifetime of its own for responses without one.
    if (!headers.has('Cache-Control')) headers.set('Cache-Control', NO_STORE);
    allowAnyOrigin(headers);
    addSecurityHeaders(headers, c.get('context').url);
  });
  app.onError(errorHandler);
  app.use(async (c, next) => {
    const { headers } = c.req.raw;
    try {
      checkHeaders(headers);
    } catch (error) {
      await limitRate(services.requestLimiter, headers);
      throw error;
    }
    return next();
  });
  app.options('*', preflightResponse);
  // The operators and the movie workers have no rate limit. Requests that have none of their tokens have it.
  app.route('/admin', adminRoutes(services));
  app.route('/internal', movieWorkerRoutes(services));
  app.get('*', async (c, next) => {
    const { url, headers, client } = c.get('context');
    if (c.req.method !== 'GET' || !isJpipRequest(url)) return next();
    const count = await limitRate(services.jpipLimiter, headers);
    const request = () => jpipResponse(c.get('context'), acceptsGzip(c.req.raw));
    return withHeaders(await services.turns.serve(client, request), rateLimitHeaders(services.jpipLimiter.policy, count));
  });
  app.use(async (c, next) => {
    const { raw } = c.req;
    const count = await limitRate(services.requestLimiter, raw.headers, unitsOf(raw, REQUEST_LIMITS));
    await services.turns.serve(c.get('context').client, next);
    withHeaders(c.res, rateLimitHeaders(services.requestLimiter.policy, count));
  });
  app.route('/', statusRoutes(services));
  app.use(async (c, next) => {
    const context = c.get('context');
    const { method } = c.req;
    const file = apiPath(context.url.pathname) ? null : fileAt(c.req.path);
    if (!file) return next();
    const { route, groups } = file;
    const methods = route.takesPost ? METHODS : READING;
    if (!methods.includes(method)) throw otherMethod(methods, method);
    const posted = method === 'POST' ? c.req.raw : undefined;
    return send(c.req.raw, await route.respond(context, { path: c.req.path, groups, posted }));
  });
  app.all('*', async (c) => {
    const page = explorerPathOf(c) && (await explorerPage('/', c.get('context')));
    return send(c.req.raw, page || (await handleApi(c.req.raw, c.get('context'))));
  });
  return app;
}

/** The response with further headers, which follow those of the same names. */
function withHeaders(response: Response, added: Readonly<Record<string, string>>): Response {
  for (const [name, value] of Object.entries(added)) response.headers.append(name, value);
  return response;
}

/** The request as routes see it. `waitUntil` logs the failure of work after the response, which no response reports. */
function contextOf(c: AppContext, services: Services, stopwatch: ServerTiming): Context {
  const { headers } = c.req.raw;
  const client = clientKey(headers);
  const failed = (error: unknown) => services.logFault({ requestId: c.get('requestId'), afterResponse: causeOf(error) });
  const waitUntil = (work: Promise<unknown>) => c.executionCtx.waitUntil(work.catch(failed));
  const turn = (ms: number) => services.turns.turn(client, ms);
  return { services, version: 'v2', url: new URL(c.req.url), headers, client, stopwatch, waitUntil, turn };
}

/** Logs once that a request names no client: all such requests share one rate limit. Those of movie workers come from the Worker itself. */
function clientWatch(services: Services): (request: AppContext['req']) => void {
  let isQuiet = !isDeployed(services);
  return ({ raw, path }) => {
    if (isQuiet || raw.headers.has(CLIENT_HEADER) || path.startsWith('/internal')) return;
    isQuiet = true;
    services.logFault({ client: 'unknown', path });
  };
}

/** Responds to every failure, and logs those that are faults of the service. */
async function errorHandler(error: unknown, c: AppContext): Promise<Response> {
  const failure = await withdrawnOr(c.get('context').services.index, asFailure(error));
  const requestId = c.get('requestId');
  const context = c.get('context');
  const { url, services } = context;
  logFailure(services.logFault, failure, { requestId, url });
  if (wantsPage(c.req.raw)) {
    const path = isOurFault(failure) ? explorerPathOf(c) : undefined;
    const page = failure.kind === 'unknown-path' ? await notFoundPage(url) : path && (await explorerWithoutView(path, context));
    if (page) return send(c.req.raw, page);
  }
  const docs = serviceOrigin(context) + docsAt(url);
  return errorResponse(failure, { requestId, actionForm: isActionForm(url), docs, callback: failureCallback(url) });
}

/** The page of the explorer that GET without an operation addresses. */
const explorerPathOf = ({ req }: AppContext) =>
  READING.includes(req.method) && req.query('action') === undefined
    ? EXPLORER_PATHS.find((path) => path === req.path)
    : undefined;

/** Methods of files, and of operations and files that take parameters in a body. */
const READING: readonly string[] = ['GET', 'HEAD'];
const METHODS: readonly string[] = [...READING, 'POST'];

const CHANGING: readonly string[] = METHODS.filter((method) => method !== 'HEAD');

function otherMethod(methods: readonly string[], got: string): Failure {
  const sentence = `${shown(got)} is not supported here. Use ${methods.join(', ').replace(/, (\w+)$/, ' or $1')}.`;
  return new Failure('method-not-allowed', sentence, { allowedMethods: [...methods, 'OPTIONS'].join(', ') });
}

/** Handles a request of an operation; of a root without one, the home page. @throws Failure of the operation or of its name and method */
async function handleApi(request: Request, context: Context): Promise<Representation> {
  const { url } = context;
  const path = apiPath(url.pathname);
  if (!path) throw new Failure('unknown-path', `Nothing is served at ${shown(url.pathname)}.`);
  const raw = await collectParameters(request, url);
  const target = findTarget(path, raw, operations);
  const methods = target?.operation.hasSideEffects ? CHANGING : METHODS;
  if (!METHODS.includes(request.method)) throw otherMethod(methods, request.method);
  if (target) {
    const { operation, version } = target;
    const isHead = request.method === 'HEAD';
    if (isHead && operation.hasSideEffects) throw otherMethod(methods, 'HEAD');
    const call = operation.call(version, raw);
    if (isHead && call.hasSideEffects) throw otherMethod(CHANGING, 'HEAD');
    if (call.hasSideEffects) await context.services.turns.change(context.client);
    const representation = await call.handle({ ...context, version });
    return withNotices(representation, ignoredNotices(operation.shapes[version]!, raw));
  }
  if (request.method !== 'POST') return homePage(request);
  throw new Failure('missing-parameter', 'Expected the name of an operation for action, got nothing.', { parameter: 'action' });
}
