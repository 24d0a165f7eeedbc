/** An answer of the API is data: nothing in it may run, load or be framed. Pages bring a policy of their own. */
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";

export function addSecurityHeaders(headers: Headers, url: URL): void {
  headers.set('X-Content-Type-Options', 'nosniff');
  headers.set('Referrer-Policy', 'no-referrer');
  headers.set('Cross-Origin-Resource-Policy', 'cross-origin');
  if (!headers.has('Content-Security-Policy')) headers.set('Content-Security-Policy', DATA_POLICY);
  if (url.protocol === 'https:') headers.set('Strict-Transport-Security', 'max-age=31536000');
}
