// Routes requests through Workers Cache.
//
// The default entry point of the Worker runs on every request. It gives a cacheable request a canonical key and passes it to the entry
// point of the service, in front of which the cache stands: the service runs only for what the cache does not have. The cache keys by
// entry point and key, without the host; makes GET of HEAD and whole responses of ranges; shares one run among equal requests; and
// keeps what Cache-Control and Cache-Tag of the response say.
//
// By itself the cache would key by path and query, so that another order or notation of parameters would be another entry. A request
// without a key does not pass it: everything but GET and HEAD, the other pages, JPIP, and operations with `edge: 'none'`.
import { Failure } from './domain/errors.ts';
import { NO_STORE } from './http/cache-policy.ts';
import { asFailure, errorResponse, logFailure } from './http/errors.ts';
import { mcpFailure, mcpResponse, messageUnits } from './http/mcp.ts';
import { ignoredNotices } from './http/operation.ts';
import { countedValue } from './http/parameters.ts';
import { CLIENT_HEADER, clientKey, clientOf, limitRate, rateLimitHeaders, type Turns } from './http/rate-limit.ts';
import {
  type ApiPath,
  acceptsGzip,
  apiPath,
  checkHeaders,
  collectQuery,
  findTarget,
  isActionForm,
  isJpipRequest,
  otherSpelling,
  routedPath,
} from './http/request.ts';
import type { CacheableResource } from './http/resource.ts';
import {
  addSecurityHeaders,
  allowAnyOrigin,
  CACHE_TAG,
  EDGE_CACHE_CONTROL,
  FROM_CACHE,
  noticeHeader,
  requestedRange,
  unsatisfiableRange,
} from './http/response.ts';
import { cacheableView } from './routes/explorer/page.ts';
import { fileAt } from './routes/files.ts';
import { MCP_PATH, toolbox } from './routes/mcp/tools.ts';
import { docsAt, failureCallback, operations } from './routes/operations.ts';

/** Types that are much smaller in gzip and that the platform does not compress itself, as it does JSON, XML and HTML. */
const COMPRESSED_TYPES = /^text\/csv\b/;
/** Below, gzip gains less than a packet. */
const COMPRESSED_BYTES = 1024;

/** The response in gzip where the client takes it. That has no ranges, and a weak tag. The cache has the response as it is. */
function compressed(response: Response, request: Request): Response {
  const { status, body } = response;
  const length = Number(response.headers.get('Content-Length') ?? Number.POSITIVE_INFINITY);
  const isLong =
    status === 200 && length >= COMPRESSED_BYTES && COMPRESSED_TYPES.test(response.headers.get('Content-Type') ?? '');
  if (!isLong) return response;
  const headers = new Headers(response.headers);
  headers.append('Vary', 'Accept-Encoding');
  if (body === null || !acceptsGzip(request)) return new Response(body, { status, headers });
  headers.set('Content-Encoding', 'gzip');
  for (const name of ['Content-Length', 'Accept-Ranges']) headers.delete(name);
  const etag = headers.get('ETag');
  if (etag?.startsWith('"')) headers.set('ETag', `W/${etag}`);
  return new Response(body.pipeThrough(new CompressionStream('gzip')), { status, headers, encodeBody: 'manual' });
}

interface EntryPoints {
  /** Passes a request to the service through the cache. */
  readonly cached: (request: Request, key: string) => Promise<Response>;
  readonly direct: (request: Request) => Response | Promise<Response>;
  /** Counts the requests that pass the cache, and preflights, for each client. The service counts the others. */
  readonly limiter: Parameters<typeof limitRate>[0];
  /** Turns of the isolate. The service takes those of the requests that reach it. */
  readonly turns: Pick<Turns, 'see'>;
  /** Receives one record per fault of the gateway, and of the way to the service. */
  readonly logFault: Parameters<typeof logFailure>[0];
}

/** The response to a request, through the cache if it has a key. What throws is answered as the service would. */
export async function respond(
  given: Request,
  entryPoints: EntryPoints,
  client: string | null = clientOf(given.headers),
): Promise<Response> {
  try {
    const path = given.method === 'OPTIONS' ? null : otherSpelling(given);
    if (path !== null) return redirect(path, new URL(given.url));
    const request = ofClient(given, client);
    const isMcp = routedPath(request) === MCP_PATH && request.method !== 'OPTIONS';
    return await (isMcp ? respondToMcp : routed)(request, entryPoints);
  } catch (error) {
    const [failure, url, requestId] = [asFailure(error), new URL(given.url), crypto.randomUUID()];
    logFailure(entryPoints.logFault, failure, { requestId, url });
    return refusal(failure, url, requestId);
  }
}

