// The cache of the data centre that answers. It holds whole 200 answers only, under canonical keys.

export interface EdgeCache {
  match(key: string): Promise<Response | null>;
  /** Keeps the response for the life that its Cache-Control states. */
  put(key: string, response: Response): Promise<void>;
}

/** What is used of the Cache API. */
interface WorkersCache {
  match(url: string): Promise<Response | undefined>;
  put(url: string, response: Response): Promise<void>;
}

/** Cache API keys are URLs. The host is never asked: it keeps our keys apart from the answers of real hosts. */
const KEY_PREFIX = 'https://answers.helioedge.invalid/';

/** The Cache API as an edge cache: `new CacheApiEdgeCache(caches.default)`. A failing cache is an empty one. */
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

  async put(key: string, response: Response): Promise<void> {
    if (response.status !== 200) throw new RangeError(`Expected a whole answer (200) to keep, got status ${response.status}.`);
    await this.#cache.put(KEY_PREFIX + key, response);
  }
}
