// Routes requests through Workers Cache.
//
// The default entry point of the Worker runs on every request. It gives a cacheable request a canonical key and passes it to the entry
// point of the service, in front of which the cache stands: the service runs only for what the cache does not have. The cache keys by
// entry point and key, without the host; makes GET of HEAD and whole responses of ranges; shares one run among equal requests; and
// keeps what Cache-Control and Cache-Tag of the response say.
//
// The cache alone would key by path and query, so that another order or notation of parameters would be another entry. A request
// without a key does not pass it: everything but GET and HEAD, the other pages, JPIP, and operations with `edge: 'none'`.
//
// Responses are counted by operation: as points in Workers Analytics Engine, which sums them over all isolates, and in this isolate.
import { failureContext, operations, routeOf, toolbox } from '../faces/index.ts';
import type { OperationCount } from '../operator/index.ts';
import { CLIENT_HEADER, clientKey, clientOf, limitRate, unitsOf } from '../platform/admission/rate-limit.ts';
import type { Turns } from '../platform/admission/turns.ts';
import { asFailure, errorResponse, FAULT_HEADER, logFailure } from '../platform/http/errors.ts';
import { mcpFailure, mcpResponse } from '../platform/http/mcp.ts';
import { operationNamed } from '../platform/http/operation.ts';
import { acceptsGzip, checkHeaders, type Found, type Keyed, otherSpelling, READING } from '../platform/http/request.ts';
import {
  addSharedHeaders,
  appendAll,
  CACHE_TAG,
  EDGE_CACHE_CONTROL,
  FROM_CACHE,
  NO_STORE,
  noticeHeader,
  requestedRange,
  unsatisfiableRange,
} from '../platform/http/response.ts';
import { MCP } from '../platform/limits/http.ts';
import { MINUTE_MS, SECOND_MS } from '../platform/util/durations.ts';
import { Failure, when } from '../platform/util/errors.ts';
import type { Env } from './platform.ts';

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

/** The response to a request, through the cache if it has a key. What throws is answered as the service would, also where `client` does. */
export async function respond(
  request: Request,
  entryPoints: EntryPoints,
  client: () => string | null | Promise<string | null> = () => clientOf(request.headers),
) {
  try {
    const path = request.method === 'OPTIONS' ? null : otherSpelling(request);
    if (path !== null) {
      const url = new URL(request.url);
      const headers = { Location: path + url.search, 'Cache-Control': NO_STORE };
      return ownResponse(new Response(null, { status: 308, headers }), url);
    }
    const found = routeOf(request);
    found.headers = ofClient(request.headers, await client());
    const isForTools = found.route?.kind === 'tools' && found.method !== 'OPTIONS';
    if (!isForTools) return await routed(request, found, entryPoints);
    return ownResponse(await respondToMcp(request, found, entryPoints).catch(when(Failure, mcpFailure)), found.url);
  } catch (error) {
    const [failure, url, requestId] = [asFailure(error), new URL(request.url), crypto.randomUUID()];
    logFailure(entryPoints.logFault, failure, { requestId, url });
    return refusal(failure, url, requestId);
  }
}

/** Headers with the client in that which the service reads, whatever the request had there. */
function ofClient(given: Headers, client: string | null): Headers {
  const headers = new Headers(given);
  if (client === null) headers.delete(CLIENT_HEADER);
  else headers.set(CLIENT_HEADER, client);
  return headers;
}

async function routed(request: Request, found: Found, { cached, direct, limiter, turns }: EntryPoints): Promise<Response> {
  const cacheable = cacheableOf(request, found);
  // The service counts the requests that reach it, but for preflights.
  const isCounted = cacheable !== null || request.method === 'OPTIONS';
  const limits = isCounted ? await limitRate(limiter, found.headers) : {};
  if (cacheable) checkHeaders(found.headers);
  if (!cacheable) return compressed(forClient(await direct(request), found.url), request);
  turns.see(clientKey(found.headers));
  const kept = await cached(cacheable.request, cacheable.key);
  const isOwn = kept.status < 500 || kept.headers.has('X-Request-Id');
  if (!isOwn) throw new Error(`The platform answered with status ${kept.status} in place of the service.`);
  // The service behind the cache sees no ranges, and the cache says nothing of what is wrong with one.
  const response =
    kept.status === 416
      ? refusal(unsatisfiableRange(request.headers.get('Range'), sizeIn(kept.headers)), found.url)
      : compressed(forClient(kept, found.url), request);
  appendAll(response.headers, limits);
  if (response.status >= 400) return response;
  const notice = noticeHeader(cacheable.notices, response.headers.get('X-Notice') ?? '');
  response.headers.delete('X-Notice');
  appendAll(response.headers, notice);
  return response;
}

/** Requests of tools are counted as the request of which they are part. */
const COUNTED: EntryPoints['limiter'] = { limit: async () => ({ success: true }) };

/** The response to a request of the Model Context Protocol. @throws Failure */
async function respondToMcp(request: Request, { url, headers }: Found, entryPoints: EntryPoints): Promise<Response> {
  // Tools are requests of the same client.
  const client = headers.get(CLIENT_HEADER);
  const tools = toolbox(url.origin, (address) =>
    respond(new Request(address), { ...entryPoints, limiter: COUNTED }, () => client),
  );
  const limits = await limitRate(entryPoints.limiter, headers, unitsOf(request, MCP));
  checkHeaders(headers);
  const response = await mcpResponse(request, tools);
  appendAll(response.headers, limits);
  return response;
}

