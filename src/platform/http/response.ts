// Responses that operations return, and how they are sent: whole, a range, or 304 (RFC 9110, sections 13 and 14), with common headers.
import type { z } from '@hono/zod-openapi';
import { LIFETIMES, NOTICES, REQUEST_LIMITS } from '../limits/http.ts';
import { STAGES, type Stage, type Stopwatch } from '../ports/timing.ts';
import { hex, sha256 } from '../util/bytes.ts';
import { Failure, shown } from '../util/errors.ts';

export const MEDIA_TYPES = {
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  mp4: 'video/mp4',
  webm: 'video/webm',
  flv: 'video/x-flv',
  fits: 'application/fits',
  npy: 'application/octet-stream',
  json: 'application/json; charset=utf-8',
  // JSON lines have no registered media type; this one is in general use.
  jsonl: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  votable: 'application/x-votable+xml; charset=utf-8',
} as const;
export type FileType = keyof typeof MEDIA_TYPES;

/** Types that browsers show; they save the others. */
const SHOWN: readonly FileType[] = ['png', 'jpg', 'webp', 'svg', 'json'];
export const isShown = (type: FileType): boolean => SHOWN.includes(type);

export const extensionOf = (type: FileType): string => (type === 'votable' ? 'vot' : type);

/** A value of Cache-Control. The edge cache stores responses for the lifetime that it states. */
export type CachePolicy = string;

/** Content addressed by an id or a content hash: JP2 files, headers. */
export const IMMUTABLE: CachePolicy = `public, max-age=${LIFETIMES.immutable}, immutable`;

/**
 * Facts of a drawn picture: another version of the renderer may draw it otherwise, at the same address. Clients therefore ask again after a
 * day, with the strong ETag of its bytes alone, because no date changes with the renderer; the edge cache, which begins empty with each
 * deployment, keeps it as long as it can.
 */
export const DRAWN = {
  policy: `public, max-age=${LIFETIMES.drawn}` satisfies CachePolicy,
  edgeSeconds: LIFETIMES.immutable,
  lastModifiedMs: undefined,
} as const;

/** A nearest image that only a late delivery could change. */
export const SETTLED: CachePolicy = `public, max-age=${LIFETIMES.settled}`;

/** A nearest image that the next ingest may change. */
export const RECENT: CachePolicy = `public, max-age=${LIFETIMES.recent}`;

/** The catalogue, served stale while it is refreshed. */
export const CATALOGUE: CachePolicy = `${RECENT}, stale-while-revalidate=${LIFETIMES.staleCatalogue}`;

/** The ingestion status, which the edge cache does not repeat while the service fails, as it does by default without an end. */
export const STATUS: CachePolicy = `${CATALOGUE}, stale-if-error=0`;

/** The catalogue and the ingestion status while the sample archive is being added. */
export const GROWING_CATALOGUE: CachePolicy = `public, max-age=${LIFETIMES.growingCatalogue}`;

/** Responses that contain the host of the request: cached by the client only. */
export const PRIVATE_COPY: CachePolicy = `private, max-age=${LIFETIMES.recent}`;

export const NO_STORE: CachePolicy = 'no-store';

export const JSON_TYPE = MEDIA_TYPES.json;
export const XML_TYPE = 'text/xml; charset=utf-8';
export const TEXT_TYPE = 'text/plain; charset=utf-8';

/** Header of a response to the edge cache: its tags, separated by commas. */
export const CACHE_TAG = 'Cache-Tag';
/** Header of a response to the edge cache: Cache-Control for that cache alone. */
export const EDGE_CACHE_CONTROL = 'Cloudflare-CDN-Cache-Control';

/** Values of Cf-Cache-Status of a response that the edge cache had. */
export const FROM_CACHE = /^(HIT|STALE|UPDATING|REVALIDATED)$/;

