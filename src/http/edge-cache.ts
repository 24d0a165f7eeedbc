// Keys and tags of the edge cache, and its stand-in for this machine: complete 200 responses in the Cache API. In a deployment, the
// platform's cache is in front of the service (gateway.ts).
import { LRUCache } from 'lru-cache';
import { EDGE_NEAR, EDGE_TAGS, LIFETIMES } from '../config/limits/http.ts';
import { CACHE_WORTH_MS } from '../config/limits/memory.ts';
import type { ResponseCaches } from '../ports/images.ts';
import type { Clock } from '../ports/timing.ts';
import { SECOND_MS } from '../util/durations.ts';
import type { MemoryBudget } from '../util/memory-budget.ts';
import type { MemoryCache } from '../util/memory-cache.ts';

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

/** Header of stored responses: milliseconds since 1970 at which they were made. */
export const STORED_AT = 'X-Stored-At';

/** End of the lifetime of a stored response; 0 where it is not known. */
function freshUntil({ headers }: Response): number {
  const storedAt = headers.get(STORED_AT);
  const seconds = /\bmax-age=(\d+)/.exec(headers.get('Cache-Control') ?? '')?.[1];
  return storedAt === null || seconds === undefined ? 0 : Number(storedAt) + Number(seconds) * SECOND_MS;
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

/** A response in the memory of the isolate. */
interface NearResponse {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly headers: readonly (readonly [string, string])[];
  readonly freshUntilMs: number;
}

const NOTHING_KNOWN: TagRecord = { keys: [], isPurged: false };

/**
 * The Cache API as an edge cache: `new CacheApiEdgeCache(caches.default)`. A failed lookup counts as a miss.
 *
 * The Cache API cannot purge by tag. The keys of each tag are therefore kept beside the responses, and a purge deletes these. It
 * reaches the data centre that handles it, and misses a response that another isolate stores in the same moment.
 *
 * Small responses that the cache had are kept in memory as well, because a lookup in the local runtime's cache takes as long as the
 * rest of the request. A purge of this isolate reaches them; the local runtime has one isolate.
 */
export class CacheApiEdgeCache implements EdgeCache {
  readonly #cache: WorkersCache;
  /** Records of this isolate, because concurrent requests would overwrite each other's in the cache. */
  readonly #records = new LRUCache<string, TagRecord>({ max: EDGE_TAGS.kept });

  readonly #near: MemoryCache<string, NearResponse> | undefined;
  readonly #clock: Clock;
  #purges = 0;

  /** @param memory Keeps small responses. Unset: none are kept. */
  constructor(
    cache: WorkersCache,
    { memory, clock = Date.now }: { readonly memory?: MemoryBudget; readonly clock?: Clock } = {},
  ) {
    this.#cache = cache;
    this.#clock = clock;
    this.#near = memory?.cache({
      bytesOf: ({ bytes }) => EDGE_NEAR.entryBytes + bytes.byteLength,
      worthMs: CACHE_WORTH_MS.response,
    });
  }

  async match(key: string): Promise<Response | null> {
    const near = this.#near?.get(key);
    if (near && near.freshUntilMs > this.#clock())
      return new Response(near.bytes, { headers: near.headers.map(([...pair]) => pair) });
    this.#near?.delete(key);
    const purges = this.#purges;
    const found = await this.#stored(KEY_PREFIX + key);
    const freshUntilMs = found ? freshUntil(found) : 0;
    const length = Number(found?.headers.get('Content-Length') ?? Number.POSITIVE_INFINITY);
    if (!found || !this.#near || freshUntilMs <= this.#clock() || length > EDGE_NEAR.responseBytes) return found ?? null;
    const kept: NearResponse = {
      bytes: new Uint8Array(await found.arrayBuffer()),
      headers: [...found.headers],
      freshUntilMs,
    };
    // The response may have been purged while it was read.
    if (purges === this.#purges) this.#near?.set(key, kept);
    return new Response(kept.bytes, { headers: found.headers });
  }

  /** @throws RangeError for a status other than 200 */
  async put(key: string, response: Response): Promise<void> {
    if (response.status !== 200) throw new RangeError(`Expected a response with status 200 to cache, got ${response.status}.`);
    const tags = tagsOf(response);
    this.#near?.delete(key);
    await this.#cache.put(KEY_PREFIX + key, response);
    // After the response, so that a purge at the same time leaves none: it finds the key, or is found here.
    for (const tag of tags) await this.#record(tag, key);
  }

  async purge(tags: readonly string[]): Promise<void> {
    this.#purges += 1;
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
    for (const key of keys) this.#near?.delete(key);
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
