// Leaves a source alone that keeps failing. cockatiel's breaker lets calls wait for the trial of another one; in workerd that
// trial is of another request, and never settles when the platform ends it. So nothing here waits for anything.
import type { Clock } from '../../ports/timing.ts';

interface BreakerLimits {
  /** Failures in a row after which the source is left alone. */
  readonly failures: number;
  /** Milliseconds for which it is. */
  readonly cooldownMs: number;
}

export class Breaker {
  readonly #limits: BreakerLimits;
  readonly #clock: Clock;
  #failures = 0;
  #restsUntilMs = Number.NEGATIVE_INFINITY;

  constructor(limits: BreakerLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Whether the source may be asked now. After a rest one failure is enough for another. */
  get isClosed(): boolean {
    return this.#clock() >= this.#restsUntilMs;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  failed(): void {
    this.#failures += 1;
    if (this.#failures >= this.#limits.failures) this.#restsUntilMs = this.#clock() + this.#limits.cooldownMs;
  }
}
