// Budgets of what visitors store: for a client in an hour and in a day, and for all clients together in a day. With the lifetimes of
// the rows, those for all keep the visitors' database below 9 GB of the 10 GB that D1 allows: see "Growth" in docs/security.md.
import { DAY_MS } from '../../util/durations.ts';

export interface Budget {
  readonly clientHour: number;
  readonly clientDay: number;
  readonly allDay: number;
  /** Name of the stored things in the sentence of a refusal. */
  readonly subject: string;
}

export const BUDGETS = {
  /** Bytes of rows of screenshots: a thousand of usual selections in an hour, or thirty with the longest ones. */
  screenshots: { clientHour: 500_000, clientDay: 1_000_000, allDay: 10_000_000, subject: 'screenshots' },
  /** Pixels of stored files of screenshots, a byte each at most: 1736 of 1920 x 1200 in an hour. Others are rendered anew at each download. */
  screenshotPixels: { clientHour: 4e9, clientDay: 16e9, allDay: 100e9, subject: 'files of screenshots' },
  /** Bytes of stored maps of the whole Sun: 17 of FITS in an hour, or 200 pictures. Others are made anew. */
  maps: { clientHour: 2 ** 30, clientDay: 4 * 2 ** 30, allDay: 20 * 2 ** 30, subject: 'stored maps' },
  /** Bytes of rows of movies and builds: two hundred in an hour without long selections of events. */
  movies: { clientHour: 500_000, clientDay: 1_000_000, allDay: 8_000_000, subject: 'movies' },
  /** Bytes of records of JPX files: two hundred files of a thousand frames in an hour, or fifty of four thousand. */
  jpx: { clientHour: 64 << 20, clientDay: 256 << 20, allDay: 4e9, subject: 'new JPX files' },
  /** Bytes of metadata of linked JPX files: forty files of a thousand frames in an hour. That of others is read from the images. */
  jpxMetadata: { clientHour: 256 << 20, clientDay: 2 ** 30, allDay: 10e9, subject: 'metadata of JPX files' },
  /** Bytes of rows of short links: a hundred of usual length in an hour. */
  links: { clientHour: 50_000, clientDay: 100_000, allDay: 2_000_000, subject: 'new short links' },
  /** Bytes of shared views and their rows: a hundred of usual length in an hour. */
  views: { clientHour: 512_000, clientDay: 1_000_000, allDay: 10_000_000, subject: 'new shared views' },
  /** JPIP channels, each a Durable Object for half an hour: one for each layer that a desktop client loads, and one for each movie. */
  channels: { clientHour: 1000, clientDay: 4000, allDay: 500_000, subject: 'new JPIP channels' },
  /** Bytes of rows of authorisations and sessions at the video host, which live for an hour. */
  authorisations: { clientHour: 200_000, clientDay: 400_000, allDay: 50_000_000, subject: 'authorisations at the video host' },
} as const satisfies Readonly<Record<string, Budget>>;

export type BudgetName = keyof typeof BUDGETS;

export const BUDGET_RETRY_SECONDS = 600;

/** Time without a use after which something stored is deleted in favour of something new, when the budget for all is used up. */
export const EVICTED_UNUSED_MS = 37 * DAY_MS;

/** Uses are recorded at most once a week: less than `EVICTED_UNUSED_MS`, or what is in use would be evicted. */
export const SAME_USE_MS = 7 * DAY_MS;

/** Bytes that a row is charged beside its texts: its numbers, hashes and indexes. */
export const ROW_BYTES = 300;

/** Rows of the build of a movie: its own, and those of the parts of its files. */
export const BUILD_ROWS = 3;
