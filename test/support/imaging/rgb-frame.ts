// Whole frames in memory, for tests that look at all of their pixels.
import { recipeFromScreenshotParameters, type ScreenshotParameters } from '../../../src/domain/recipe/recipe.ts';
import { type FrameMarkers, planFrame } from '../../../src/services/rendering/frame-renderer.ts';
import type { SampleArchive } from '../sample-archive.ts';

export interface RgbFrame {
  readonly width: number;
  readonly height: number;
  /** R, G, B of each pixel. */
  readonly pixels: Uint8Array;
}

/** Renders a screenshot from its parameters. */
export async function renderFrame(
  { index, frames }: Pick<SampleArchive, 'index' | 'frames'>,
  parameters: ScreenshotParameters,
  markers: FrameMarkers = {},
  grayscale = false,
): Promise<RgbFrame> {
  const { recipe } = recipeFromScreenshotParameters(parameters);
  const plan = await planFrame(index, { ...recipe, grayscale });
  const pixels = new Uint8Array(recipe.width * recipe.height * 3);
  for await (const strip of frames.strips(plan, markers)) pixels.set(strip.pixels, strip.y0 * recipe.width * 3);
  return { width: recipe.width, height: recipe.height, pixels };
}
