// The memory of an isolate. Of its 128 MB, the bundle takes about 12, cores at rest up to 24, and the budget the rest but for a reserve.
import { MINUTE_MS } from '../util/durations.ts';

const MIB = 1 << 20;

export const MEMORY_BUDGET_MIB = 80;

/** Bytes of one budget that jobs may have together: caches keep a quarter, unless a job needs more and runs alone. */
const JOB_SHARE = 3 / 4;

/** Part of the bytes of jobs that those of more than a tile leave free, so that a tile never waits for slow large ones. */
const SMALL_SHARE = 1 / 10;

/** Age at which the memory of a job counts as free, in ms, because the platform may end a request without notice. */
const LEASE_MS = MINUTE_MS;

export function memoryLimits(mebibytes: number = MEMORY_BUDGET_MIB) {
  const bytes = mebibytes * MIB;
  const jobBytes = Math.floor(bytes * JOB_SHARE);
  return { bytes, jobBytes, leaseMs: LEASE_MS, small: { bytes: JOB_BYTES.tile, room: Math.floor(jobBytes * SMALL_SHARE) } };
}

export const MEMORY_WAIT_MS = {
  /** For a request: later, clients tend to have given up. */
  request: 5_000,
  /** For an upload, and for work behind responses, which no user waits for. */
  background: 20_000,
} as const;

export const MEMORY_RETRY_SECONDS = 10;

/** Estimates of the memory of jobs, in bytes. */
export const JOB_BYTES = {
  /** A tile: up to 0.7 MB of the file, a window of 1024 x 1024 samples, and the PNG. */
  tile: 4 * MIB,
  /** A response of JPIP until its first part is read: a step of requested bins, three times `JPIP.batchBytes`, and statements. */
  jpip: 4 * MIB,
  /** A byte of a file that is ingested, or whose coefficients are made: the file, what is made of it, and both parts of a copy. */
  perFileByte: 2.5,
  /** A frame of a JPX file while it is recorded: its row, its layout, and its part of the record in three forms. */
  perJpxFrame: 2500,
  /** Counting the bytes of a file strip by strip, and those of its cells, and the decoder: at ingest beside the file. */
  survey: 20 * MIB,
  /** The grids of a day while its object is made, or of some days that are read for a light curve. */
  gridDay: 24 * MIB,
  /** Bytes that a filter on resolution levels adds to a strip or tile: the samples around it, and its core. */
  apron: 24 * MIB,
  /** A pixel of a picture: its file, of which the largest real ones have 1.3 bytes. */
  perPixel: 1.5,
  /** A pixel of a strip: R, G and B. */
  perStripPixel: 3,
  /** A pixel of a layer of a strip: samples, opacity, and the bytes of the window. */
  perLayerPixel: 3,
  /** A pixel in the decoder of a picture that pauses: 3.6 MiB for a strip of an image without precincts. */
  perDecodedPixel: 8,
} as const;

/** Time to make a cached value again, in ms: the least valuable of the least recently used is evicted first. */
export const CACHE_WORTH_MS = {
  /** A row of an image; its observer and origin. */
  row: 15,
  /** The law of an image and its coordinates: a read of its header, and of the stored verdict. */
  law: 20,
  /** The images of a virtual store: a query, and the law of the first. */
  store: 40,
  /** An index sidecar: a read, and parsing. */
  sidecar: 20,
  /** Part A of a coefficient sidecar: a read of 0.3 MB, and parsing. */
  partA: 30,
  /** A table of an image: a read of 15 kB, decompression, and a level for each byte in each annulus. */
  table: 25,
  /** Bytes of a block of chunks: reads, and decoding 1024 x 1024 samples. */
  chunkBlock: 40,
  /** A day of events: a read of the stored records, and parsing. A new one takes seconds. */
  eventDay: 150,
  /** The target of JPIP: a row, or the layout of a thousand frames. */
  jpipTarget: 40,
} as const;
