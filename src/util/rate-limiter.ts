import { MINUTE_MS } from './durations.ts';

/** A clock in milliseconds. */
type Clock = () => number;

/** Per-isolate rate limit over a fixed one-minute window. */
export class RateLimiter {
  readonly #perMinute: number;
  readonly #clock: Clock;
  #sinceMs = Number.NEGATIVE_INFINITY;
  #taken = 0;

  constructor(perMinute: number, clock: Clock) {
    this.#perMinute = perMinute;
    this.#clock = clock;
  }

  /** Takes `amount` from the budget of this minute. False, without taking any, when less is left. */
  take(amount = 1): boolean {
    const nowMs = this.#clock();
    if (nowMs - this.#sinceMs >= MINUTE_MS) [this.#sinceMs, this.#taken] = [nowMs, 0];
    if (this.#taken + amount > this.#perMinute) return false;
    this.#taken += amount;
    return true;
  }
}
