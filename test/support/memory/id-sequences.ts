import type { IdSequences } from '../../../src/archive/image-index/durable-id-sequences.ts';

/** Sequences of ids without a Durable Object. */
export class MemoryIdSequences implements IdSequences {
  readonly #last = new Map<string, number>();

  async next(name: string, count = 1): Promise<number> {
    const last = this.#last.get(name) ?? 0;
    this.#last.set(name, last + count);
    return last + 1;
  }

  async raise(name: string, atLeast: number): Promise<void> {
    this.#last.set(name, Math.max(this.#last.get(name) ?? 0, atLeast));
  }
}
