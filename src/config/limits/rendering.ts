// Limits of rendering: caches, strips and screenshots.

import { DAY_MS, HOUR_MS } from '../../util/durations.ts';

/** Milliseconds that a request waits for a render of the same tile by another request before it renders the tile itself. */
export const SHARED_RENDER_WAIT_MS = 5_000;
/**
 * Milliseconds that a request waits for a read of the same object by another request before it reads the object itself. A read takes some
 * tens of milliseconds; one that has not ended after a second has probably been cancelled with its request.
 */
export const SHARED_READ_WAIT_MS = 1_000;

/** Image caches of an isolate, within its budget of memory. */
export const IMAGE_CACHES = {
  /** Size of a sidecar in memory, as a multiple of its size in R2, which is 4 to 40 kB. */
  sidecarGrowth: 3,
  /**
   * Longest side in samples of a base image: the whole image at a low resolution, from which finer levels are decoded of images without
   * a coefficient sidecar. 512 covers the whole Sun in one tile, takes 12 ms to decode once, and
   * halves the work of every finer tile of the image, because half of that work is the low resolutions.
   */
  baseImageSide: 512,
} as const;

/** Coefficient sidecars that are made behind responses. */
export const COEFFICIENT_MAKING = {
  /** Bytes of the largest JP2 that is transcoded; it is read as a whole. */
  fileBytes: 16 << 20,
  /** Images that wait in an isolate; further ones are made when they are viewed again. */
  waiting: 4,
  /** Milliseconds after which the making of an image counts as cancelled with its request; it takes 1 s of processor time at most. */
  staleMs: 30_000,
} as const;

/**
 * Samples of a layer that are decoded for one strip of a picture: 2 Mi take 20 MiB in the core, which an isolate has beside its
 * caches. A screenshot of 1920 x 1200 has one or two strips, one of 4096 x 4096 has eight to thirty.
 */
export const STRIP_SAMPLES = 2 << 20;

/** Minimum rows of a strip: thinner strips would decode the code-blocks at their edges repeatedly. */
export const MIN_STRIP_ROWS = 64;

/**
 * Pixels of a layer that count as one unit of PICTURE_LIMIT. A picture of 1920 x 1200 with three layers takes one unit, 0.3 s of
 * processor time; one of 4096 x 4096 with five takes ten, 4 s.
 */
export const PICTURE_UNIT_PIXELS = 8 << 20;

/** Screenshots as rows, and the files that they become when they are downloaded. */
export const SCREENSHOTS = {
  /** Milliseconds after which a screenshot is deleted: at its longest selection of events, one client adds 50 MB a day. */
  lifeMs: 180 * DAY_MS,
  /** Milliseconds over which the screenshots of a client are summed. */
  periodMs: HOUR_MS,
  /** Pixels of a client's screenshots in that time: 1736 of 1920 x 1200, or 238 of 4096 x 4096, whose files have 4 GB at most. */
  clientPixels: 4e9,
  /** Bytes of their rows: 8000 without events, 120 with the longest selections. */
  clientBytes: 2 << 20,
  /** Seconds of the Retry-After of a rejected one. */
  retryAfterSeconds: 600,
} as const;