export interface RepresentationFacts {
  readonly policy: CachePolicy;
  /** Additional headers, as X-Image-Date or Content-Disposition. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sentences about a request that is valid but probably not meant as it is, for X-Notice. Unset: none. */
  readonly notices?: readonly string[];
  readonly lastModifiedMs?: number | undefined;
  /** Tags for the edge cache. Unset: none. */
  readonly tags?: readonly string[];
  /** Lifetime in the edge cache in place of the policy's: for too many images to tag, and for refreshed pictures. */
  readonly edgeSeconds?: number;
  /** Strong entity tag, quoted, of bytes that their address identifies. Unset: a hash of the bytes, 1.3 ms a megabyte, unless nobody may store them. */
  readonly etag?: string;
  readonly status?: number;
}

interface Common extends Omit<RepresentationFacts, 'headers' | 'lastModifiedMs' | 'etag'> {
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly lastModifiedMs: number | undefined;
  /** Strong entity tag, quoted: equal only for equal bytes. Null for responses that nobody may store, hence ask about again. */
  readonly etag: string | null;
}

/** A response in memory. */
export interface BytesRepresentation extends Common {
  readonly bytes: Uint8Array;
  /** Unset: 200, or what a conditional or range request makes of it. Responses with a status ignore those headers. */
  readonly status?: number;
  /** Whether JSONP passes text as a JSON string. Unset: as one line, as the original service passes XML. */
  readonly isJsonString?: boolean;
}

/** A response too large for memory, opened for the range that is sent. */
export interface StreamRepresentation extends Common {
  readonly length: number;
  /** Whether the streams declare their length themselves, as a FixedLengthStream, which Workers cannot pipe into another one. */
  readonly isSized?: boolean;
  open(range?: ByteRange): Promise<ReadableStream<Uint8Array>>;
}

/** A response that is sent while it is made. Its length and tag are unknown, so it has no ranges and is never 304. */
export interface FlowingRepresentation extends Omit<Common, 'etag' | 'lastModifiedMs'> {
  /** Text or bytes in pieces of some kilobytes. An error ends the response before its end, which clients see as a broken transfer. */
  flow(): AsyncIterable<string | Uint8Array>;
}

/** A response whose length and tag are known. */
type SizedRepresentation = BytesRepresentation | StreamRepresentation;

export type Representation = SizedRepresentation | FlowingRepresentation;

const ETAG_BYTES = 16;

const contentEtag = async (bytes: Uint8Array): Promise<string> => `"${hex((await sha256(bytes)).subarray(0, ETAG_BYTES))}"`;

/** A response of bytes, with an ETag of their content where clients may store them. */
export async function bytesReply(
  contentType: string,
  bytes: Uint8Array,
  { headers = {}, lastModifiedMs, etag, ...facts }: RepresentationFacts,
): Promise<BytesRepresentation> {
  const validator = etag ?? (facts.policy === NO_STORE ? null : await contentEtag(bytes));
  return { ...facts, contentType, bytes, headers, lastModifiedMs, etag: validator };
}

/** The header that names a file, for browsers that save it: letters, digits and `_.+-`. */
export const namedFile = (kind: 'inline' | 'attachment', name: string) => ({
  'Content-Disposition': `${kind}; filename="${name.replace(/[^\w.+-]/g, '_')}"`,
});

export function textReply(contentType: string, text: string, facts: RepresentationFacts): Promise<BytesRepresentation> {
  return bytesReply(contentType, new TextEncoder().encode(text), facts);
}

/** Builds a schema. It is called with the document only, so that an isolate starts without all schemas. */
export type LazySchema<T = unknown> = () => z.ZodType<T>;

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

export type JsonBody<S extends LazySchema> = DeepReadonly<z.output<ReturnType<S>>>;

/** @typeParam S The schema of the body, so that the document and the code agree. */
export const jsonReply = <S extends LazySchema = LazySchema>(value: JsonBody<S>, facts: RepresentationFacts) =>
  textReply(JSON_TYPE, JSON.stringify(value), facts);

/** A redirect to `location`, a URL that the caller has validated. */
export async function redirectReply(location: string, facts: RepresentationFacts, status: 301 | 302 | 303 = 302) {
  const headers = { ...facts.headers, Location: location };
  return textReply(TEXT_TYPE, '', { ...facts, headers, status });
}

