// Responses from representations: whole, a range, or 304; and JSON that is not cached.
import { Failure, shown } from '../domain/errors.ts';
import { NO_STORE } from './cache-policy.ts';
import { isNotModified, rangeApplies } from './conditional.ts';
import { CACHE_TAG, EDGE_CACHE_CONTROL } from './edge-cache.ts';
import { type ByteRange, contentRange, requestedRange } from './ranges.ts';
import {
  type BytesRepresentation,
  type FlowingRepresentation,
  JSON_TYPE,
  type Representation,
  type SizedRepresentation,
} from './representation.ts';

function sizeOf(representation: SizedRepresentation): number {
  return 'bytes' in representation ? representation.bytes.byteLength : representation.length;
}

/** Declares the length of a stream, which Workers require to send Content-Length. Elsewhere the header suffices. */
export function sized(stream: ReadableStream<Uint8Array>, length: number): ReadableStream<Uint8Array> {
  return 'FixedLengthStream' in globalThis ? stream.pipeThrough(new FixedLengthStream(length)) : stream;
}

async function bodyOf(representation: SizedRepresentation, range: ByteRange): Promise<BodyInit> {
  if ('bytes' in representation) return representation.bytes.subarray(range.offset, range.offset + range.length);
  const isWhole = range.length === representation.length;
  const stream = await representation.open(isWhole ? undefined : range);
  return representation.isSized ? stream : sized(stream, range.length);
}

/** Headers for the edge cache, which `forClient` removes. */
function edgeHeaders({ tags = [], edgeSeconds }: Pick<Representation, 'tags' | 'edgeSeconds'>): Record<string, string> {
  return {
    ...(tags.length > 0 ? { [CACHE_TAG]: tags.join(',') } : {}),
    ...(edgeSeconds === undefined ? {} : { [EDGE_CACHE_CONTROL]: `public, max-age=${edgeSeconds}` }),
  };
}

function baseHeaders(representation: SizedRepresentation): Headers {
  const { contentType, policy, headers, etag, lastModifiedMs } = representation;
  const own = { ...headers, ...edgeHeaders(representation) };
  const sent = new Headers({ ...own, 'Content-Type': contentType, 'Cache-Control': policy, ETag: etag });
  if (lastModifiedMs !== undefined) sent.set('Last-Modified', new Date(lastModifiedMs).toUTCString());
  sent.set('Accept-Ranges', 'bytes');
  return sent;
}

/** A response with a status of its own, to which conditional and range requests do not apply. */
function sendWithStatus(request: Request, { bytes, status, headers, contentType, policy }: BytesRepresentation): Response {
  const sent = { ...headers, 'Content-Type': contentType, 'Cache-Control': policy, 'Content-Length': String(bytes.byteLength) };
  return new Response(request.method === 'HEAD' ? null : bytes, { status: status ?? 200, headers: sent });
}

/** Bytes of text that is made as they are read. */
function bytesOf(text: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const pieces = text[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await pieces.return?.();
    },
  });
}

function sendFlowing(request: Request, representation: FlowingRepresentation): Response {
  const { contentType, policy, headers } = representation;
  const sent = { ...headers, ...edgeHeaders(representation), 'Content-Type': contentType, 'Cache-Control': policy };
  return new Response(request.method === 'HEAD' ? null : bytesOf(representation.flow()), { headers: sent });
}

/**
 * The response with status 200, 206 or 304, or the status of the representation. HEAD opens no stream.
 * @throws Failure `unsatisfiable-range`
 */
export async function send(request: Request, representation: Representation): Promise<Response> {
  if ('flow' in representation) return sendFlowing(request, representation);
  if ('bytes' in representation && representation.status !== undefined) return sendWithStatus(request, representation);
  const headers = baseHeaders(representation);
  // If-None-Match means 304 for GET and HEAD only (RFC 9110, section 13.1.2).
  if (request.method !== 'POST' && isNotModified(request.headers, representation)) {
    headers.delete('Content-Type');
    return new Response(null, { status: 304, headers });
  }
  const size = sizeOf(representation);
  // Range applies to GET only (RFC 9110, section 14.2).
  const hasRange = request.method === 'GET' && rangeApplies(request.headers, representation);
  const requested = request.headers.get('Range');
  const range = hasRange ? requestedRange(requested, size) : 'whole';
  if (range === 'unsatisfiable') {
    const sentence = `Expected a range of the ${size} bytes for Range, got ${shown(requested)}.`;
    throw new Failure('unsatisfiable-range', sentence, { parameter: 'Range', sizeBytes: size });
  }
  const part = range === 'whole' ? { offset: 0, length: size } : range;
  if (range !== 'whole') headers.set('Content-Range', contentRange(range, size));
  headers.set('Content-Length', String(part.length));
  const body = request.method === 'HEAD' ? null : await bodyOf(representation, part);
  return new Response(body, { status: range === 'whole' ? 200 : 206, headers });
}

interface JsonOptions {
  /** Unset: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A JSON response that no cache may store: errors, and operations outside the public API. */
export function jsonResponse(value: unknown, { status = 200, headers = {} }: JsonOptions = {}): Response {
  return new Response(JSON.stringify(value), {
    status,
    headers: { 'Content-Type': JSON_TYPE, 'Cache-Control': NO_STORE, ...headers },
  });
}
