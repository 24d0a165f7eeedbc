// Workers Cache in memory, by its documentation (developers.cloudflare.com/workers/cache), which no local runtime simulates.
import { CACHE_TAG, EDGE_CACHE_CONTROL } from '../../../src/http/edge-cache.ts';

interface Entry {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly tags: readonly string[];
  readonly endsAtMs: number;
}

/** Seconds for which a response without Cache-Control is kept, by its status. */
const HEURISTIC_SECONDS: Readonly<Record<number, number>> = {
  200: 7200,
  203: 7200,
  204: 7200,
  301: 1200,
  404: 180,
  405: 60,
  410: 180,
};

function lifetimeSeconds({ status, headers }: Response): number {
  const policy = headers.get(EDGE_CACHE_CONTROL) ?? headers.get('Cache-Control');
  if (status === 206 || headers.has('Set-Cookie')) return 0;
  if (policy === null) return HEURISTIC_SECONDS[status] ?? 0;
  return /private|no-store|no-cache/.test(policy) ? 0 : Number(/max-age=(\d+)/.exec(policy)?.[1] ?? 0);
}

/** Stands in front of `service`. The key has no host and no method. */
export class MemoryWorkersCache {
  readonly entries = new Map<string, Entry>();
  /** Requests that reached the service. */
  readonly fills: Request[] = [];
  readonly #service: (request: Request) => Promise<Response>;
  readonly #now: () => number;

  constructor(service: (request: Request) => Promise<Response>, now: () => number = () => 0) {
    this.#service = service;
    this.#now = now;
  }

  fetch = async (request: Request, key: string): Promise<Response> => {
    const kept = this.entries.get(key);
    if (kept && kept.endsAtMs > this.#now()) return sliced(request, kept, 'HIT');
    const headers = new Headers(request.headers);
    headers.delete('Range');
    const filling = new Request(request.url, { headers });
    this.fills.push(filling);
    const response = await this.#service(filling);
    const seconds = lifetimeSeconds(response);
    const tags = response.headers.get(CACHE_TAG)?.split(',') ?? [];
    const endsAtMs = this.#now() + 1000 * seconds;
    const body = new Uint8Array(await response.arrayBuffer());
    const entry = { status: response.status, headers: new Headers(response.headers), body, tags, endsAtMs };
    if (seconds > 0) this.entries.set(key, entry);
    return sliced(request, entry, seconds > 0 ? 'MISS' : 'BYPASS');
  };

  purge = async (tags: readonly string[]): Promise<void> => {
    for (const [key, entry] of this.entries) if (entry.tags.some((tag) => tags.includes(tag))) this.entries.delete(key);
  };
}

function sliced({ method, headers: asked }: Request, { status, headers, body }: Entry, cacheStatus: string): Response {
  const sent = new Headers(headers);
  sent.set('Cf-Cache-Status', cacheStatus);
  sent.delete(CACHE_TAG);
  sent.delete(EDGE_CACHE_CONTROL);
  const range = status === 200 ? /^bytes=(\d+)-(\d+)$/.exec(asked.get('Range') ?? '') : null;
  if (method === 'HEAD' || [204, 304].includes(status)) return new Response(null, { status, headers: sent });
  if (!range) return new Response(body, { status, headers: sent });
  const [first, last] = [Number(range[1]), Number(range[2])];
  sent.set('Content-Range', `bytes ${first}-${last}/${body.length}`);
  sent.set('Content-Length', String(last + 1 - first));
  return new Response(body.slice(first, last + 1), { status: 206, headers: sent });
}
