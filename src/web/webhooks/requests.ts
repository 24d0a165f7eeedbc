// Requests of the page of webhooks, with the token of the operator.

export interface Hook {
  readonly id: number;
  readonly address: string;
  readonly sources: readonly number[];
  readonly eventTypes: readonly string[];
  readonly state: 'active' | 'paused';
  readonly sentence: string | null;
  readonly failingSince: string | null;
  readonly lastReceived: string | null;
  readonly waiting: number;
  readonly dead: number;
}

export interface DeadLetter {
  readonly id: string;
  readonly type: string;
  readonly items: number;
  readonly created: string;
  readonly tried: string | null;
  readonly sentence: string | null;
}

/** What a receiver said to a test. */
interface TestResult {
  readonly isReceived: boolean;
  readonly status: number | null;
  readonly sentence: string | null;
}

/** A failure with its sentence for the operator. */
export class RequestError extends Error {}

/** Longest wait for a response: a test waits ten seconds for its receiver. */
const TIMEOUT_MS = 30_000;

const PATH = '/admin/webhooks';

/** The requests of the holder of a token. All throw RequestError. */
export class WebhookRequests {
  readonly #token: string;

  constructor(token: string) {
    this.#token = token;
  }

  async list(): Promise<readonly Hook[]> {
    return (await this.#send<{ readonly webhooks: readonly Hook[] }>('GET', '')).webhooks;
  }

  add(order: Pick<Hook, 'address' | 'sources' | 'eventTypes'>): Promise<{ readonly id: number; readonly secret: string }> {
    return this.#send('POST', '', order);
  }

  remove(id: number): Promise<unknown> {
    return this.#send('DELETE', `/${id}`);
  }

  resume(id: number): Promise<unknown> {
    return this.#send('POST', `/${id}/resume`);
  }

  test(id: number): Promise<TestResult> {
    return this.#send('POST', `/${id}/test`);
  }

  async deadLetters(id: number): Promise<readonly DeadLetter[]> {
    const path = `/${id}/deliveries?state=dead&limit=100`;
    return (await this.#send<{ readonly deliveries: readonly DeadLetter[] }>('GET', path)).deliveries;
  }

  sendAgain(id: number, letter: string): Promise<unknown> {
    return this.#send('POST', `/${id}/deliveries/${letter}/send`);
  }

  removeLetter(id: number, letter: string): Promise<unknown> {
    return this.#send('DELETE', `/${id}/deliveries/${letter}`);
  }

  async #send<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(PATH + path, {
      method,
      headers: { Authorization: `Bearer ${this.#token}` },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body ? { body: JSON.stringify(body) } : {}),
    }).catch(() => {
      throw new RequestError('The service does not respond. Check the connection and try again.');
    });
    const result = await response.json().catch(() => ({}));
    if (response.ok) return result;
    throw new RequestError(result.error ?? `The service responded with status ${response.status}.`);
  }
}
