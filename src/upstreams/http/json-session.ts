// JSON requests to a source, with retries, within one deadline and one byte limit for a group of requests.
import { backoffMs, delay } from '../../util/timeout.ts';
import { boundedFetch, UpstreamError } from './bounded-fetch.ts';

export interface RequestLimits {
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
    throw new UpstreamError(`Expected JSON of ${host}, got an incomplete document.`, { isTransient: true });
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
  async get(url: URL): Promise<unknown> {
    const { attempts, firstRetryMs } = this.#limits;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(url);
      } catch (error) {
        const isTransient = error instanceof UpstreamError && error.isTransient;
        if (!isTransient || attempt >= attempts || this.#deadline.aborted) throw error;
      }
      // Jitter of 25 %, so that isolates do not retry in step.
      await delay(backoffMs(attempt, firstRetryMs));
    }
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
