// A movie as data: the same recipe and the same images give the same frames.
import type { Scene } from '../recipe/recipe.ts';

/** What the size parameter names: 0 the field of view as it is, 1 720p, 2 1080p, 3 1440p, 4 2160p. */
export type SizePreset = 0 | 1 | 2 | 3 | 4;

export interface MovieRecipe {
  /** At the scale at which frames are drawn; width and height are even. */
  readonly scene: Scene;
  /** Frames are of this time: milliseconds since 1970, both ends included. */
  readonly startMs: number;
  readonly endMs: number;
  /** Whether the field of view rotates with the Sun. */
  readonly followViewport: boolean;
  /** When the field of view is right as it was asked for; null: at the first frame. Null unless `followViewport`. */
  readonly viewedAtMs: number | null;
  readonly size: SizePreset;
  /** Frames per second. */
  readonly frameRate: number;
}

/** A frame before it is drawn. */
export interface PlannedFrame {
  /** Time of the frame: that of the image of the reference layer. */
  readonly atMs: number;
  /** From the bottom to the top: the id of the image and, in a difference, of the one that is taken off. */
  readonly images: readonly (readonly [imageId: number] | readonly [imageId: number, referenceId: number])[];
}
