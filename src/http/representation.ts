// What an operation answers, before HTTP decides how much of it to send.
import { hex, sha256 } from '../util/digest.ts';
import { type CachePolicy, NO_STORE } from './cache-policy.ts';
import type { ByteRange } from './ranges.ts';

export const JSON_TYPE = 'application/json; charset=utf-8';
export const XML_TYPE = 'text/xml; charset=utf-8';
export const TEXT_TYPE = 'text/plain; charset=utf-8';

export interface RepresentationFacts {
  readonly policy: CachePolicy;
  /** Further headers, as X-Image-Date or Content-Disposition. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly lastModifiedMs?: number;
}

interface Common {
  readonly contentType: string;
  readonly policy: CachePolicy;
  readonly headers: Readonly<Record<string, string>>;
  readonly lastModifiedMs: number | undefined;
  /** Strong, quoted: equal for equal bytes only. */
  readonly etag: string;
}

/** An answer in memory. */
export interface BytesRepresentation extends Common {
  readonly bytes: Uint8Array;
  /** Unset: 200, and what a conditional request or a range makes of it. Others are sent as they are. */
  readonly status?: number;
  /** How JSONP passes text that is no JSON: as a JSON string. Unset: as the original passes XML, in one line. */
  readonly isJsonString?: boolean;
}

/** An answer too large to hold, opened for as much as is sent. */
export interface StreamRepresentation extends Common {
  readonly length: number;
  /** The streams declare their length themselves, as those of a FixedLengthStream, which Workers cannot pipe into another one. */
  readonly isSized?: boolean;
  open(range?: ByteRange): Promise<ReadableStream<Uint8Array>>;
}

export type Representation = BytesRepresentation | StreamRepresentation;

const ETAG_BYTES = 16;

async function contentEtag(bytes: Uint8Array): Promise<string> {
  return `"${hex((await sha256(bytes)).subarray(0, ETAG_BYTES))}"`;
}

/** Bytes with the ETag of their content. */
export async function bytesReply(
  contentType: string,
  bytes: Uint8Array,
  { policy, headers = {}, lastModifiedMs }: RepresentationFacts,
): Promise<BytesRepresentation> {
  return { contentType, bytes, policy, headers, lastModifiedMs, etag: await contentEtag(bytes) };
}

export function textReply(contentType: string, text: string, facts: RepresentationFacts): Promise<BytesRepresentation> {
  return bytesReply(contentType, new TextEncoder().encode(text), facts);
}

export function jsonReply(value: unknown, facts: RepresentationFacts): Promise<BytesRepresentation> {
  return textReply(JSON_TYPE, JSON.stringify(value), facts);
}

/** 302 Found; 303 See Other where what was asked for is done and the answer stands elsewhere. */
export type RedirectStatus = 302 | 303;

/**
 * Leads the client to `location`, an absolute address that whoever makes the answer has checked. Only for operations that
 * keep their answers themselves (`edge: 'own'`): the edge cache takes 200 alone.
 */
export async function redirectReply(
  location: string,
  facts: RepresentationFacts,
  status: RedirectStatus = 302,
): Promise<BytesRepresentation> {
  const headers = { ...facts.headers, Location: location };
  return { ...(await textReply(TEXT_TYPE, '', { ...facts, headers })), status };
}

const STORED_AT = 'X-Stored-At';

/** The form in which the edge cache keeps an answer. `length` bytes of `body`, always the whole. */
export function toStored(representation: Representation, body: BodyInit, nowMs: number): Response {
  const { contentType, policy, headers, etag, lastModifiedMs } = representation;
  const stored = new Headers({ ...headers, 'Content-Type': contentType, 'Cache-Control': policy, ETag: etag });
  if (lastModifiedMs !== undefined) stored.set('Last-Modified', new Date(lastModifiedMs).toUTCString());
  stored.set(STORED_AT, String(nowMs));
  return new Response(body, { headers: stored });
}

const OWN_HEADERS: readonly string[] = [
  'content-disposition',
  'x-events-sources',
  'x-image-date',
  'x-image-distance',
  'x-image-scale',
  'x-layer-images',
  'x-layers-far',
];

/** An answer kept by `toStored`, with the Age that tells caches how much of its life is over. */
export async function fromStored(stored: Response, nowMs: number): Promise<BytesRepresentation> {
  const { headers } = stored;
  const ageSeconds = Math.max(0, Math.floor((nowMs - Number(headers.get(STORED_AT) ?? nowMs)) / 1000));
  const kept = [...headers].filter(([name]) => OWN_HEADERS.includes(name));
  const lastModified = headers.get('Last-Modified');
  return {
    contentType: headers.get('Content-Type') ?? 'application/octet-stream',
    bytes: new Uint8Array(await stored.arrayBuffer()),
    policy: headers.get('Cache-Control') ?? NO_STORE,
    headers: { ...Object.fromEntries(kept), Age: String(ageSeconds) },
    lastModifiedMs: lastModified === null ? undefined : Date.parse(lastModified),
    etag: headers.get('ETag') ?? '""',
  };
}
