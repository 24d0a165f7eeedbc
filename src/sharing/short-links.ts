// Short links to pages of this service, by an external shortener if one is configured, else by the internal one.
import type { Admission } from '../platform/admission/admission.ts';
import { EVICTED_UNUSED_MS, ROW_BYTES } from '../platform/limits/admission.ts';
import { LINKS } from '../platform/limits/sharing.ts';
import type { Clock, Log } from '../platform/ports/timing.ts';
import { Failure } from '../platform/util/errors.ts';
import { Cooldown } from '../platform/util/retry.ts';
import { Service } from '../platform/util/service.ts';
import type { D1Links } from './d1-links.ts';
import { isAllowedTarget, linkKeys, parseLinkTarget } from './short-link.ts';
import type { ExternalLink, UrlShortener } from './url-shortener.ts';

interface LinkPorts {
  readonly register: D1Links;
  /** Null when none is configured. */
  readonly shortener: UrlShortener | null;
  readonly settings: { readonly origins: readonly string[] };
  readonly clock: Clock;
  /** Receives one record per failure of the shortener. */
  readonly log: Log;
}

/** The response for an address that is not shortened, in the format of the original service. */
const unchanged = (address: string) => ({ long_url: address, url: address, hash: '', global_hash: '', new_hash: 0 });

const shortened = (longUrl: string, { address, hash, isNew }: ExternalLink) => ({
  long_url: longUrl,
  url: address,
  hash,
  global_hash: hash,
  new_hash: isNew ? 1 : 0,
});

/** Deletes links that have not been used for long; returns their number. */
export const sweepLinks = async ({ register, clock }: Pick<LinkPorts, 'register' | 'clock'>): Promise<number> =>
  (await register.expire(clock() - LINKS.unusedMs)).count;

const bytesOf = (address: string): number => ROW_BYTES + address.length;

export class ShortLinks extends Service<LinkPorts> {
  readonly #cooldown = new Cooldown(this.ports.clock);

  /**
   * Addresses of origins that are not allowed, and new ones above the budgets, are returned unchanged and not stored.
   * @param ownOrigin Public origin of this service
   * @throws Failure `bad-parameter` for text that is neither an address nor a query string
   */
  async shorten(queryString: string, ownOrigin: string, admission: Admission) {
    const { text, url } = parseLinkTarget(queryString, ownOrigin, LINKS.addressCharacters);
    if (!this.#isAllowed(url, ownOrigin)) return unchanged(text);
    const link = (await this.#external(url.href, admission)) ?? (await this.#internal(url.href, ownOrigin, admission));
    return link ? shortened(text, link) : unchanged(text);
  }

  /** The address of a link, checked again because the allowed origins may have changed. @throws Failure `unknown-link` */
  async target(key: string, ownOrigin: string): Promise<string> {
    const address = await this.ports.register.use(key, this.ports.clock());
    const url = address === null ? null : URL.parse(address);
    if (url && this.#isAllowed(url, ownOrigin)) return url.href;
    throw new Failure('unknown-id', `No short link has the id ${key}.`, { parameter: 'id' });
  }

  #isAllowed(url: URL, ownOrigin: string): boolean {
    return isAllowedTarget(url, [ownOrigin, ...this.ports.settings.origins]);
  }

  /** Null without a shortener, while it fails, and above a budget: the requests of all clients share its quota. */
  async #external(address: string, admission: Admission): Promise<ExternalLink | null> {
    const { shortener, log } = this.ports;
    if (!shortener || this.#cooldown.isActive) return null;
    if (!(await admission.mayStore('links', bytesOf(address)))) return null;
    try {
      return await shortener.shorten(address);
    } catch (error) {
      this.#cooldown.start(LINKS.shortenerCooldownMs);
      log({ shortener: error instanceof Error ? error.message : String(error) });
      return null;
    }
  }

  /** Null for a new address above a budget. */
  async #internal(address: string, ownOrigin: string, admission: Admission): Promise<ExternalLink | null> {
    const { register, clock } = this.ports;
    for (const key of await linkKeys(address)) {
      const nowMs = clock();
      const known = await register.use(key, nowMs);
      const makeRoom = async () => (await register.expire(nowMs - EVICTED_UNUSED_MS)).bytes;
      if (known === null && !(await admission.mayStore('links', bytesOf(address), makeRoom))) return null;
      const stored = known === null ? await register.add(key, address, nowMs) : { address: known, isNew: false };
      if (stored.address === address) return { address: `${ownOrigin}/v2/goto/?id=${key}`, hash: key, isNew: stored.isNew };
    }
    throw new Failure('internal', 'No short link could be created for this address.');
  }
}
