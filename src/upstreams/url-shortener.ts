// A link shortener that speaks version 4 of the interface of bitly.
import { LINKS } from '../config/limits/sharing.ts';
import type { ShortenerSettings } from '../config/settings/links.ts';
import type { ExternalLink, UrlShortener } from '../ports/links.ts';
import { responseBody } from './http/bounded-fetch.ts';
import { UpstreamError } from './http/upstream-error.ts';

const HASH = /^[\w-]{1,64}$/;
const CREATED = 201;

export class BitlyShortener implements UrlShortener {
  readonly #url: URL;
  readonly #token: string;
  readonly #deadlineMs: number;

  constructor({ url, token }: ShortenerSettings, deadlineMs: number = LINKS.shortenerMs) {
    this.#url = new URL(url);
    this.#token = token;
    this.#deadlineMs = deadlineMs;
  }

  /** @throws UpstreamError when there is no good answer in time */
  async shorten(address: string): Promise<ExternalLink> {
    const signal = AbortSignal.timeout(this.#deadlineMs);
    const headers = { Authorization: `Bearer ${this.#token}`, 'Content-Type': 'application/json', Accept: 'application/json' };
    try {
      const body = JSON.stringify({ long_url: address });
      const answer = await fetch(this.#url, { method: 'POST', headers, body, redirect: 'manual', signal });
      if (answer.status !== 200 && answer.status !== CREATED) {
        await answer.body?.cancel();
        throw this.#refused(`status ${answer.status}`);
      }
      const bytes = await responseBody(answer, this.#url, { signal, maxBytes: LINKS.shortenerBytes });
      return this.#linkIn(new TextDecoder().decode(bytes), answer.status === CREATED);
    } catch (error) {
      if (error instanceof UpstreamError) throw error;
      throw new UpstreamError(`Expected an answer of ${this.#url.host} in time, got none.`, { mayPass: true, cause: error });
    }
  }

  #linkIn(text: string, isNew: boolean): ExternalLink {
    const { link } = (parsed(text) ?? {}) as { link?: unknown };
    const url = typeof link === 'string' && link.length <= LINKS.shortAddressCharacters ? URL.parse(link) : null;
    const hash = url?.pathname.split('/').at(-1) ?? '';
    const isGood = url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '' && HASH.test(hash);
    if (!isGood) throw this.#refused('something else');
    return { address: url.href, hash, isNew };
  }

  #refused(got: string): UpstreamError {
    return new UpstreamError(`Expected a short link of ${this.#url.host}, got ${got}.`, { mayPass: false });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
