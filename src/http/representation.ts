// Responses of operations before conditional and range requests are applied.
import { hex, sha256 } from '../util/digest.ts';
import { type CachePolicy, NO_STORE } from './cache-policy.ts';
import { CACHE_TAG, STORED_AT } from './edge-cache.ts';
import { OWN_HEADERS } from './openapi/described-headers.ts';
import type { ByteRange } from './ranges.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';
export const XML_TYPE = 'text/xml; charset=utf-8';
export const TEXT_TYPE = 'text/plain; charset=utf-8';

export interface RepresentationFacts {
  readonly policy: CachePolicy;
  /** Additional headers, as X-Image-Date or Content-Disposition. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly lastModifiedMs?: number;
  /** Tags for the edge cache. Unset: none. */
  readonly tags?: readonly string[];
  /** Lifetime in the edge cache, shorter than that of the policy, for responses that show too many images to tag. Unset: the same. */
  readonly edgeSeconds?: number;
}

interface Common {
  readonly contentType: string;
  readonly policy: CachePolicy;
  readonly headers: Readonly<Record<string, string>>;
  readonly lastModifiedMs: number | undefined;
  /** Tags for the edge cache. Unset: none. */
  readonly tags?: readonly string[];
  /** Seconds in the edge cache. Unset: those of the policy. */
  readonly edgeSeconds?: number;
  /** Strong entity tag, quoted: equal only for equal bytes. */
  readonly etag: string;
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
  /** Text in pieces of some kilobytes. An error ends the response before its end, which clients see as a broken transfer. */
  flow(): AsyncIterable<string>;
}

/** A response whose length and tag are known. */
export type SizedRepresentation = BytesRepresentation | StreamRepresentation;

export type Representation = SizedRepresentation | FlowingRepresentation;

const ETAG_BYTES = 16;

async function contentEtag(bytes: Uint8Array): Promise<string> {
  return `"${hex((await sha256(bytes)).subarray(0, ETAG_BYTES))}"`;
}

/** A response of bytes, with an ETag of their content. */
export async function bytesReply(
  contentType: string,
  bytes: Uint8Array,
  { policy, headers = {}, lastModifiedMs, tags = [] }: RepresentationFacts,
): Promise<BytesRepresentation> {
  return { contentType, bytes, policy, headers, lastModifiedMs, tags, etag: await contentEtag(bytes) };
}

export function textReply(contentType: string, text: string, facts: RepresentationFacts): Promise<BytesRepresentation> {
  return bytesReply(contentType, new TextEncoder().encode(text), facts);
}

/** @typeParam T The type of the body's schema, so that the document and the code agree. */
export function jsonReply<T = unknown>(value: T, facts: RepresentationFacts): Promise<BytesRepresentation> {
  return textReply(JSON_TYPE, JSON.stringify(value), facts);
}

/** 301 Moved Permanently; 302 Found; 303 See Other after a completed action whose result is elsewhere. */
export type RedirectStatus = 301 | 302 | 303;

/**
 * A redirect to `location`, a URL that the caller has validated. Only for operations with `edge: 'own'`, because the
 * edge cache stores 200 only.
 */
export async function redirectReply(
  location: string,
  facts: RepresentationFacts,
  status: RedirectStatus = 302,
): Promise<BytesRepresentation> {
  const headers = { ...facts.headers, Location: location };
  return { ...(await textReply(TEXT_TYPE, '', { ...facts, headers })), status };
}

/** The policy that the response is sent with. */
const SENT_POLICY = 'X-Sent-Policy';

/** The lifetime of a policy without its stale time, because an edge cache may serve stale responses that it never refreshes. */
const freshLifetime = (policy: CachePolicy): string => policy.replace(/, *stale-while-revalidate=\d+/, '');

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
