// Anybody's page may ask: nothing here depends on who asks.

const PREFLIGHT: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, OPTIONS',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, If-Match, If-Modified-Since, If-None-Match, If-Range, Range, X-Requested-With',
  'Access-Control-Max-Age': '86400',
};

const EXPOSED = [
  'Accept-Ranges, Age, Content-Disposition, Content-Length, Content-Range, ETag, JPIP-cnew, JPIP-tid, Retry-After',
  'Server-Timing',
  'X-Events-Sources, X-Image-Date, X-Image-Distance, X-Image-Scale, X-Image-Scale-Adjusted, X-Layer-Images, X-Layers-Far, X-Request-Id',
].join(', ');

export function allowAnyOrigin(headers: Headers): void {
  headers.set('Access-Control-Allow-Origin', '*');
  headers.set('Access-Control-Expose-Headers', EXPOSED);
  headers.set('Timing-Allow-Origin', '*');
}

/** The answer to OPTIONS on any path: what the original service says, plus what browsers ask for. */
export function preflightResponse(): Response {
  return new Response('OK', { headers: { ...PREFLIGHT, 'Content-Type': 'text/plain; charset=utf-8' } });
}
