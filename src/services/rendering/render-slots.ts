// Turns for drawing large pictures, so that those of several requests fit the memory of one isolate together.
import { Failure } from '../../domain/errors.ts';

interface Limits {
  readonly pixelsAtOnce: number;
  readonly waitMs: number;
  readonly leaseMs: number;
  readonly retryAfterSeconds: number;
}

interface Turn {
  readonly pixels: number;
  readonly endsAtMs: number;
}

const POLL_MS = 50;

export class RenderSlots {
  readonly #limits: Limits;
  readonly #now: () => number;
  readonly #turns = new Set<Turn>();

  /** `now`: milliseconds, monotonic. */
  constructor(limits: Limits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
  }

  /**
   * Does `work` when it is its turn. Waiting requests ask again and again rather than be woken by the one that ends, which
   * the platform may have stopped.
   * @throws Failure `busy` when no turn comes in time
   */
  async run<T>(pixels: number, work: () => Promise<T>): Promise<T> {
    const turn = await this.#turn(Math.min(pixels, this.#limits.pixelsAtOnce));
    try {
      return await work();
    } finally {
      this.#turns.delete(turn);
    }
  }

  async #turn(pixels: number): Promise<Turn> {
    const { pixelsAtOnce, waitMs, leaseMs, retryAfterSeconds } = this.#limits;
    const givesUpAtMs = this.#now() + waitMs;
    while (this.#pixelsUnderWay() + pixels > pixelsAtOnce) {
      if (this.#now() >= givesUpAtMs) {
        const sentence = 'Expected fewer large pictures at once, got more than can be drawn; try again in a few seconds.';
        throw new Failure('busy', sentence, { retryAfterSeconds });
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    const turn = { pixels, endsAtMs: this.#now() + leaseMs };
    this.#turns.add(turn);
    return turn;
  }

  #pixelsUnderWay(): number {
    let sum = 0;
    for (const turn of this.#turns) {
      if (turn.endsAtMs <= this.#now()) this.#turns.delete(turn);
      else sum += turn.pixels;
    }
    return sum;
  }
}