interface Validators {
  /** Strong, quoted; null for none. */
  readonly etag: string | null;
  /** Absent for responses whose content changes without a date of its own, as "the nearest image". */
  readonly lastModifiedMs?: number | undefined;
}

const ENTITY_TAGS = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

/** If-None-Match compares weakly: `W/"a"` and `"a"` are the same (section 8.8.3.2). */
function matchesNone(header: string, etag: string): boolean {
  if (header.trim() === '*') return true;
  return (header.match(ENTITY_TAGS) ?? []).some((tag) => tag.replace(/^W\//, '') === etag);
}

/** HTTP dates have a resolution of one second. */
const wholeSeconds = (ms: number): number => Math.floor(ms / 1000);

/** Whether the client's copy is current, so that the response is 304. If-None-Match takes precedence over If-Modified-Since. */
function isNotModified(headers: Headers, { etag, lastModifiedMs }: Validators): boolean {
  const ifNoneMatch = headers.get('If-None-Match');
  if (ifNoneMatch !== null) return etag !== null && matchesNone(ifNoneMatch, etag);
  const sinceMs = Date.parse(headers.get('If-Modified-Since') ?? '');
  return lastModifiedMs !== undefined && wholeSeconds(lastModifiedMs) <= wholeSeconds(sinceMs);
}

/** Whether a Range header applies: there is no If-Range, or it matches this representation (section 13.1.5). */
function rangeApplies(headers: Headers, { etag, lastModifiedMs }: Validators): boolean {
  const ifRange = headers.get('If-Range')?.trim();
  if (ifRange === undefined) return true;
  if (ifRange.startsWith('"') || ifRange.startsWith('W/')) return ifRange === etag;
  return lastModifiedMs !== undefined && wholeSeconds(Date.parse(ifRange)) === wholeSeconds(lastModifiedMs);
}

/** A non-empty range of bytes inside the representation. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

const SINGLE_RANGE = /^bytes=\s*(?:(\d+)\s*)?-\s*(?:(\d+)\s*)?$/i;

/** The range that a Range header selects of `size` bytes. `whole`: none that section 14.2 does not allow to ignore. `unsatisfiable`: 416. */
export function requestedRange(header: string | null, size: number): ByteRange | 'whole' | 'unsatisfiable' {
  const match = header !== null && header.length <= REQUEST_LIMITS.rangeCharacters ? SINGLE_RANGE.exec(header) : null;
  if (!match) return 'whole';
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return 'whole';
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length > 0 ? { offset: size - length, length } : 'unsatisfiable';
  }
  const offset = Number(first);
  if (last !== '' && Number(last) < offset) return 'whole';
  if (offset >= size) return 'unsatisfiable';
  const end = last === '' ? size : Math.min(Number(last) + 1, size);
  return { offset, length: end - offset };
}

/** What a request asks for: the whole representation, a range of it, or whether it has changed since. */
export function askedPart({ method, headers }: Request, validators: Validators, size: number) {
  // If-None-Match means 304 for GET and HEAD only (RFC 9110, section 13.1.2), and Range applies to GET only (section 14.2).
  if (method !== 'POST' && isNotModified(headers, validators)) return 'unchanged';
  return method === 'GET' && rangeApplies(headers, validators) ? requestedRange(headers.get('Range'), size) : 'whole';
}

export function unsatisfiableRange(requested: string | null, sizeBytes: number): Failure {
  const sentence = `Expected a range of the ${sizeBytes} bytes for Range, got ${shown(requested)}.`;
  return new Failure('unsatisfiable-range', sentence, { parameter: 'Range', sizeBytes });
}

export function contentRange({ offset, length }: ByteRange, size: number): string {
  return `bytes ${offset}-${offset + length - 1}/${size}`;
}

function sizeOf(representation: SizedRepresentation): number {
  return 'bytes' in representation ? representation.bytes.byteLength : representation.length;
}

/** Declares the length of a stream, which Workers require to send Content-Length. Elsewhere the header suffices. */
export function sized(stream: ReadableStream<Uint8Array>, length: number): ReadableStream<Uint8Array> {
  return 'FixedLengthStream' in globalThis ? stream.pipeThrough(new FixedLengthStream(length)) : stream;
}

/** Bytes that are passed on at once: a response of 12 MB in one piece delays other requests of the isolate by 100 ms. */
const PIECE_BYTES = 1 << 18;

/** Bytes in pieces, between which other requests go on. */
async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}

