// Limits the pictures that an isolate renders at once, by their memory, and those of a client in a minute, by their cost.
import { JOB_BYTES, MEMORY_WAIT_MS } from '../../config/limits/memory.ts';
import { PICTURE_COST, STRIP_SAMPLES, WARPED } from '../../config/limits/rendering.ts';
import { findSource } from '../../domain/catalogue/sources.ts';
import type { ArchivedImage, Size } from '../../domain/image.ts';
import { discardedLevels } from '../../domain/pixel-grid.ts';
import { costOf, type Operations } from '../../picture/operations/operations.ts';
import type { Picture } from '../../picture/picture.ts';
import type { Projection } from '../../picture/projection.ts';
import { PROJECTIONS } from '../../picture/projections/projections.ts';
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
  /** Samples of the parts of images that a projection holds. */
  readonly windows?: readonly number[];
  /** Bytes that an encoder holds beside the file. Unset: none. */
  readonly encoderBytes?: number;
}

type RegionSize = { readonly pixels: number; readonly bytes: number };

interface Ports {
  readonly memory: MemoryBudget;
  /** Counts units of `PICTURE_COST` for each client. */
  readonly pictureLimiter?: RateLimitBinding | undefined;
  /** Runs after the response to a rendered picture. */
  readonly afterRendering?: (() => Promise<void>) | undefined;
}

/** Samples of each image that a picture in a projection holds at a time, with their opacity: at most those of the image, or of the Sun in it. */
export function windowsOf(
  {
    projection,
    imageScaleArcsecPerPixel,
    width,
    height,
  }: Pick<Picture, 'imageScaleArcsecPerPixel'> & Size & { readonly projection?: Projection | undefined },
  images: readonly ArchivedImage[],
): number[] {
  if (!projection) return [];
  const isOfSun = PROJECTIONS[projection.kind].finds === 'sun';
  return images.map(({ sourceId, geometry }) => {
    const level = 2 ** discardedLevels(imageScaleArcsecPerPixel / geometry.scaleArcsecPerPixel, Number.POSITIVE_INFINITY);
    const own = Math.min(geometry.width * geometry.height, isOfSun ? (2 * geometry.rsunPixels) ** 2 : Number.POSITIVE_INFINITY);
    const source = findSource(sourceId);
    const copies = source?.mask || source?.endsAtLimb ? 2 : 1;
    return copies * Math.ceil(Math.min(own / level ** 2, WARPED.perPixel * width * height, WARPED.samples));
  });
}

/** Bytes of the samples of a projection: those of all images, and the copy of the greatest in the core. */
export const windowBytesOf = (windows: readonly number[]): number =>
  windows.reduce((sum, samples) => sum + samples, Math.max(0, ...windows));

/** Estimated bytes of a picture while it is rendered: its strip with the layers, the decoder, and the file written so far. */
export function pictureBytes({ width, height, layers, windows = [], encoderBytes = 0 }: PictureSize): number {
  const { perPixel, perStripPixel, perLayerPixel, perDecodedPixel, apron } = JOB_BYTES;
  const around = layers?.some((layer) => costOf(layer) > 1) ? apron : 0;
  const pixels = width * height;
  const strip = Math.min(pixels, STRIP_SAMPLES);
  // The decoder has ended when the strip is composed.
  const working = Math.max(perStripPixel * strip, perDecodedPixel * Math.max(strip, ...windows));
  return (
    around + windowBytesOf(windows) + encoderBytes + perPixel * pixels + working + perLayerPixel * strip * (layers?.length ?? 1)
  );
}

const costPixels = ({ width, height, layers = [{}], projection }: PictureSize): number =>
  width * height * layers.reduce((sum, layer) => sum + costOf(layer) * (projection ? WARPED.cost : 1), 1);

/** The pace of a picture, which is drawn in steps. */
export function paceOf(
  { stopwatch, turn }: Pick<RenderCall, 'stopwatch' | 'turn'>,
  charge: Pace['charge'] = async () => undefined,
): Pace {
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
    charge,
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
    return this.run(bytes, call, () => work(paceOf(call, (pixels) => this.#spend('pictures', pixels, call))), call.client).catch(
      asOwnShare,
    );
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
