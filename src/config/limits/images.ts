// Limits of ingest and of the search for images.

import { DAY_MS } from '../../util/durations.ts';
export const UPLOAD = {
  /**
   * Bytes of a JP2 file. An incompressible 4096x4096 image of 8 bits has 16 MiB, and real ones have 1 to 3. The ingest command
   * sends four files at once; four of this size leave room in the 128 MB of an isolate.
   */
  bodyBytes: 20 << 20,
  /** Characters of a file name: real ones have up to 80, and the key around it must stay below the 1024 bytes of R2. */
  fileNameCharacters: 200,
} as const;

/** Age in milliseconds of the following image from which a nearest image counts as settled: deliveries may be days late. */
export const SETTLED_AFTER_MS = 7 * DAY_MS;

/** Bytes read from the front of a JP2 to find its XML header: first attempt and upper bound. */
export const HEADER_SEARCH = { firstBytes: 65_536, maxBytes: 1 << 20 } as const;
