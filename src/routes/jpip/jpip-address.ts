// What answers give as the JPIP address of a file.
import type { Context } from '../services.ts';

const HTTP_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** `jpip://<host>:<port>` of the request, `jpips` where it came over TLS. */
function requestRoot({ protocol, hostname, port }: URL): string {
  return `${protocol === 'https:' ? 'jpips' : 'jpip'}://${hostname}:${port || HTTP_PORTS[protocol]}`;
}

/** `path`: below the root of the images, with a slash in front. */
export function jpipAddress(path: string, { services, url }: Pick<Context, 'services' | 'url'>): string {
  return (services.settings.jpipRoot ?? requestRoot(url)) + path;
}
