// Headers that every response has: cross-origin access and security.

const PREFLIGHT: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, OPTIONS',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, If-Match, If-Modified-Since, If-None-Match, If-Range, Range, X-Requested-With',
  'Access-Control-Max-Age': '86400',
};

const EXPOSED = [
  'Accept-Ranges, Age, Content-Disposition, Content-Length, Content-Range, ETag, JPIP-cnew, JPIP-qid, JPIP-tid, Retry-After',
  'Server-Timing',
  'X-Events-Loaded, X-Events-Sources, X-Image-Date, X-Image-Distance, X-Image-Scale, X-Image-Scale-Adjusted, X-Layer-Images, X-Layers-Far, X-Notice, X-Request-Id',
].join(', ');

/** Allows every origin, because no response depends on cookies or the caller. */
export function allowAnyOrigin(headers: Headers): void {
  headers.set('Access-Control-Allow-Origin', '*');
  headers.set('Access-Control-Expose-Headers', EXPOSED);
  headers.set('Timing-Allow-Origin', '*');
}

/** The response to OPTIONS on any path: the body of the original service with the headers that browsers require. */
export function preflightResponse(): Response {
  return new Response('OK', { headers: { ...PREFLIGHT, 'Content-Type': 'text/plain; charset=utf-8' } });
}

/** Policy of responses that are data: nothing may run, load or be framed. Pages have policies of their own. */
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";

export function addSecurityHeaders(headers: Headers, url: URL): void {
  headers.set('X-Content-Type-Options', 'nosniff');
  headers.set('Referrer-Policy', 'no-referrer');
  headers.set('Cross-Origin-Resource-Policy', 'cross-origin');
  if (!headers.has('Content-Security-Policy')) headers.set('Content-Security-Policy', DATA_POLICY);
  if (url.protocol === 'https:') headers.set('Strict-Transport-Security', 'max-age=31536000');
}

/** Sentences about a request that is valid but probably not meant as it is. */
export const NOTICE = 'X-Notice';

/** The header with the sentences; empty without any. */
export function noticeHeader(sentences: readonly string[]): Readonly<Record<string, string>> {
  return sentences.length === 0 ? {} : { [NOTICE]: sentences.join(' ') };
}
