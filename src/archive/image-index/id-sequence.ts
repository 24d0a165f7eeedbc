// The Durable Object of one sequence of ids.
import { DurableObject } from 'cloudflare:workers';

const KEY = 'last';

/** See `DurableIdSequences`. Calls of an object run one after another, so no number is issued twice. */
export class IdSequence extends DurableObject {
  /** The first of the numbers; null for a sequence that has not been raised, which is new or was lost. */
  next(count: number): number | null {
    const last = this.#last();
    return last === undefined ? null : this.#set(last + count) - count + 1;
  }

  raise(atLeast: number): void {
    if (atLeast > (this.#last() ?? -1)) this.#set(atLeast);
  }

  #last(): number | undefined {
    return this.ctx.storage.kv.get<number>(KEY);
  }

  #set(last: number): number {
    this.ctx.storage.kv.put(KEY, last);
    return last;
  }
}
