/**
 * Whether a script or a form of one of our own pages made the request, so that it may act for its user. Browsers say so in
 * Sec-Fetch-Site, which no page can set and which stays `cross-site` through redirects; links, pictures and scripts in our own
 * pages do not count, since what they name may come from elsewhere. Only requests that are not GET navigations have an Origin.
 * Browsers without Sec-Fetch-Site have to show ours there.
 */
export function isFromOwnPage(headers: Headers, origin: string): boolean {
  const site = headers.get('Sec-Fetch-Site');
  if (site === null) return headers.get('Origin') === origin;
  return site === 'same-origin' && (headers.get('Sec-Fetch-Dest') === 'empty' || headers.has('Origin'));
}
