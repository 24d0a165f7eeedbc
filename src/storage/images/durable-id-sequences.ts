import type { IdSequences } from '../../ports/images.ts';
import type { IdSequence } from './id-sequence.ts';

/** Sequences by name, one Durable Object each: the high-water marks of ids outlive a lost or restored database. */
export class DurableIdSequences implements IdSequences {
  readonly #namespace: DurableObjectNamespace<IdSequence>;

  /** `namespace`: the binding of class IdSequence. Its type is not available where bindings are declared. */
  constructor(namespace: DurableObjectNamespace) {
    this.#namespace = namespace as DurableObjectNamespace<IdSequence>;
  }

  #sequence(name: string): DurableObjectStub<IdSequence> {
    return this.#namespace.get(this.#namespace.idFromName(name));
  }

  async next(name: string, count = 1): Promise<number> {
    return this.#sequence(name).next(count);
  }

  async raise(name: string, atLeast: number): Promise<void> {
    await this.#sequence(name).raise(atLeast);
  }
}
