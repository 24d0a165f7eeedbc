// Workers Cache in memory, by its documentation (developers.cloudflare.com/workers/cache), which no local runtime simulates.
import { FROM_CACHE } from '../../../src/gateway.ts';
import type { PurgeCall } from '../../../src/http/purges.ts';
import { CACHE_TAG, EDGE_CACHE_CONTROL } from '../../../src/http/response.ts';

interface Entry {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly tags: readonly string[];
  readonly storedAtMs: number;
  readonly endsAtMs: number;
  /** Time until which it is sent while it is refreshed, and until which it is sent when that fails. */
  readonly staleUntilMs: number;
  readonly staleOnErrorUntilMs: number;
}

type PurgeOptions = Parameters<PurgeCall>[0];

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

/** The lifetimes of a response in milliseconds; null for one that is not stored. */
function lifetimes({ status, headers }: Response) {
  if ([206, 304].includes(status) || (status >= 520 && status <= 526) || headers.has('Set-Cookie') || headers.get('Vary') === '*')
    return null;
  const policy = headers.get(EDGE_CACHE_CONTROL) ?? headers.get('Cache-Control');
  if (policy === null) {
    const seconds = HEURISTIC_SECONDS[status];
    return seconds === undefined ? null : { freshMs: 1000 * seconds, staleMs: 0, onErrorMs: Number.POSITIVE_INFINITY };
  }
  if (/\b(private|no-store)\b/.test(policy)) return null;
  const milliseconds = (name: string) => {
    const seconds = new RegExp(`(?:^|[ ,])${name}=(\\d+)`).exec(policy)?.[1];
    return seconds === undefined ? undefined : 1000 * Number(seconds);
  };
  const life = milliseconds('s-maxage') ?? milliseconds('max-age');
  if (/\bno-cache\b/.test(policy) || life === undefined) return null;
  const isStrict = /\b(s-maxage|must-revalidate|proxy-revalidate)\b/.test(policy);
  return {
    freshMs: life,
    staleMs: isStrict ? 0 : (milliseconds('stale-while-revalidate') ?? 0),
    onErrorMs: isStrict ? 0 : (milliseconds('stale-if-error') ?? Number.POSITIVE_INFINITY),
  };
}

/** Headers of the request that are part of the key besides the path, as the documentation lists them against poisoned caches. */
const KEY_HEADERS = [
  'x-http-method-override',
  'x-http-method',
  'x-method-override',
  'x-forwarded-host',
  'x-host',
  'x-forwarded-scheme',
  'x-original-url',
  'x-rewrite-url',
  'forwarded',
  'cloudflare-workers-version-key',
] as const;

/** The key with those headers. The scheme is left out where it is one of the usual two. */
function keyWithHeaders(key: string, { headers }: Request): string {
  const named = KEY_HEADERS.filter((name) => name !== 'x-forwarded-scheme' || !/^https?$/.test(headers.get(name) ?? ''));
  return [key, ...named.filter((name) => headers.has(name)).map((name) => `${name}: ${headers.get(name)}`)].join('\n');
}

/** Purges that the platform takes at once, and in a minute thereafter. */
const PURGES = { atOnce: 25, perMinute: 5, tags: 100 };

/** Stands in front of `service`. The key has no host and no method. */
export class MemoryWorkersCache {
  readonly entries = new Map<string, Entry>();
  /** Requests that reached the service. */
  readonly fills: Request[] = [];
  readonly #service: (request: Request) => Promise<Response>;
  readonly #now: () => number;
  readonly #running = new Map<string, Promise<Entry | null>>();
  #purges = { left: PURGES.atOnce, atMs: Number.NEGATIVE_INFINITY };

  constructor(service: (request: Request) => Promise<Response>, now: () => number = () => 0) {
    this.#service = service;
    this.#now = now;
  }

