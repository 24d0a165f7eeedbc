// The way of a request through the platform's cache (Workers Cache).
//
// The default entry point of the Worker runs on every request. It gives a cacheable request a canonical key and passes it to the entry
// point of the service, in front of which the cache stands: the service runs only for what the cache does not have. The cache keys by
// entry point and key, without the host; makes GET of HEAD and whole responses of ranges; shares one run among equal requests; and
// keeps what Cache-Control and Cache-Tag of the response say.
import { CACHE_TAG, EDGE_CACHE_CONTROL } from './http/edge-cache.ts';
import { addSecurityHeaders } from './http/response-headers.ts';
import { edgeKey } from './routes/edge-key.ts';

interface EntryPoints {
  /** Passes a request to the service through the cache; null where there is none, as on this machine. */
  readonly cached: ((request: Request, key: string) => Promise<Response>) | null;
  readonly direct: (request: Request) => Response | Promise<Response>;
}

/** Values of Cf-Cache-Status of a response that the cache had. */
const FROM_CACHE = /^(HIT|STALE|UPDATING|REVALIDATED)$/;

/** The response to a request, through the cache if it has a key. */
export async function respond(request: Request, { cached, direct }: EntryPoints): Promise<Response> {
  const key = cached && edgeKey(request);
  const response = await (key === null ? direct(request) : cached!(request, key));
  return forClient(response, new URL(request.url));
}

/** A response as clients get it: without the headers for the cache, and without those of the request that filled it. */
function forClient(response: Response, url: URL): Response {
  const sent = new Response(response.body, response);
  const { headers } = sent;
  headers.delete(CACHE_TAG);
  headers.delete(EDGE_CACHE_CONTROL);
  if (FROM_CACHE.test(headers.get('Cf-Cache-Status') ?? '')) {
    headers.set('X-Request-Id', crypto.randomUUID());
    headers.set('Server-Timing', 'cache;desc="hit"');
    // The first request may have come by another scheme.
    addSecurityHeaders(headers, url);
  }
  return sent;
}
