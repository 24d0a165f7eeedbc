import { DAY_MS, MINUTE_MS, SECOND_MS } from '../util/durations.ts';
export const UPLOAD = {
  /** Bytes of a JP2 file: an incompressible image of 4096x4096 has 16 MiB. An isolate has room for the four that ingest sends at once. */
  bodyBytes: 20 << 20,
} as const;

export const INDEXING = {
  /** Objects of a request: with three calls of R2 and D1 each, they stay far below the thousand of an invocation. */
  objects: 100,
  /** Objects of a list: the most that R2 gives. */
  listed: 1000,
  /** Characters of a path: the longest key of R2. */
  pathCharacters: 1024,
  bodyBytes: 256 << 10,
  /** Seconds to the next attempt at an object that is being uploaded, whose shard moves, or that failed once. */
  retrySeconds: 60,
  /** Milliseconds for which an object waits for its upload or the move of its shard, which end within hours. */
  waitMs: DAY_MS,
} as const;

export const SEQUENCES = {
  /** Numbers of a shard that are skipped after its sequence was lost: for the images added since the backup or the mark of the archive. */
  margin: 1 << 20,
  /** Numbers after which the archive keeps the last one, in one write, beside the first of each isolate. */
  marked: 4096,
  /** The least number that no archive reaches: a file may state any. */
  end: 2 ** 36,
} as const;

export const KNOWN_IMAGES = {
  /** Bytes of one in memory. */
  bytes: 800,
  /** Milliseconds for which other isolates may still serve a withdrawn image. */
  freshMs: MINUTE_MS,
  /** Images whose facts are stored together, after a picture: three calls each, of the thousand of an invocation. */
  missing: 100,
} as const;

/** Age in milliseconds of the following image from which a nearest image counts as settled: deliveries may be days late. */
export const SETTLED_AFTER_MS = 7 * DAY_MS;

/** How long a Worker trusts that an image database has its shards. */
export const SHARD_CHECK_MS = 30 * SECOND_MS;

/** Milliseconds after which an isolate asks a database again whether its schema fits. */
export const SCHEMA_CHECK_MS = 5 * MINUTE_MS;

/** Bytes that a read of a JP2 takes to find its XML header, of a box that may be longer too, and reads at most. */
export const HEADER_SEARCH = { firstBytes: 65_536, maxBytes: 1 << 20, maxReads: 6 } as const;

export const COVERAGE = {
  /** Layers: the web client shows five. */
  layers: 10,
  /** Single images of a layer: five hours with an image each two seconds. */
  points: 10_000,
  /** Times of a range, milliseconds since 1970: 1900 to 2200, so that a response has at most 11000 bins a layer. */
  timeMs: { min: Date.UTC(1900, 0, 1), max: Date.UTC(2200, 0, 1) },
} as const;

export const LISTS = {
  /** Rows a query; 1000 take 300 kB. */
  pageImages: 1000,
  /** Days a query: five numbers each. */
  pageDays: 5000,
  /** Images of a response of listImages, unless it says so, and the most. */
  images: 1000,
  maxImages: 100_000,
  /** Images of an index page of a folder: an image each two seconds of a day, 8 MB of markup. */
  folderImages: 50_000,
  /** The newest images of a feed: who reads it each hour misses none of a source with an image each 90 seconds. */
  feedImages: 40,
  /** Files of a response of getHoldings: 500 of the 2000 calls of an invocation, and about 5 of its 20 seconds of processor time. */
  files: 500_000,
  /** Records that count as one unit of PICTURE_LIMIT, 0.3 s of processor time. */
  unitRecords: 25_000,
} as const;

export const GAPS = {
  /** Length of a range whose start is unset. */
  rangeMs: 30 * DAY_MS,
  /** Gaps of a response: each takes two searches and the reading of 18 rows. */
  found: 1000,
} as const;

export const RECONCILIATION = {
  /** Objects or rows of a step: the most that R2 lists in a call. */
  objects: 1000,
  /** Files of a step that reads the contents of all whose hash a listing does not state: two calls of R2 each. */
  contents: 200,
  /** Files of which a step of the clock reads the contents. */
  clockContents: 10,
  /** Calls of R2 by which a step compares folders: of rows with files, or of ids with what is stated for them. */
  folderCalls: 100,
  /** Rows of a folder up to which each is looked up by itself. */
  heads: 3,
  /** Lists of ids of a folder that a step reads; it replaces more by one. */
  idLists: 16,
  /** Calls of a run of the clock, which takes a further step while one has room: about forty of D1, contents and folders. */
  runCalls: 1000,
  stepCalls: 180,
  /** Calls of R2 and D1 by which a step mends: with those of the comparison, it stays below a thousand. */
  mendingCalls: 500,
  /** Calls of R2 at once: as many connections as an invocation has. */
  atOnce: 6,
  /** Time in which the clock compares the share of the files that the setting says. */
  monthMs: 30 * DAY_MS,
  /** Objects and rows of a round for each image: file, row, sidecar, record and its mark. */
  ofImage: 5,
} as const;

/** A sweep of abandoned uploads and withdrawn images: how many it takes, and subrequests and statements of D1 for each. */
export const SWEEP = { uploads: 70, callsPerUpload: 26, statementsPerUpload: 13 } as const;

/** Limits of purges: 5 calls a minute, 25 at once, 100 tags each (https://developers.cloudflare.com/cache/how-to/purge-cache/). */
export const PURGES = {
  tagsPerCall: 100,
  /** Calls for a purge, which leave one a minute to single withdrawals. What needs more calls purges everything by one. */
  calls: 4,
  /** Removals up to which each purges by itself, within the calls at once. */
  immediate: 15,
  /** Keys of removals of which a sweep knows the folders, 60 bytes each. */
  keys: 20_000,
} as const;

/** Start of the time that an image may have: the oldest of the catalogue are of 1991. In milliseconds since 1970. */
export const EARLIEST_IMAGE_MS = Date.UTC(1990, 0, 1);
