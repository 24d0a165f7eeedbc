// Requests of a feed for one day: JSON with retries, within one deadline and one byte limit, their query parameters, and tables of HAPI.
import type { RawRecord } from '../../domain/events/record.ts';
import { retry } from '../../util/retry.ts';
import { boundedFetch, UpstreamError } from '../http/bounded-fetch.ts';

interface RequestLimits {
  /** Milliseconds for one response. */
  readonly attemptMs: number;
  /** Milliseconds for all responses of a session. */
  readonly dayMs: number;
  readonly attempts: number;
  /** Milliseconds before the second attempt; doubled before each further one. */
  readonly firstRetryMs: number;
  readonly redirects: number;
  /** Bytes of one response, and of all responses of a session. */
  readonly responseBytes: number;
  readonly dayBytes: number;
}

const START_OF_JSON = /^\s*(?:[[{]|null)/;

/** @throws UpstreamError unless the bytes are a complete JSON list, object or null */
function parseJson(bytes: Uint8Array, host: string): unknown {
  // Non-fatal decoding, because some text of the HEK is not valid UTF-8.
  const text = new TextDecoder().decode(bytes);
  if (!START_OF_JSON.test(text)) throw new UpstreamError(`${host} sent a response that is not JSON.`, { isTransient: true });
  try {
    return JSON.parse(text);
  } catch {
    throw new UpstreamError(`The JSON of ${host} is incomplete.`, { isTransient: true });
  }
}

/** The requests for one day of a feed. They share a deadline and a byte budget. */
export class JsonSession {
  readonly #limits: RequestLimits;
  readonly #deadline: AbortSignal;
  #bytesLeft: number;

  constructor(limits: RequestLimits) {
    this.#limits = limits;
    this.#deadline = AbortSignal.timeout(limits.dayMs);
    this.#bytesLeft = limits.dayBytes;
  }

  /** @throws UpstreamError */
  get(url: URL): Promise<unknown> {
    const { attempts, firstRetryMs } = this.#limits;
    return retry(() => this.#attempt(url), {
      attempts,
      firstMs: firstRetryMs,
      isTransient: (error) => error instanceof UpstreamError && error.isTransient && !this.#deadline.aborted,
    });
  }

  async #attempt(url: URL): Promise<unknown> {
    const { attemptMs, responseBytes, redirects } = this.#limits;
    const bytes = await boundedFetch(url, {
      signal: AbortSignal.any([this.#deadline, AbortSignal.timeout(attemptMs)]),
      maxBytes: Math.min(responseBytes, this.#bytesLeft),
      redirects,
      accept: 'application/json, text/json;q=0.9, */*;q=0.1',
    });
    this.#bytesLeft -= bytes.byteLength;
    return parseJson(bytes, url.host);
  }
}

export interface FeedLimits extends RequestLimits {
  /** Concurrent requests. */
  readonly parallel: number;
  /** Pages of one day. */
  readonly pages: number;
  /** Records of one day. */
  readonly records: number;
}

export function withQuery(address: string, query: Readonly<Record<string, string>>): URL {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

/** `2024-05-10T12:00:00` */
export function timeParameter(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19);
}

/** `2024-05-10` */
export function dayParameter(ms: number): string {
  return timeParameter(ms).slice(0, 10);
}

/** HAPI status of a response with rows and of one without; some servers omit it. */
const GOOD_STATUS: readonly unknown[] = [undefined, 1200, 1201];

/** The table of a response of a HAPI server. @throws UpstreamError that names the server */
export function hapiTable(response: unknown, server: string): RawRecord {
  const isObject = typeof response === 'object' && response !== null && !Array.isArray(response);
  const table = (isObject ? response : {}) as RawRecord;
  const code = (table.status as { code?: unknown } | undefined)?.code;
  if (!GOOD_STATUS.includes(code))
    throw new UpstreamError(`${server} responded with status ${code} instead of rows.`, { isTransient: false });
  if (!Array.isArray(table.data)) throw new UpstreamError(`${server} sent no rows.`, { isTransient: true });
  return table;
}
