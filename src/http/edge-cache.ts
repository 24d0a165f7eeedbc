// The edge cache: complete 200 responses under canonical keys, in the data centre that handles the request.

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

export interface EdgeCache {
  match(key: string): Promise<Response | null>;
  /** Stores a response for the lifetime that its Cache-Control states. */
  put(key: string, response: Response): Promise<void>;
}

/** The part of the Cache API that is used. */
interface WorkersCache {
  match(url: string): Promise<Response | undefined>;
  put(url: string, response: Response): Promise<void>;
}

/** Turns a key into a URL, which the Cache API requires. The host does not exist, so that no key collides with a real URL. */
const KEY_PREFIX = 'https://answers.helioedge.invalid/';

/** The Cache API as an edge cache: `new CacheApiEdgeCache(caches.default)`. A failed lookup counts as a miss. */
export class CacheApiEdgeCache implements EdgeCache {
  readonly #cache: WorkersCache;

  constructor(cache: WorkersCache) {
    this.#cache = cache;
  }

  async match(key: string): Promise<Response | null> {
    try {
      return (await this.#cache.match(KEY_PREFIX + key)) ?? null;
    } catch {
      return null;
    }
  }

  /** @throws RangeError for a status other than 200 */
  async put(key: string, response: Response): Promise<void> {
    if (response.status !== 200) throw new RangeError(`Expected a response with status 200 to cache, got ${response.status}.`);
    await this.#cache.put(KEY_PREFIX + key, response);
  }
}
