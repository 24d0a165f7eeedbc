import { Failure } from './errors.ts';
import { TIMED_OUT, withTimeout } from './retry.ts';

type Flight<T> = { readonly result: Promise<T>; readonly startedAtMs: number };

/** A refusal concerns the client whose request does the work: another one then does it itself. */
const isRefusal = (error: unknown): boolean => error instanceof Failure && error.kind === 'rate-limited';

/**
 * Shares one pending computation per key among concurrent callers, for `shareMs` after its start: that of a cancelled Worker never settles,
 * so a later caller starts its own.
 */
export class SingleFlight<T> {
  readonly #shareMs: number;
  readonly #flights = new Map<string, Flight<T>>();

  /** @param shareMs Milliseconds */
  constructor(shareMs: number) {
    this.#shareMs = shareMs;
  }

  /** The result of the pending computation for `key`, else of `compute`. A failure is shared too, unless it refuses the client, and not remembered. */
  async run(key: string, compute: () => Promise<T>): Promise<T> {
    for (let current = this.#flights.get(key); current; ) {
      try {
        const shared = await withTimeout(current.result, current.startedAtMs + this.#shareMs - performance.now());
        if (shared === TIMED_OUT) break;
        return shared;
      } catch (error) {
        if (!isRefusal(error)) throw error;
      }
      const next = this.#flights.get(key);
      current = next === current ? undefined : next;
    }
    const flight = { result: compute(), startedAtMs: performance.now() };
    this.#flights.set(key, flight);
    try {
      return await flight.result;
    } finally {
      if (this.#flights.get(key) === flight) this.#flights.delete(key);
    }
  }
}

interface Options {
  /** Milliseconds for which a value is returned again. */
  readonly freshMs: number;
  /** Milliseconds for which concurrent callers share a computation: a Worker may be cancelled with its request. */
  readonly shareMs: number;
  readonly clock: () => number;
}

/** Reads a value, which is computed again once it is too old. Failures are not kept. */
export function fresh<T>(compute: () => Promise<T>, { freshMs, shareMs, clock }: Options): () => Promise<T> {
  const pending = new SingleFlight<T>(shareMs);
  let kept: { readonly value: T; readonly atMs: number } | null = null;
  return async () => {
    if (kept && clock() - kept.atMs < freshMs) return kept.value;
    return pending.run('', async () => {
      const atMs = clock();
      const value = await compute();
      kept = { value, atMs };
      return value;
    });
  };
}
