/** Suppresses retries for a time after a failure. Calls are refused rather than queued. */
export class Cooldown {
  readonly #clock: () => number;
  #endsAtMs = Number.NEGATIVE_INFINITY;

  /** @param clock Milliseconds */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  get isActive(): boolean {
    return this.#clock() < this.#endsAtMs;
  }

  start(ms: number): void {
    this.#endsAtMs = this.#clock() + ms;
  }

  end(): void {
    this.#endsAtMs = Number.NEGATIVE_INFINITY;
  }
}
