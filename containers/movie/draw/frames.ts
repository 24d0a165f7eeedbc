// The frames of a claimed build: their recipes, images and markers, their drawing in order, and the previews of the movie.
import type { FoundImages, FrameMarkers, PixelFormat } from '../../../src/archive/drawing/frame-renderer.ts';
import { frameBytes } from '../../../src/archive/drawing/frame-renderer.ts';
import { PREVIEW_SIZES, PREVIEWS, previewFile } from '../../../src/movies/movie.ts';
import { frameRecipe, parseMovieRecipeString } from '../../../src/movies/movie-recipe.ts';
import type { BuildClaim } from '../../../src/movies/worker-protocol.ts';
import { pixelsPng } from '../../../src/picture/encode/png.ts';
import type { Picture } from '../../../src/picture/picture.ts';
import { resample, triangleTaps } from '../../../src/picture/raster/resample.ts';
import { MOVIE_BUILDS } from '../../../src/platform/limits/movies.ts';
import { inOrder } from '../../../src/platform/util/concurrency.ts';
import type { ArchivedImage } from '../../../src/sun/image.ts';
import { LeaseLost, type ServiceClient } from '../service.ts';
import type { DrawPool, DrawResult } from './pool.ts';

export type MovieFrame = { readonly recipe: Picture; readonly images: readonly FoundImages[] };

/** Share of the frames that a movie may lose, because one with more gaps would no longer show what was requested. */
const MAX_SKIPPED_SHARE = 0.1;
/** Frames that a movie may lose however short it is, as in the original service. */
const ALWAYS_SKIPPABLE = 3;
const MIN_FRAMES = 2;

/** A movie that no further attempt can build. The message is for users. */
export class ImpossibleMovie extends Error {
  override readonly name = 'ImpossibleMovie';
}

/**
 * The frames of a claim as still pictures without events, which the service sends as markers, and the pixels of each.
 * @throws ImpossibleMovie for another version
 */
export function framesOf({ recipe, frames, images }: Pick<BuildClaim, 'recipe' | 'frames' | 'images'>) {
  const byId = new Map<number, ArchivedImage>(images.map((image) => [image.id, image]));
  const found = (id: number | undefined) => (id === undefined ? null : (byId.get(id) ?? null));
  const firstMs = frames[0]?.atMs ?? 0;
  try {
    const movie = parseMovieRecipeString(recipe);
    const { width, height } = movie.scene;
    return {
      frame: { width, height },
      frameRate: movie.frameRate,
      frames: frames.map(
        ({ atMs, images: ids }): MovieFrame => ({
          recipe: { ...frameRecipe(movie, atMs, firstMs), events: [] },
          images: ids.map(([imageId, referenceId]) => ({ image: found(imageId), reference: found(referenceId) })),
        }),
      ),
    };
  } catch (cause) {
    throw new ImpossibleMovie('This movie was requested in a format that is no longer supported. Request it again.', { cause });
  }
}

export type MovieFrames = ReturnType<typeof framesOf>;

/** @throws ImpossibleMovie when too many of `planned` frames are skipped */
export function checkSkipped(skipped: number, planned: number): void {
  const maxSkipped = Math.max(ALWAYS_SKIPPABLE, Math.floor(planned * MAX_SKIPPED_SHARE));
  const required = Math.max(MIN_FRAMES, planned - maxSkipped);
  if (planned - skipped >= required) return;
  throw new ImpossibleMovie(
    `At least ${required} of the ${planned} frames need readable images, but those of ${skipped} are damaged or missing.`,
  );
}

const { framesOfMarkers } = MOVIE_BUILDS;
/** Short, because a movie without markers is worth more than a late one. */
const RETRY_MARKERS_FOR_MS = 30_000;

interface MarkersOptions {
  readonly service: Pick<ServiceClient, 'markers'>;
  readonly claim: BuildClaim;
  readonly movie: Pick<MovieFrames, 'frames'>;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}

/**
 * Returns the markers of a frame, many fetched at once; none if the service fails, unless they have the place of an observer. Rejects with
 * LeaseLost, the reason of the signal, or for an observer the failure.
 */
