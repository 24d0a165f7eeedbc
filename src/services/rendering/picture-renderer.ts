// Renders a planned picture as a PNG file.
import { rgbPng } from '../../imaging/encode/png.ts';
import type { StageTimings } from '../../ports/timing.ts';
import type { FramePlan } from './frame-plan.ts';
import type { FrameMarkers, FrameRenderer } from './frame-renderer.ts';
import { RENDER_VERSION } from './layer-renderer.ts';
import type { RenderedFile } from './render-slots.ts';
import { timed } from './timed.ts';

export interface PictureRenderer {
  /** Version of the pixels. */
  readonly version: number;
  /**
   * The same plan and markers give the same bytes.
   * @throws Jp2Error when an image cannot be decoded, Failure `missing-file` when its file does not exist
   */
  png(plan: FramePlan, markers: FrameMarkers): Promise<RenderedFile>;
}

/** Renders and encodes strip by strip, holding one strip and the file written so far. */
export function pictureRenderer(frames: FrameRenderer): PictureRenderer {
  return {
    version: RENDER_VERSION,
    async png(plan, markers) {
      const timings: StageTimings = {};
      const encoder = rgbPng(plan.recipe.width, plan.recipe.height);
      for await (const { pixels, height } of frames.strips(plan, markers, timings)) {
        await timed(timings, 'encode', () => encoder.write(pixels, height));
      }
      const bytes = await timed(timings, 'encode', () => encoder.finish());
      return { bytes, timings };
    },
  };
}
