// The service of two isolates over bindings with faults, and what every answer of it has to be: right, or an honest error.
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { type ComposedWorker, composeWorker } from '../../../src/composition/worker.ts';
import { withFaults } from './faulty-bindings.ts';
import type { SeededFaults } from './seeded-faults.ts';

const ISOLATES = 2;
/** Part of the requests before which an isolate ends and another one starts. */
const ENDS = 0.05;
/** Texts of the platform that no user may see. */
const INNER = /D1_|SQLITE|Network connection lost|\(10\d{3}\)|object to be reset/;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Empty when the connection broke before its end. */
  readonly body: Uint8Array;
  /** Whether the answer is what was asked for: complete, and no error. */
  readonly isGood: boolean;
}

export const textOf = ({ body }: Answer): string => new TextDecoder().decode(body);
export const jsonOf = <T>(answer: Answer): T => JSON.parse(textOf(answer)) as T;

export class FaultedService {
  /** Answers that are neither right nor honest, as sentences. */
  readonly defects: string[] = [];
  /** Messages of the queue of movies that were not delivered yet. */
  readonly messages: unknown[] = [];
  readonly counts = { requests: 0, errors: 0, broken: 0 };
  readonly #faults: SeededFaults;
  readonly #logged: readonly string[];
  #isolates: ComposedWorker[] = [];
  #clients = 0;

  /** @param logged Lines of the log of the service, from which a defect takes its cause */
  constructor(faults: SeededFaults, logged: readonly string[]) {
    this.#faults = faults;
    this.#logged = logged;
  }

  isolate(): ComposedWorker {
    const place = this.#clients % ISOLATES;
    if (!this.#isolates[place] || this.#faults.random() < ENDS) this.#isolates[place] = this.newIsolate();
    return this.#isolates[place]!;
  }

  newIsolate(): ComposedWorker {
    const bindings = withFaults(env, this.#faults, (body) => this.messages.push(body));
    return composeWorker(bindings, { purge: async () => true });
  }

  /** Ends all isolates, with what they know. */
  forget(): void {
    this.#isolates = [];
  }

  /** Sends a request, and examines its answer. Each comes from an address of its own. */
  async send(path: string, init: RequestInit = {}): Promise<Answer> {
    this.#clients += 1;
    this.counts.requests += 1;
    const context = createExecutionContext();
    const headers = new Headers(init.headers);
    headers.set('CF-Connecting-IP', `10.${this.#clients >> 16}.${(this.#clients >> 8) & 255}.${this.#clients & 255}`);
    const request = new Request(`http://helioedge.test${path}`, { ...init, headers });
    const response = await this.isolate().app.fetch(request, env, context);
    const body = await response.arrayBuffer().then(
      (bytes) => new Uint8Array(bytes),
      () => null,
    );
    await waitOnExecutionContext(context);
    if (body === null) this.counts.broken += 1;
    const { status } = response;
    const answer = { status, headers: response.headers, body: body ?? new Uint8Array(), isGood: body !== null && status < 400 };
    if (status >= 400) {
      this.counts.errors += 1;
      const dishonest = dishonestyOf(answer);
      const cause = this.#logged.find((line) => line.includes(response.headers.get('X-Request-Id') ?? 'no id'));
      if (dishonest) this.defects.push(`${init.method ?? 'GET'} ${path}: ${dishonest}: ${textOf(answer).slice(0, 300)} ${cause}`);
    }
    return answer;
  }

  /** Records a defect unless the condition holds. */
  expect(holds: boolean, sentence: string): void {
    if (!holds) this.defects.push(sentence);
  }
}

/** The defect of an error response; null for an honest one. */
function dishonestyOf(answer: Answer): string | null {
  const { status, headers } = answer;
  if (status >= 500 && status !== 503) return `status ${status}`;
  let body: { readonly error?: unknown; readonly errno?: unknown; readonly requestId?: unknown };
  try {
    body = jsonOf(answer);
  } catch {
    return `status ${status} without JSON`;
  }
  if (typeof body.error !== 'string' || typeof body.errno !== 'number') return 'no sentence or no errno';
  if (body.requestId !== headers.get('X-Request-Id')) return 'another request id than in the header';
  if (INNER.test(textOf(answer))) return 'a text of the platform';
  if (status === 503 && !/^\d+$/.test(headers.get('Retry-After') ?? '')) return 'no Retry-After';
  return null;
}
