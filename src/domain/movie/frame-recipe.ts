// One frame of a movie as a picture of its own.
import { viewportShift } from '../coordinates/viewport.ts';
import type { Recipe } from '../recipe/recipe.ts';
import type { Region } from '../recipe/region.ts';
import type { MovieRecipe } from './movie-recipe.ts';

function shifted({ left, top, right, bottom }: Region, { dx, dy }: { dx: number; dy: number }): Region {
  return { left: left + dx, top: top + dy, right: right + dx, bottom: bottom + dy };
}

/**
 * The picture that a movie shows at `atMs`. Where the field of view follows the Sun, its centre keeps to the place of the
 * surface on which it lies at the time of the viewport, or at `firstFrameMs` where none is named. Milliseconds since 1970.
 */
export function frameRecipe({ scene, followViewport, viewedAtMs }: MovieRecipe, atMs: number, firstFrameMs: number): Recipe {
  const rightAtMs = viewedAtMs ?? firstFrameMs;
  if (!followViewport || atMs === rightAtMs) return { ...scene, atMs };
  const { left, top, right, bottom } = scene.region;
  const centre = { x: (left + right) / 2, y: (top + bottom) / 2 };
  return { ...scene, region: shifted(scene.region, viewportShift(centre, rightAtMs, atMs)), atMs };
}
