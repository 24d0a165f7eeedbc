// What a picture costs: its memory while it is drawn, and its processor time.
import { costOf, type Operations } from '../../picture/operations/operations.ts';
import type { RenderCall } from '../../platform/admission/admission.ts';
import { JOB_BYTES } from '../../platform/limits/memory.ts';
import { STRIP_SAMPLES, WARPED } from '../../platform/limits/rendering.ts';
import type { Pace } from '../../platform/ports/timing.ts';
import { windowBytesOf } from './layer-renderer.ts';

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

/** Pixels that are drawn and encoded, of which a client has a limit. */
export const pictureCost = ({ width, height, layers = [{}], projection }: PictureSize): number =>
  width * height * layers.reduce((sum, layer) => sum + costOf(layer) * (projection ? WARPED.cost : 1), 1);

/** A picture as it is charged and drawn. @throws Failure `rate-limited`, or as `Admission.hold` */
export async function drawn<T>(size: PictureSize, { admission }: RenderCall, work: (pace: Pace) => Promise<T>): Promise<T> {
  await admission.admit('pictures', pictureCost(size));
  return admission.hold(pictureBytes(size), work);
}
