// Leaves a source alone that keeps failing. cockatiel's breaker lets calls wait for the trial of another one; in workerd that
// trial is of another request, and never settles when the platform ends it. So nothing here waits for anything.
import type { Clock } from '../../ports/timing.ts';
import { Cooldown } from '../../util/cooldown.ts';

interface BreakerLimits {
  /** Failures in a row after which the source is left alone. */
  readonly failures: number;
  /** Milliseconds for which it is. */
  readonly cooldownMs: number;
}

export class Breaker {
  readonly #limits: BreakerLimits;
  readonly #cooldown: Cooldown;
  #failures = 0;

  constructor(limits: BreakerLimits, clock: Clock) {
    this.#limits = limits;
    this.#cooldown = new Cooldown(clock);
  }

  /** Whether the source may be asked now. After a rest one failure is enough for another. */
  get isClosed(): boolean {
    return !this.#cooldown.isActive;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  failed(): void {
    this.#failures += 1;
    if (this.#failures >= this.#limits.failures) this.#cooldown.start(this.#limits.cooldownMs);
  }
}
