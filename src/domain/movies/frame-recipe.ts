// One frame of a movie as a picture of its own.
import { viewportShift } from '../coordinates/viewport.ts';
import type { Recipe } from '../recipe/recipe.ts';
import type { Region } from '../recipe/region.ts';
import type { MovieRecipe, SizePreset } from './movie-recipe.ts';

/** Of the presets above 1080p: on the same screen their overlays are as large as those of 1080p. */
const MAGNIFICATIONS: Partial<Record<SizePreset, number>> = { 3: 4 / 3, 4: 2 };

function shifted({ left, top, right, bottom }: Region, { dx, dy }: { dx: number; dy: number }): Region {
  return { left: left + dx, top: top + dy, right: right + dx, bottom: bottom + dy };
}

/**
 * The picture that a movie shows at `atMs`. Where the field of view follows the Sun, its centre keeps to the place of the
 * surface on which it lies at the time of the viewport, or at `firstFrameMs` where none is named. Milliseconds since 1970.
 */
export function frameRecipe(
  { scene, followViewport, viewedAtMs, size }: MovieRecipe,
  atMs: number,
  firstFrameMs: number,
): Recipe {
  const rightAtMs = viewedAtMs ?? firstFrameMs;
  const overlayMagnification = MAGNIFICATIONS[size];
  const recipe = { ...scene, atMs, ...(overlayMagnification ? { overlayMagnification } : {}) };
  if (!followViewport || atMs === rightAtMs) return recipe;
  const { left, top, right, bottom } = scene.region;
  const centre = { x: (left + right) / 2, y: (top + bottom) / 2 };
  return { ...recipe, region: shifted(scene.region, viewportShift(centre, rightAtMs, atMs)) };
}
