// What the image index finds, and the registers that ingest writes to. All times are milliseconds since 1970, UTC.
import type { CountedWidthMs } from '../sun/bins.ts';
import type { ArchivedImage } from '../sun/image.ts';

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
