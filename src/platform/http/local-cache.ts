// Stand-in of Workers Cache (developers.cloudflare.com/workers/cache) in memory for the local service and tests, which have none.
import { LRUCache } from 'lru-cache';
import { LOCAL_CACHE } from '../limits/http.ts';
import { PURGES } from '../limits/images.ts';
import type { Clock, WaitUntil } from '../ports/timing.ts';
import { boundedBody } from '../util/bytes.ts';
import { MINUTE_MS, SECOND_MS } from '../util/durations.ts';
import { Service } from '../util/service.ts';
import { SingleFlight } from '../util/single-flight.ts';
import { askedPart, CACHE_TAG, contentRange, EDGE_CACHE_CONTROL, FROM_CACHE } from './response.ts';

/** A call of the platform: false when it refuses, as it does after some in a minute. */
export type PurgeCall = (what: { readonly tags: readonly string[] } | { readonly purgeEverything: true }) => Promise<boolean>;

interface Entry {
  readonly status: number;
  /** With those for the cache. */
  readonly headers: Headers;
  readonly body: Uint8Array<ArrayBuffer>;
  /** In lower case. */
  readonly tags: readonly string[];
  readonly storedAtMs: number;
  readonly endsAtMs: number;
  /** End of stale-while-revalidate, and end of stale-if-error. */
  readonly staleUntilMs: number;
  readonly staleOnErrorUntilMs: number;
}

type Stored = 'MISS' | 'EXPIRED' | 'REVALIDATED';

/** A run of the service: an entry, stored or not, or a response that is not kept because it is too large, or broken off. */
type Run = { readonly entry: Entry; readonly status: Stored | 'BYPASS' } | { readonly passing: Response };