/** Receives the error that ends a flow before its end, when the status has been sent. */
type Broken = (error: unknown) => Promise<unknown>;

/** A stream of pieces that are made as they are read. @param ahead How many are made before they are read */
export function streamOf(flow: AsyncIterable<string | Uint8Array>, ahead = 1, broken?: Broken): ReadableStream<Uint8Array> {
  const pieces = flow[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next().catch(async (error) => {
          await broken?.(error);
          throw error;
        });
        if (done) controller.close();
        else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value);
      },
      async cancel() {
        await pieces.return?.();
      },
    },
    { highWaterMark: ahead },
  );
}

async function bodyOf(representation: SizedRepresentation, range: ByteRange): Promise<BodyInit> {
  if ('bytes' in representation) {
    const bytes = representation.bytes.subarray(range.offset, range.offset + range.length);
    return bytes.byteLength > PIECE_BYTES ? sized(streamOf(piecesOf(bytes)), bytes.byteLength) : bytes;
  }
  const isWhole = range.length === representation.length;
  const stream = await representation.open(isWhole ? undefined : range);
  return representation.isSized ? stream : sized(stream, range.length);
}

/** The headers of every response with a representation, with those for the edge cache, which `forClient` removes. */
function commonHeaders({ contentType, policy, headers, notices = [], tags = [], edgeSeconds }: Representation): Headers {
  return new Headers({
    ...headers,
    ...noticeHeader(notices),
    ...(tags.length > 0 ? { [CACHE_TAG]: [...new Set(tags)].join(',') } : {}),
    ...(edgeSeconds === undefined ? {} : { [EDGE_CACHE_CONTROL]: `public, max-age=${edgeSeconds}` }),
    'Content-Type': contentType,
    'Cache-Control': policy,
  });
}

/** The response with status 200, 206 or 304, or that of the representation. HEAD opens no stream. @throws Failure `unsatisfiable-range` */
export async function send(request: Request, representation: Representation, broken?: Broken): Promise<Response> {
  const headers = commonHeaders(representation);
  const isHead = request.method === 'HEAD';
  if ('flow' in representation) return new Response(isHead ? null : streamOf(representation.flow(), 1, broken), { headers });
  const size = sizeOf(representation);
  // Conditional and range requests do not apply to a response with a status of its own.
  if ('bytes' in representation && representation.status !== undefined) {
    headers.set('Content-Length', String(size));
    return new Response(isHead ? null : representation.bytes, { status: representation.status, headers });
  }
  const { etag, lastModifiedMs } = representation;
  if (etag !== null) headers.set('ETag', etag);
  if (lastModifiedMs !== undefined) headers.set('Last-Modified', new Date(lastModifiedMs).toUTCString());
  headers.set('Accept-Ranges', 'bytes');
  const range = askedPart(request, representation, size);
  if (range === 'unchanged') {
    headers.delete('Content-Type');
    return new Response(null, { status: 304, headers });
  }
  if (range === 'unsatisfiable') throw unsatisfiableRange(request.headers.get('Range'), size);
  const part = range === 'whole' ? { offset: 0, length: size } : range;
  if (range !== 'whole') headers.set('Content-Range', contentRange(range, size));
  headers.set('Content-Length', String(part.length));
  const body = isHead ? null : await bodyOf(representation, part);
  return new Response(body, { status: range === 'whole' ? 200 : 206, headers });
}

/** A JSON response that no cache may store: errors, and operations outside the public API. */
export function jsonResponse(
  value: unknown,
  { status = 200, headers = {} }: Pick<RepresentationFacts, 'status' | 'headers'> = {},
): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { 'Content-Type': JSON_TYPE, 'Cache-Control': NO_STORE, ...headers },
  });
}

