// The news of a blog, written anew: kept for half an hour, and for longer when the blog does not answer.
import { NEWS } from '../../config/limits/sharing.ts';
import { linkKeys } from '../../domain/links/link-key.ts';
import { ownFeed } from '../../domain/news/own-feed.ts';
import { writeRss } from '../../domain/news/write-rss.ts';
import type { NewsSource } from '../../ports/links.ts';
import type { ObjectStore } from '../../ports/objects.ts';
import type { Clock } from '../../ports/timing.ts';
import { newsFeedKey } from '../../storage/keys.ts';
import { Cooldown } from '../../util/cooldown.ts';

interface NewsPorts {
  /** Null when no blog is configured. */
  readonly source: NewsSource | null;
  readonly objects: Pick<ObjectStore, 'stream' | 'put'>;
  readonly clock: Clock;
  /** Takes one record per failure of the blog. */
  readonly log?: (record: Readonly<Record<string, unknown>>) => void;
}

export interface News {
  /** RSS 2.0. */
  readonly xml: string;
  /** How long it may be kept. */
  readonly lifeMs: number;
}

interface KeptNews {
  readonly xml: string;
  readonly loadedAtMs: number;
}

const RSS_TYPE = 'application/rss+xml; charset=utf-8';

export class NewsService {
  readonly #ports: NewsPorts;
  #kept: KeptNews | null = null;
  /** Active after a failure of the blog, and while another request loads it. */
  readonly #cooldown: Cooldown;

  constructor(ports: NewsPorts) {
    this.#ports = ports;
    this.#cooldown = new Cooldown(ports.clock);
  }

  /**
   * The news of the blog; the last ones that it gave while it fails; those of the service itself where there are none.
   * `origin`: where the service is.
   */
  async news(origin: string, waitUntil: (work: Promise<unknown>) => void): Promise<News> {
    const { source, clock } = this.#ports;
    const own = () => writeRss(ownFeed(origin));
    if (!source) return { xml: own(), lifeMs: NEWS.ttlMs };
    const kept = (await this.#fresh(source)) ?? (await this.#load(source, waitUntil)) ?? this.#kept;
    const leftMs = kept ? kept.loadedAtMs + NEWS.ttlMs - clock() : 0;
    return { xml: kept?.xml ?? own(), lifeMs: Math.max(NEWS.cooldownMs, leftMs) };
  }

  /** What is kept here or in the archive, when it is young enough. */
  async #fresh(source: NewsSource): Promise<KeptNews | null> {
    if (!this.#isFresh()) this.#kept = newer(this.#kept, await this.#archived(source));
    return this.#isFresh() ? this.#kept : null;
  }

  #isFresh(): boolean {
    return this.#kept !== null && this.#ports.clock() - this.#kept.loadedAtMs < NEWS.ttlMs;
  }

  async #archived({ address }: NewsSource): Promise<KeptNews | null> {
    const found = await this.#ports.objects.stream(await keyOf(address));
    return found && { xml: await new Response(found.body).text(), loadedAtMs: found.uploadedAtMs };
  }

  /** Null when the blog fails, or has failed a moment ago. */
  async #load(source: NewsSource, waitUntil: (work: Promise<unknown>) => void): Promise<KeptNews | null> {
    const { clock, objects, log } = this.#ports;
    if (this.#cooldown.isActive) return null;
    // Those who come meanwhile get the last news, where there are some.
    if (this.#kept) this.#cooldown.start(NEWS.fetchMs);
    try {
      const xml = writeRss(await source.load());
      this.#kept = { xml, loadedAtMs: clock() };
      this.#cooldown.end();
      const key = await keyOf(source.address);
      waitUntil(objects.put(key, new TextEncoder().encode(xml), RSS_TYPE));
      return this.#kept;
    } catch (error) {
      this.#cooldown.start(NEWS.cooldownMs);
      log?.({ newsFeed: error instanceof Error ? error.message : String(error) });
      return null;
    }
  }
}

function newer(a: KeptNews | null, b: KeptNews | null): KeptNews | null {
  return a && b ? (a.loadedAtMs >= b.loadedAtMs ? a : b) : (a ?? b);
}

async function keyOf(address: string): Promise<string> {
  return newsFeedKey((await linkKeys(address))[0]!);
}
