// Short links to pages of this service, by an external shortener if one is configured, else by the internal one.

import type { Admission } from '../platform/admission/admission.ts';
import type { MakeRoom } from '../platform/admission/budgets.ts';
import { responseBody, UpstreamError } from '../platform/http/bounded-fetch.ts';
import { EVICTED_UNUSED_MS, ROW_BYTES, SAME_USE_MS } from '../platform/limits/admission.ts';
import { LINKS } from '../platform/limits/sharing.ts';
import type { Clock, Log } from '../platform/ports/timing.ts';
import type { ShortenerSettings } from '../platform/settings/links.ts';
import { parsedJson, sha256Hex } from '../platform/util/bytes.ts';
import { badParameter, causeOf, Failure } from '../platform/util/errors.ts';
import { Cooldown } from '../platform/util/retry.ts';
import { Service } from '../platform/util/service.ts';
import { isPlainHttp, percentDecoded } from '../platform/util/url.ts';
import type { D1Links } from './d1-links.ts';

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
function parseLinkTarget(queryString: string, ownOrigin: string, maxCharacters: number) {
  const given = decoded(queryString.trim());
  const text = QUERY.test(given) ? `${ownOrigin}/?${given.replace(/^\?/, '')}` : given;
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) throw badParameter('queryString', EXPECTED, queryString);
  if (url.href.length > maxCharacters)
    throw badParameter('queryString', `at most ${maxCharacters} characters`, `${url.href.length} characters`);
  return { text, url };
}

interface ExternalLink {
  readonly address: string;
  /** Last segment of the path. */
  readonly hash: string;
  readonly isNew: boolean;
}

/** Shortens an address. @throws Error without a valid response in time */
export type UrlShortener = (address: string) => Promise<ExternalLink>;

const HASH = /^[\w-]{1,64}$/;
const CREATED = 201;

/** @param timeoutMs Time for a response, after which it throws UpstreamError */
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

  return async (address) => {
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
  };
}

interface LinkPorts {
  readonly register: D1Links;
  /** Null when none is configured. */
  readonly shortener: UrlShortener | null;
  readonly settings: { readonly origins: readonly string[] };
  readonly clock: Clock;
  /** Receives failures of the shortener, and uses that could not be noted. */
  readonly log: Log;
}

/** The response in the format of the original service. An address that is not shortened has no hash. */
const responseOf = (longUrl: string, { address, hash, isNew }: ExternalLink) => ({
  long_url: longUrl,
  url: address,
  hash,
  global_hash: hash,
  new_hash: isNew ? 1 : 0,
});

/** Charges an address to the client, once for all calls; false above a budget. */
type Charge = (makeRoom?: MakeRoom) => Promise<boolean>;

export class ShortLinks extends Service<LinkPorts> {
  readonly #cooldown = new Cooldown(this.ports);

  /**
   * Addresses of origins that are not allowed, and new ones above the budgets, are returned unchanged and not stored.
   * @param ownOrigin Public origin of this service
   * @throws Failure `bad-parameter` for text that is neither an address nor a query string
   */
  async shorten(queryString: string, ownOrigin: string, admission: Admission) {
    const { text, url } = parseLinkTarget(queryString, ownOrigin, LINKS.addressCharacters);
    const unchanged = { address: text, hash: '', isNew: false };
    if (!this.#isAllowed(url, ownOrigin)) return responseOf(text, unchanged);
    let isCharged = false;
    const charge = async (makeRoom?: MakeRoom) =>
      (isCharged ||= await admission.mayStore('links', ROW_BYTES + url.href.length, makeRoom));
    const link = (await this.#external(url.href, charge)) ?? (await this.#internal(url.href, ownOrigin, charge));
    return responseOf(text, link ?? unchanged);
  }

  /** The address of a link, checked again because the allowed origins may have changed. @throws Failure `unknown-id` */
  async target(key: string, ownOrigin: string): Promise<string> {
    const address = await this.#used(key);
    const url = address === null ? null : URL.parse(address);
    if (url && this.#isAllowed(url, ownOrigin)) return url.href;
    throw new Failure('unknown-id', `No short link has the id ${key}.`, { parameter: 'id' });
  }

  /** The address of a link, whose use is noted once in `SAME_USE_MS`; null for an unknown one, and for one that is deleted meanwhile. */
  async #used(key: string): Promise<string | null> {
    const { register, clock, log } = this.ports;
    const [link, nowMs] = [await register.find(key), clock()];
    if (!link || link.usedAtMs >= nowMs - SAME_USE_MS) return link?.address ?? null;
    const unnoted = (error: unknown) => log({ link: key, unnoted: causeOf(error) });
    return (await register.use(key, nowMs).catch(unnoted)) === false ? null : link.address;
  }

  /** Whether a short link may lead to an address: http or https, one of the origins, without credentials. */
  #isAllowed(url: URL, ownOrigin: string): boolean {
    return isPlainHttp(url) && [ownOrigin, ...this.ports.settings.origins].includes(url.origin);
  }

  /** Null without a shortener, while it fails, and above a budget: the requests of all clients share its quota. */
  async #external(address: string, charge: Charge): Promise<ExternalLink | null> {
    const { shortener, log } = this.ports;
    if (!shortener || this.#cooldown.isActive) return null;
    if (!(await charge())) return null;
    try {
      return await shortener(address);
    } catch (error) {
      this.#cooldown.start(LINKS.shortenerCooldownMs);
      log({ shortener: error instanceof Error ? error.message : String(error) });
      return null;
    }
  }

  /** Null for a new address above a budget. */
  async #internal(address: string, ownOrigin: string, charge: Charge): Promise<ExternalLink | null> {
    const { register, clock } = this.ports;
    for (const key of await linkKeys(address)) {
      const nowMs = clock();
      const known = await this.#used(key);
      const makeRoom = async () => (await register.expire(nowMs - EVICTED_UNUSED_MS)).bytes;
      if (known === null && !(await charge(makeRoom))) return null;
      const stored = known === null ? await register.add(key, address, nowMs) : { address: known, isNew: false };
      if (stored.address === address) return { address: `${ownOrigin}/v2/goto/?id=${key}`, hash: key, isNew: stored.isNew };
    }
    throw new Failure('internal', 'No short link could be created for this address.');
  }
}
