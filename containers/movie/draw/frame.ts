// One frame of a movie as R, G, B of every pixel.
import type { StageTimings } from '../../../src/ports/timing.ts';
import { planOfImages } from '../../../src/services/rendering/frame-plan.ts';
import { FrameRenderer } from '../../../src/services/rendering/frame-renderer.ts';
import type { ImageReaderPorts } from '../../../src/services/rendering/image-reader.ts';
import { KeptLayers, KeptWindows } from './kept-layers.ts';
import type { DrawOrder } from './messages.ts';

/** An image of the frame is not in the archive. */
export class ImageMissing extends Error {
  override readonly name = 'ImageMissing';
}

export type DrawFrame = (order: Omit<DrawOrder, 'id'>, timings?: StageTimings) => Promise<Uint8Array<ArrayBuffer>>;

/** Samples that are decoded at once: 1080p at up to twice its scale takes 60 of the 64 MiB that the core may have. */
const STRIP_SAMPLES = 4 << 20;

/**
 * Draws frames as screenshots are drawn.
 * @param keptBytes bytes of decoded windows, and as many of drawn layers, that are kept
 */
export function frameDrawer(ports: ImageReaderPorts, keptBytes: number): DrawFrame {
  const layers = new KeptLayers(new KeptWindows(ports, keptBytes), ports.now, keptBytes);
  const renderer = new FrameRenderer(layers, ports.now, STRIP_SAMPLES);
  return async ({ recipe, images, markers }, timings = {}) => {
    const plan = planOfImages(recipe, images);
    if (!plan) throw new ImageMissing('An image of the frame is missing.');
    const whole = recipe.width * recipe.height * 3;
    let pixels: Uint8Array<ArrayBuffer> | null = null;
    for await (const strip of renderer.strips(plan, markers, timings)) {
      if (strip.pixels.length === whole) return strip.pixels as Uint8Array<ArrayBuffer>;
      pixels ??= new Uint8Array(whole);
      pixels.set(strip.pixels, strip.y0 * recipe.width * 3);
    }
    return pixels ?? new Uint8Array(whole);
  };
}
