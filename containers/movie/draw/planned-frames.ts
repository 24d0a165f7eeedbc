// A job as frames to be drawn.
import type { ArchivedImage } from '../../../src/domain/image.ts';
import { frameRecipe } from '../../../src/domain/movies/frame-recipe.ts';
import type { MovieJob } from '../../../src/domain/movies/job.ts';
import { parseMovieRecipeString } from '../../../src/domain/movies/movie-recipe-string.ts';
import type { Recipe } from '../../../src/domain/recipe/recipe.ts';
import type { FoundImages } from '../../../src/services/rendering/frame-plan.ts';
import { ImpossibleMovie } from './skipped-frames.ts';

export interface JobFrame {
  readonly recipe: Recipe;
  readonly images: readonly FoundImages[];
}

export interface JobPlan {
  readonly frames: readonly JobFrame[];
  /** Pixels of each frame. */
  readonly frame: { readonly width: number; readonly height: number };
  /** Frames per second. */
  readonly frameRate: number;
}

/**
 * The frames of a job, as pictures of their own. Events are left out of the recipes: as markers they come from the service.
 * @throws ImpossibleMovie for a recipe of another version
 */
export function jobPlan({ recipe, frames, images }: Pick<MovieJob, 'recipe' | 'frames' | 'images'>): JobPlan {
  const byId = new Map<number, ArchivedImage>(images.map((image) => [image.id, image]));
  const found = (id: number | undefined) => (id === undefined ? null : (byId.get(id) ?? null));
  const firstMs = frames[0]?.atMs ?? 0;
  try {
    const movie = parseMovieRecipeString(recipe);
    const { width, height } = movie.scene;
    return {
      frame: { width, height },
      frameRate: movie.frameRate,
      frames: frames.map(({ atMs, images: ids }) => ({
        recipe: { ...frameRecipe(movie, atMs, firstMs), events: [] },
        images: ids.map(([imageId, referenceId]) => ({ image: found(imageId), reference: found(referenceId) })),
      })),
    };
  } catch (cause) {
    throw new ImpossibleMovie('This movie was asked for in a form that is not understood any more.', { cause });
  }
}
