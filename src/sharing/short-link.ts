import { sha256Hex } from '../platform/util/bytes.ts';
import { badParameter } from '../platform/util/errors.ts';
import { isPlainHttp, percentDecoded } from '../platform/util/url.ts';

const KEY_DIGITS = 16;

/** Candidate keys of an address, 16 hexadecimal digits each; the first that no other address has is used, which defeats collisions. */
export async function linkKeys(address: string): Promise<string[]> {
  const digits = await sha256Hex(address);
  return digits.match(new RegExp(`.{${KEY_DIGITS}}`, 'g'))!;
}

const EXPECTED = 'an http address or a query string like ?date=2024-05-10T12:00:00Z';
/** An address or query string that was percent-encoded once too often. */
const DOUBLE_ENCODED = /^(https?%3a|%3f)/i;
const QUERY = /^(\?|[\w.[\]-]+=)/;

const decoded = (text: string): string => (DOUBLE_ENCODED.test(text) ? percentDecoded(text) : null) ?? text;

/**
 * Parses the parameter `queryString`: an address, or a query string that is resolved against `ownOrigin`.
 * @throws Failure `bad-parameter` for anything else, for other protocols, and for more than `maxCharacters`
 */
export function parseLinkTarget(queryString: string, ownOrigin: string, maxCharacters: number) {
  const given = decoded(queryString.trim());
  const text = QUERY.test(given) ? `${ownOrigin}/?${given.replace(/^\?/, '')}` : given;
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw badParameter('queryString', EXPECTED, queryString);
  if (url.href.length > maxCharacters)
    throw badParameter('queryString', `at most ${maxCharacters} characters`, `${url.href.length} characters`);
  return { text, url };
}

/** Whether a short link may lead to an address: http or https, one of `origins`, without credentials. */
export const isAllowedTarget = (url: URL, origins: readonly string[]): boolean =>
  isPlainHttp(url) && origins.includes(url.origin);
