// Notices that somebody who has something to do does nothing.

/** Looks per time limit: how late a stall may be noticed. */
const LOOKS = 4;

export class Watchdog {
  readonly #timer: NodeJS.Timeout;
  #waiting = 0;
  #movedAt = 0;

  /** Calls `stalled` once nothing has moved for `stallMs` while somebody waits. */
  constructor(stallMs: number, stalled: () => void) {
    this.#timer = setInterval(() => {
      if (this.#waiting === 0 || performance.now() - this.#movedAt < stallMs) return;
      this.stop();
      stalled();
    }, stallMs / LOOKS);
    this.#timer.unref();
  }

  moved(): void {
    this.#movedAt = performance.now();
  }

  /** Watches while `work` is waited for. */
  async during<T>(work: Promise<T>): Promise<T> {
    this.#waiting++;
    this.moved();
    try {
      return await work;
    } finally {
      this.#waiting--;
    }
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
