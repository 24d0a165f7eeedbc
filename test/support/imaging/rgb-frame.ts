// Whole frames in memory, for tests that look at all of their pixels.
import { type FrameMarkers, planFrame } from '../../../src/archive/drawing/frame-renderer.ts';
import type { Picture } from '../../../src/picture/picture.ts';
import { recipeFromScreenshotParameters, type ScreenshotParameters } from '../../../src/picture/recipe.ts';
import type { SampleArchive } from '../sample-archive.ts';

export interface RgbFrame {
  readonly width: number;
  readonly height: number;
  /** R, G, B of each pixel. */
  readonly pixels: Uint8Array;
}

type Archive = Pick<SampleArchive, 'index' | 'frames'>;

/** Renders a screenshot from its parameters. */
export function renderFrame(archive: Archive, parameters: ScreenshotParameters, markers: FrameMarkers = {}): Promise<RgbFrame> {
  const { recipe } = recipeFromScreenshotParameters(parameters);
  return renderRecipe(archive, recipe, markers);
}

/** Renders the picture of a recipe, as of a frame of a movie. */
export async function renderRecipe({ index, frames }: Archive, recipe: Picture, markers: FrameMarkers = {}): Promise<RgbFrame> {
  const plan = await planFrame(index, recipe);
  const pixels = new Uint8Array(recipe.width * recipe.height * 3);
  for await (const strip of frames.strips(plan, markers)) pixels.set(strip.pixels, strip.y0 * recipe.width * 3);
  return { width: recipe.width, height: recipe.height, pixels };
}
