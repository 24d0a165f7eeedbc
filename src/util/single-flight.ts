import { TIMED_OUT, withTimeout } from './timeout.ts';

interface Flight<T> {
  readonly result: Promise<T>;
  readonly startedAtMs: number;
}

/**
 * Shares one pending computation per key among concurrent callers.
 *
 * A Worker may be cancelled with its request, so a shared computation can stop without settling. `shareMs` bounds the wait:
 * a computation is shared for that long after its start, and a caller that finds it older starts one of its own.
 */
export class SingleFlight<T> {
  readonly #shareMs: number | null;
  readonly #flights = new Map<string, Flight<T>>();

  /** @param shareMs Milliseconds; null shares a computation until it settles, for processes that never cancel one */
  constructor(shareMs: number | null) {
    this.#shareMs = shareMs;
  }

  /** The result of the pending computation for `key`, else of `compute`. A failure is shared too, and not remembered. */
  async run(key: string, compute: () => Promise<T>): Promise<T> {
    const current = this.#flights.get(key);
    const shared = current ? await this.#join(current) : TIMED_OUT;
    if (shared !== TIMED_OUT) return shared;
    const flight = { result: compute(), startedAtMs: performance.now() };
    this.#flights.set(key, flight);
    try {
      return await flight.result;
    } finally {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    }
  }

  #join({ result, startedAtMs }: Flight<T>): Promise<T | typeof TIMED_OUT> {
    return this.#shareMs === null ? result : withTimeout(result, startedAtMs + this.#shareMs - performance.now());
  }
}