/** Whether the cache keeps a response for longer than clients do, who would count its age there against their time. */
function outlivesClients(headers: Headers): boolean {
  const lifeSeconds = Number(/max-age=(\d+)/.exec(headers.get('Cache-Control') ?? '')?.[1] ?? Number.POSITIVE_INFINITY);
  return headers.get('Cf-Cache-Status') === 'HIT' && Number(headers.get('Age')) >= lifeSeconds;
}

/** Bytes of the whole in a Content-Range without a range. */
const sizeIn = (headers: Headers) => Number(headers.get('Content-Range')?.split('/')[1]);

function refusal(failure: Failure, url: URL, requestId: string = crypto.randomUUID()): Response {
  return ownResponse(errorResponse(failure, { requestId, ...failureContext(url, url.origin) }), url, requestId);
}

/** A response of the gateway itself, with the headers that all have. */
function ownResponse(response: Response, url: URL, requestId: string = crypto.randomUUID()): Response {
  response.headers.set('X-Request-Id', requestId);
  addSharedHeaders(response.headers, url);
  return response;
}

/** A response as clients get it: without the headers for the cache, and without those of the request that filled it. */
function forClient(response: Response, url: URL): Response {
  const sent = new Response(response.body, response);
  const { headers } = sent;
  headers.delete(CACHE_TAG);
  headers.delete(EDGE_CACHE_CONTROL);
  if (FROM_CACHE.test(headers.get('Cf-Cache-Status') ?? '')) {
    if (outlivesClients(headers)) headers.delete('Age');
    headers.set('X-Request-Id', crypto.randomUUID());
    headers.set('Server-Timing', 'cache;desc="hit"');
    // Limits of the client who filled the cache.
    for (const name of ['RateLimit', 'RateLimit-Policy']) headers.delete(name);
    // The first request may have come by another scheme.
    addSharedHeaders(headers, url);
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

/** Key of the response to a request; null for requests that do not pass the edge cache. */
export const edgeKey = (request: Request): string | null => cacheableOf(request, routeOf(request))?.key ?? null;

/**
 * A request that passes the edge cache, without the headers and parameters that its key leaves out, so that no response depends on them, and notices
 * on these; null for another.
 */
function cacheableOf(request: Request, found: Found) {
  const keyed = keyedBy(found);
  if (!keyed || (keyed.isLarge && !wantsAll(request))) return null;
  const url = new URL(found.url);
  url.search = String(keyed.query);
  const { method, headers } = found;
  const kept = KEPT_HEADERS.filter((name) => headers.has(name) && (name !== 'Range' || isForPart(request)));
  const sent = kept.map((name): [string, string] => [name, headers.get(name)!]);
  return { key: keyed.key, notices: keyed.notices, request: new Request(url, { method, headers: sent }) };
}

/** Null for a request that does not pass the edge cache, also for an invalid one, which fails in the service, and failures are not cached. */
function keyedBy(found: Found): Keyed | null {
  if (!READING.includes(found.method)) return null;
  try {
    return found.route?.key?.(found) ?? null;
  } catch (error) {
    return when(Failure, () => null)(error);
  }
}

/** Sums of a minute by operation: requests, faults, hits, seconds. */
type Sums = Map<string, readonly number[]>;

const NONE = [0, 0, 0, 0] as const;

/** Minutes of which /metrics has the sums. */
export const COUNTED_MINUTES = 5;

const minutes = new Map<number, Sums>();

/** Name of an operation, or first part of the path of a file; `other` for all others, so that clients make up no names. */
function operationOf(found: Found): string {
  switch (found.route?.kind) {
    case 'jpip':
      return 'jpip';
    case 'operation':
      return operationNamed(found, operations)?.name ?? 'other';
    case 'file':
    case 'resource':
      return found.path.split('/')[1]!;
    default:
      return 'other';
  }
}

const added = (sums: readonly number[], more: readonly number[]) => sums.map((sum, i) => sum + more[i]!);

/** Counts a response, which has taken `ms`, and takes the mark of a fault from it. */
export function countRequest({ REQUEST_POINTS }: Env, request: Request, response: Response, ms: number): void {
  const { headers } = response;
  const operation = operationOf(routeOf(request));
  const isFault = headers.has(FAULT_HEADER);
  const values = [Number(isFault), Number(FROM_CACHE.test(headers.get('Cf-Cache-Status') ?? '')), ms / SECOND_MS];
  if (isFault) headers.delete(FAULT_HEADER);
  REQUEST_POINTS?.writeDataPoint({ indexes: [operation], blobs: [operation], doubles: values });
  const minute = Math.floor(Date.now() / MINUTE_MS);
  for (const known of minutes.keys()) if (known <= minute - COUNTED_MINUTES) minutes.delete(known);
  const sums: Sums = minutes.get(minute) ?? new Map();
  minutes.set(minute, sums.set(operation, added(sums.get(operation) ?? NONE, [1, ...values])));
}

/** Requests of this isolate in the last minutes. */
export function isolateCounts(): readonly OperationCount[] {
  const sums: Sums = new Map();
  for (const [operation, values] of [...minutes.values()].flatMap((each) => [...each]))
    sums.set(operation, added(sums.get(operation) ?? NONE, values));
  return [...sums].map(([operation, [requests = 0, faults = 0, hits = 0, seconds = 0]]) => ({
    operation,
    requests,
    faults,
    hits,
    seconds,
  }));
}
