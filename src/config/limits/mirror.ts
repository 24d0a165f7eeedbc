// Limits of the mirror.
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../util/durations.ts';

export const MIRROR_REQUESTS = {
  /** Milliseconds before the second attempt; doubled before each further one. */
  firstRetryMs: 500,
  /** Redirects within the host. */
  redirects: 3,
  /** Bytes of an index page: a day of one image a second in nginx's form takes 15 MB. */
  pageBytes: 16 << 20,
  /** Bytes of a response of the API. */
  responseBytes: 1 << 20,
  /** Requests a second and files at once, unless the operator chooses others. */
  perSecond: 10,
  parallel: 4,
  maxPerSecond: 200,
  maxParallel: 16,
} as const;

/** Downloads of a file whose content is refused as damaged: the fault may be that of the transfer until two of them are equal. */
export const MIRROR_DOWNLOADS = 3;

/** Names of a request that asks which of them the archive has. */
export const MIRROR_NAMES = 100;

/** Images of a page of an API. */
export const API_PAGE_IMAGES = 25;

/** Days of a tree that are requested without a look at the folders of years and months. */
export const TREE_DIRECT_DAYS = 10;

/** Times from which files may still be added to a list: deliveries may be days late. An API needs a request for each image. */
export const MIRROR_LATE_MS = { tree: 3 * DAY_MS, api: 2 * HOUR_MS } as const;

/** Attempts at a part of a list, the last of them six days after the first, and milliseconds before the second one. */
export const OPEN_SPANS = { attempts: 15, firstRetryMs: 10 * MINUTE_MS, longestRetryMs: DAY_MS, read: 100 } as const;

/** A step of the mirror, by the clock every minute or on command. */
export const MIRROR_STEP = {
  /** Files: each takes 60 ms of processor time, and up to 0.7 s with the survey of 4096 x 4096 pixels. */
  files: 60,
  /** Pages of lists. */
  pages: 40,
  /** Subrequests of a file, most of them of its ingest, and of a page: one of an API has 25 images with two requests each. */
  callsPerFile: 20,
  callsPerPage: 60,
  /** Milliseconds after which no further file is begun, of the 20 s of processor time that an invocation has (`cpu_ms` in wrangler.toml). */
  workMs: 15 * SECOND_MS,
  /** Files at once: two of the largest ones leave room in the 128 MB of an isolate. */
  parallel: 2,
  /** Milliseconds for one response. */
  attemptMs: 20 * SECOND_MS,
  attempts: 2,
  /** Attempts of a step that a command requests, which waits for its response. */
  commandAttempts: 4,
  /** Milliseconds that a step waits because an upstream asks for it. */
  waitMs: 2 * SECOND_MS,
  /** Milliseconds after which the claim of a step that was cut off ends. */
  leaseMs: 3 * MINUTE_MS,
  /** Milliseconds before the next attempt at a source whose upstream fails; doubled up to the longest. */
  firstRetryMs: MINUTE_MS,
  longestRetryMs: HOUR_MS,
  /** Milliseconds for which pages and refusals are remembered: files are added to a list later for a few days, and a list is read no longer. */
  memoryMs: 30 * DAY_MS,
} as const;