const PREFLIGHT: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, OPTIONS',
  'Access-Control-Allow-Headers':
    'Authorization, Content-Type, If-Match, If-Modified-Since, If-None-Match, If-Range, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Range, X-Requested-With',
  'Access-Control-Max-Age': '86400',
};

const EXPOSED = [
  'Accept-Ranges, Age, Content-Disposition, Content-Length, Content-Range, ETag, JPIP-cnew, JPIP-qid, JPIP-tid, Link',
  'RateLimit, RateLimit-Policy, Retry-After',
  'Server-Timing',
  'X-Events-Loaded, X-Events-Sources, X-Image-Date, X-Image-Distance, X-Image-Scale, X-Image-Scale-Adjusted, X-Layer-Images, X-Layers-Far, X-Notice, X-Request-Id, X-Series-Rows',
].join(', ');

/** The response to OPTIONS on any path: the body of the original service with the headers that browsers require. */
export function preflightResponse(): Response {
  return new Response('OK', { headers: { ...PREFLIGHT, 'Content-Type': 'text/plain; charset=utf-8' } });
}

/** Policy of responses that are data: nothing may run, load or be framed. Pages have policies of their own. */
const DATA_POLICY = "default-src 'none'; frame-ancestors 'none'";

/** The headers of all responses. They allow every origin, because no response depends on cookies or the caller. */
export function addSharedHeaders(headers: Headers, url: URL): void {
  headers.set('Access-Control-Allow-Origin', '*');
  headers.set('Access-Control-Expose-Headers', EXPOSED);
  headers.set('Timing-Allow-Origin', '*');
  headers.set('X-Content-Type-Options', 'nosniff');
  headers.set('Referrer-Policy', 'no-referrer');
  headers.set('Cross-Origin-Resource-Policy', 'cross-origin');
  if (!headers.has('Content-Security-Policy')) headers.set('Content-Security-Policy', DATA_POLICY);
  if (url.protocol === 'https:') headers.set('Strict-Transport-Security', 'max-age=31536000');
}

/** Adds headers behind those of the same names. */
export function appendAll(headers: Headers, added: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(added)) headers.append(name, value);
}

const SENTENCE_END = /[.?!](?=\s|$)/g;

/** The first notices that fit, because clients refuse long headers. @param own A header before them, of which each sentence counts */
export function noticeHeader(notices: readonly string[], own = ''): Readonly<Record<string, string>> {
  let text = own;
  const room = Math.max(0, NOTICES.sentences - (own.match(SENTENCE_END)?.length ?? 0));
  for (const notice of notices.slice(0, room)) {
    const longer = text === '' ? notice : `${text} ${notice}`;
    if (longer.length <= NOTICES.bytes) text = longer;
  }
  return text === '' ? {} : { 'X-Notice': text };
}

/** Time spent in each stage of a request, for the Server-Timing header. */
export class ServerTiming implements Stopwatch {
  readonly #startedAt = performance.now();
  readonly #milliseconds = new Map<string, number>();

  measure<T>(stage: Stage, work: () => T): T {
    const startedAt = performance.now();
    const stop = () => this.add(stage, performance.now() - startedAt);
    let result: T | undefined;
    try {
      result = work();
      return result instanceof Promise ? (result.finally(stop) as T) : result;
    } finally {
      if (!(result instanceof Promise)) stop();
    }
  }

  add(stage: Stage, milliseconds: number): void {
    this.#milliseconds.set(stage, (this.#milliseconds.get(stage) ?? 0) + milliseconds);
  }

  /** `cache;dur=0.4, index;dur=1.2, total;dur=3`: the stages that ran, in the order of the pipeline, in milliseconds. */
  header(): string {
    const total = performance.now() - this.#startedAt;
    const parts = STAGES.filter((stage) => this.#milliseconds.has(stage)).map(
      (stage) => [stage, this.#milliseconds.get(stage)!] as const,
    );
    return [...parts, ['total', total] as const].map(([stage, ms]) => `${stage};dur=${Number(ms.toFixed(2))}`).join(', ');
  }
}
