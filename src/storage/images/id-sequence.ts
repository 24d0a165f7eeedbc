// The Durable Object of one sequence of ids.
import { DurableObject } from 'cloudflare:workers';

const KEY = 'last';

/** See `IdSequences`. Calls of an object run one after another, so no number is issued twice. */
export class IdSequence extends DurableObject {
  next(count: number): number {
    return this.#set(this.#last() + count) - count + 1;
  }

  raise(atLeast: number): void {
    if (atLeast > this.#last()) this.#set(atLeast);
  }

  #last(): number {
    return this.ctx.storage.kv.get<number>(KEY) ?? 0;
  }

  #set(last: number): number {
    this.ctx.storage.kv.put(KEY, last);
    return last;
  }
}