export function markersOf({ service, claim, movie, signal, log }: MarkersOptions): (frame: number) => Promise<FrameMarkers> {
  const haveObserver = movie.frames.some(({ recipe }) => recipe.projection?.kind === 'observer');
  const chunks = new Map<number, Promise<readonly FrameMarkers[]>>();
  const fetchFrom = async (from: number): Promise<readonly FrameMarkers[]> => {
    const to = Math.min(claim.frames.length, from + framesOfMarkers);
    try {
      return await service.markers(claim, from, to, { retryForMs: RETRY_MARKERS_FOR_MS, signal });
    } catch (error) {
      if (error instanceof LeaseLost || signal.aborted || haveObserver) throw error;
      log(`frames ${from} to ${to - 1} are drawn without markers: ${(error as Error).message}`);
      return [];
    }
  };
  return async (frame) => {
    const from = frame - (frame % framesOfMarkers);
    const chunk = chunks.get(from) ?? fetchFrom(from);
    chunks.set(from, chunk);
    return (await chunk)[frame - from] ?? {};
  };
}

/** Consecutive frames that go to the same thread, because neighbours share images that the thread has cached. */
const MAX_RUN = 4;
/** Memory for frames that are drawn, or being drawn, before they are consumed. */
const AHEAD_BYTES = 256 << 20;

type DrawnFrame = { readonly frame: number; readonly result: DrawResult };

/** Draws the frames from number `from` on, some ahead of their consumer. @throws ServiceUnavailable, or an error of `markers` */
export async function* drawnFrames(
  pool: DrawPool,
  frames: readonly MovieFrame[],
  from: number,
  markers: (frame: number) => Promise<FrameMarkers>,
  format: PixelFormat = 'yuv420p',
): AsyncGenerator<DrawnFrame> {
  const { width, height } = frames[0]?.recipe ?? { width: 1, height: 1 };
  const ahead = Math.max(
    pool.threads,
    Math.min(2 * MAX_RUN * pool.threads, Math.floor(AHEAD_BYTES / frameBytes(format, { width, height }))),
  );
  const run = Math.max(1, Math.min(MAX_RUN, Math.floor(ahead / pool.threads)));
  const draw = async ({ recipe, images }: MovieFrame, place: number): Promise<DrawnFrame> => {
    const frame = from + place;
    const job = { recipe, images, markers: await markers(frame), format };
    return { frame, result: await pool.draw(job, Math.floor(frame / run)) };
  };
  yield* inOrder(frames.slice(from), ahead, draw);
}

type PreviewFile = ReturnType<typeof previewFile>;

interface Pixels {
  /** RGB, 8 bits a sample. */
  readonly rgb: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Resizes the whole picture to exactly the given size, which may change its aspect ratio by the rounding to whole pixels. */
function resize({ rgb, width, height }: Pixels, to: { width: number; height: number }): Pixels {
  // Samples are pixels here, because no resolution level is discarded.
  const x = triangleTaps({ start: 0, step: width / to.width, count: to.width, size: width, reduce: 0 });
  const y = triangleTaps({ start: 0, step: height / to.height, count: to.height, size: height, reduce: 0 });
  const out = new Uint8Array(to.width * to.height * 3);
  const plane = new Uint8Array(width * height);
  const small = new Uint8Array(to.width * to.height);
  for (let c = 0; c < 3; c++) {
    for (let i = 0; i < plane.length; i++) plane[i] = rgb[i * 3 + c]!;
    resample(plane, x, y, small, to.width);
    for (let i = 0; i < small.length; i++) out[i * 3 + c] = small[i]!;
  }
  return { rgb: out, ...to };
}

function letterbox(picture: Pixels, size: { readonly width: number; readonly height: number }): Pixels {
  const scale = Math.min(size.width / picture.width, size.height / picture.height);
  const width = Math.max(1, Math.round(picture.width * scale));
  const height = Math.max(1, Math.round(picture.height * scale));
  const inner = resize(picture, { width, height });
  const rgb = new Uint8Array(size.width * size.height * 3);
  const [left, top] = [(size.width - width) >> 1, (size.height - height) >> 1];
  for (let y = 0; y < height; y++)
    rgb.set(inner.rgb.subarray(y * width * 3, (y + 1) * width * 3), ((top + y) * size.width + left) * 3);
  return { rgb, ...size };
}

/** The five previews of an RGB frame of `width` x `height` pixels; `full` is the unscaled frame. */
export async function previews(rgb: Uint8Array, width: number, height: number): Promise<Record<PreviewFile, Uint8Array>> {
  const frame = { rgb, width, height };
  const files = PREVIEWS.map(async (preview): Promise<[PreviewFile, Uint8Array]> => {
    const picture = preview === 'full' ? frame : letterbox(frame, PREVIEW_SIZES[preview]);
    return [previewFile(preview), await pixelsPng(picture.rgb, picture.width, picture.height)];
  });
  return Object.fromEntries(await Promise.all(files)) as Record<PreviewFile, Uint8Array>;
}
