// JSON of a source: tried again where that may help, within one deadline and one number of bytes for all of a question.
import { delay } from '../../util/timeout.ts';
import { boundedFetch } from './bounded-fetch.ts';
import { UpstreamError } from './upstream-error.ts';

export interface RequestLimits {
  /** Milliseconds for one answer. */
  readonly attemptMs: number;
  /** Milliseconds for all answers to a question. */
  readonly dayMs: number;
  readonly attempts: number;
  /** Milliseconds before the second try; doubled before each further one. */
  readonly firstRetryMs: number;
  readonly redirects: number;
  /** Bytes of one answer, and of all answers to a question. */
  readonly responseBytes: number;
  readonly dayBytes: number;
}

const FIRST_OF_JSON = /^\s*(?:[[{]|null)/;

/** @throws UpstreamError for HTML, for half an answer, and for whatever else is no list, object or null */
function parseJson(bytes: Uint8Array, host: string): unknown {
  // Not all text of the HEK is clean UTF-8: what is not becomes a replacement character.
  const text = new TextDecoder().decode(bytes);
  if (!FIRST_OF_JSON.test(text)) throw new UpstreamError(`Expected JSON of ${host}, got something else.`, { mayPass: true });
  try {
    return JSON.parse(text);
  } catch {
    throw new UpstreamError(`Expected whole JSON of ${host}, got a part or none.`, { mayPass: true });
  }
}

/** One question to a source, of one or more requests. */
export class JsonQuestion {
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
        return await this.#try(url);
      } catch (error) {
        const mayPass = error instanceof UpstreamError && error.mayPass;
        if (!mayPass || attempt >= attempts || this.#deadline.aborted) throw error;
      }
      // With some chance in it, so that isolates do not come back together.
      await delay(firstRetryMs * 2 ** (attempt - 1) * (0.75 + Math.random() / 2));
    }
  }

  async #try(url: URL): Promise<unknown> {
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
