// Where the marks of a picture come from: its events, and the movies that users made of its place.
import type { Recipe } from '../domain/recipe/recipe.ts';
import type { FrameMarks } from './frame-renderer.ts';

export interface MarkSource {
  /** The marks of what the recipe selects, in pixels of its picture. */
  marks(recipe: Recipe): Promise<FrameMarks>;
}

/** For an archive without events. */
export const NO_MARKS: MarkSource = { marks: async () => ({}) };
