// Plans a movie, from the request to images, frames, dimensions, cost and time, and stores the planned frames. The layer with the most images
// decides the times of the frames.
import { gunzipSync, gzipSync } from 'node:zlib';
import { imagesAt, nearer, noImages, noReference, referenceImages } from '../archive/find-image.ts';
import type { ImageIndex } from '../archive/image-index/d1-image-index.ts';
import { moviePlanKey } from '../archive/keys.ts';
import { withoutRepeats } from '../archive/range-images.ts';
import { type Layer, layerLabel } from '../picture/layers.ts';
import { costOf } from '../picture/operations/operations.ts';
import { type FieldOfView, pictureHash, type Scene } from '../picture/picture.ts';
import { RENDER_VERSION } from '../picture/raster/render-version.ts';
import { shownSourceId } from '../picture/recipe.ts';
import { MOVIE_LIMITS, MOVIE_PLANNING } from '../platform/limits/movies.ts';
import type { ObjectStore } from '../platform/storage/r2-object-store.ts';
import { Failure } from '../platform/util/errors.ts';
import { Service } from '../platform/util/service.ts';
import { predecessorOf } from '../sun/catalogue/sources.ts';
import type { Region } from '../sun/coordinates/picture-plane.ts';
import type { ArchivedImage, Size } from '../sun/image.ts';
import { formatDateTime, throughSecond } from '../sun/time.ts';
import type { MovieRecipe, PlannedFrame, PlaybackRequest, RequestedMovie, SizePreset } from './movie-recipe.ts';
import { LEAST_MAGNIFICATIONS, movieRecipeString } from './movie-recipe.ts';

const LENGTH_FRAME_RATE = { min: 1, max: 30 };

/** Maximum frames of a movie that is planned while `queued` movies wait. */
const frameCap = (queued: number): number =>
  MOVIE_LIMITS.throttled.find(({ fromQueued }) => queued >= fromQueued)?.frames ?? MOVIE_LIMITS.frames.most;

/**
 * Frames of a movie whose layers have `imageCounts` images in its range. `cap` limits the images of all layers together, to which sparse
 * layers leave their unused share. At least MOVIE_LIMITS.frames.least where the reference layer has as many images.
 */
export function frameCount(imageCounts: readonly number[], cap: number): number {
  let remaining = cap;
  let frames = 0;
  for (const [i, count] of imageCounts.toSorted((a, b) => a - b).entries()) {
    frames = Math.min(count, remaining / (imageCounts.length - i));
    remaining -= frames;
  }
  return Math.max(Math.floor(frames), Math.min(MOVIE_LIMITS.frames.least, Math.max(...imageCounts)));
}

/** `count` evenly spread items of a list, including the first and the last; the whole list where it has no more. */
export function spread<T>(list: readonly T[], count: number): T[] {
  if (count >= list.length) return [...list];
  if (count <= 1) return list.slice(0, count);
  return Array.from({ length: count }, (_, i) => list[Math.round((i * (list.length - 1)) / (count - 1))]!);
}

/** `count` evenly spread times in milliseconds, including both ends. */
export const spreadTimes = (fromMs: number, toMs: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => fromMs + ((toMs - fromMs) * i) / (count - 1));

/** A thousandth keeps a length of minutes within a tenth of a second. */
const toThousandths = (rate: number): number => Math.round(rate * 1000) / 1000;

/** Playback rate in frames per second of `frames` frames, and whether it results in another length than the requested one. */
export function playbackRate({ frameRate, movieLength }: PlaybackRequest, frames: number) {
  if (frameRate !== undefined) return { frameRate: toThousandths(frameRate), isOtherLength: false };
  if (movieLength === undefined) return { frameRate: MOVIE_LIMITS.defaultFrameRate, isOtherLength: false };
  const requested = toThousandths(frames / movieLength);
  const { min, max } = LENGTH_FRAME_RATE;
  const clamped = Math.min(Math.max(requested, min), max);
  return { frameRate: clamped, isOtherLength: clamped !== requested };
}

export const PRESETS: Readonly<Record<Exclude<SizePreset, 0>, Size>> = {
  1: { width: 1280, height: 720 },
  2: { width: 1920, height: 1080 },
  3: { width: 2560, height: 1440 },
  4: { width: 3840, height: 2160 },
};

