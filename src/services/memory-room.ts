// Jobs within the budget of memory of an isolate.
import { JOB_BYTES, MEMORY_RETRY_SECONDS, MEMORY_WAIT_MS } from '../config/limits/memory.ts';
import { STRIP_SAMPLES } from '../config/limits/rendering.ts';
import { Failure } from '../domain/errors.ts';
import type { MemoryBudget } from '../util/memory-budget.ts';

/**
 * Runs `work` when there are `bytes` for it. It must not call `withMemory` itself: see `MemoryBudget`.
 * @throws Failure `busy` when there is no room in time
 */
export async function withMemory<T>(
  memory: MemoryBudget,
  bytes: number,
  work: () => Promise<T>,
  waitMs: number = MEMORY_WAIT_MS.request,
): Promise<T> {
  const lease = await memory.acquire(bytes, { waitMs });
  if (!lease) {
    const sentence = 'The service is busy. Try again in a few seconds.';
    throw new Failure('busy', sentence, { retryAfterSeconds: MEMORY_RETRY_SECONDS });
  }
  try {
    return await work();
  } finally {
    memory.release(lease);
  }
}

interface PictureSize {
  readonly width: number;
  readonly height: number;
  /** Unset: one. */
  readonly layers?: readonly unknown[];
}

/** Estimated bytes of a picture while it is rendered: its strip with the layers, and the file written so far. */
export function pictureBytes({ width, height, layers }: PictureSize): number {
  const { perPixel, perStripPixel, perLayerPixel } = JOB_BYTES;
  const pixels = width * height;
  return perPixel * pixels + Math.min(pixels, STRIP_SAMPLES) * (perStripPixel + perLayerPixel * (layers?.length ?? 1));
}
