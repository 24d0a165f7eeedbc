import type { IdSequences } from '../../../src/ports/images.ts';

/** Sequences of ids without a Durable Object. */
export class MemoryIdSequences implements IdSequences {
  readonly #last = new Map<string, number>();

  async next(name: string): Promise<number> {
    const next = (this.#last.get(name) ?? 0) + 1;
    this.#last.set(name, next);
    return next;
  }

  async raise(name: string, atLeast: number): Promise<void> {
    this.#last.set(name, Math.max(this.#last.get(name) ?? 0, atLeast));
  }
}
