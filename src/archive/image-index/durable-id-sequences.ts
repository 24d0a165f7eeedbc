import { SEQUENCES } from '../../platform/limits/images.ts';
import type { ObjectStore } from '../../platform/storage/r2-object-store.ts';
import { Service } from '../../platform/util/service.ts';
import { sequenceMarkKey } from '../keys.ts';
import type { IdSequence } from './id-sequence.ts';

/**
 * Sequences by name, one Durable Object each: the high-water marks of ids outlive a lost or restored database. A mark in the archive outlives
 * the account: it is written every `SEQUENCES.marked` numbers, and with the first number that an isolate takes.
 */
export class DurableIdSequences extends Service<{
  /** The binding of class IdSequence. Its type is not available where bindings are declared. */
  readonly namespace: DurableObjectNamespace;
  readonly objects: Pick<ObjectStore, 'readAll' | 'put'>;
}> {
  /** Sequences whose mark this isolate has written. */
  readonly #marked = new Set<string>();

  #sequence(name: string): DurableObjectStub<IdSequence> {
    return (this.ports.namespace as DurableObjectNamespace<IdSequence>).getByName(name);
  }

  /**
   * The first of `count` consecutive numbers of the sequence `name`: 1 or more, and above every number that has been issued or
   * passed to `raise`. A sequence that was lost goes on a margin above the last number of which anything is left.
   * @param known The last number that the database has; called for a new or a lost sequence only
   */
  async next(name: string, count: number, known: () => Promise<number>): Promise<number> {
    const sequence = this.#sequence(name);
    const issued = await sequence.next(count);
    const first = issued ?? (await this.#begun(name, count, known));
    const block = (number: number) => Math.floor(number / SEQUENCES.marked);
    const last = first + count - 1;
    if (!this.#marked.has(name) || block(last) > block(first - 1)) {
      this.#marked.add(name);
      await this.ports.objects.put(sequenceMarkKey(name), new TextEncoder().encode(String(last)), 'text/plain');
    }
    return first;
  }

  async #begun(name: string, count: number, known: () => Promise<number>): Promise<number> {
    const mark = await this.ports.objects.readAll(sequenceMarkKey(name));
    const last = Math.max(await known(), mark ? Number(new TextDecoder().decode(mark)) || 0 : 0);
    await this.raise(name, last === 0 ? 0 : last + SEQUENCES.margin);
    return (await this.#sequence(name).next(count))!;
  }

  /** Raises the sequence to `atLeast`, a number that a database has assigned. */
  async raise(name: string, atLeast: number): Promise<void> {
    await this.#sequence(name).raise(atLeast);
  }
}

/** Sequences of numbers, each of which is issued once, whatever happens to the databases. */
export type IdSequences = Pick<DurableIdSequences, keyof DurableIdSequences>;
