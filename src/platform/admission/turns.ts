// The turns of the clients of an isolate.
import { TURNS } from '../limits/admission.ts';
import { limitExceeded } from '../util/errors.ts';
import { boundedMap } from '../util/memory-budget.ts';
import { delay } from '../util/retry.ts';

/** Seconds after which a client has fewer waiting requests. */
const RETRY_SECONDS = 1;

/** Milliseconds of a request, and on top of one that changes what is stored. Each kind waits in a line of its own. */
const LINE_MS = { request: TURNS.requestMs, change: TURNS.changeMs } as const;
type Line = keyof typeof LINE_MS;

interface Use {
  served: number;
  /** Time of its last request or step. */
  seenMs: number;
  /** Time by which its use so far would equal its share (`TURNS.share`). */
  dueMs: number;
  /** Due time of the last of its requests in each line. */
  readonly lines: Record<Line, number>;
}

/**
 * The order in which an isolate serves its clients: start-time fair queueing on estimated times.
 *
 * A client that has used more than `burstMs` waits before each further request and each step of a drawing, while clients that have used less
 * are served or have just been, and at most until its own share is due. Its requests wait one behind the other, because those that are due at
 * once would hold up the others together. The client that has used the least never waits, and a client that is alone does not wait either, so
 * that no time remains unused. Waiting requests poll, because a Worker cannot be woken from another request.
 */
export class Turns {
  readonly #now: () => number;
  readonly #uses = boundedMap<Use>(TURNS.clients);
  /** Clients whose requests are served, or were within `TURNS.reservedMs`. */
  readonly #served = boundedMap<Use>(TURNS.clients);

  /** @param now Milliseconds, monotonic */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Serves a request of a client when it is its turn. @throws Failure `rate-limited` for one behind too many others of the client */
  async serve<T>(client: string, work: () => Promise<T>): Promise<T> {
    await this.#inLine(client, 'request');
    const use = this.#useOf(client);
    use.served += 1;
    this.#served.set(client, use);
    try {
      return await work();
    } finally {
      use.served -= 1;
      use.seenMs = this.#now();
    }
  }

  /** Marks a client as just served, also when the edge cache answers: clients that use much wait for it as well. */
  see(client: string): void {
    this.#served.set(client, this.#useOf(client));
  }

  /** Waits for the turn of a served request that changes what is stored. @throws Failure as `serve` */
  change(client: string): Promise<void> {
    return this.#inLine(client, 'change');
  }

  /** Lets other requests go on before a step of about `ms` milliseconds of a client, or of a program of the service, and waits for its turn. */
  async turn(client: string, ms: number): Promise<void> {
    const use = this.#charged(client, ms);
    if (!(await this.#waitUntil(use, use.dueMs))) await delay(0);
  }

  /** Waits for the turn of a request, behind those of the client that wait in the same line. */
  async #inLine(client: string, line: Line): Promise<void> {
    const { share, longestLineMs } = TURNS;
    const use = this.#charged(client, LINE_MS[line]);
    if (!this.#isAnotherFirst(use, use.dueMs)) return;
    const nowMs = this.#now();
    const isFirst = use.lines[line] <= nowMs;
    const dueMs = isFirst ? use.dueMs : use.lines[line] + LINE_MS[line] / share;
    if (dueMs > nowMs + longestLineMs) {
      const sentence = 'Too many requests from this address are waiting. Send fewer at once, and try again in a second.';
      throw limitExceeded(sentence, undefined, RETRY_SECONDS);
    }
    use.lines[line] = dueMs;
    await this.#waitUntil(use, dueMs);
  }

  /** Waits while others are first, at most until `dueMs`; false when none was. */
  async #waitUntil(use: Use, dueMs: number): Promise<boolean> {
    const { pollMs, longestPollMs } = TURNS;
    let hasWaited = false;
    for (let waitMs: number = pollMs; this.#isAnotherFirst(use, dueMs); waitMs = Math.min(2 * waitMs, longestPollMs)) {
      hasWaited = true;
      await delay(Math.min(waitMs, dueMs - this.#now()));
    }
    return hasWaited;
  }

  #charged(client: string, ms: number): Use {
    const { share, burstMs, longestWaitMs } = TURNS;
    const use = this.#useOf(client);
    const nowMs = this.#now();
    use.dueMs = Math.min(Math.max(use.dueMs, nowMs - burstMs / share) + ms / share, nowMs + longestWaitMs);
    return use;
  }

  #useOf(client: string): Use {
    const use = this.#uses.get(client) ?? {
      served: 0,
      seenMs: 0,
      dueMs: Number.NEGATIVE_INFINITY,
      lines: { request: Number.NEGATIVE_INFINITY, change: Number.NEGATIVE_INFINITY },
    };
    use.seenMs = this.#now();
    this.#uses.set(client, use);
    return use;
  }

  /** Whether a client that has used less than `use` is being served, or may send its next request, until `dueMs`. */
  #isAnotherFirst(use: Use, dueMs: number): boolean {
    const nowMs = this.#now();
    use.seenMs = nowMs;
    if (nowMs >= dueMs) return false;
    for (const [client, other] of this.#served.entries()) {
      if (nowMs - other.seenMs > (other.served > 0 ? TURNS.goneMs : TURNS.reservedMs)) this.#served.delete(client);
      else if (other !== use && other.dueMs < use.dueMs) return true;
    }
    return false;
  }
}