  fetch = async (request: Request, given: string): Promise<Response> => {
    const key = keyWithHeaders(given, request);
    const kept = this.entries.get(key);
    if (kept && kept.endsAtMs > this.#now()) return this.#sent(request, kept, 'HIT');
    if (kept && kept.staleUntilMs > this.#now()) {
      void this.#shared(request, key);
      return this.#sent(request, kept, 'UPDATING');
    }
    const isFirst = !this.#running.has(key);
    const shared = await this.#shared(request, key);
    // Equal requests share only what can be stored.
    const entry = shared && (isFirst || this.#isStored(key, shared)) ? shared : await this.#run(request, key);
    const hasFailed = entry === null || entry.status >= 500;
    if (hasFailed && kept && this.entries.get(key) === kept && kept.staleOnErrorUntilMs > this.#now()) {
      return this.#sent(request, kept, 'STALE');
    }
    if (entry === null) throw new Error('The service failed.');
    const stored = kept ? 'EXPIRED' : 'MISS';
    return this.#sent(request, entry, this.#isStored(key, entry) ? stored : 'BYPASS');
  };

  #isStored = (key: string, entry: Entry) => this.entries.get(key) === entry;

  /** The run for a key that is under way, or a new one. */
  #shared(request: Request, key: string): Promise<Entry | null> {
    const running = this.#running.get(key);
    if (running) return running;
    const run = this.#run(request, key).finally(() => this.#running.delete(key));
    this.#running.set(key, run);
    return run;
  }

  /** Runs the service for the whole response; null when it throws. */
  async #run(request: Request, key: string): Promise<Entry | null> {
    const headers = new Headers(request.headers);
    headers.delete('Range');
    const filling = new Request(request.url, { headers });
    this.fills.push(filling);
    const response = await this.#service(filling).catch(() => null);
    if (!response) return null;
    const life = lifetimes(response);
    const storedAtMs = this.#now();
    const endsAtMs = storedAtMs + (life?.freshMs ?? 0);
    const entry: Entry = {
      status: response.status,
      headers: new Headers(response.headers),
      body: new Uint8Array(await response.arrayBuffer()),
      tags: (response.headers.get(CACHE_TAG)?.toLowerCase().split(',') ?? []).slice(0, 1000),
      storedAtMs,
      endsAtMs,
      staleUntilMs: endsAtMs + (life?.staleMs ?? 0),
      staleOnErrorUntilMs: endsAtMs + (life?.onErrorMs ?? 0),
    };
    const isFailure = entry.status >= 500;
    if (life && life.freshMs > 0 && !isFailure) this.entries.set(key, entry);
    return entry;
  }

  #sent(request: Request, entry: Entry, cacheStatus: string): Response {
    const response = sliced(request, entry, cacheStatus);
    if (FROM_CACHE.test(cacheStatus)) response.headers.set('Age', String(Math.floor((this.#now() - entry.storedAtMs) / 1000)));
    return response;
  }

  /** @returns false when it is refused: more than 100 tags, or too many in a minute */
  purge = async (what: PurgeOptions): Promise<boolean> => {
    const { left, atMs } = this.#purges;
    const available = Math.min(PURGES.atOnce, left + (PURGES.perMinute * (this.#now() - atMs)) / 60_000);
    this.#purges = { left: available, atMs: this.#now() };
    if (available < 1 || ('tags' in what && what.tags.length > PURGES.tags)) return false;
    this.#purges = { left: available - 1, atMs: this.#now() };
    const tags = 'tags' in what ? what.tags.map((tag) => tag.toLowerCase()) : null;
    for (const [key, entry] of this.entries) {
      if (tags === null || entry.tags.some((tag) => tags.includes(tag))) this.entries.delete(key);
    }
    return true;
  };
}

function sliced({ method, headers: asked }: Request, { status, headers, body }: Entry, cacheStatus: string): Response {
  const sent = new Headers(headers);
  sent.set('Cf-Cache-Status', cacheStatus);
  sent.delete(CACHE_TAG);
  sent.delete(EDGE_CACHE_CONTROL);
  const etag = sent.get('ETag');
  const known = (asked.get('If-None-Match') ?? '').split(/, */);
  const isKnown = status === 200 && etag !== null && (known.includes(etag) || known[0] === '*');
  if (isKnown) {
    for (const name of ['Content-Length', 'Content-Type']) sent.delete(name);
    return new Response(null, { status: 304, headers: sent });
  }
  // What is not stored and has no ranges passes as it is.
  const hasRanges = cacheStatus !== 'BYPASS' || sent.get('Accept-Ranges') === 'bytes';
  const range = status === 200 && hasRanges ? /^bytes=(\d*)-(\d*)$/.exec(asked.get('Range') ?? '') : null;
  if (method === 'HEAD' || [204, 304].includes(status)) return new Response(null, { status, headers: sent });
  if (!range || range[0] === 'bytes=-') return new Response(body, { status, headers: sent });
  const first = range[1] === '' ? Math.max(0, body.length - Number(range[2])) : Number(range[1]);
  const last = range[1] === '' || range[2] === '' ? body.length - 1 : Math.min(Number(range[2]), body.length - 1);
  if (first > last)
    return new Response(null, {
      status: 416,
      headers: { ...Object.fromEntries(sent), 'Content-Range': `bytes */${body.length}` },
    });
  sent.set('Content-Range', `bytes ${first}-${last}/${body.length}`);
  sent.set('Content-Length', String(last + 1 - first));
  return new Response(body.slice(first, last + 1), { status: 206, headers: sent });
}