/** Tolerance in pixels of a side, for rounding errors. */
const ROUNDING_PIXELS = 1e-6;

/** Extends a side at its end to an even number of whole pixels. */
function evenSide(from: number, to: number, scale: number): { to: number; pixels: number } {
  const requested = (to - from) / scale;
  const rounded = Math.max(1, Math.round(requested));
  const pixels = rounded + (rounded % 2);
  return { pixels, to: Math.abs(requested - pixels) < ROUNDING_PIXELS ? to : from + pixels * scale };
}

/** Field of view with even width and height, which encoders require: odd sides get one more pixel at the right or bottom. */
export function evenField({ left, top, right, bottom }: Region, imageScaleArcsecPerPixel: number): FieldOfView {
  const across = evenSide(left, right, imageScaleArcsecPerPixel);
  const down = evenSide(top, bottom, imageScaleArcsecPerPixel);
  const region = { left, top, right: across.to, bottom: down.to };
  return { region, imageScaleArcsecPerPixel, width: across.pixels, height: down.pixels };
}

/** Least sides in pixels of the frame in which magnified overlays are laid out. */
const LAID_OUT_SIDE_PX = 200;

/** Magnification of a preset's overlays: as in the original service, which enlarges whole frames, but never too small to read. */
function overlayMagnificationOf(field: FieldOfView, frame: FieldOfView, size: SizePreset): number {
  const enlargement = field.imageScaleArcsecPerPixel / frame.imageScaleArcsecPerPixel;
  const most = Math.min(frame.width, frame.height) / LAID_OUT_SIDE_PX;
  return Math.max(LEAST_MAGNIFICATIONS[size], Number(Math.min(enlargement, most).toFixed(6)));
}

/** Frame and video dimensions for a size parameter. A preset gives the pixels of the video, and frames the scale that just fits. */
export function movieDimensions(field: FieldOfView, size: SizePreset) {
  const { region } = field;
  if (size === 0) {
    const frame = evenField(region, field.imageScaleArcsecPerPixel);
    return { frame, output: { width: frame.width, height: frame.height }, overlayMagnification: LEAST_MAGNIFICATIONS[size] };
  }
  const output = PRESETS[size];
  const scale = Math.max((region.right - region.left) / output.width, (region.bottom - region.top) / output.height);
  const frame = evenField(region, scale);
  return { frame, output, overlayMagnification: overlayMagnificationOf(field, frame, size) };
}

export interface TimedBuild {
  /** Megapixels to draw and to encode. */
  readonly cost: number;
  readonly seconds: number;
}

/** Seconds per megapixel before the first build: on two processors, 300 frames take 16 s with one layer (553 megapixels), 20 s with two. */
export const UNMEASURED = 0.0265;

/** Megapixels to draw and to encode: each frame is drawn once per image (one per layer, two for a difference) and encoded once. */
export const movieCost = (movie: { frames: number; framePixels: number; outputPixels: number; images: number }): number =>
  (movie.frames * (movie.outputPixels + movie.framePixels * movie.images)) / 1e6;

/** The median, which a build whose worker was killed does not affect; UNMEASURED without builds. */
export function secondsPerMegapixel(recent: readonly TimedBuild[]): number {
  const rates = recent.flatMap(({ cost, seconds }) => (cost > 0 && seconds > 0 ? [seconds / cost] : [])).sort((a, b) => a - b);
  const [below, above] = [rates[(rates.length - 1) >> 1], rates[rates.length >> 1]];
  return below === undefined || above === undefined ? UNMEASURED : (below + above) / 2;
}

/** Whole seconds until a queued movie is finished. `ahead`: builds before it, running ones included, and their remaining megapixels. */
export function estimateSeconds(movie: {
  readonly cost: number;
  readonly ahead: { readonly builds: number; readonly cost: number };
  readonly workers: number;
  readonly recent: readonly TimedBuild[];
}): number {
  const { cost, ahead, workers, recent } = movie;
  const waited = ahead.builds < workers ? 0 : ahead.cost / workers;
  return Math.max(1, Math.ceil(secondsPerMegapixel(recent) * (waited + cost)));
}

/** Most of a build that remains after its last frame is drawn: delays of encoders, and storing. The elapsed time bounds it too. */
const TAIL = 0.3;

