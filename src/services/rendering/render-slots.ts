// Turns for drawing large pictures, so that those of several requests fit the memory of one isolate together.
import { Failure } from '../../domain/errors.ts';
import { Semaphore } from '../../util/semaphore.ts';

interface Limits {
  readonly pixelsAtOnce: number;
  readonly waitMs: number;
  readonly leaseMs: number;
  readonly retryAfterSeconds: number;
}

export class RenderSlots {
  readonly #semaphore: Semaphore;
  readonly #retryAfterSeconds: number;

  /** @param now Milliseconds, monotonic */
  constructor({ pixelsAtOnce, waitMs, leaseMs, retryAfterSeconds }: Limits, now: () => number) {
    this.#semaphore = new Semaphore({ capacity: pixelsAtOnce, waitMs, leaseMs }, now);
    this.#retryAfterSeconds = retryAfterSeconds;
  }

  /**
   * Does `work` as soon as there is room for a picture of `pixels`; one that is larger than all of the room is drawn alone.
   * @throws Failure `busy` when there is no room in time
   */
  async run<T>(pixels: number, work: () => Promise<T>): Promise<T> {
    const lease = await this.#semaphore.acquire({ weight: pixels });
    if (!lease) {
      const sentence = 'Expected fewer large pictures at once, got more than can be drawn; try again in a few seconds.';
      throw new Failure('busy', sentence, { retryAfterSeconds: this.#retryAfterSeconds });
    }
    try {
      return await work();
    } finally {
      this.#semaphore.release(lease);
    }
  }
}