/** The request with its client in the header that the service reads, whatever the request had there. */
function ofClient(given: Request, client: string | null): Request {
  const headers = new Headers(given.headers);
  if (client === null) headers.delete(CLIENT_HEADER);
  else headers.set(CLIENT_HEADER, client);
  return new Request(given, { headers });
}

async function routed(request: Request, { cached, direct, limiter, turns }: EntryPoints): Promise<Response> {
  const cacheable = cacheableOf(request);
  // The service counts the requests that reach it, but for preflights.
  const isCounted = cacheable !== null || request.method === 'OPTIONS';
  let limits: Record<string, string> = {};
  if (isCounted) limits = rateLimitHeaders(limiter.policy, await limitRate(limiter, request.headers));
  if (cacheable) checkHeaders(request.headers);
  if (!cacheable) return compressed(forClient(await direct(request), request.url), request);
  turns.see(clientKey(request.headers));
  const found = await cached(cacheable.request, cacheable.key);
  const isOwn = found.status < 500 || found.headers.has('X-Request-Id');
  if (!isOwn) throw new Error(`The platform answered with status ${found.status} in place of the service.`);
  // The service behind the cache sees no ranges, and the cache says nothing of what is wrong with one.
  const response =
    found.status === 416
      ? refusal(unsatisfiableRange(request.headers.get('Range'), sizeIn(found.headers)), new URL(request.url))
      : compressed(forClient(found, request.url), request);
  for (const [name, value] of Object.entries(limits)) response.headers.append(name, value);
  const own = response.headers.get('X-Notice') ?? '';
  if (response.status < 400) setAll(response.headers, noticeHeader(cacheable.notices, own));
  return response;
}

/** Requests of tools are counted as the request of which they are part. */
const COUNTED: EntryPoints['limiter'] = { limit: async () => ({ success: true }) };

/** The response to a request of the Model Context Protocol, whose tools are requests of the same client. */
async function respondToMcp(request: Request, entryPoints: EntryPoints): Promise<Response> {
  const url = new URL(request.url);
  const client = request.headers.get(CLIENT_HEADER);
  const tools = toolbox(url.origin, (address) => respond(new Request(address), { ...entryPoints, limiter: COUNTED }, client));
  try {
    const count = await limitRate(entryPoints.limiter, request.headers, messageUnits(request));
    const limits = rateLimitHeaders(entryPoints.limiter.policy, count);
    checkHeaders(request.headers);
    const response = await mcpResponse(request, tools);
    setAll(response.headers, limits);
    return ownResponse(response, url);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return ownResponse(mcpFailure(error), url);
  }
}

/** Whether the cache keeps a response for longer than clients do, who would count its age there against their time. */
function outlivesClients(headers: Headers): boolean {
  const lifeSeconds = Number(/max-age=(\d+)/.exec(headers.get('Cache-Control') ?? '')?.[1] ?? Number.POSITIVE_INFINITY);
  return headers.get('Cf-Cache-Status') === 'HIT' && Number(headers.get('Age')) >= lifeSeconds;
}

/** Bytes of the whole in a Content-Range without a range. */
const sizeIn = (headers: Headers) => Number(headers.get('Content-Range')?.split('/')[1]);

function redirect(path: string, url: URL): Response {
  const headers = { Location: path + url.search, 'Cache-Control': NO_STORE };
  return ownResponse(new Response(null, { status: 308, headers }), url);
}

function refusal(failure: Failure, url: URL, requestId: string = crypto.randomUUID()): Response {
  const docs = url.origin + docsAt(url);
  const response = errorResponse(failure, { requestId, actionForm: isActionForm(url), docs, callback: failureCallback(url) });
  return ownResponse(response, url, requestId);
}

/** A response of the gateway itself, with the headers that all have. */
function ownResponse(response: Response, url: URL, requestId: string = crypto.randomUUID()): Response {
  response.headers.set('X-Request-Id', requestId);
  allowAnyOrigin(response.headers);
  addSecurityHeaders(response.headers, url);
  return response;
}

function setAll(headers: Headers, values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) headers.set(name, value);
}

/** A response as clients get it: without the headers for the cache, and without those of the request that filled it. */
function forClient(response: Response, url: string): Response {
  const sent = new Response(response.body, response);
  const { headers } = sent;
  headers.delete(CACHE_TAG);
  headers.delete(EDGE_CACHE_CONTROL);
  if (FROM_CACHE.test(headers.get('Cf-Cache-Status') ?? '')) {
    if (outlivesClients(headers)) headers.delete('Age');
    headers.set('X-Request-Id', crypto.randomUUID());
    headers.set('Server-Timing', 'cache;desc="hit"');
    // The count of the client for which it was made.
    for (const name of ['RateLimit', 'RateLimit-Policy']) headers.delete(name);
    // The first request may have come by another scheme.
    addSecurityHeaders(headers, new URL(url));
  }
  return sent;
}

