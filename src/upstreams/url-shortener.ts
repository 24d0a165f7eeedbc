// External URL shortener: version 4 of the bitly API.
import { LINKS } from '../config/limits/sharing.ts';
import type { ShortenerSettings } from '../config/settings/links.ts';
import type { ExternalLink, UrlShortener } from '../ports/sharing.ts';
import { isPlainHttp } from '../util/url.ts';
import { responseBody, UpstreamError } from './http/bounded-fetch.ts';

const HASH = /^[\w-]{1,64}$/;
const CREATED = 201;

export class BitlyShortener implements UrlShortener {
  readonly #url: URL;
  readonly #token: string;
  readonly #timeoutMs: number;

  constructor({ url, token }: ShortenerSettings, timeoutMs: number = LINKS.shortenerMs) {
    this.#url = new URL(url);
    this.#token = token;
    this.#timeoutMs = timeoutMs;
  }

  /** @throws UpstreamError without a valid response in time */
  async shorten(address: string): Promise<ExternalLink> {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    const headers = { Authorization: `Bearer ${this.#token}`, 'Content-Type': 'application/json', Accept: 'application/json' };
    try {
      const body = JSON.stringify({ long_url: address });
      const response = await fetch(this.#url, { method: 'POST', headers, body, redirect: 'manual', signal });
      if (response.status !== 200 && response.status !== CREATED) {
        await response.body?.cancel();
        throw this.#unexpected(`status ${response.status}`);
      }
      const bytes = await responseBody(response, this.#url, { signal, maxBytes: LINKS.shortenerBytes });
      return this.#linkIn(new TextDecoder().decode(bytes), response.status === CREATED);
    } catch (error) {
      if (error instanceof UpstreamError) throw error;
      throw new UpstreamError(`Expected a response of ${this.#url.host} in time, got none.`, { isTransient: true, cause: error });
    }
  }

  #linkIn(text: string, isNew: boolean): ExternalLink {
    const { link } = (parsed(text) ?? {}) as { link?: unknown };
    const url = typeof link === 'string' && link.length <= LINKS.shortAddressCharacters ? URL.parse(link) : null;
    const hash = url?.pathname.split('/').at(-1) ?? '';
    if (!url || !isPlainHttp(url) || !HASH.test(hash)) throw this.#unexpected('another value');
    return { address: url.href, hash, isNew };
  }

  #unexpected(got: string): UpstreamError {
    return new UpstreamError(`Expected a short link of ${this.#url.host}, got ${got}.`, { isTransient: false });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
