// Maps of bounded size, and what has been refused, so that it is refused again without asking a database or a service.
import { LRUCache } from 'lru-cache';
import { SECOND_MS } from './durations.ts';

/** A map of at most `max` entries, which forgets the longest unused first. `LRUCache` with `max` allocates all at once: 0.4 MB for 10,000. */
export const boundedMap = <V extends object>(max: number): LRUCache<string, V> =>
  new LRUCache<string, V>({ maxSize: max, sizeCalculation: () => 1 });

/** Keys that are remembered; the longest unused are forgotten first. */
const KEYS = 10_000;

export class Refusals {
  readonly #clock: () => number;
  readonly #refusals = boundedMap<{ readonly untilMs: number; readonly amount: number }>(KEYS);

  /** @param clock Milliseconds */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Refuses an amount of a key, and more than it, for so many seconds. */
  add(key: string, seconds: number, amount = 1): void {
    this.#refusals.set(key, { untilMs: this.#clock() + seconds * SECOND_MS, amount });
  }

  /** Whole seconds for which an amount of a key is still refused; null where it is not. */
  secondsLeft(key: string, amount = 1): number | null {
    const refusal = this.#refusals.get(key);
    const leftMs = refusal && amount >= refusal.amount ? refusal.untilMs - this.#clock() : 0;
    return leftMs > 0 ? Math.ceil(leftMs / SECOND_MS) : null;
  }
}
