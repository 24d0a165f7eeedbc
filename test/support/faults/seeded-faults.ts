// Faults of bindings by a seed: before an effect, after it, delays, and answers of half.
import { randomNumbers } from '../imaging/rasters.ts';

/** Treatment of one call of a binding. `special`: the fault of its kind, as a cut body or a lost message. */
export type FaultKind = 'before' | 'after' | 'delay' | 'special';

const KINDS: readonly FaultKind[] = ['before', 'after', 'delay', 'special'];
const LONGEST_DELAY_MS = 30;

export class SeededFaults {
  /** Faults so far, by the operation and the kind. */
  readonly counts = new Map<string, number>();
  readonly #random: () => number;
  readonly #rate: number;
  #isActive = false;

  /** @param rate Part of the calls that have a fault */
  constructor(seed: number, rate: number) {
    this.#random = randomNumbers(seed);
    this.#rate = rate;
  }

  start(): void {
    this.#isActive = true;
  }

  stop(): void {
    this.#isActive = false;
  }

  /** A number in [0, 1) of the seed. */
  random(): number {
    return this.#random();
  }

  /**
   * Runs one call of a binding, or lets it fail.
   * @param errorOf An error as the platform throws it
   * @param special The call with the fault of its kind; without one, such a call is delayed
   */
  async call<T>(operation: string, work: () => Promise<T>, errorOf: () => Error, special?: () => Promise<T>): Promise<T> {
    if (!this.#isActive || this.#random() >= this.#rate) return work();
    const drawn = KINDS[Math.floor(this.#random() * KINDS.length)]!;
    const kind = drawn === 'special' && !special ? 'delay' : drawn;
    this.counts.set(`${operation} ${kind}`, (this.counts.get(`${operation} ${kind}`) ?? 0) + 1);
    if (kind === 'before') throw errorOf();
    if (kind === 'special') return special!();
    if (kind === 'delay') await new Promise((resolve) => setTimeout(resolve, LONGEST_DELAY_MS * this.#random()));
    const result = await work();
    if (kind === 'after') throw errorOf();
    return result;
  }

  /** One of the values. */
  pick<T>(values: readonly T[]): T {
    return values[Math.floor(this.#random() * values.length)]!;
  }
}
