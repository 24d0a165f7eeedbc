// How many days a source is asked for: whoever asks for day after day of the past is not to make us a burden to it.
import type { Clock } from '../ports.ts';

const MINUTE_MS = 60_000;

export class Pace {
  readonly #perMinute: number;
  readonly #clock: Clock;
  #sinceMs = Number.NEGATIVE_INFINITY;
  #taken = 0;

  constructor(perMinute: number, clock: Clock) {
    this.#perMinute = perMinute;
    this.#clock = clock;
  }

  /** Whether one more may be asked for in this minute; it counts then. */
  take(): boolean {
    const nowMs = this.#clock();
    if (nowMs - this.#sinceMs >= MINUTE_MS) [this.#sinceMs, this.#taken] = [nowMs, 0];
    if (this.#taken >= this.#perMinute) return false;
    this.#taken += 1;
    return true;
  }
}
