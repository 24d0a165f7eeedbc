// GET requests to configured hosts, with a deadline, a byte limit and redirects within the host only; and JSON with retries.
import type { FeedLimits } from '../limits/events.ts';
import { boundedBody, parsedJson } from '../util/bytes.ts';
import { SERVICE_NAME } from '../util/identity.ts';
import { NoMemory } from '../util/memory-budget.ts';
import { retry } from '../util/retry.ts';

/** Failure of an upstream. The message is for the log; users learn only which source failed. */
export class UpstreamError extends Error {
  /** Whether the same request may succeed shortly. */
  readonly isTransient: boolean;
  /** Whether the response has more bytes than are accepted. */
  readonly isTooLarge: boolean;

  constructor(
    message: string,
    { isTransient, isTooLarge = false, cause }: { isTransient: boolean; isTooLarge?: boolean; cause?: unknown },
  ) {
    super(message, { cause });
    this.name = 'UpstreamError';
    this.isTransient = isTransient;
    this.isTooLarge = isTooLarge;
  }
}

interface FetchBounds {
  /** Aborts the connection, the headers and the body. */
  readonly signal: AbortSignal;
  /** Largest body in bytes, decompressed. */
  readonly maxBytes: number;
  readonly redirects: number;
  readonly accept: string;
  /** Further headers, as conditions. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Waits for the memory of the body: a host that does not answer takes none. */
  readonly room?: (() => Promise<void>) | undefined;
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
const TOO_MANY_REQUESTS = 429;

/** True for a redirect to another path, or from http to https, on the same host. */
function isSameHost(from: URL, to: URL): boolean {
  const isSafe = to.protocol === from.protocol || (from.protocol === 'http:' && to.protocol === 'https:');
  const samePort = to.port === from.port || to.protocol !== from.protocol;
  return isSafe && samePort && to.hostname === from.hostname && to.username === '' && to.password === '';
}

/**
 * The response to a request, after redirects within the host.
 * @throws UpstreamError for a redirect to another host, and for too many; the reason of the signal, or the error of the connection
 */
export async function fetchWithinHost(url: URL, { signal, accept, redirects, headers = {} }: Omit<FetchBounds, 'maxBytes'>) {
  for (let [at, left] = [url, redirects]; ; left -= 1) {
    const response = await fetch(at, {
      signal,
      redirect: 'manual',
      headers: { 'User-Agent': SERVICE_NAME, ...headers, Accept: accept },
    });
    if (!REDIRECTS.includes(response.status)) return response;
    await response.body?.cancel();
    const target = URL.parse(response.headers.get('Location') ?? '', at.href);
    if (!target || !isSameHost(at, target))
      throw new UpstreamError(`${url.host} redirects to another host.`, { isTransient: false });
    if (left <= 0) throw new UpstreamError(`${url.host} redirects more than ${redirects} times.`, { isTransient: false });
    at = target;
  }
}

/** @throws UpstreamError for too many bytes; the reason of the signal, or the error of the stream */
export async function responseBody(response: Response, url: URL, { signal, maxBytes }: Pick<FetchBounds, 'signal' | 'maxBytes'>) {
  const bytes = await boundedBody(response.body, { maxBytes, signal });
  if (bytes) return bytes;
  throw new UpstreamError(`${url.host} sends more than ${maxBytes} bytes.`, { isTransient: false, isTooLarge: true });
}

/**
 * The body of a response with status 200.
 * @throws NoMemory without memory in time, UpstreamError for another status, a redirect to another host, too many bytes, and an aborted or truncated response
 */
export async function boundedFetch(url: URL, bounds: FetchBounds): Promise<Uint8Array> {
  let response: Response | undefined;
  try {
    response = await fetchWithinHost(url, bounds);
    if (response.status !== 200) {
      await response.body?.cancel();
      const isTransient = response.status >= 500 || response.status === TOO_MANY_REQUESTS;
      throw new UpstreamError(`${url.host} responds with status ${response.status}.`, { isTransient });
    }
    await bounds.room?.();
    if (bounds.room && bounds.signal.aborted) throw new NoMemory();
    return await responseBody(response, url, bounds);
  } catch (error) {
    // The body of an aborted response refuses to be cancelled.
    if (error instanceof NoMemory) await response?.body?.cancel().catch(() => undefined);
    if (error instanceof NoMemory || error instanceof UpstreamError) throw error;
    throw new UpstreamError(`${url.host} sends no complete response in time.`, { isTransient: true, cause: error });
  }
}

export function withQuery(address: string, query: Readonly<Record<string, string>>): URL {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

const START_OF_JSON = /^\s*(?:[[{]|null)/;

/** @throws UpstreamError unless the bytes are a complete JSON list, object or null */
function parseJson(bytes: Uint8Array, host: string): unknown {
  // Non-fatal decoding, because some text of the HEK is not valid UTF-8.
  const text = new TextDecoder().decode(bytes);
  if (!START_OF_JSON.test(text)) throw new UpstreamError(`${host} sent a response that is not JSON.`, { isTransient: true });
  const value = parsedJson(text);
  if (value === undefined) throw new UpstreamError(`The JSON of ${host} is incomplete.`, { isTransient: true });
  return value;
}

export type JsonSession = (url: URL) => Promise<unknown>;

/** Requests of JSON that share a deadline and a byte budget, as those for one day of a feed of events. @throws UpstreamError, NoMemory */
export function jsonSession(limits: FeedLimits, bounds: Pick<FetchBounds, 'headers' | 'room'>): JsonSession {
  const { attempts, firstRetryMs: firstMs, attemptMs, responseBytes, redirects } = limits;
  const deadline = AbortSignal.timeout(limits.dayMs);
  let bytesLeft = limits.dayBytes;
  const isTransient = (error: unknown) => error instanceof UpstreamError && error.isTransient && !deadline.aborted;
  const attempt = async (url: URL): Promise<unknown> => {
    const bytes = await boundedFetch(url, {
      signal: AbortSignal.any([deadline, AbortSignal.timeout(attemptMs)]),
      maxBytes: Math.min(responseBytes, bytesLeft),
      redirects,
      accept: 'application/json, text/json;q=0.9, */*;q=0.1',
      ...bounds,
    });
    bytesLeft -= bytes.byteLength;
    return parseJson(bytes, url.host);
  };
  return (url) => retry(() => attempt(url), { attempts, firstMs, isTransient });
}
