// External URL shortener: version 4 of the bitly API.
import { responseBody, UpstreamError } from '../platform/http/bounded-fetch.ts';
import { LINKS } from '../platform/limits/sharing.ts';
import type { ShortenerSettings } from '../platform/settings/links.ts';
import { parsedJson } from '../platform/util/bytes.ts';
import { isPlainHttp } from '../platform/util/url.ts';

export interface ExternalLink {
  readonly address: string;
  /** Last segment of the path. */
  readonly hash: string;
  readonly isNew: boolean;
}

export interface UrlShortener {
  /** @throws Error without a valid response in time */
  shorten(address: string): Promise<ExternalLink>;
}

const HASH = /^[\w-]{1,64}$/;
const CREATED = 201;

/** @param timeoutMs Time for a response, after which `shorten` throws UpstreamError */
export function bitlyShortener({ url, token }: ShortenerSettings, timeoutMs: number = LINKS.shortenerMs): UrlShortener {
  const endpoint = new URL(url);
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Accept: 'application/json' };
  const unusable = (response: string) =>
    new UpstreamError(`${endpoint.host} responded with ${response}.`, { isTransient: false });

  function linkIn(text: string, isNew: boolean): ExternalLink {
    const { link } = (parsedJson(text) ?? {}) as { link?: unknown };
    const short = typeof link === 'string' && link.length <= LINKS.shortAddressCharacters ? URL.parse(link) : null;
    const hash = short?.pathname.split('/').at(-1) ?? '';
    if (!short || !isPlainHttp(short) || !HASH.test(hash)) throw unusable('a value that is no short link');
    return { address: short.href, hash, isNew };
  }

  return {
    async shorten(address) {
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        const body = JSON.stringify({ long_url: address });
        const response = await fetch(endpoint, { method: 'POST', headers, body, redirect: 'manual', signal });
        if (response.status !== 200 && response.status !== CREATED) {
          await response.body?.cancel();
          throw unusable(`status ${response.status}`);
        }
        const bytes = await responseBody(response, endpoint, { signal, maxBytes: LINKS.shortenerBytes });
        return linkIn(new TextDecoder().decode(bytes), response.status === CREATED);
      } catch (error) {
        if (error instanceof UpstreamError) throw error;
        throw new UpstreamError(`${endpoint.host} did not respond in time.`, { isTransient: true, cause: error });
      }
    },
  };
}
