import { SingleFlight } from './single-flight.ts';

interface Options {
  /** Milliseconds for which a value is returned again. */
  readonly freshMs: number;
  /** Milliseconds for which concurrent callers share a computation: a Worker may be cancelled with its request. */
  readonly shareMs: number;
  readonly clock: () => number;
}

/** A value that is computed again once it is too old. Failures are not kept. */
export class FreshValue<T> {
  readonly #compute: () => Promise<T>;
  readonly #options: Options;
  readonly #pending: SingleFlight<T>;
  #kept: { readonly value: T; readonly atMs: number } | null = null;

  constructor(compute: () => Promise<T>, options: Options) {
    this.#compute = compute;
    this.#options = options;
    this.#pending = new SingleFlight(options.shareMs);
  }

  async read(): Promise<T> {
    const { freshMs, clock } = this.#options;
    if (this.#kept && clock() - this.#kept.atMs < freshMs) return this.#kept.value;
    return this.#pending.run('', async () => {
      const atMs = clock();
      const value = await this.#compute();
      this.#kept = { value, atMs };
      return value;
    });
  }
}
