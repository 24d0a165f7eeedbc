import { MINUTE_MS } from '../util/durations.ts';

/** The most that JPX_FRAMES can be. Linked files have as many, because their parts are read by calls of their own (`JPX.partFrames`). */
export const MOST_JPX_FRAMES = 20_000;

/** Maximum frames of a JPX file where the operator sets no other (`most`). */
export const MAX_JPX_FRAMES = 1000;

/** The most frames of a file that contains them: three reads for each are most of the 9,650 subrequests of a request, of all requests the most. */
export const MOST_EMBEDDED_FRAMES = 3200;

export const JPIP = {
  /** Milliseconds without a request after which a channel expires at the earliest; its next request starts with an empty cache model. */
  channelLifetimeMs: 30 * MINUTE_MS,
  /** Hours for which the id of a channel is valid: a client that has gathered ids has no more channels at once than it opened in a day. */
  idHours: 24,
  /** Bytes of one response, whatever `len` requests: the metadata of the longest movie with the longest headers known, 19 kB each. */
  responseBytes: 400 << 20,
  /** Messages of one response: windows of 64 pixels of `requestCodestreams` take 20,000. */
  responseMessages: 65_536,
  /** Codestreams of the view window of a request, each of which takes two reads of the 9,650 that a request may have. */
  requestCodestreams: 4096,
  /** Codestreams of one step of a response, and data-bins of them: with 150 bytes each, a step takes 0.6 MB. */
  stepCodestreams: 64,
  stepBins: 4096,
  /** Statements of one request about the cache of its client: four for each of `requestCodestreams`. */
  statements: 16_384,
  /** Reads of R2, or calls and rows that cost as much, for a unit of PICTURE_LIMIT: 15,360 a minute, $8 a day. */
  readsPerUnit: 256,
  /** Codestreams whose cache models share a row of a channel: a movie that is walked through writes the same row again and again. */
  groupsPerRow: 32,
  /** Deliveries that a channel writes at once in a minute. Further ones wait for so many milliseconds, and are written together. */
  writesAtOnce: 64,
  writeMs: 5_000,
  /** Milliseconds by which a channel may live longer, so that its alarm is set once in this time and not by each request. */
  alarmSlackMs: 5 * MINUTE_MS,
  /** Bytes of metadata in the first part of a response from which it is compressed, where they are most of it. */
  gzipBytes: 1024,
  /** Bytes that are read and sent in one step: a response holds three times this in memory, a step that is read ahead among it. */
  batchBytes: 1 << 20,
  /** Bytes of a codestream of a cached target; a movie has up to `MOST_JPX_FRAMES`. */
  codestreamBytes: 600,
} as const;

/** Costs of getJPX and getJPXClosestToMidPoint, by the most frames that their parameters allow. */
export const JPX_COST = {
  /** Frames of a unit of PICTURE_LIMIT, counted apart: 60 files of up to 400 frames a minute, 20 of a thousand, or one of 20,000. */
  unitFrames: 400,
  /** Milliseconds of a frame: the search for its image, the reading of its sidecar, and its part of the record. */
  frameMs: 1,
  /** Seconds between the images of a source for requests of every image: those of AIA. */
  cadenceSeconds: 12,
} as const;

export const JPX = {
  /** Frames of a part of a long linked file, recorded by two calls of the service to itself: twenty of the 32 calls of a request at most. */
  partFrames: 2000,
  parallelParts: 5,
  queryImages: 2000,
  /** Concurrent reads: the connections that a Worker may have open. */
  parallelReads: 6,
  /** Bytes of a part that may be read ahead: headers have 6 kB. Longer parts are streamed in their turn. */
  readAheadBytes: 64 << 10,
  /** Bytes of adjacent ranges of an object that are read at once. */
  runBytes: 256 << 10,
  /** Parts to look ahead of the one that is being sent. */
  rangesAhead: 16,
  /** Seconds for which the edge keeps a JPX file. Its up to 20,000 images are too many to tag: each change of their instrument purges it. */
  edgeSeconds: 300,
} as const;
