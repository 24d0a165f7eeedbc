// HTTP connection to the service that retries transient failures, because every request of the protocol may be repeated.
import { setTimeout as sleep } from 'node:timers/promises';

export interface ServiceRequest {
  readonly method: 'GET' | 'PUT' | 'POST';
  readonly path: string;
  readonly body?: Uint8Array | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Time limit of one attempt. */
  readonly timeoutMs?: number;
  /** Time limit of all attempts; 0 for a single attempt. */
  readonly retryForMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface ServiceResponse {
  readonly status: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The service could not be reached, or kept failing, until the retries ran out. */
export class ServiceUnavailable extends Error {
  override readonly name = 'ServiceUnavailable';
}

const TIMEOUT_MS = 30_000;
const RETRY_FOR_MS = 180_000;
const RETRY_DELAY_MS = { first: 100, longest: 10_000 };
const TRANSIENT_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524]);

/** Randomises half of a delay, so that workers do not retry in step. */
export const withJitter = (ms: number) => ms / 2 + (Math.random() * ms) / 2;

export class ServiceConnection {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  /**
   * The complete response, whatever its status, except for transient failures, which are retried.
   * @throws ServiceUnavailable when the retries have run out; the reason of the signal when it is aborted
   */
  async send(request: ServiceRequest): Promise<ServiceResponse> {
    const { retryForMs = RETRY_FOR_MS, signal } = request;
    const until = performance.now() + retryForMs;
    for (let delayMs = RETRY_DELAY_MS.first; ; delayMs = Math.min(2 * delayMs, RETRY_DELAY_MS.longest)) {
      const result = await this.#attempt(request);
      signal?.throwIfAborted();
      if (typeof result !== 'string') return result;
      const delay = withJitter(delayMs);
      if (performance.now() + delay > until) throw new ServiceUnavailable(`${request.method} ${request.path}: ${result}`);
      await sleep(delay, undefined, { signal }).catch(() => signal?.throwIfAborted());
    }
  }

  /** A response, or the reason of a transient failure. */
  async #attempt(request: ServiceRequest): Promise<ServiceResponse | string> {
    const { method, path, body, headers, timeoutMs = TIMEOUT_MS, signal } = request;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(this.#url + path, {
        method,
        headers: { ...headers, Authorization: `Bearer ${this.#token}` },
        ...(body === undefined ? {} : { body: body as Uint8Array<ArrayBuffer> | string }),
        redirect: 'error',
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      const bytes = new Uint8Array(await response.arrayBuffer());
      return TRANSIENT_STATUSES.has(response.status) ? `status ${response.status}` : { status: response.status, bytes };
    } catch (error) {
      const { message, cause } = error as Error;
      return cause instanceof Error ? `${message} (${cause.message})` : message;
    }
  }
}
