// Addresses of webhooks: names of the public DNS under https at its own port. An operator chooses them, so that none may lead into a network
// behind the service (server-side request forgery).
import { WEBHOOKS } from '../../config/limits/webhooks.ts';
import { isLoopback, isPlainHttp } from '../../util/url.ts';

/** Two labels or more (RFC 1123), the last of which begins with a letter: no IPv4 address in any notation, and no IPv6 address. */
const HOST_NAME = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Domains that are not in the public DNS: RFC 6761, 6762, 7686, 8375 and 9476, the domain that ICANN reserves for private use, and those
 * that routers and metadata services use. `home.arpa` is in `arpa`, which has no other hosts.
 */
const PRIVATE_DOMAINS: readonly string[] = [
  'alt',
  'arpa',
  'corp',
  'example',
  'home',
  'internal',
  'intranet',
  'invalid',
  'lan',
  'local',
  'localdomain',
  'localhost',
  'mail',
  'onion',
  'private',
  'test',
];

export interface AddressRules {
  /** Whether http addresses of this machine are permitted as well, at any port. */
  readonly reachesLoopback: boolean;
}

/** What `webhookAddress` accepts, for an error. */
export const ADDRESS_FORM = `an https address of at most ${WEBHOOKS.addressCharacters} characters with a public host name, without port, credentials and fragment,`;

/** The address of a webhook; null for text that is none, or one that is not permitted. */
export function webhookAddress(text: string, { reachesLoopback }: AddressRules): URL | null {
  const url = text.length <= WEBHOOKS.addressCharacters ? URL.parse(text) : null;
  if (!url || !isPlainHttp(url) || url.hash !== '') return null;
  if (reachesLoopback && url.protocol === 'http:' && isLoopback(url)) return url;
  const isPublic = HOST_NAME.test(url.hostname) && !PRIVATE_DOMAINS.includes(url.hostname.split('.').at(-1)!);
  return url.protocol === 'https:' && url.port === '' && isPublic ? url : null;
}
