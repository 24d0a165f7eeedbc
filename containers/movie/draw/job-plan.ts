// Frame plan of a job: recipe and images of every frame, and how many frames may be missing.
import type { ArchivedImage } from '../../../src/domain/image.ts';
import { frameRecipe } from '../../../src/domain/movies/frame-recipe.ts';
import type { MovieJob } from '../../../src/domain/movies/job.ts';
import { parseMovieRecipeString } from '../../../src/domain/movies/movie-recipe.ts';
import type { Recipe } from '../../../src/domain/recipe/recipe.ts';
import type { FoundImages } from '../../../src/services/rendering/frame-plan.ts';

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

/** Share of the frames that a movie may lose, because one with more gaps would no longer show what was requested. */
const MAX_SKIPPED_SHARE = 0.1;
/** Frames that a movie may lose however short it is, as in the original service. */
const ALWAYS_SKIPPABLE = 3;
const MIN_FRAMES = 2;

/** A movie that no further attempt can build. The message is for users. */
export class ImpossibleMovie extends Error {
  override readonly name = 'ImpossibleMovie';
}

/**
 * The frames of a job, each as a still picture. Events are left out of their recipes, because the service sends them as markers.
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
    throw new ImpossibleMovie('This movie was requested in a format that is no longer supported. Request it again.', { cause });
  }
}

/** @throws ImpossibleMovie when too many of `planned` frames are skipped */
export function checkSkipped(skipped: number, planned: number): void {
  const maxSkipped = Math.max(ALWAYS_SKIPPABLE, Math.floor(planned * MAX_SKIPPED_SHARE));
  const required = Math.max(MIN_FRAMES, planned - maxSkipped);
  if (planned - skipped >= required) return;
  throw new ImpossibleMovie(
    `At least ${required} of the ${planned} frames need readable images, but those of ${skipped} are damaged or missing.`,
  );
}
