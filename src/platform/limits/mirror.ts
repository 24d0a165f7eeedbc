import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../util/durations.ts';

export const MIRROR_REQUESTS = {
  /** Milliseconds before the second attempt; doubled before each further one. */
  firstRetryMs: 500,
  /** Redirects within the host. */
  redirects: 3,
  /** Bytes of an index page: a day of one image a second in nginx's form takes 15 MB. */
  pageBytes: 16 << 20,
  responseBytes: 1 << 20,
  /** Requests a second and files at once, unless the operator chooses others. */
  perSecond: 10,
  parallel: 4,
  maxPerSecond: 200,
  maxParallel: 16,
} as const;

/** Downloads of a file whose content is refused as damaged: the fault may be that of the transfer until two of them are equal. */
export const MIRROR_DOWNLOADS = 3;

/** Names of one question to the archive, and of lists of an upstream that are looked up and written together. */
export const MIRROR_NAMES = 100;
export const LISTED_NAMES = 2000;

export const API_PAGE_IMAGES = 25;

/** Days of a tree that are requested without a look at the folders of years and months. */
export const TREE_DIRECT_DAYS = 10;

/** Times from which files may still be added to a list: deliveries may be days late. An API needs a request for each image. */
export const MIRROR_LATE_MS = { tree: 3 * DAY_MS, api: 2 * HOUR_MS } as const;

/** Attempts at a part of a list, the last of them six days after the first, and milliseconds before the second one. */
export const OPEN_SPANS = { attempts: 15, firstRetryMs: 10 * MINUTE_MS, longestRetryMs: DAY_MS, read: 100 } as const;

/** A step of the mirror: by the clock every minute, which lists files and sends a message for each, or on command, which copies them. */
export const MIRROR_STEP = {
  /** Files of a command: with 4096 x 4096 pixels each takes up to 1.2 s, of the 20 s of processor time of an invocation (`cpu_ms` in wrangler.toml). */
  files: 12,
  /** Due files above which listing pauses, and files sent in a minute at most: twice the rate of all channels of AIA. */
  waiting: 2_000,
  sent: 120,
  /** Pages of lists, and names on them after which the clock begins no further one: a page may have 86,400. */
  pages: 25,
  names: 40_000,
  maxPageNames: 86_400,
  /**
   * Subrequests and statements of a file, most of them of its ingest: the first one of a sequence of ids, in a new isolate, has most, and one
   * that meets what an interrupted upload left is stored under a second key.
   */
  callsPerFile: 40,
  statementsPerFile: 30,
  /** Costs of a page: one of an API has 25 images with two requests each. The statements include those of a source of which the clock reads one page. */
  callsPerPage: 60,
  statementsPerPage: 14,
  /** Statements that look up `LISTED_NAMES`, and plan those that are missing. */
  statementsPerNames: 7,
  /** Milliseconds after which a file is sent again whose message has had no result: its queue has tried it six times by then. */
  fileLeaseMs: 15 * MINUTE_MS,
  /** Milliseconds between two looks at a source that is in step. */
  everyMs: 10 * MINUTE_MS,
  /** Milliseconds after which a step begins no further file or page. */
  workMs: 15 * SECOND_MS,
  /** Requests of the clock at once. */
  parallel: 2,
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
  /** Milliseconds without a list of any source after which the mirror counts as failing. */
  lateMs: HOUR_MS,
  /** Milliseconds for which pages and refusals are remembered: files are added to a list later for a few days, and a list is read no longer. */
  memoryMs: 30 * DAY_MS,
} as const;
