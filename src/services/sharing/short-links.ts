// Short links to the pages of this service: by an external shortener where there is one, else by our own.
import { LINKS } from '../../config/limits/sharing.ts';
import type { LinkSettings } from '../../config/settings/links.ts';
import { Failure } from '../../domain/errors.ts';
import { linkKeys } from '../../domain/links/link-key.ts';
import { isAllowedLink, wantedLink } from '../../domain/links/wanted-link.ts';
import type { ExternalLink, LinkRegister, UrlShortener } from '../../ports/links.ts';
import type { Clock } from '../../ports/timing.ts';
import { Cooldown } from '../../util/cooldown.ts';
import { RateLimiter } from '../../util/rate-limiter.ts';

interface LinkPorts {
  readonly register: LinkRegister;
  /** Null when none is configured. */
  readonly shortener: UrlShortener | null;
  readonly settings: Pick<LinkSettings, 'origins'>;
  readonly clock: Clock;
  /** Takes one record per failure of the shortener. */
  readonly log: (record: Readonly<Record<string, unknown>>) => void;
}

/** As clients of the original read it. */
export interface ShortenedLink {
  readonly long_url: string;
  readonly url: string;
  /** Empty for what is not shortened. */
  readonly hash: string;
  readonly global_hash: string;
  /** 1 when the link is new. */
  readonly new_hash: 0 | 1;
}

/** What is not shortened is given back. */
function asItIs(address: string): ShortenedLink {
  return { long_url: address, url: address, hash: '', global_hash: '', new_hash: 0 };
}

function shortened(longUrl: string, { address, hash, isNew }: ExternalLink): ShortenedLink {
  return { long_url: longUrl, url: address, hash, global_hash: hash, new_hash: isNew ? 1 : 0 };
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
   * `ownOrigin`: where users find this service. Addresses of other origins come back as they are, and are not kept; so do new ones
   * while too many are to be kept.
   * @throws Failure for what is no address and no query string
   */
  async shorten(queryString: string, ownOrigin: string): Promise<ShortenedLink> {
    const { text, url } = wantedLink(queryString, ownOrigin, LINKS.addressCharacters);
    if (!this.#isAllowed(url, ownOrigin)) return asItIs(text);
    const link = (await this.#external(url.href)) ?? (await this.#own(url.href, ownOrigin));
    return link ? shortened(text, link) : asItIs(text);
  }

  /**
   * Where the link of a key leads, looked at again: settings may have changed since it was made.
   * @throws Failure `unknown-link`
   */
  async target(key: string, ownOrigin: string): Promise<string> {
    const address = await this.#ports.register.find(key);
    const url = address === null ? null : URL.parse(address);
    if (url && this.#isAllowed(url, ownOrigin)) return url.href;
    throw new Failure('unknown-link', 'Expected the id of a short link for id, got one that leads nowhere.', { parameter: 'id' });
  }

  #isAllowed(url: URL, ownOrigin: string): boolean {
    return isAllowedLink(url, [ownOrigin, ...this.#ports.settings.origins]);
  }

  /** Null when there is no shortener, or none that answers. */
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

  /** Null when it is new and there is no room for it in this minute. */
  async #own(address: string, ownOrigin: string): Promise<ExternalLink | null> {
    const { register, clock } = this.#ports;
    for (const key of await linkKeys(address)) {
      const known = await register.find(key);
      if (known === null && !this.#rateLimiter.take(address.length)) return null;
      const kept = known === null ? await register.add(key, address, clock()) : { address: known, isNew: false };
      if (kept.address === address) return { address: `${ownOrigin}/v2/goto/?id=${key}`, hash: key, isNew: kept.isNew };
    }
    throw new Failure('internal', 'The request could not be answered because of an internal error.');
  }
}
