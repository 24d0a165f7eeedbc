// Keys and tags of the edge cache, and its stand-in for this machine: complete 200 responses in the Cache API. In a deployment, the
// platform's cache is in front of the service (gateway.ts).
import { LRUCache } from 'lru-cache';
import { EDGE_NEAR, EDGE_TAGS, LIFETIMES } from '../config/limits/http.ts';
import { CACHE_WORTH_MS } from '../config/limits/memory.ts';
import type { ResponseCaches } from '../ports/images.ts';
import type { Clock } from '../ports/timing.ts';
import { SECOND_MS } from '../util/durations.ts';
import type { MemoryBudget, MemoryCache } from '../util/memory-budget.ts';
import { type CachePolicy, NO_STORE } from './cache-policy.ts';
import { OWN_HEADERS } from './openapi/described-headers.ts';
import { type BytesRepresentation, CACHE_TAG, type SizedRepresentation } from './response.ts';

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

export function tagsOf({ headers }: Response): string[] {
  return headers.get(CACHE_TAG)?.split(',') ?? [];
}

/** Header of stored responses: milliseconds since 1970 at which they were made. */
const STORED_AT = 'X-Stored-At';

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

/** The keys of the responses with a tag, and the time of its last purge in milliseconds since 1970. */
interface TagRecord {
  readonly keys: readonly string[];
  readonly purgedAtMs: number;
}

/** A response in the memory of the isolate. */
interface NearResponse {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly headers: readonly (readonly [string, string])[];
  readonly freshUntilMs: number;
}

const NOTHING_KNOWN: TagRecord = { keys: [], purgedAtMs: Number.MIN_SAFE_INTEGER };

/**
 * The Cache API as an edge cache: `new CacheApiEdgeCache(caches.default)`. A failed lookup counts as a miss.
 *
 * The Cache API cannot purge by tag. The keys of each tag are therefore kept beside the responses, and a purge deletes these. It
 * reaches the data centre that handles it, and misses a response that another isolate stores in the same moment. A response that was
 * looked up before a purge is not stored after it; later ones are, because a withdrawn content may be archived again.
 *
 * Small responses that the cache had are kept in memory as well, because a lookup in the local runtime's cache takes as long as the
 * rest of the request. A purge of this isolate reaches them; the local runtime has one isolate.
 */
export class CacheApiEdgeCache implements EdgeCache {
  readonly #cache: WorkersCache;
  /** Records of this isolate, because concurrent requests would overwrite each other's in the cache. */
  readonly #records = new LRUCache<string, TagRecord>({ max: EDGE_TAGS.kept });

  /** Times of the last lookups that found nothing, by key. */
  readonly #missedAtMs = new LRUCache<string, number>({ max: EDGE_TAGS.misses });
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
    const askedAtMs = this.#clock();
    const found = await this.#stored(KEY_PREFIX + key);
    if (!found) this.#missedAtMs.set(key, askedAtMs);
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
    const madeAtMs = this.#missedAtMs.get(key) ?? this.#clock();
    this.#near?.delete(key);
    await this.#cache.put(KEY_PREFIX + key, response);
    // After the response, so that a purge at the same time leaves none: it finds the key, or is found here.
    for (const tag of tags) await this.#record(tag, key, madeAtMs);
  }

  async purge(tags: readonly string[]): Promise<void> {
    this.#purges += 1;
    for (const tag of tags) {
      const { keys } = this.#joined(tag, await this.#kept(tag));
      await this.#keep(tag, { keys: [], purgedAtMs: this.#clock() });
      await this.#delete(keys);
    }
  }

  async #record(tag: string, key: string, madeAtMs: number): Promise<void> {
    const kept = await this.#kept(tag);
    // Nothing is awaited between reading and keeping the record of this isolate.
    const { keys, purgedAtMs } = this.#joined(tag, kept);
    if (purgedAtMs >= madeAtMs) return this.#delete([key]);
    // The cache may have displaced a record that this isolate remembers.
    if (kept.keys.includes(key)) return;
    const all = [...keys.filter((other) => other !== key), key];
    await this.#keep(tag, { keys: all.slice(-EDGE_TAGS.keys), purgedAtMs });
    // A response whose key is not kept could not be purged.
    await this.#delete(all.slice(0, -EDGE_TAGS.keys));
    // The record may have replaced that of a purge in the cache.
    if (this.#records.get(tag)!.purgedAtMs >= madeAtMs) await this.purge([tag]);
  }

  async #kept(tag: string): Promise<TagRecord> {
    const stored = await this.#stored(TAG_PREFIX + tag);
    return stored ? ((await stored.json()) as TagRecord) : NOTHING_KNOWN;
  }

  /** A record of the cache with that of this isolate. */
  #joined(tag: string, kept: TagRecord): TagRecord {
    const own = this.#records.get(tag) ?? NOTHING_KNOWN;
    return { keys: [...new Set([...kept.keys, ...own.keys])], purgedAtMs: Math.max(kept.purgedAtMs, own.purgedAtMs) };
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

/** The policy that the response is sent with. */
const SENT_POLICY = 'X-Sent-Policy';

/** The lifetime of a policy without its stale times, because an edge cache may serve stale responses that it never refreshes. */
const freshLifetime = (policy: CachePolicy): string => policy.replace(/, *stale-[a-z-]+=\d+/g, '');

/** The response that the edge cache stores; `body` is the complete content. */
export function toStored(representation: SizedRepresentation, body: BodyInit, nowMs: number): Response {
  const { contentType, policy, headers, etag, lastModifiedMs, tags = [] } = representation;
  const stored = new Headers({ ...headers, 'Content-Type': contentType, 'Cache-Control': freshLifetime(policy), ETag: etag });
  stored.set(SENT_POLICY, policy);
  if (lastModifiedMs !== undefined) stored.set('Last-Modified', new Date(lastModifiedMs).toUTCString());
  if (tags.length > 0) stored.set(CACHE_TAG, tags.join(','));
  stored.set(STORED_AT, String(nowMs));
  return new Response(body, { headers: stored });
}

/** The representation of a response made by `toStored`, with an Age header. */
export async function fromStored(stored: Response, nowMs: number): Promise<BytesRepresentation> {
  const { headers } = stored;
  const ageSeconds = Math.max(0, Math.floor((nowMs - Number(headers.get(STORED_AT) ?? nowMs)) / 1000));
  const ownHeaders = [...headers].filter(([name]) => OWN_HEADERS.includes(name));
  const lastModified = headers.get('Last-Modified');
  return {
    contentType: headers.get('Content-Type') ?? 'application/octet-stream',
    bytes: new Uint8Array(await stored.arrayBuffer()),
    policy: headers.get(SENT_POLICY) ?? NO_STORE,
    headers: { ...Object.fromEntries(ownHeaders), Age: String(ageSeconds) },
    lastModifiedMs: lastModified === null ? undefined : Date.parse(lastModified),
    etag: headers.get('ETag') ?? '""',
  };
}
