// Thread that draws frames, several at once: one image is read while another is decoded. What neighbouring frames share is cached.
import { parentPort, workerData } from 'node:worker_threads';
import type { FoundImages, FrameMarkers, PixelFormat } from '../../../src/archive/drawing/frame-renderer.ts';
import { FrameRenderer, frameBytes, planOfImages } from '../../../src/archive/drawing/frame-renderer.ts';
import { Coefficients } from '../../../src/archive/reading/coefficients.ts';
import { keepCore } from '../../../src/jp2/core/core.ts';
import type { Picture } from '../../../src/picture/picture.ts';
import { memoryLimits } from '../../../src/platform/limits/memory.ts';
import { MOVIE_LIMITS } from '../../../src/platform/limits/movies.ts';
import { MemoryBudget } from '../../../src/platform/util/memory-budget.ts';
import { delay } from '../../../src/platform/util/retry.ts';
import { HttpObjects, ServiceConnection, ServiceUnavailable } from '../service.ts';
import { CachedImageReader, CachedLayerRenderer } from './results.ts';

export interface DrawSetup {
  readonly serviceUrl: string;
  readonly token: string;
  /** Size of each of the thread's two caches: decoded windows, and drawn layers. */
  readonly cacheBytes: number;
  /** Milliseconds without a request after which a thread makes part A of the images that it decoded from their codestreams; null for never. */
  readonly idleMs: number | null;
}

export interface DrawRequest {
  readonly id: number;
  readonly recipe: Picture;
  /** From the bottom layer to the top one. */
  readonly images: readonly FoundImages[];
  readonly markers: FrameMarkers;
  readonly format: PixelFormat;
  /** A buffer of the frame's size that is no longer needed. */
  readonly reused?: Uint8Array<ArrayBuffer>;
}

/** A thread sends `alive` at an interval. `failed`: the frame cannot be drawn; `unavailable`: the service cannot be reached. */
export type DrawMessage =
  | { readonly kind: 'alive' }
  | { readonly kind: 'drawn'; readonly id: number; readonly pixels: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'failed' | 'unavailable'; readonly id: number; readonly reason: string };

const ALIVE_INTERVAL_MS = 2_000;

/** Samples decoded at once: a 1080p layer at up to twice its scale takes 60 of the 64 MiB that the core may use. */
const STRIP_SAMPLES = 4 << 20;

/** Memory that a thread keeps for the core from frame to frame: all that the core may use. */
const KEPT_CORE_BYTES = 64 << 20;

/** Memory of the sidecars of a thread: those of 60 images of 4096 x 4096. */
const SIDECARS_MIB = 24;

/** Images whose part A is made after the movie: those of two long movies. */
const MAX_ORDERS = 2 * MOVIE_LIMITS.frames.most;

keepCore(KEPT_CORE_BYTES);
const { serviceUrl, token, cacheBytes, idleMs } = workerData as DrawSetup;
const objects = new HttpObjects(new ServiceConnection({ url: serviceUrl, token }));
const memory = new MemoryBudget(memoryLimits(SIDECARS_MIB));
const coefficients = new Coefficients({
  objects,
  makes: ['A'],
  waiting: MAX_ORDERS,
  log: () => undefined,
  memory,
  turn: () => delay(0),
});
const layers = new CachedLayerRenderer(new CachedImageReader({ objects, coefficients, memory }, cacheBytes), cacheBytes);
const renderer = new FrameRenderer({ layers, stripSamples: STRIP_SAMPLES });

/** Pixels of a frame, drawn by the same code as screenshots. */
async function draw({ recipe, images, markers, format, reused }: DrawRequest): Promise<Uint8Array<ArrayBuffer>> {
  const plan = planOfImages(recipe, images);
  if (!plan) throw new Error('An image of the frame is missing.');
  const bytes = frameBytes(format, recipe);
  const pixels = reused?.length === bytes ? reused : new Uint8Array(bytes);
  await renderer.draw(plan, markers, format, pixels);
  return pixels;
}

const send = (message: DrawMessage, transfer: ArrayBuffer[] = []) => parentPort?.postMessage(message, transfer);

let drawing = 0;
let idleTimer: NodeJS.Timeout | undefined;

parentPort?.on('message', (request: DrawRequest) => {
  clearTimeout(idleTimer);
  drawing++;
  void draw(request)
    .then((pixels) => send({ kind: 'drawn', id: request.id, pixels }, [pixels.buffer]))
    .catch((error: unknown) => {
      const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      send({ kind: error instanceof ServiceUnavailable ? 'unavailable' : 'failed', id: request.id, reason });
    })
    .finally(() => {
      drawing--;
      if (drawing > 0 || idleMs === null) return;
      // The next movie of the period then takes less time.
      idleTimer = setTimeout(() => void coefficients.makeRequested(() => drawing === 0), idleMs);
    });
});
setInterval(() => send({ kind: 'alive' }), ALIVE_INTERVAL_MS).unref();
