// Keys and tags of the edge cache, and its stand-in for this machine: complete 200 responses in the Cache API. In a deployment, the
// platform's cache is in front of the service (gateway.ts).
import { LRUCache } from 'lru-cache';
import { EDGE_TAGS, LIFETIMES } from '../config/limits/http.ts';
import type { ResponseCaches } from '../ports/images.ts';

/** A parameter as an operation uses it: parsed, defaulted, normalised. Undefined values are not part of the key. */
export type CanonicalValue = string | number | boolean | readonly (string | number)[] | undefined;
export type CanonicalValues = Readonly<Record<string, CanonicalValue>>;

function valueText(value: Exclude<CanonicalValue, undefined>): string {
  return Array.isArray(value) ? value.map(String).join(',') : String(value);
}

/**
 * Key of a response: `<operation>?a=1&b=2` with sorted names, numbers in their shortest form and lists in their own order. It
 * does not depend on the notation of the request.
 */
export function cacheKey(operation: string, values: CanonicalValues): string {
  const query = new URLSearchParams();
  for (const name of Object.keys(values).sort()) {
    const value = values[name];
    if (value !== undefined) query.append(name, valueText(value));
  }
  return `${operation}?${query}`;
}

export interface EdgeCache extends ResponseCaches {
  match(key: string): Promise<Response | null>;
  /** Stores a response for the lifetime that its Cache-Control states, with the tags of its Cache-Tag. */
  put(key: string, response: Response): Promise<void>;
}

/** Header of a response to the edge cache: its tags, separated by commas. */
export const CACHE_TAG = 'Cache-Tag';
/** Header of a response to the edge cache: Cache-Control for that cache alone. */
export const EDGE_CACHE_CONTROL = 'Cloudflare-CDN-Cache-Control';

export function tagsOf({ headers }: Response): string[] {
  return headers.get(CACHE_TAG)?.split(',') ?? [];
}

/** The part of the Cache API that is used. */
interface WorkersCache {
  match(url: string): Promise<Response | undefined>;
  put(url: string, response: Response): Promise<void>;
  delete(url: string): Promise<boolean>;
}

/** Turns a key into a URL, which the Cache API requires. The host does not exist, so that no key collides with a real URL. */
const KEY_PREFIX = 'https://answers.helioedge.invalid/';
/** Prefix of the keys of `TagRecord`, which no operation has. */
const TAG_PREFIX = `${KEY_PREFIX}tags/`;

/** The keys of the responses with a tag, and whether the tag has been purged. */
interface TagRecord {
  readonly keys: readonly string[];
  readonly isPurged: boolean;
}

const NOTHING_KNOWN: TagRecord = { keys: [], isPurged: false };

/**
 * The Cache API as an edge cache: `new CacheApiEdgeCache(caches.default)`. A failed lookup counts as a miss.
 *
 * The Cache API cannot purge by tag. The keys of each tag are therefore kept beside the responses, and a purge deletes these. It
 * reaches the data centre that handles it, and misses a response that another isolate stores in the same moment.
 */
export class CacheApiEdgeCache implements EdgeCache {
  readonly #cache: WorkersCache;
  /** Records of this isolate, because concurrent requests would overwrite each other's in the cache. */
  readonly #records = new LRUCache<string, TagRecord>({ max: EDGE_TAGS.kept });

  constructor(cache: WorkersCache) {
    this.#cache = cache;
  }

  async match(key: string): Promise<Response | null> {
    return (await this.#stored(KEY_PREFIX + key)) ?? null;
  }

  /** @throws RangeError for a status other than 200 */
  async put(key: string, response: Response): Promise<void> {
    if (response.status !== 200) throw new RangeError(`Expected a response with status 200 to cache, got ${response.status}.`);
    const tags = tagsOf(response);
    await this.#cache.put(KEY_PREFIX + key, response);
    // After the response, so that a purge at the same time leaves none: it finds the key, or is found here.
    for (const tag of tags) await this.#record(tag, key);
  }

  async purge(tags: readonly string[]): Promise<void> {
    for (const tag of tags) {
      const { keys } = this.#joined(tag, await this.#kept(tag));
      await this.#keep(tag, { keys: [], isPurged: true });
      await this.#delete(keys);
    }
  }

  async #record(tag: string, key: string): Promise<void> {
    const kept = await this.#kept(tag);
    // Nothing is awaited between reading and keeping the record of this isolate.
    const { keys, isPurged } = this.#joined(tag, kept);
    if (isPurged) return this.#delete([key]);
    // The cache may have displaced a record that this isolate remembers.
    if (kept.keys.includes(key)) return;
    const all = [...keys.filter((other) => other !== key), key];
    await this.#keep(tag, { keys: all.slice(-EDGE_TAGS.keys), isPurged });
    // A response whose key is not kept could not be purged.
    await this.#delete(all.slice(0, -EDGE_TAGS.keys));
    // The record may have replaced that of a purge in the cache.
    if (this.#records.get(tag)?.isPurged) await this.purge([tag]);
  }

  async #kept(tag: string): Promise<TagRecord> {
    const stored = await this.#stored(TAG_PREFIX + tag);
    return stored ? ((await stored.json()) as TagRecord) : NOTHING_KNOWN;
  }

  /** A record of the cache with that of this isolate. */
  #joined(tag: string, kept: TagRecord): TagRecord {
    const own = this.#records.get(tag) ?? NOTHING_KNOWN;
    return { keys: [...new Set([...kept.keys, ...own.keys])], isPurged: kept.isPurged || own.isPurged };
  }

  async #keep(tag: string, record: TagRecord): Promise<void> {
    this.#records.set(tag, record);
    const headers = { 'Cache-Control': `max-age=${LIFETIMES.immutable}` };
    await this.#cache.put(TAG_PREFIX + tag, new Response(JSON.stringify(record), { headers }));
  }

  async #delete(keys: readonly string[]): Promise<void> {
    await Promise.all(keys.map((key) => this.#cache.delete(KEY_PREFIX + key)));
  }

  async #stored(url: string): Promise<Response | undefined> {
    try {
      return await this.#cache.match(url);
    } catch {
      return undefined;
    }
  }
}
