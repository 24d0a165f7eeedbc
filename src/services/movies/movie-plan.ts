// Plans a movie: from the request to frames, dimensions and cost.
import { Failure } from '../../domain/errors.ts';
import { movieDimensions } from '../../domain/movies/dimensions.ts';
import { movieCost } from '../../domain/movies/eta.ts';
import { frameCap, frameCount, MOVIE_LIMITS, playbackRate } from '../../domain/movies/frame-timing.ts';
import { type MovieRecipe, movieRecipeString } from '../../domain/movies/movie-recipe.ts';
import type { RequestedMovie } from '../../domain/movies/movie-request.ts';
import { layerLabel } from '../../domain/recipe/layer-names.ts';
import { formatDateTime, throughSecond } from '../../domain/time.ts';
import type { BuildPlan } from '../../ports/movies.ts';
import { sha256Hex } from '../../util/digest.ts';
import { RENDER_VERSION } from '../rendering/layer-renderer.ts';
import { frameTimes, type LayerSupply, type MovieIndex, nearestOutside, plannedFrames, suppliesOf } from './movie-images.ts';

export interface PlannedMovie {
  readonly plan: BuildPlan;
  /** Deviations from the request as sentences; null without any. */
  readonly message: string | null;
}

const { leastImages } = MOVIE_LIMITS;
const { most } = MOVIE_LIMITS.frames;

/** Fewest frames that have their reference images in a movie of differences. */
const LEAST_FRAMES = 1;

function richest(supplies: readonly LayerSupply[]): LayerSupply {
  return supplies.reduce((best, supply) => (supply.count > best.count ? supply : best));
}

async function nearestTime(
  index: MovieIndex,
  { scene, startMs, endMs }: RequestedMovie,
  { layer }: LayerSupply,
): Promise<string> {
  const atMs = await nearestOutside(index, scene, layer, { startMs, endMs: throughSecond(endMs) });
  return atMs === null ? 'no other images' : `nearest outside: ${formatDateTime(atMs)}`;
}

/** The failure of a movie with no or too few images, with the layer and the nearest image time outside the range. */
async function tooFew(
  index: MovieIndex,
  requested: RequestedMovie,
  supplies: readonly LayerSupply[],
  images: number,
): Promise<Failure> {
  const range = `from ${formatDateTime(requested.startMs)} to ${formatDateTime(requested.endMs)}`;
  if (images > 0) {
    const supply = richest(supplies);
    const where = `${layerLabel(supply.layer)}, ${await nearestTime(index, requested, supply)}`;
    return new Failure(
      'too-few-images',
      `A movie needs at least ${leastImages} images; there ${images === 1 ? 'is' : 'are'} ${images} ${range} (${where}).`,
    );
  }
  const nearest = await Promise.all(
    supplies.map(async (supply) => `${layerLabel(supply.layer)}, ${await nearestTime(index, requested, supply)}`),
  );
  return new Failure('no-frames', `There are no images ${range} (${nearest.join('; ')}).`);
}

/** Sentences about a number of frames below the requested or available one. */
function frameAdjustments(
  { maxFrames }: RequestedMovie,
  supplies: readonly LayerSupply[],
  { cap, queued, times }: { readonly cap: number; readonly queued: number; readonly times: readonly number[] },
): string[] {
  const reason = cap < most ? `, the most while ${queued} movies wait` : ', which is the most';
  const lowered = maxFrames !== null && maxFrames > cap ? [`maxFrames is ${cap}${reason}.`] : [];
  const { layer, count, isMore } = richest(supplies);
  if (times.length >= count || times.length === maxFrames) return lowered;
  const cadence = Math.round((times.at(-1)! - times[0]!) / Math.max(times.length - 1, 1) / 1000);
  const of = `${isMore ? 'more than ' : ''}${isMore ? count - 1 : count} images (${layerLabel(layer)})`;
  const budget = Math.min(cap, maxFrames ?? cap);
  const shared = supplies.length > 1 ? `; ${budget} images of all layers together are the most` : '';
  const throttled = maxFrames === null && cap < most ? ` while ${queued} movies wait` : '';
  return [...lowered, `It shows ${times.length} of ${of}, one every ${cadence} seconds on average${shared}${throttled}.`];
}

function farLayers(supplies: readonly LayerSupply[]): string[] {
  const labels = supplies.filter(({ count }) => count === 0).map(({ layer }) => layerLabel(layer));
  return labels.map((label) => `${label} has no image in this time: the nearest ones are shown.`);
}

/**
 * Plans a movie from the images of the archive. Deterministic for one archive and queue length.
 * @param queued number of queued movies, which lowers the maximum number of frames
 * @throws Failure `no-frames`, `too-few-images`, `no-image` or `no-earlier-image`
 */
export async function planMovie(index: MovieIndex, requested: RequestedMovie, queued: number): Promise<PlannedMovie> {
  const { startMs, endMs, size, followViewport, viewedAtMs, playback, maxFrames } = requested;
  const { frame, output } = movieDimensions(requested.scene, size);
  const scene = { ...requested.scene, ...frame };
  const supplies = await suppliesOf(index, scene, startMs, throughSecond(endMs));
  const counts = supplies.map(({ count }) => count);
  const cap = frameCap(queued);
  const images = counts.reduce((sum, count) => sum + count, 0);
  if (images < leastImages) throw await tooFew(index, requested, supplies, images);
  const times = await frameTimes(index, richest(supplies), frameCount(counts, Math.min(cap, maxFrames ?? cap)));
  const frames = await plannedFrames(index, scene, times, LEAST_FRAMES);
  const { frameRate, isOtherLength } = playbackRate(playback, frames.length);
  const recipe: MovieRecipe = { scene, startMs, endMs, followViewport, viewedAtMs, size, frameRate };
  const cost = movieCost({
    frames: frames.length,
    framePixels: frame.width * frame.height,
    outputPixels: output.width * output.height,
    images: frames[0]!.images.flat().length,
  });
  const later = `It starts at ${formatDateTime(frames[0]!.atMs)}: before, there is no image to compare with.`;
  const length = `It takes ${Number((frames.length / frameRate).toFixed(1))} seconds: ${frameRate} ${frameRate === 1 ? 'frame' : 'frames'} per second.`;
  const adjustments = [
    ...requested.adjustments,
    ...frameAdjustments(requested, supplies, { cap, queued, times }),
    ...(frames.length < times.length ? [later] : []),
    ...farLayers(supplies),
    ...(isOtherLength ? [length] : []),
  ];
  return {
    plan: {
      key: await sha256Hex(JSON.stringify([RENDER_VERSION, movieRecipeString(recipe), frames])),
      recipe,
      frames,
      layerCount: scene.layers.length,
      ...output,
      frameRate,
      cost,
    },
    message: adjustments.length ? adjustments.join(' ') : null,
  };
}