/** Whether a request is for a part. A Range that is ignored, of several parts or malformed, is for the whole. */
const isForPart = ({ headers }: Request) => requestedRange(headers.get('Range'), Number.POSITIVE_INFINITY) !== 'whole';

/** Whether the cache may fetch the whole response, as it does for a range and for HEAD, which for a movie would read all of it. */
const wantsAll = (request: Request) => request.method === 'GET' && !isForPart(request);

/**
 * Headers that the service reads behind the cache: the client, by which it counts; parts and conditions; what a failure is shown as. The
 * rest is left out: the platform adds X-Forwarded-Host, Forwarded, X-HTTP-Method-Override and the like to its key, which would let a
 * client pass by what is stored, and a response must not depend on any.
 */
const KEPT_HEADERS = [CLIENT_HEADER, 'Range', 'If-Range', 'If-None-Match', 'If-Modified-Since', 'Accept'] as const;

function withoutOtherHeaders(request: Request, url: URL): Request {
  const { method, headers } = request;
  const kept = KEPT_HEADERS.filter((name) => headers.has(name) && (name !== 'Range' || isForPart(request)));
  return new Request(url, { method, headers: kept.map((name): [string, string] => [name, headers.get(name)!]) });
}

/** A request that passes the edge cache. */
interface Cacheable {
  readonly key: string;
  /** Without the headers and parameters that the key leaves out, so that no response depends on them. */
  readonly request: Request;
  /** Notices on what the request leaves out. */
  readonly notices: readonly string[];
}

/** Key of the response to a request; null for requests that do not pass the edge cache. */
export const edgeKey = (request: Request): string | null => cacheableOf(request)?.key ?? null;

function cacheableOf(request: Request): Cacheable | null {
  if (request.method !== 'GET' && request.method !== 'HEAD') return null;
  const url = new URL(request.url);
  if (isJpipRequest(url)) return null;
  const called = apiPath(url.pathname);
  if (called) return valid(() => cacheableCall(request, url, called));
  const path = routedPath(request);
  const file = fileAt(path);
  if (!file) return null;
  const { route, groups } = file;
  if (route.cacheable) return valid(() => cacheableResource(request, url, route.cacheable!(url, groups)));
  const { edge } = route;
  if (!edge || (edge === 'large' && !wantsAll(request))) return null;
  if (edge === 'folder' && !url.pathname.endsWith('/')) return null;
  if (edge !== 'with-query' && edge !== 'each') url.search = '';
  const key = edge === 'each' ? `${path}?${crypto.randomUUID()}` : path + url.search;
  return { key, request: withoutOtherHeaders(request, url), notices: [] };
}

/** The result for a valid request; null for an invalid one, which fails in the service, and failures are not cached. */
function valid(cacheable: () => Cacheable | null): Cacheable | null {
  try {
    return cacheable();
  } catch (error) {
    if (error instanceof Failure) return null;
    throw error;
  }
}

function cacheableResource(request: Request, url: URL, found: CacheableResource | null): Cacheable | null {
  if (!found) return null;
  url.search = String(found.query);
  return { key: found.key, request: withoutOtherHeaders(request, url), notices: found.notices };
}

/** A call of an operation, or the explorer where there is none. */
function cacheableCall(request: Request, url: URL, path: ApiPath): Cacheable | null {
  const raw = collectQuery(url);
  const target = findTarget(path, raw, operations);
  if (!target && routedPath(request) === '/') return cacheableResource(request, url, cacheableView('/', url));
  if (!target?.operation.isEdgeCached || target.operation.hasSideEffects) return null;
  if (target.operation.isLarge && !wantsAll(request)) return null;
  const { isCanonical, key: call } = target.operation.call(target.version, raw);
  if (call === null) return null;
  const shape = target.operation.shapes[target.version]!;
  // The feed of the news has another format in the action form. Responses under canonical keys are the same in all forms.
  const ownKey = !isCanonical && isActionForm(url) ? `/action/${call}` : `/${call}`;
  const known = [...raw].filter(([name]) => name === 'action' || Object.hasOwn(shape, name));
  url.search = String(new URLSearchParams(known.map(([name, values]) => [name, String(countedValue(values))])));
  return { key: ownKey, request: withoutOtherHeaders(request, url), notices: ignoredNotices(shape, raw) };
}
