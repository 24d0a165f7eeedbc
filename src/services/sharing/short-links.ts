// Short links to pages of this service, by an external shortener if one is configured, else by the internal one.
import { LINKS } from '../../config/limits/sharing.ts';
import type { LinkSettings } from '../../config/settings/links.ts';
import { Failure } from '../../domain/errors.ts';
import { isAllowedTarget, linkKeys, parseLinkTarget } from '../../domain/sharing/short-link.ts';
import type { ExternalLink, LinkRegister, UrlShortener } from '../../ports/sharing.ts';
import type { Clock, Log } from '../../ports/timing.ts';
import { Cooldown } from '../../util/cooldown.ts';
import { DAY_MS } from '../../util/durations.ts';
import { RateLimiter } from '../../util/rate-limiter.ts';

interface LinkPorts {
  readonly register: LinkRegister;
  /** Null when none is configured. */
  readonly shortener: UrlShortener | null;
  readonly settings: Pick<LinkSettings, 'origins'>;
  readonly clock: Clock;
  /** Receives one record per failure of the shortener. */
  readonly log: Log;
}

/** A link in the response format of the original service. */
export interface ShortenedLink {
  readonly long_url: string;
  readonly url: string;
  /** Empty for an address that is not shortened. */
  readonly hash: string;
  readonly global_hash: string;
  /** 1 when the link is new. */
  readonly new_hash: 0 | 1;
}

/** The response for an address that is not shortened. */
function unchanged(address: string): ShortenedLink {
  return { long_url: address, url: address, hash: '', global_hash: '', new_hash: 0 };
}

function shortened(longUrl: string, { address, hash, isNew }: ExternalLink): ShortenedLink {
  return { long_url: longUrl, url: address, hash, global_hash: hash, new_hash: isNew ? 1 : 0 };
}

/** Deletes links that have not been used for long; returns their number. */
export function sweepLinks({ register, clock }: Pick<LinkPorts, 'register' | 'clock'>): Promise<number> {
  return register.expire(clock() - LINKS.unusedMs);
}

export class ShortLinks {
  readonly #ports: LinkPorts;
  readonly #rateLimiter: RateLimiter;
  readonly #cooldown: Cooldown;

  constructor(ports: LinkPorts) {
    this.#ports = ports;
    this.#cooldown = new Cooldown(ports.clock);
    this.#rateLimiter = new RateLimiter(LINKS.newCharactersPerMinute, ports.clock);
  }

  /**
   * Addresses of origins that are not allowed, and new ones above the limits, are returned unchanged and not stored.
   * @param ownOrigin Public origin of this service
   * @throws Failure `bad-parameter` for text that is neither an address nor a query string
   */
  async shorten(queryString: string, ownOrigin: string): Promise<ShortenedLink> {
    const { text, url } = parseLinkTarget(queryString, ownOrigin, LINKS.addressCharacters);
    if (!this.#isAllowed(url, ownOrigin)) return unchanged(text);
    const link = (await this.#external(url.href)) ?? (await this.#internal(url.href, ownOrigin));
    return link ? shortened(text, link) : unchanged(text);
  }

  /**
   * The address of a link, checked again because the allowed origins may have changed since it was stored.
   * @throws Failure `unknown-link`
   */
  async target(key: string, ownOrigin: string): Promise<string> {
    const address = await this.#ports.register.use(key, this.#ports.clock());
    const url = address === null ? null : URL.parse(address);
    if (url && this.#isAllowed(url, ownOrigin)) return url.href;
    throw new Failure('unknown-link', `No short link has the id ${key}.`, { parameter: 'id' });
  }

  #isAllowed(url: URL, ownOrigin: string): boolean {
    return isAllowedTarget(url, [ownOrigin, ...this.#ports.settings.origins]);
  }

  /** Null without a shortener, and while it fails. */
  async #external(address: string): Promise<ExternalLink | null> {
    const { shortener, log } = this.#ports;
    if (!shortener || this.#cooldown.isActive) return null;
    try {
      return await shortener.shorten(address);
    } catch (error) {
      this.#cooldown.start(LINKS.shortenerCooldownMs);
      log({ shortener: error instanceof Error ? error.message : String(error) });
      return null;
    }
  }

  /** Null for a new address above the rate limit, or above what the service stores in a day. */
  async #internal(address: string, ownOrigin: string): Promise<ExternalLink | null> {
    const { register, clock } = this.#ports;
    for (const key of await linkKeys(address)) {
      const nowMs = clock();
      const known = await register.use(key, nowMs);
      if (known === null && !this.#rateLimiter.take(address.length)) return null;
      const budget = { sinceMs: nowMs - DAY_MS, characters: LINKS.newCharactersPerDay };
      const stored = known === null ? await register.add(key, address, nowMs, budget) : { address: known, isNew: false };
      if (stored === null) return null;
      if (stored.address === address) return { address: `${ownOrigin}/v2/goto/?id=${key}`, hash: key, isNew: stored.isNew };
    }
    throw new Failure('internal', 'No short link could be created for this address.');
  }
}
