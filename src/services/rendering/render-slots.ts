// Limits the pictures that an isolate renders at once, by their memory, and those of a client in a minute, by their cost.
import { JOB_BYTES, MEMORY_WAIT_MS } from '../../config/limits/memory.ts';
import { PICTURE_COST, PROJECTED_SAMPLES, STRIP_SAMPLES } from '../../config/limits/rendering.ts';
import { costOf, type Operations } from '../../picture/operations/operations.ts';
import type { RateLimitBinding } from '../../ports/rate-limit.ts';
import type { Pace, RenderCall } from '../../ports/timing.ts';
import type { MemoryBudget } from '../../util/memory-budget.ts';
import { Service } from '../../util/service.ts';
import { asOwnShare, inSteps, spendUnits } from '../client-costs.ts';
import { asDamaged } from '../images/file-errors.ts';

/** Size of a picture in pixels. Each layer is decoded for all of them. */
interface PictureSize {
  readonly width: number;
  readonly height: number;
  /** One when absent. */
  readonly layers?: readonly Operations[];
  /** Unset: the plane. */
  readonly projection?: object;
  /** Bytes that an encoder holds beside the file. Unset: none. */
  readonly encoderBytes?: number;
}

/** The cost of a region that is measured. */
interface RegionSize {
  readonly pixels: number;
  readonly bytes: number;
}

interface Ports {
  readonly memory: MemoryBudget;
  /** Counts units of `PICTURE_COST` for each client. */
  readonly pictureLimiter?: RateLimitBinding | undefined;
  /** Runs after the response to a rendered picture. */
  readonly afterRendering?: (() => Promise<void>) | undefined;
}

/** Bytes of the samples that a layer of a projection reads, with their opacity. @param pixels Of the picture */
export const projectedBytes = (pixels: number): number => {
  const { least, most, perPixel } = PROJECTED_SAMPLES;
  return 2 * Math.min(Math.max(perPixel * pixels, least), most);
};

/** Estimated bytes of a picture while it is rendered: its strip with the layers, the decoder, and the file written so far. */
export function pictureBytes({ width, height, layers, projection, encoderBytes = 0 }: PictureSize): number {
  const { perPixel, perStripPixel, perLayerPixel, perDecodedPixel, apron } = JOB_BYTES;
  const around = layers?.some((layer) => costOf(layer) > 1) ? apron : 0;
  const pixels = width * height;
  const strip = Math.min(pixels, STRIP_SAMPLES);
  const whole = projection ? projectedBytes(pixels) * (layers?.length ?? 1) : 0;
  // The decoder has ended when the strip is composed.
  return (
    around +
    whole +
    encoderBytes +
    perPixel * pixels +
    strip * (Math.max(perStripPixel, perDecodedPixel) + perLayerPixel * (layers?.length ?? 1))
  );
}

/** Pixels that are drawn and encoded. */
const costPixels = ({ width, height, layers = [{}], projection }: PictureSize): number =>
  width * height * layers.reduce((sum, layer) => sum + costOf(layer) * (projection ? PROJECTED_SAMPLES.perPixel : 1), 1);

/** The pace of a picture, which is drawn in steps. */
export function paceOf({ stopwatch, turn }: Pick<RenderCall, 'stopwatch' | 'turn'>): Pace {
  const work = inSteps(turn);
  let last: Promise<unknown> = Promise.resolve();
  return {
    measure: (stage, part) => stopwatch.measure(stage, part),
    pause: (pixels) => work(pixels * PICTURE_COST.msPerPixel),
    inOrder: (next) => {
      const running = last.then(next);
      last = running.catch(() => undefined);
      return running;
    },
  };
}

export class RenderSlots extends Service<Ports> {
  /** Charges a picture to its client before its images are looked up. @throws Failure `rate-limited` when its units are used up */
  charge(size: PictureSize, call: RenderCall): Promise<void> {
    return this.#spend('pictures', costPixels(size), call);
  }

  /** Renders a charged picture. @throws Failure `rate-limited` when the client has had its share of the memory for too long; or as `run` */
  draw(size: PictureSize, call: RenderCall, work: (pace: Pace) => Promise<Uint8Array>): Promise<Uint8Array> {
    return this.#paced(pictureBytes(size), call, work);
  }

  /** Charges a picture to its client and renders it. @throws Failure as `charge` and `draw` */
  async render(size: PictureSize, call: RenderCall, work: (pace: Pace) => Promise<Uint8Array>): Promise<Uint8Array> {
    await this.charge(size, call);
    return this.draw(size, call, work);
  }

  /** Charges the pixels of regions that are measured later. @throws Failure as `charge` */
  chargeRegions(pixels: number, call: RenderCall): Promise<void> {
    return this.#spend('regions', pixels, call);
  }

  /** Measures a charged region. @throws Failure as `draw` */
  measure<T>({ bytes }: Pick<RegionSize, 'bytes'>, call: RenderCall, work: (pace: Pace) => Promise<T>): Promise<T> {
    return this.#paced(bytes, call, work);
  }

  /** Charges the pixels of a region to its client and measures it. @throws Failure as `render` */
  async region<T>(size: RegionSize, call: RenderCall, work: (pace: Pace) => Promise<T>): Promise<T> {
    await this.chargeRegions(size.pixels, call);
    return this.measure(size, call, work);
  }

  async #spend(what: 'pictures' | 'regions', pixels: number, { client }: RenderCall): Promise<void> {
    const units = Math.ceil(pixels / PICTURE_COST.unitPixels);
    const sentence = `Too many or too large ${what} for this address. Try again in a minute, or request smaller ones.`;
    await spendUnits(this.ports.pictureLimiter, { key: client, units, sentence });
  }

  #paced<T>(bytes: number, call: RenderCall, work: (pace: Pace) => Promise<T>): Promise<T> {
    return this.run(bytes, call, () => work(paceOf(call)), call.client).catch(asOwnShare);
  }

  /**
   * Renders when there are `bytes` of memory. Continues when the client disconnects, because other requests may share the render and its
   * memory must be released.
   * @param owner The client whose share of the memory it takes
   * @throws NoMemory, or Failure `damaged-image` when an image cannot be decoded
   */
  async run<T>(bytes: number, { waitUntil }: RenderCall, work: () => Promise<T>, owner?: string): Promise<T> {
    const rendering = this.ports.memory.run(bytes, MEMORY_WAIT_MS.request, work, owner).catch(asDamaged);
    waitUntil(rendering.catch(() => undefined));
    const result = await rendering;
    const { afterRendering } = this.ports;
    if (afterRendering) waitUntil(afterRendering());
    return result;
  }
}