/** The lifetimes of a response; null for one that is not stored. The platform keeps one without Cache-Control by its status; those of the service have it. */
function lifetimes(status: number, headers: Headers) {
  if (status === 206 || status === 304 || (status >= 520 && status <= 526)) return null;
  if (headers.has('Set-Cookie') || headers.get('Vary') === '*') return null;
  const policy = headers.get(EDGE_CACHE_CONTROL) ?? headers.get('CDN-Cache-Control') ?? headers.get('Cache-Control');
  if (policy === null || /\b(private|no-store)\b/.test(policy)) return null;
  const milliseconds = (name: string) => {
    const seconds = new RegExp(`(?:^|[ ,])${name}=(\\d+)`).exec(policy)?.[1];
    return seconds === undefined ? undefined : Number(seconds) * SECOND_MS;
  };
  const freshMs = /\bno-cache\b/.test(policy) ? 0 : (milliseconds('s-maxage') ?? milliseconds('max-age'));
  if (freshMs === undefined) return null;
  const isStrict = /\b(s-maxage|must-revalidate|proxy-revalidate)\b/.test(policy);
  return {
    freshMs,
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

/** Headers of a client about its own copy, or a part: the service is asked for the whole response, which all who wait for it get. */
const CLIENT_HEADERS = ['Range', 'If-Range', 'If-None-Match', 'If-Modified-Since'] as const;

/** Printable ASCII without the blank. */
const TAG = /^[\x21-\x7e]+$/;

function tagsOf(headers: Headers): string[] {
  const { tags, tagCharacters } = LOCAL_CACHE;
  const given = headers.get(CACHE_TAG)?.split(',') ?? [];
  return given
    .filter((tag) => tag.length <= tagCharacters && TAG.test(tag))
    .slice(0, tags)
    .map((tag) => tag.toLowerCase());
}

/** The bytes of a body; the body as a stream where it has more than `most` bytes, or breaks off. */
async function wholeOrStream(body: ReadableStream<Uint8Array> | null, most: number) {
  const [read, passed] = body?.tee() ?? [null, null];
  const bytes = await boundedBody(read, { maxBytes: most }).catch(() => null);
  if (bytes) void passed?.cancel();
  return bytes ?? passed!;
}

/** The bytes of a body of known length, read as a whole, because a stream comes in pieces of 4 kB; as a stream where it breaks off. */
async function wholeBody(response: Response): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>> {
  try {
    return new Uint8Array(await response.arrayBuffer());
  } catch (error) {
    return new ReadableStream({ start: (controller) => controller.error(error) });
  }
}

interface Ports {
  readonly service: (request: Request) => Promise<Response>;
  readonly clock?: Clock;
  /** Keeps a run of the service alive when its client has gone, or has a response already. */
  readonly waitUntil?: WaitUntil;
  /** Bytes of all responses, and of one that is kept. */
  readonly limits?: { readonly bytes: number; readonly responseBytes: number };
}

/** Stands in front of `service`. The key has no host and no method. */
export class LocalCache extends Service<Ports> {
  readonly #limits = this.ports.limits ?? LOCAL_CACHE;
  /** The least recently used are evicted first. */
  readonly entries = new LRUCache<string, Entry>({
    maxSize: this.#limits.bytes,
    sizeCalculation: ({ body }, key) => body.byteLength + key.length + LOCAL_CACHE.entryBytes,
  });
  readonly #clock = this.ports.clock ?? Date.now;
  readonly #waitUntil = this.ports.waitUntil ?? (() => undefined);
  readonly #runs = new SingleFlight<Run | null>(LOCAL_CACHE.shareMs);
  #purges: { readonly left: number; readonly atMs: number } = { left: LOCAL_CACHE.purgesAtOnce, atMs: Number.NEGATIVE_INFINITY };

  /** @throws Error when the service does, and nothing is stored */
  fetch = async (request: Request, given: string): Promise<Response> => {
    const key = keyWithHeaders(given, request);
    const kept = this.entries.get(key);
    if (kept && kept.endsAtMs > this.#clock()) return this.#sent(request, kept, 'HIT');
    if (kept && kept.staleUntilMs > this.#clock()) {
      this.#waitUntil(this.#runs.run(key, () => this.#run(request, key)));
      return this.#sent(request, kept, 'UPDATING');
    }
    let isOwn = false;
    const shared = this.#runs.run(key, () => {
      isOwn = true;
      return this.#run(request, key);
    });
    this.#waitUntil(shared);
    const first = await shared;
    // Equal requests share only what is stored.
    const run = isOwn || (first && 'entry' in first && first.status !== 'BYPASS') ? first : await this.#run(request, key);
    if (kept && hasFailed(run) && this.entries.get(key) === kept && kept.staleOnErrorUntilMs > this.#clock()) {
      return this.#sent(request, kept, 'STALE');
    }
    if (run === null) throw new Error('The service failed.');
    return 'passing' in run ? passing(request, run.passing) : this.#sent(request, run.entry, run.status);
  };

  /** Runs the service for the whole response, or for whether that of the entry has changed; null when it throws. */
  async #run(request: Request, key: string): Promise<Run | null> {
    const kept = this.entries.peek(key);
    const etag = kept?.headers.get('ETag');
    const headers = new Headers(request.headers);
    for (const name of CLIENT_HEADERS) headers.delete(name);
    if (etag) headers.set('If-None-Match', etag);
    const response = await this.ports.service(new Request(request.url, { headers })).catch(() => null);
    if (!response) return null;
    if (kept && response.status === 304) {
      return this.#stored(key, { ...kept, headers: updated(kept.headers, response.headers) }, 'REVALIDATED');
    }
    const length = response.headers.get('Content-Length');
    const { responseBytes } = this.#limits;
    const isLong = Number(length) > responseBytes;
    const body = isLong
      ? response.body
      : await (length === null ? wholeOrStream(response.body, responseBytes) : wholeBody(response));
    const isWhole = body instanceof Uint8Array && (length === null || Number(length) === body.byteLength);
    if (!isWhole) return { passing: new Response(body, response) };
    return this.#stored(key, { status: response.status, headers: response.headers, body }, kept ? 'EXPIRED' : 'MISS');
  }

  /** Stores a response, if it has a lifetime. */
  #stored(key: string, { status, headers, body }: Pick<Entry, 'status' | 'headers' | 'body'>, cacheStatus: Stored): Run {
    const life = status >= 500 ? null : lifetimes(status, headers);
    const storedAtMs = this.#clock();
    const endsAtMs = storedAtMs + (life?.freshMs ?? 0);
    const [staleUntilMs, staleOnErrorUntilMs] = [endsAtMs + (life?.staleMs ?? 0), endsAtMs + (life?.onErrorMs ?? 0)];
    const times = { storedAtMs, endsAtMs, staleUntilMs, staleOnErrorUntilMs };
    const entry = { status, headers: new Headers(headers), body, tags: tagsOf(headers), ...times };
    if (!life) return { entry, status: 'BYPASS' };
    this.entries.set(key, entry);
    return { entry, status: cacheStatus };
  }

  #sent(request: Request, entry: Entry, cacheStatus: string): Response {
    const response = sliced(request, entry, cacheStatus);
    if (FROM_CACHE.test(cacheStatus))
      response.headers.set('Age', String(Math.floor((this.#clock() - entry.storedAtMs) / SECOND_MS)));
    return response;
  }

  /** @returns false when it is refused: more than 100 tags, or too many calls in a minute */
  purge: PurgeCall = async (what) => {
    const { purgesAtOnce, purgesPerMinute } = LOCAL_CACHE;
    const { left, atMs } = this.#purges;
    const available = Math.min(purgesAtOnce, left + (purgesPerMinute * (this.#clock() - atMs)) / MINUTE_MS);
    this.#purges = { left: available, atMs: this.#clock() };
    if (available < 1 || ('tags' in what && what.tags.length > PURGES.tagsPerCall)) return false;
    this.#purges = { left: available - 1, atMs: this.#clock() };
    const purged = 'tags' in what ? new Set(what.tags.map((tag) => tag.toLowerCase())) : null;
    for (const [key, { tags }] of [...this.entries]) {
      if (purged === null || tags.some((tag) => purged.has(tag))) this.entries.delete(key);
    }
    return true;
  };
}

/** The headers of a response with those of a 304 (RFC 9111, section 3.2). */
function updated(kept: Headers, given: Headers): Headers {
  const headers = new Headers(kept);
  for (const [name, value] of given) headers.set(name, value);
  return headers;
}

const hasFailed = (run: Run | null) => run === null || ('entry' in run ? run.entry : run.passing).status >= 500;

function sentHeaders(headers: Headers, cacheStatus: string): Headers {
  const sent = new Headers(headers);
  sent.set('Cf-Cache-Status', cacheStatus);
  sent.delete(CACHE_TAG);
  sent.delete(EDGE_CACHE_CONTROL);
  return sent;
}

/** A response that is not kept, without its body for HEAD. Ranges of it are not made, as HTTP allows. */
function passing({ method }: Request, { status, headers, body }: Response): Response {
  if (method === 'HEAD') void body?.cancel();
  return new Response(method === 'HEAD' ? null : body, { status, headers: sentHeaders(headers, 'MISS') });
}

/** Part of a whole response that a request asks for: all, a range, its headers, or whether it has changed. */
function sliced(request: Request, { status, headers, body }: Entry, cacheStatus: string): Response {
  const sent = sentHeaders(headers, cacheStatus);
  const lastModified = sent.get('Last-Modified');
  const validators = { etag: sent.get('ETag'), lastModifiedMs: lastModified === null ? undefined : Date.parse(lastModified) };
  const range = status === 200 ? askedPart(request, validators, body.byteLength) : 'whole';
  if (range === 'unchanged') {
    for (const name of ['Content-Length', 'Content-Type']) sent.delete(name);
    return new Response(null, { status: 304, headers: sent });
  }
  // What is not stored and has no ranges passes as it is.
  const hasRanges = cacheStatus !== 'BYPASS' || sent.get('Accept-Ranges') === 'bytes';
  if (range === 'whole' || !hasRanges)
    return new Response(request.method === 'HEAD' || status === 204 ? null : body, { status, headers: sent });
  if (range === 'unsatisfiable') {
    sent.set('Content-Range', `bytes */${body.byteLength}`);
    sent.delete('Content-Length');
    return new Response(null, { status: 416, headers: sent });
  }
  sent.set('Content-Range', contentRange(range, body.byteLength));
  sent.set('Content-Length', String(range.length));
  return new Response(body.subarray(range.offset, range.offset + range.length), { status: 206, headers: sent });
}
