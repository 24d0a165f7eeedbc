// Detects stalled work: of an encoder, or of a drawing thread.

/** Checks per time limit: a stall is detected at most a quarter of the limit late. */
const CHECKS = 4;

export class Watchdog {
  readonly #timer: NodeJS.Timeout;
  #pending = 0;
  #progressAt = performance.now();

  /** Calls `stalled` after `stallMs` without progress while work is pending. */
  constructor(stallMs: number, stalled: () => void) {
    this.#timer = setInterval(() => {
      if (this.#pending === 0 || performance.now() - this.#progressAt < stallMs) return;
      this.stop();
      stalled();
    }, stallMs / CHECKS);
    this.#timer.unref();
  }

  kick(): void {
    this.#progressAt = performance.now();
  }

  /** Watches from now on while `pending` is above 0. */
  expect(pending: number): void {
    if (this.#pending === 0) this.kick();
    this.#pending = pending;
  }

  async during<T>(work: Promise<T>): Promise<T> {
    this.expect(this.#pending + 1);
    this.kick();
    try {
      return await work;
    } finally {
      this.#pending--;
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
