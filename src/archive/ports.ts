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

/** An upload whose objects may exist before its row does. */
export interface Upload {
  /** Object key of the JP2. */
  readonly key: string;
  readonly fileName: string;
}
