import { type EdgeCache, tagsOf } from '../../../src/http/edge-cache.ts';

/** Edge cache in a map; like the Cache API, it stores whole bodies and returns a new response each time. */
export class MemoryEdgeCache implements EdgeCache {
  readonly kept = new Map<string, { headers: [string, string][]; body: ArrayBuffer; tags: string[] }>();

  get keys(): string[] {
    return [...this.kept.keys()];
  }

  async match(key: string): Promise<Response | null> {
    const entry = this.kept.get(key);
    return entry ? new Response(entry.body.slice(0), { headers: entry.headers }) : null;
  }

  async put(key: string, response: Response): Promise<void> {
    if (response.status !== 200) throw new Error(`Expected status 200 for a cached response, got ${response.status}.`);
    this.kept.set(key, {
      headers: [...response.headers] as [string, string][],
      body: await response.arrayBuffer(),
      tags: tagsOf(response),
    });
  }

  async purge(tags: readonly string[]): Promise<void> {
    for (const [key, entry] of this.kept) if (entry.tags.some((tag) => tags.includes(tag))) this.kept.delete(key);
  }
}
