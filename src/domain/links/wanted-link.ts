// What clients hand over to be shortened: an address of a page, or the query string of one of our own.
import { badParameter } from '../errors.ts';

export interface WantedLink {
  /** The address as it came. */
  readonly text: string;
  readonly url: URL;
}

const WHAT = 'an http address or a query string like ?date=2024-05-10T12:00:00Z';
/** Encoded once more than it has to be. */
const ENCODED = /^(https?%3a|%3f)/i;
const QUERY = /^(\?|[\w.[\]-]+=)/;

function decoded(text: string): string {
  if (!ENCODED.test(text)) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Reads the parameter `queryString`. A query string is taken as one of the page at `ownOrigin`.
 * @throws Failure for what is neither, for other protocols, and for more than `maxCharacters`
 */
export function wantedLink(queryString: string, ownOrigin: string, maxCharacters: number): WantedLink {
  const given = decoded(queryString.trim());
  const text = QUERY.test(given) ? `${ownOrigin}/?${given.replace(/^\?/, '')}` : given;
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw badParameter('queryString', WHAT, queryString);
  if (url.href.length > maxCharacters) {
    throw badParameter('queryString', `at most ${maxCharacters} characters`, `${url.href.length} characters`);
  }
  return { text, url };
}

/** Whether a short link may lead there: http or https, one of these origins, and nobody's password. */
export function isAllowedLink({ protocol, origin, username, password }: URL, origins: readonly string[]): boolean {
  return /^https?:$/.test(protocol) && username === '' && password === '' && origins.includes(origin);
}