/** Whole seconds until a running build is finished. `drawn`: share of its frames that are drawn, 0 to 1. */
export function secondsLeft(build: { cost: number; drawn: number; elapsedSeconds: number; recent: readonly TimedBuild[] }) {
  const { cost, drawn, elapsedSeconds, recent } = build;
  const whole = secondsPerMegapixel(recent) * cost;
  const tail = Math.min(TAIL * whole, whole - elapsedSeconds);
  return Math.max(1, Math.ceil(whole * (1 - drawn)), Math.ceil(tail));
}

/** The frames of builds by their keys, as JSON in gzip: 300 take 3 kB instead of 17. They expire. */
export class R2MovieFrames extends Service<Pick<ObjectStore, 'readAll' | 'put'>> {
  /** Null when they have expired, or cannot be read. */
  async find(key: string): Promise<readonly PlannedFrame[] | null> {
    const bytes = await this.ports.readAll(moviePlanKey(key));
    try {
      return bytes && JSON.parse(gunzipSync(bytes).toString());
    } catch {
      return null;
    }
  }

  async keep(key: string, frames: readonly PlannedFrame[]): Promise<void> {
    await this.ports.put(moviePlanKey(key), gzipSync(JSON.stringify(frames)), 'application/gzip');
  }
}

export type MovieIndex = Pick<
  ImageIndex,
  'ends' | 'inRange' | 'countInRange' | 'neighboursOfTimes' | 'adjacentTimes' | 'withdrawn'
>;

/** Range of a source in milliseconds, both ends included. */
type SourceRange = { readonly sourceId: number; readonly fromMs: number; readonly toMs: number };

/** Resolution of image times: one microsecond. */
const INSTANT_MS = 0.001;

/** Sources that a layer shows in a range: its predecessor until the switch, then its own. */
function spansOf({ switchSources }: Scene, { sourceId }: Layer, fromMs: number, toMs: number): SourceRange[] {
  const predecessor = switchSources ? predecessorOf(sourceId) : null;
  if (!predecessor || fromMs >= predecessor.untilMs) return [{ sourceId, fromMs, toMs }];
  const before = { sourceId: predecessor.sourceId, fromMs, toMs: Math.min(toMs, predecessor.untilMs - INSTANT_MS) };
  return toMs < predecessor.untilMs ? [before] : [before, { sourceId, fromMs: predecessor.untilMs, toMs }];
}

type LayerImages = Awaited<ReturnType<typeof countImages>>[number];

/** Numbers of images of all layers in a range, up to a limit, beyond which there are more. A source that two layers show counts for both. */
function countImages(index: MovieIndex, scene: Scene, startMs: number, endMs: number) {
  const { readImages } = MOVIE_PLANNING;
  const counted = async (span: SourceRange) => ({
    ...span,
    count: await index.countInRange(span.sourceId, span.fromMs, span.toMs, readImages + 1),
  });
  return Promise.all(
    scene.layers.map(async (layer) => {
      const spans = await Promise.all(spansOf(scene, layer, startMs, endMs).map(counted));
      const count = spans.reduce((sum, span) => sum + span.count, 0);
      return { layer, count, isMore: spans.some((span) => span.count > readImages), spans };
    }),
  );
}

const inOrder = (images: readonly ArchivedImage[]) => withoutRepeats(images.toSorted((a, b) => a.takenAtMs - b.takenAtMs));

async function nearestInSpan(index: MovieIndex, { sourceId, fromMs, toMs }: SourceRange, timesMs: readonly number[]) {
  const neighbours = await index.neighboursOfTimes(sourceId, timesMs);
  const isInside = (image: ArchivedImage | null) => image !== null && image.takenAtMs >= fromMs && image.takenAtMs <= toMs;
  return neighbours.flatMap(
    ({ before, after }, i) => nearer(isInside(before) ? before : null, isInside(after) ? after : null, timesMs[i]!) ?? [],
  );
}

/** At least `count` of too many images: those nearest to evenly spread times, and to the middles of gaps between clusters. */
async function sampledImages(index: MovieIndex, span: SourceRange, count: number): Promise<ArchivedImage[]> {
  const { first, last } = await index.ends(span.sourceId, span.fromMs, span.toMs);
  if (!first || !last) return [];
  let found = inOrder([first, last]);
  let times = spreadTimes(first.takenAtMs, last.takenAtMs, MOVIE_PLANNING.sampledTimes);
  for (let round = 0; round <= MOVIE_PLANNING.refinements && found.length < count; round++) {
    found = inOrder([...found, ...(await nearestInSpan(index, span, times))]);
    times = found.slice(1).map((image, i) => (image.takenAtMs + found[i]!.takenAtMs) / 2);
  }
  return found;
}

