// Responses in gzip, where the platform does not compress them.
import { acceptsGzip } from './request.ts';

/** Types that are much smaller in gzip and that the platform does not compress itself, as it does JSON, XML and HTML. */
const COMPRESSED_TYPES = /^text\/csv\b/;
/** Below, gzip gains less than a packet. */
const COMPRESSED_BYTES = 1024;

/**
 * The response in gzip where the client takes it and the platform would send it as it is. A compressed response has no ranges, and a weak
 * tag, because its bytes are not those of the representation. The cache has the response as it is.
 */
export function compressed(response: Response, request: Request): Response {
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
