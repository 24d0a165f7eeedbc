// Frames of a movie: number, times, rate, pixels, duration of the build. The reference layer is the one with the most images.
import type { FieldOfView, Region } from '../picture/region.ts';
import { MOVIE_LIMITS } from '../platform/limits/movies.ts';
import type { Size } from '../sun/image.ts';
import { LEAST_MAGNIFICATIONS, type PlaybackRequest, type SizePreset } from './movie-recipe.ts';

const LENGTH_FRAME_RATE = { min: 1, max: 30 };

/** Maximum frames of a movie that is planned while `queued` movies wait. */
export const frameCap = (queued: number): number =>
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
