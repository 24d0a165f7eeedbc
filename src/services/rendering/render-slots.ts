// Limits the pictures that an isolate renders at once, because each holds memory until it is finished.
import { Failure } from '../../domain/errors.ts';
import type { StageTimings, Stopwatch } from '../../ports/timing.ts';
import { Semaphore } from '../../util/semaphore.ts';
import { asDamaged } from '../images/file-errors.ts';

interface Limits {
  readonly pixelsAtOnce: number;
  readonly waitMs: number;
  readonly leaseMs: number;
  readonly retryAfterSeconds: number;
}

/** The parts of a request that rendering needs. */
export interface RenderCall {
  readonly stopwatch: Stopwatch;
  /** Keeps work alive after the response is sent. */
  readonly waitUntil: (work: Promise<unknown>) => void;
}

export interface RenderedFile {
  readonly bytes: Uint8Array;
  readonly timings: StageTimings;
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
   * Runs `work` when there is room for a picture of `pixels`; a picture larger than the whole capacity runs alone.
   * @throws Failure `busy` when no room becomes free in time
   */
  async run<T>(pixels: number, work: () => Promise<T>): Promise<T> {
    const lease = await this.#semaphore.acquire({ weight: pixels });
    if (!lease) {
      const sentence = 'Too many large pictures are being rendered. Try again in a few seconds.';
      throw new Failure('busy', sentence, { retryAfterSeconds: this.#retryAfterSeconds });
    }
    try {
      return await work();
    } finally {
      this.#semaphore.release(lease);
    }
  }

  /**
   * Renders a picture when there is room for it. Continues when the client disconnects, so that its lease is released.
   * @throws Failure `busy`, or `damaged-image` when an image cannot be decoded
   */
  async render(
    { width, height }: { readonly width: number; readonly height: number },
    { stopwatch, waitUntil }: RenderCall,
    work: () => Promise<RenderedFile>,
  ): Promise<Uint8Array> {
    const rendering = this.run(width * height, work).catch(asDamaged);
    waitUntil(rendering.catch(() => undefined));
    const { bytes, timings } = await rendering;
    stopwatch.add(timings);
    return bytes;
  }
}
