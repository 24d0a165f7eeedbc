// The requests that give a picture or a movie again.
import type { MovieRecipe } from '../../domain/movies/movie-recipe.ts';
import { overlayParameters } from '../../domain/overlays/overlays.ts';
import { requestAddress } from '../../domain/provenance.ts';
import { eventsStateOf } from '../events/selection.ts';
import { printLayers } from '../layers.ts';
import { layerParameters } from '../operations/operations.ts';
import type { Picture, Scene } from '../picture.ts';
import { printProjection } from '../projection.ts';

const iso = (ms: number) => new Date(ms).toISOString();

/** The parameters of a scene, without those that have their default. */
export const sceneParameters = ({
  layers,
  region,
  imageScaleArcsecPerPixel,
  events,
  overlays,
  switchSources,
  projection,
}: Scene) => ({
  imageScale: imageScaleArcsecPerPixel,
  layers: printLayers(layers, iso),
  x1: region.left,
  y1: region.top,
  x2: region.right,
  y2: region.bottom,
  ...layerParameters(layers),
  ...overlayParameters(overlays),
  switchSources: switchSources || undefined,
  projection: (projection && printProjection(projection)) ?? undefined,
  eventsState: events.length > 0 ? eventsStateOf(events) : undefined,
});

/** Address of a picture: in takeScreenshot, or with events, which it does not take as an object, in postScreenshot. */
export const screenshotAddress = (recipe: Picture, format: object): string =>
  requestAddress(recipe.events.length > 0 ? 'postScreenshot' : 'takeScreenshot', {
    date: iso(recipe.atMs),
    ...sceneParameters(recipe),
    display: true,
    ...format,
  });

/** Address of a movie: in queueMovie, or with events in postMovie. @param maxFrames Of its request; null without */
export function movieAddress(recipe: MovieRecipe, maxFrames: number | null): string {
  const { scene, startMs, endMs, followViewport, viewedAtMs, size, overlayMagnification, frameRate } = recipe;
  return requestAddress(scene.events.length > 0 ? 'postMovie' : 'queueMovie', {
    startTime: iso(startMs),
    endTime: iso(endMs),
    ...sceneParameters(scene),
    // The scale of a movie of a given size decides on its overlays alone.
    imageScale: scene.imageScaleArcsecPerPixel * (size === 0 ? 1 : overlayMagnification),
    followViewport: followViewport || undefined,
    reqObservationDate: viewedAtMs === null ? undefined : iso(viewedAtMs),
    size: size || undefined,
    maxFrames: maxFrames ?? undefined,
    frameRate,
  });
}
