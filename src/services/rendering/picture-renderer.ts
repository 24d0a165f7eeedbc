// Renders a planned picture as a PNG file.
import { rgbPng } from '../../imaging/encode/png.ts';
import type { StageTimings } from '../../ports/timing.ts';
import type { FramePlan } from './frame-plan.ts';
import type { FrameMarkers, FrameRenderer } from './frame-renderer.ts';
import type { RenderedFile } from './render-slots.ts';

export interface PictureRenderer {
  /** The same plan and markers give the same bytes. */
  png(plan: FramePlan, markers: FrameMarkers): Promise<RenderedFile>;
}

/** Renders and encodes strip by strip, holding one strip and the file written so far. */
export class StripPictureRenderer implements PictureRenderer {
  readonly #frames: FrameRenderer;
  readonly #now: () => number;

  /** `now`: milliseconds, monotonic. */
  constructor(frames: FrameRenderer, now: () => number) {
    this.#frames = frames;
    this.#now = now;
  }

  /** @throws Jp2Error when an image cannot be decoded, Failure `missing-file` when its file does not exist */
  async png(plan: FramePlan, markers: FrameMarkers): Promise<RenderedFile> {
    const timings: StageTimings = {};
    const encoder = rgbPng(plan.recipe.width, plan.recipe.height);
    let encodeMs = 0;
    for await (const { pixels, height } of this.#frames.strips(plan, markers, timings)) {
      const from = this.#now();
      await encoder.write(pixels as Uint8Array, height);
      encodeMs += this.#now() - from;
    }
    const from = this.#now();
    const bytes = await encoder.finish();
    return { bytes, timings: { ...timings, encode: encodeMs + this.#now() - from } };
  }
}
