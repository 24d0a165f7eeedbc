// Limits the pictures that an isolate renders at once, by the memory that each holds until it is finished, and those that a client has
// rendered in a minute, by their cost.
import { PICTURE_UNIT_PIXELS } from '../../config/limits/rendering.ts';
import type { RateLimitBinding } from '../../ports/rate-limit.ts';
import type { StageTimings, Stopwatch } from '../../ports/timing.ts';
import type { MemoryBudget } from '../../util/memory-budget.ts';
import { spendUnits } from '../cost-units.ts';
import { asDamaged } from '../images/file-errors.ts';
import { pictureBytes, withMemory } from '../memory-room.ts';

/** The parts of a request that rendering needs. */
export interface RenderCall {
  /** Network address of the client. */
  readonly client: string;
  readonly stopwatch: Stopwatch;
  /** Keeps work alive after the response is sent. */
  readonly waitUntil: (work: Promise<unknown>) => void;
}

export interface RenderedFile {
  readonly bytes: Uint8Array;
  readonly timings: StageTimings;
}

/** Size of a picture, by which its cost is counted: each layer is decoded for all of its pixels. */
interface PictureSize {
  readonly width: number;
  readonly height: number;
  /** Unset: one. */
  readonly layers?: readonly unknown[];
}

interface RenderSlotsOptions {
  /** Counts units of `PICTURE_UNIT_PIXELS` for each client. */
  readonly pictureLimiter?: RateLimitBinding | undefined;
  /** Runs after the response to a rendered picture. */
  readonly afterRendering?: (() => Promise<void>) | undefined;
}

export class RenderSlots {
  readonly #memory: MemoryBudget;
  readonly #options: RenderSlotsOptions;

  constructor(memory: MemoryBudget, options: RenderSlotsOptions = {}) {
    this.#memory = memory;
    this.#options = options;
  }

  /**
   * Renders a picture when there is memory for it. Continues when the client disconnects, so that its memory is released.
   * @throws Failure `rate-limited`, `busy`, or `damaged-image` when an image cannot be decoded
   */
  async render(
    size: PictureSize,
    { client, stopwatch, waitUntil }: RenderCall,
    work: () => Promise<RenderedFile>,
  ): Promise<Uint8Array> {
    const { width, height, layers } = size;
    const units = Math.ceil((width * height * (layers?.length ?? 1)) / PICTURE_UNIT_PIXELS);
    const sentence = 'Too many or too large pictures for this address. Try again in a minute, or request smaller ones.';
    await spendUnits(this.#options.pictureLimiter, { key: client, units, sentence });
    const rendering = withMemory(this.#memory, pictureBytes(size), work).catch(asDamaged);
    waitUntil(rendering.catch(() => undefined));
    const { bytes, timings } = await rendering;
    const { afterRendering } = this.#options;
    if (afterRendering) waitUntil(afterRendering());
    stopwatch.add(timings);
    return bytes;
  }
}