/** Times of `count` frames in whole milliseconds: those of evenly chosen images of the layer, including the first and the last. */
async function frameTimes(index: MovieIndex, { spans }: LayerImages, count: number): Promise<number[]> {
  const { readImages } = MOVIE_PLANNING;
  const images = await Promise.all(
    spans.map((span) => {
      if (span.count > readImages) return sampledImages(index, span, count);
      return index.inRange(span.sourceId, span.fromMs, span.toMs, readImages);
    }),
  );
  return spread(inOrder(images.flat()), count).map(({ takenAtMs }) => Math.floor(takenAtMs));
}

async function layerImages(index: MovieIndex, scene: Scene, layer: Layer, timesMs: readonly number[]): Promise<ArchivedImage[]> {
  const sources = timesMs.map((atMs) => shownSourceId(scene, layer, atMs));
  const bySource = await Promise.all(
    [...new Set(sources)].map(async (sourceId) => {
      const times = timesMs.filter((_, i) => sources[i] === sourceId);
      return (await imagesAt(index, sourceId, times)).map((image) => {
        if (image) return image;
        throw noImages(sourceId, 'layers');
      });
    }),
  );
  // Times ascend, so the frames of a predecessor come before those of its successor.
  return bySource.flat();
}

/** Images of a layer at these times, in a difference with their references; null for a frame without a reference. */
async function framesOfLayer(index: MovieIndex, scene: Scene, layer: Layer, timesMs: readonly number[]) {
  const images = await layerImages(index, scene, layer, timesMs);
  const references = await referenceImages(index, images, layer);
  const frames = images.map(({ id }, i) => {
    if (!references) return [id] as const;
    const reference = references[i];
    return reference ? ([id, reference.id] as const) : null;
  });
  return { frames, noReference: () => noReference(images[frames.indexOf(null)]!, layer) };
}

/** Frames with the nearest image of each layer, and its reference, at least one. @throws Failure `no-image`, or `no-earlier-image` */
async function plannedFrames(index: MovieIndex, scene: Scene, timesMs: readonly number[]) {
  const layers = await Promise.all(scene.layers.map((layer) => framesOfLayer(index, scene, layer, timesMs)));
  const frames = timesMs.flatMap((atMs, i): PlannedFrame[] => {
    const images = layers.flatMap(({ frames }) => (frames[i] ? [frames[i]] : []));
    return images.length === layers.length ? [{ atMs, images }] : [];
  });
  const incomplete = layers.find((layer) => layer.frames.includes(null));
  if (frames.length === 0 && incomplete) throw incomplete.noReference();
  return frames;
}

const { leastImages, frames: FRAMES } = MOVIE_LIMITS;

const richest = (available: readonly LayerImages[]): LayerImages =>
  available.reduce((best, layer) => (layer.count > best.count ? layer : best));

/** The label of a layer, and the time of its nearest image outside the range of the movie. */
async function nearestOutside(index: MovieIndex, { scene, startMs, endMs }: RequestedMovie, { layer }: LayerImages) {
  const lastMs = throughSecond(endMs);
  const [{ beforeMs }, { afterMs }] = await Promise.all([
    index.adjacentTimes(shownSourceId(scene, layer, startMs), startMs),
    index.adjacentTimes(shownSourceId(scene, layer, lastMs), lastMs),
  ]);
  const isBefore = beforeMs !== null && (afterMs === null || startMs - beforeMs <= afterMs - lastMs);
  const atMs = isBefore ? beforeMs : afterMs;
  return `${layerLabel(layer)}, ${atMs === null ? 'no other images' : `nearest outside: ${formatDateTime(atMs)}`}`;
}

