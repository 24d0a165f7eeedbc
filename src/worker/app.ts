// The HTTP application: middleware around the routes of the table, and the responses to failures.
import { Hono, type Context as HonoContext } from 'hono';
import { withdrawnOr } from '../archive/find-image.ts';
import {
  type Context,
  EXPLORER_PATHS,
  explorerWithoutView,
  failureContext,
  isDeployed,
  notFoundPage,
  routeOf,
  type Services,
  serviceOrigin,
  wantsPage,
} from '../faces/index.ts';
import { Admission } from '../platform/admission/admission.ts';
import { CLIENT_HEADER, clientKey, limitRate, rateLimitHeaders, unitsOf } from '../platform/admission/rate-limit.ts';
import { NO_STORE } from '../platform/http/cache-policy.ts';
import { asFailure, errorResponse, isOurFault, logFailure } from '../platform/http/errors.ts';
import { checkHeaders, type Found, nothingAt, otherMethod } from '../platform/http/request.ts';
import {
  addSecurityHeaders,
  allowAnyOrigin,
  appendAll,
  preflightResponse,
  ServerTiming,
  send,
} from '../platform/http/response.ts';
import { REQUEST_LIMITS } from '../platform/limits/http.ts';
import { causeOf } from '../platform/util/causes.ts';

interface AppVariables {
  Variables: { requestId: string; context: Context; found: Found<Context> };
}

type AppContext = HonoContext<AppVariables>;

export function createApp(services: Services): Hono<AppVariables> {
  const app = new Hono<AppVariables>();
  const watchClients = clientWatch(services);
  app.use(async (c, next) => {
    const timing = new ServerTiming();
    const found = routeOf(c.req.raw);
    watchClients(found);
    c.set('requestId', crypto.randomUUID());
    c.set('found', found);
    c.set('context', contextOf(c, services, timing));
    await next();
    const { headers } = c.res;
    headers.set('X-Request-Id', c.get('requestId'));
    headers.set('Server-Timing', timing.header());
    // A shared cache chooses a lifetime of its own for responses without one.
    if (!headers.has('Cache-Control')) headers.set('Cache-Control', NO_STORE);
    allowAnyOrigin(headers);
    addSecurityHeaders(headers, found.url);
  });
  app.onError(errorHandler);
  app.use(async (c, next) => {
    const { raw } = c.req;
    const { route, method, headers } = c.get('found');
    try {
      checkHeaders(headers);
    } catch (error) {
      await limitRate(services.requestLimiter, headers);
      throw error;
    }
    if (method === 'OPTIONS') return preflightResponse();
    // The operators and the movie workers have no rate limit. Requests that have none of their tokens have it.
    if (['operator', 'worker', 'jpip'].includes(route?.kind ?? '')) return next();
    const count = await limitRate(services.requestLimiter, headers, unitsOf(raw, REQUEST_LIMITS));
    await services.turns.serve(c.get('context').client, next);
    appendAll(c.res.headers, rateLimitHeaders(services.requestLimiter.policy, count));
  });
  app.all('*', async (c) => {
    const { raw } = c.req;
    const [found, context] = [c.get('found'), c.get('context')];
    const { route, method, url } = found;
    if (!route) throw nothingAt(url);
    if (route.methods && !route.methods.includes(method)) throw otherMethod(route.methods, method);
    const reply = await route.handle(context, found, raw);
    return reply instanceof Response ? reply : send(raw, reply);
  });
  return app;
}

/** The request as routes see it. `waitUntil` logs the failure of work after the response, which no response reports. */
function contextOf(c: AppContext, services: Services, stopwatch: ServerTiming): Context {
  const { url, headers } = c.get('found');
  const client = clientKey(headers);
  const failed = (error: unknown) => services.logFault({ requestId: c.get('requestId'), afterResponse: causeOf(error) });
  const waitUntil = (work: Promise<unknown>) => c.executionCtx.waitUntil(work.catch(failed));
  const admission = new Admission(services, { client, stopwatch, waitUntil });
  return { services, version: 'v2', url, headers, client, stopwatch, waitUntil, admission };
}

/** Logs once that a request names no client: all such requests share one rate limit. Those of movie workers come from the Worker itself. */
function clientWatch(services: Services): (found: Found) => void {
  let isQuiet = !isDeployed(services);
  return ({ headers, path, route }) => {
    if (isQuiet || headers.has(CLIENT_HEADER) || route?.kind === 'worker') return;
    isQuiet = true;
    services.logFault({ client: 'unknown', path });
  };
}

/** Responds to every failure, and logs those that are faults of the service. */
async function errorHandler(error: unknown, c: AppContext): Promise<Response> {
  const [requestId, context] = [c.get('requestId'), c.get('context')];
  const { url, services } = context;
  const failure = await withdrawnOr(services.index, asFailure(error));
  logFailure(services.logFault, failure, { requestId, url });
  if (wantsPage(c.req.raw)) {
    const path =
      isOurFault(failure) && !url.searchParams.has('action') && EXPLORER_PATHS.find((known) => known === c.get('found').path);
    const page = failure.kind === 'unknown-path' ? await notFoundPage(url) : path && (await explorerWithoutView(path, context));
    if (page) return send(c.req.raw, page);
  }
  return errorResponse(failure, { requestId, ...failureContext(url, serviceOrigin(context)) });
}
