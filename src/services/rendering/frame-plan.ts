// Selects the images of a picture: for each layer the nearest one and, for a difference, the older reference image.
import type { ArchivedImage } from '../../domain/image.ts';
import type { Layer } from '../../domain/recipe/layers.ts';
import { type Recipe, shownSourceId } from '../../domain/recipe/recipe.ts';
import type { ImageIndex } from '../../ports/images.ts';
import { nearer, noImages } from '../images/find-image.ts';
import { referenceImage } from '../images/reference-image.ts';

export interface PlannedLayer {
  readonly layer: Layer;
  readonly image: ArchivedImage;
  /** The older image of a difference; null for the image itself. */
  readonly reference: ArchivedImage | null;
  /** Image time minus the recipe's time in seconds. */
  readonly distanceSeconds: number;
}

export interface FramePlan {
  readonly recipe: Recipe;
  /** From the bottom to the top. */
  readonly layers: readonly PlannedLayer[];
}

const distanceSeconds = (image: ArchivedImage, recipe: Recipe) => Math.round(image.takenAtMs - recipe.atMs) / 1000;

async function planLayer(index: Pick<ImageIndex, 'neighbours'>, recipe: Recipe, layer: Layer): Promise<PlannedLayer> {
  const sourceId = shownSourceId(recipe, layer, recipe.atMs);
  const { before, after } = await index.neighbours(sourceId, recipe.atMs);
  const image = nearer(before, after, recipe.atMs);
  if (!image) throw noImages(sourceId, 'layers');
  const reference = await referenceImage(index, image, layer.difference);
  return { layer, image, reference, distanceSeconds: distanceSeconds(image, recipe) };
}

/**
 * Finds the images of a recipe. Deterministic for an unchanged archive.
 * @throws Failure `no-image` or `no-earlier-image` when a layer has no image
 */
export async function planFrame(index: Pick<ImageIndex, 'neighbours'>, recipe: Recipe): Promise<FramePlan> {
  return { recipe, layers: await Promise.all(recipe.layers.map((layer) => planLayer(index, recipe, layer))) };
}

/** Images of a layer, looked up by id; null for an image that does not exist. */
export interface FoundImages {
  readonly image: ArchivedImage | null;
  readonly reference: ArchivedImage | null;
}

/** The plan of a recipe with known images, from the bottom to the top; null when one of them is missing. */
export function planOfImages(recipe: Recipe, found: readonly FoundImages[]): FramePlan | null {
  const layers = recipe.layers.flatMap((layer, i) => {
    const { image = null, reference = null } = found[i] ?? {};
    const isWhole = image !== null && (layer.difference.kind === 'none') === (reference === null);
    return isWhole ? [{ layer, image, reference, distanceSeconds: distanceSeconds(image, recipe) }] : [];
  });
  return layers.length === recipe.layers.length ? { recipe, layers } : null;
}