/** The failure of a movie with no or too few images, with the layer and the nearest image time outside the range. */
async function tooFew(index: MovieIndex, requested: RequestedMovie, available: readonly LayerImages[], images: number) {
  const range = `from ${formatDateTime(requested.startMs)} to ${formatDateTime(requested.endMs)}`;
  const layers = images > 0 ? [richest(available)] : available;
  const where = (await Promise.all(layers.map((layer) => nearestOutside(index, requested, layer)))).join('; ');
  if (images === 0) return new Failure('no-frames', `There are no images ${range} (${where}).`);
  const sentence = `A movie needs at least ${leastImages} images; there ${images === 1 ? 'is' : 'are'} ${images} ${range} (${where}).`;
  return new Failure('too-few-images', sentence);
}

/** Sentences about a number of frames below the requested or available one. */
function frameAdjustments(
  { maxFrames }: RequestedMovie,
  available: readonly LayerImages[],
  { cap, queued, times }: { readonly cap: number; readonly queued: number; readonly times: readonly number[] },
): string[] {
  const reason = cap < FRAMES.most ? `, the most while ${queued} movies wait` : ', which is the most';
  const lowered = maxFrames !== null && maxFrames > cap ? [`maxFrames is ${cap}${reason}.`] : [];
  const { layer, count, isMore } = richest(available);
  if (times.length >= count || times.length === maxFrames) return lowered;
  const cadence = Math.round((times.at(-1)! - times[0]!) / Math.max(times.length - 1, 1) / 1000);
  const of = `${isMore ? 'more than ' : ''}${isMore ? count - 1 : count} images (${layerLabel(layer)})`;
  const budget = Math.min(cap, maxFrames ?? cap);
  const shared = available.length > 1 ? `; ${budget} images of all layers together are the most` : '';
  const throttled = maxFrames === null && cap < FRAMES.most ? ` while ${queued} movies wait` : '';
  return [...lowered, `It shows ${times.length} of ${of}, one every ${cadence} seconds on average${shared}${throttled}.`];
}

function farLayers(available: readonly LayerImages[]): string[] {
  const labels = available.filter(({ count }) => count === 0).map(({ layer }) => layerLabel(layer));
  return labels.map((label) => `${label} has no image in this time: the nearest ones are shown.`);
}

/** Plans a movie, the same for an archive and queue length. @throws Failure `no-frames`, `too-few-images`, `no-image`, `no-earlier-image` */
export async function planMovie(index: MovieIndex, requested: RequestedMovie, queued: number) {
  const { startMs, endMs, size, followViewport, viewedAtMs, playback, maxFrames } = requested;
  const { frame, output, overlayMagnification } = movieDimensions(requested.scene, size);
  const scene = { ...requested.scene, ...frame };
  const available = await countImages(index, scene, startMs, throughSecond(endMs));
  const counts = available.map(({ count }) => count);
  const cap = frameCap(queued);
  const images = counts.reduce((sum, count) => sum + count, 0);
  if (images < leastImages) throw await tooFew(index, requested, available, images);
  const times = await frameTimes(index, richest(available), frameCount(counts, Math.min(cap, maxFrames ?? cap)));
  const frames = await plannedFrames(index, scene, times);
  const { frameRate, isOtherLength } = playbackRate(playback, frames.length);
  const recipe: MovieRecipe = { scene, startMs, endMs, followViewport, viewedAtMs, size, overlayMagnification, frameRate };
  const recipeText = movieRecipeString(recipe);
  const cost = movieCost({
    frames: frames.length,
    framePixels: frame.width * frame.height,
    outputPixels: output.width * output.height,
    images: frames[0]!.images.reduce((sum, images, i) => sum + images.length * costOf(scene.layers[i]!), 0),
  });
  const later = `It starts at ${formatDateTime(frames[0]!.atMs)}: before, there is no image to compare with.`;
  const length = `It takes ${Number((frames.length / frameRate).toFixed(1))} seconds: ${frameRate} ${frameRate === 1 ? 'frame' : 'frames'} per second.`;
  const adjustments = [
    ...requested.adjustments,
    ...frameAdjustments(requested, available, { cap, queued, times }),
    ...(frames.length < times.length ? [later] : []),
    ...farLayers(available),
    ...(isOtherLength ? [length] : []),
  ];
  return {
    build: {
      key: await pictureHash([RENDER_VERSION, recipeText, frames]),
      recipe,
      recipeText,
      frames,
      layerCount: scene.layers.length,
      ...output,
      frameRate,
      cost,
    },
    message: adjustments.length ? adjustments.join(' ') : null,
  };
}
