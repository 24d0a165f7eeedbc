// The image index and the registers that ingest writes to. All times are milliseconds since 1970, UTC.
import type { CountedBin, CountedWidthMs } from '../sun/bins.ts';
import type { ArchivedImage, WithdrawnImage } from '../sun/image.ts';

/** Finds images by time and by id. A source id above 10000 is an XRT group. */
export interface ImageIndex {
  byId(id: number): Promise<ArchivedImage | null>;
  /** The images that exist among `ids`, in any order. */
  byIds(ids: readonly number[]): Promise<ArchivedImage[]>;
  byFileName(fileName: string): Promise<ArchivedImage | null>;
  /** The withdrawn images among `ids`, in any order. */
  withdrawn(ids: readonly number[]): Promise<WithdrawnImage[]>;
  /** The newest hundred withdrawn images of a file name, the newest first. */
  withdrawnByFileName(fileName: string): Promise<WithdrawnImage[]>;
  /** Last image strictly before `atMs` and first at or after it. */
  neighbours(sourceId: number, atMs: number): Promise<{ before: ArchivedImage | null; after: ArchivedImage | null }>;
  /** Times of the nearest images strictly before and strictly after. */
  adjacentTimes(sourceId: number, atMs: number): Promise<{ beforeMs: number | null; afterMs: number | null }>;
  /** First image at or after `fromMs` and last at or before `toMs`. */
  ends(sourceId: number, fromMs: number, toMs: number): Promise<{ first: ArchivedImage | null; last: ArchivedImage | null }>;
  /** At most `limit` images from `fromMs` to `toMs`, both included, oldest first. */
  inRange(sourceId: number, fromMs: number, toMs: number, limit: number): Promise<ArchivedImage[]>;
  /** At most `limit` images of one source, the oldest first unless `first` says otherwise. A source group has none of its own. */
  listed(sourceId: number, times: ListedTimes, limit: number, first?: 'oldest' | 'newest'): Promise<ListedImage[]>;
  /** The days of a source with images from `fromMs` to `toMs`, both starts of days, by time: from the counts, at most `limit`. */
  heldDays(sourceId: number, days: { readonly fromMs: number; readonly toMs: number }, limit: number): Promise<HeldDay[]>;
  /** Number of images from `fromMs` to `toMs`, both included, counted up to `atMost`. */
  countInRange(sourceId: number, fromMs: number, toMs: number, atMost: number): Promise<number>;
  /** Numbers of images of sources in bins that have some, by kept counts; with `any` always 1, by a row for each source and bin. */
  counts(
    sourceIds: readonly number[],
    bins: readonly CountedBin[],
    widthMs: CountedWidthMs,
    figure?: 'sum' | 'any',
  ): Promise<readonly BinCounts[]>;
  /** The first `limit` intervals with an empty bin, by time: between two bins with images whose starts are more than `longerMs` apart. */
  gaps(sourceId: number, searched: SearchedBins, limit: number): Promise<GapCandidate[]>;
  /** `neighbours` of each time, in the order of `timesMs`, in one query. */
  neighboursOfTimes(
    sourceId: number,
    timesMs: readonly number[],
  ): Promise<{ before: ArchivedImage | null; after: ArchivedImage | null }[]>;
  /** Oldest and newest time of every source that has images, by source id. */
  extents(): Promise<ReadonlyMap<number, { startMs: number; endMs: number }>>;
}

export interface ListedImage
  extends Pick<ArchivedImage, 'id' | 'sourceId' | 'takenAtMs' | 'fileName' | 'key' | 'byteLength' | 'sha256'> {
  /** Observer to Sun in metres. */
  readonly dsunMetres: number;
}

export interface HeldDay {
  readonly sourceId: number;
  readonly startMs: number;
  readonly images: number;
  readonly bytes: number;
  /** Sum of the first 40 bits of the SHA-256 of the files, modulo 2^40: equal for equal contents, whatever their names. */
  readonly checksum: number;
}

export interface ListedTimes {
  readonly afterMs: number;
  readonly toMs: number;
}

/** Bins from the one that begins at `fromMs` to the one that contains `toMs`. */
export interface SearchedBins {
  readonly fromMs: number;
  readonly toMs: number;
  readonly widthMs: CountedWidthMs;
  readonly longerMs: number;
}

/** An interval without images, from the counts, with the images beside it. */
export interface GapCandidate {
  /** The last image before it and up to 8 earlier ones, the latest first. */
  readonly beforeMs: readonly number[];
  /** The first image after it and later ones, the earliest first. */
  readonly afterMs: readonly number[];
}

export type BinCounts = ReadonlyMap<number, number>;

/** A cache that takes no purge at the moment, as the platform does after some in a minute. */
export class PurgeRefused extends Error {}

export interface ResponseCaches {
  /** Deletes the cached responses that have one of the tags, or all; others as well where the tags are very many. @throws PurgeRefused */
  purge(tags: readonly string[] | 'everything'): Promise<void>;
}

/** Sequences of numbers, each of which is issued once, whatever happens to the databases. */
export interface IdSequences {
  /**
   * The first of `count` consecutive numbers of the sequence `name`: 1 or more, and above every number that has been issued or
   * passed to `raise`. A sequence that was lost goes on a margin above the last number of which anything is left.
   * @param known The last number that the database has; called for a new or a lost sequence only
   */
  next(name: string, count: number, known: () => Promise<number>): Promise<number>;
  /** Raises the sequence to `atLeast`, a number that a database has assigned. */
  raise(name: string, atLeast: number): Promise<void>;
}

/** An upload whose objects may exist before its row does. */
export interface Upload {
  /** Object key of the JP2. */
  readonly key: string;
  readonly fileName: string;
}
