import { frameRecipe, type MovieRecipe } from '../../src/movies/movie-recipe.ts';
import { rgbPng } from '../../src/picture/encode/png.ts';
import type { Picture } from '../../src/picture/picture.ts';
import { recipeFromScreenshotParameters, type ScreenshotParameters } from '../../src/picture/recipe.ts';
import type { PngPixels } from '../support/imaging/read-png.ts';
import { type RgbFrame, renderFrame, renderRecipe } from '../support/imaging/rgb-frame.ts';
import { encodeInStrips } from '../support/imaging/strips.ts';
import { sampleArchive } from '../support/sample-archive.ts';
import type { GoldenCase } from './cases.ts';

/** The frame of a movie at the time of the parameters, the first of its frames. */
function movieFrame(parameters: ScreenshotParameters, viewed: NonNullable<GoldenCase['movie']>): Picture {
  const { recipe } = recipeFromScreenshotParameters(parameters);
  const { atMs, ...scene } = recipe;
  const movie: MovieRecipe = { scene, startMs: atMs, endMs: atMs, size: 0, frameRate: 15, ...viewed };
  return frameRecipe(movie, atMs, atMs);
}

export async function renderCase({ shots, parameters, markers, movie }: GoldenCase): Promise<RgbFrame> {
  const archive = await sampleArchive(shots);
  const given = typeof parameters === 'function' ? parameters(archive.images[0]!) : parameters;
  if (movie) return renderRecipe(archive, movieFrame(given, movie), markers);
  return renderFrame(archive, given, markers);
}

export const framePng = (frame: RgbFrame): Promise<Uint8Array> =>
  encodeInStrips(rgbPng(frame.width, frame.height), { ...frame, bytesPerPixel: 3 }, [frame.height]);

export interface Change {
  /** Number of different pixels; all pixels if the sizes differ. */
  readonly pixels: number;
  /** Largest difference of a channel. */
  readonly most: number;
}

export function compare(golden: PngPixels, actual: RgbFrame): Change {
  if (golden.width !== actual.width || golden.height !== actual.height)
    return { pixels: actual.width * actual.height, most: 255 };
  let [pixels, most] = [0, 0];
  for (let i = 0; i < actual.width * actual.height; i++) {
    let largest = 0;
    for (let c = 0; c < 3; c++) largest = Math.max(largest, Math.abs(golden.rgba[i * 4 + c]! - actual.pixels[i * 3 + c]!));
    if (largest > 0) pixels++;
    most = Math.max(most, largest);
  }
  return { pixels, most };
}

/** Golden, actual and eight times their difference side by side. */
export function threePanels(golden: PngPixels, actual: RgbFrame): Promise<Uint8Array> {
  const { width, height } = actual;
  const pixels = new Uint8Array(width * 3 * height * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let c = 0; c < 3; c++) {
        const inside = x < golden.width && y < golden.height;
        const before = inside ? golden.rgba[(y * golden.width + x) * 4 + c]! : 0;
        const after = actual.pixels[(y * width + x) * 3 + c]!;
        const row = y * width * 3;
        pixels[(row + x) * 3 + c] = before;
        pixels[(row + width + x) * 3 + c] = after;
        pixels[(row + 2 * width + x) * 3 + c] = Math.min(255, 8 * Math.abs(after - before));
      }
    }
  }
  return framePng({ width: width * 3, height, pixels });
}
