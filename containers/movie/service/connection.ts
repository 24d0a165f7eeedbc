// Requests to the service that are repeated while it fails. All of them may be: the protocol sees to that.
import { setTimeout as sleep } from 'node:timers/promises';

export interface Call {
  readonly method: 'GET' | 'PUT' | 'POST';
  /** From the root of the service on. */
  readonly path: string;
  readonly body?: Uint8Array | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds for one try. */
  readonly timeoutMs?: number;
  /** Milliseconds for all tries; 0 for a single one. */
  readonly patienceMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Answer {
  readonly status: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The service could not be reached, or failed, for as long as there was patience. */
export class ServiceUnavailable extends Error {
  override readonly name = 'ServiceUnavailable';
}

const TIMEOUT_MS = 30_000;
const PATIENCE_MS = 180_000;
const PAUSE_MS = { first: 100, longest: 10_000 };
/** Failures that may pass: of the service, of what stands before it, and of too many requests. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524]);

/** Half of the pause is left to chance, so that workers do not come back all at once. */
const withJitter = (ms: number) => ms / 2 + (Math.random() * ms) / 2;

export class ServiceConnection {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  /**
   * Any answer but those of failures that may pass, whole.
   * @throws ServiceUnavailable when there was none, the reason of the signal when that was aborted
   */
  async call(call: Call): Promise<Answer> {
    const { patienceMs = PATIENCE_MS, signal } = call;
    const until = performance.now() + patienceMs;
    for (let pauseMs = PAUSE_MS.first; ; pauseMs = Math.min(2 * pauseMs, PAUSE_MS.longest)) {
      const result = await this.#try(call);
      signal?.throwIfAborted();
      if (typeof result !== 'string') return result;
      const pause = withJitter(pauseMs);
      if (performance.now() + pause > until) throw new ServiceUnavailable(`${call.method} ${call.path}: ${result}`);
      await sleep(pause, undefined, { signal }).catch(() => signal?.throwIfAborted());
    }
  }

  /** An answer, or why there is none. */
  async #try({ method, path, body, headers, timeoutMs = TIMEOUT_MS, signal }: Call): Promise<Answer | string> {
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
      return PASSING.has(response.status) ? `answered ${response.status}` : { status: response.status, bytes };
    } catch (error) {
      const { message, cause } = error as Error;
      return cause instanceof Error ? `${message} (${cause.message})` : message;
    }
  }
}
