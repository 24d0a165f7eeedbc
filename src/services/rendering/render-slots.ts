// Limits the pictures that an isolate renders at once, by the memory that each holds until it is finished, and those that a client has
// rendered in a minute, by their cost.
import { JOB_BYTES, MEMORY_WAIT_MS } from '../../config/limits/memory.ts';
import { PICTURE_UNIT_PIXELS, STRIP_SAMPLES } from '../../config/limits/rendering.ts';
import type { RateLimitBinding } from '../../ports/rate-limit.ts';
import type { Stopwatch } from '../../ports/timing.ts';
import type { MemoryBudget } from '../../util/memory-budget.ts';
import { spendUnits } from '../client-costs.ts';
import { asDamaged } from '../images/file-errors.ts';

/** The parts of a request that rendering needs. */
export interface RenderCall {
  /** Network address of the client. */
  readonly client: string;
  readonly stopwatch: Stopwatch;
  /** Keeps work alive after the response is sent. */
  readonly waitUntil: (work: Promise<unknown>) => void;
}

/** Size of a picture in pixels. Each layer is decoded for all of them. */
interface PictureSize {
  readonly width: number;
  readonly height: number;
  /** One when absent. */
  readonly layers?: readonly unknown[];
}

interface RenderSlotsOptions {
  /** Counts units of `PICTURE_UNIT_PIXELS` for each client. */
  readonly pictureLimiter?: RateLimitBinding | undefined;
  /** Runs after the response to a rendered picture. */
  readonly afterRendering?: (() => Promise<void>) | undefined;
}

/** Estimated bytes of a picture while it is rendered: its strip with the layers, and the file written so far. */
export function pictureBytes({ width, height, layers }: PictureSize): number {
  const { perPixel, perStripPixel, perLayerPixel } = JOB_BYTES;
  const pixels = width * height;
  return perPixel * pixels + Math.min(pixels, STRIP_SAMPLES) * (perStripPixel + perLayerPixel * (layers?.length ?? 1));
}

export class RenderSlots {
  readonly #memory: MemoryBudget;
  readonly #options: RenderSlotsOptions;

  constructor(memory: MemoryBudget, options: RenderSlotsOptions = {}) {
    this.#memory = memory;
    this.#options = options;
  }

  /**
   * Charges a picture to its client and renders it.
   * @throws Failure `rate-limited`, or as `run`
   */
  async render(size: PictureSize, call: RenderCall, work: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const { width, height, layers } = size;
    const units = Math.ceil((width * height * (layers?.length ?? 1)) / PICTURE_UNIT_PIXELS);
    const sentence = 'Too many or too large pictures for this address. Try again in a minute, or request smaller ones.';
    await spendUnits(this.#options.pictureLimiter, { key: call.client, units, sentence });
    return this.run(pictureBytes(size), call, work);
  }

  /**
   * Renders when there are `bytes` of memory. Continues when the client disconnects, because other requests may share the render and its
   * memory must be released.
   * @throws NoMemory, or Failure `damaged-image` when an image cannot be decoded
   */
  async run(bytes: number, { waitUntil }: RenderCall, work: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const rendering = this.#memory.run(bytes, MEMORY_WAIT_MS.request, work).catch(asDamaged);
    waitUntil(rendering.catch(() => undefined));
    const file = await rendering;
    const { afterRendering } = this.#options;
    if (afterRendering) waitUntil(afterRendering());
    return file;
  }
}
