// External URL shortener: version 4 of the bitly API.
import { LINKS } from '../config/limits/sharing.ts';
import type { ShortenerSettings } from '../config/settings/links.ts';
import { parsedJson } from '../util/json.ts';
import { isPlainHttp } from '../util/url.ts';
import { responseBody, UpstreamError } from './http/bounded-fetch.ts';

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
        throw this.#unusable(`status ${response.status}`);
      }
      const bytes = await responseBody(response, this.#url, { signal, maxBytes: LINKS.shortenerBytes });
      return this.#linkIn(new TextDecoder().decode(bytes), response.status === CREATED);
    } catch (error) {
      if (error instanceof UpstreamError) throw error;
      throw new UpstreamError(`${this.#url.host} did not respond in time.`, { isTransient: true, cause: error });
    }
  }

  #linkIn(text: string, isNew: boolean): ExternalLink {
    const { link } = (parsedJson(text) ?? {}) as { link?: unknown };
    const url = typeof link === 'string' && link.length <= LINKS.shortAddressCharacters ? URL.parse(link) : null;
    const hash = url?.pathname.split('/').at(-1) ?? '';
    if (!url || !isPlainHttp(url) || !HASH.test(hash)) throw this.#unusable('a value that is no short link');
    return { address: url.href, hash, isNew };
  }

  #unusable(response: string): UpstreamError {
    return new UpstreamError(`${this.#url.host} responded with ${response}.`, { isTransient: false });
  }
}
