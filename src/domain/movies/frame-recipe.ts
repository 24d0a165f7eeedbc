// The recipe of a single frame of a movie.
import { viewportShift } from '../coordinates/viewport.ts';
import type { Recipe } from '../recipe/recipe.ts';
import type { Region } from '../recipe/region.ts';
import type { MovieRecipe, SizePreset } from './movie-recipe.ts';

/** Overlay magnification of the presets above 1080p, so that overlays cover the same share of the frame as at 1080p. */
const OVERLAY_MAGNIFICATIONS: Partial<Record<SizePreset, number>> = { 3: 4 / 3, 4: 2 };

function shifted({ left, top, right, bottom }: Region, { dx, dy }: { dx: number; dy: number }): Region {
  return { left: left + dx, top: top + dy, right: right + dx, bottom: bottom + dy };
}

/**
 * Recipe of the frame at `atMs`. With `followViewport`, the field of view rotates with the Sun: its centre follows the surface
 * point that it shows at `viewedAtMs`, or at `firstFrameMs` by default. Times are in milliseconds since 1970.
 */
export function frameRecipe(
  { scene, followViewport, viewedAtMs, size }: MovieRecipe,
  atMs: number,
  firstFrameMs: number,
): Recipe {
  const referenceMs = viewedAtMs ?? firstFrameMs;
  const overlayMagnification = OVERLAY_MAGNIFICATIONS[size];
  const recipe = { ...scene, atMs, ...(overlayMagnification ? { overlayMagnification } : {}) };
  if (!followViewport || atMs === referenceMs) return recipe;
  const { left, top, right, bottom } = scene.region;
  const centre = { x: (left + right) / 2, y: (top + bottom) / 2 };
  return { ...recipe, region: shifted(scene.region, viewportShift(centre, referenceMs, atMs)) };
}
