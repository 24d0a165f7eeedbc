// The news of a blog, cached for half an hour, and longer while the blog fails.
import { newsFeedKey } from '../../archive/keys.ts';
import { NEWS } from '../../platform/limits/sharing.ts';
import type { ObjectStore } from '../../platform/ports/objects.ts';
import type { Clock, Log, WaitUntil } from '../../platform/ports/timing.ts';
import { jsonBytes } from '../../platform/util/bytes.ts';
import { Cooldown } from '../../platform/util/retry.ts';
import { Service } from '../../platform/util/service.ts';
import { linkKeys } from '../short-links.ts';
import { builtInFeed, type NewsFeed } from './news-feed.ts';
import type { newsSource } from './news-upstream.ts';

/** A blog with news; `address` identifies it. */
type NewsSource = ReturnType<typeof newsSource>;

export interface News {
  readonly feed: NewsFeed;
  /** Remaining milliseconds for which clients may cache it. */
  readonly maxAgeMs: number;
}

type CachedNews = { readonly feed: NewsFeed; readonly loadedAtMs: number };

const JSON_TYPE = 'application/json; charset=utf-8';

export class NewsService extends Service<{
  /** Null when no blog is configured. */
  readonly source: NewsSource | null;
  readonly objects: Pick<ObjectStore, 'stream' | 'put'>;
  readonly clock: Clock;
  /** Receives one record per failure of the blog. */
  readonly log?: Log;
}> {
  #cached: CachedNews | null = null;
  /** Active after a failure of the blog, and while another request loads it. */
  readonly #cooldown = new Cooldown(this.ports.clock);

  /** The news of the blog; while it fails, its previous ones; without any, the built-in ones. @param origin Origin of the service */
  async news(origin: string, waitUntil: WaitUntil): Promise<News> {
    const { source, clock } = this.ports;
    if (!source) return { feed: builtInFeed(origin), maxAgeMs: NEWS.ttlMs };
    const news = (await this.#fresh(source)) ?? (await this.#load(source, waitUntil)) ?? this.#cached;
    const leftMs = news ? news.loadedAtMs + NEWS.ttlMs - clock() : 0;
    return { feed: news?.feed ?? builtInFeed(origin), maxAgeMs: Math.max(NEWS.cooldownMs, leftMs) };
  }

  /** News cached here or in the archive that are still fresh. */
  async #fresh(source: NewsSource): Promise<CachedNews | null> {
    if (!this.#isFresh()) this.#cached = newer(this.#cached, await this.#archived(source));
    return this.#isFresh() ? this.#cached : null;
  }

  #isFresh(): boolean {
    return this.#cached !== null && this.ports.clock() - this.#cached.loadedAtMs < NEWS.ttlMs;
  }

  async #archived({ address }: NewsSource): Promise<CachedNews | null> {
    const found = await this.ports.objects.stream(await keyOf(address));
    return found && { feed: await new Response(found.body).json<NewsFeed>(), loadedAtMs: found.uploadedAtMs };
  }

  /** Null when the blog fails or is in its cool-down. */
  async #load(source: NewsSource, waitUntil: WaitUntil): Promise<CachedNews | null> {
    if (this.#cooldown.isActive) return null;
    // Concurrent requests get the previous news, if there are any.
    if (this.#cached) this.#cooldown.start(NEWS.fetchMs);
    try {
      const feed = await source.load();
      this.#cached = { feed, loadedAtMs: this.ports.clock() };
      this.#cooldown.end();
      const key = await keyOf(source.address);
      waitUntil(this.ports.objects.put(key, jsonBytes(feed), JSON_TYPE));
      return this.#cached;
    } catch (error) {
      this.#cooldown.start(NEWS.cooldownMs);
      this.ports.log?.({ newsFeed: error instanceof Error ? error.message : String(error) });
      return null;
    }
  }
}

const newer = (a: CachedNews | null, b: CachedNews | null): CachedNews | null =>
  a && b ? (a.loadedAtMs >= b.loadedAtMs ? a : b) : (a ?? b);

const keyOf = async (address: string): Promise<string> => newsFeedKey((await linkKeys(address))[0]!);
