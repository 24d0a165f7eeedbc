// Ports of indexing in bulk: many images for a few statements of each image database.
import type { ArchivedImage } from '../domain/image.ts';
import type { Registration } from './images.ts';

/** The archive's knowledge of file names. */
export interface KnownNames {
  /** Images that have one of the names, by name. */
  readonly images: ReadonlyMap<string, ArchivedImage>;
  /** Keys of withdrawn images that have one of the names. Keys are never used again. */
  readonly withdrawnKeys: ReadonlySet<string>;
}

/** Result of `BulkRegister.addAll` for an image; `moving`: its shard takes no images at the moment. */
export type BulkRegistration = Registration | { readonly outcome: 'moving' };

export interface BulkRegister {
  lookUp(fileNames: readonly string[]): Promise<KnownNames>;
  /** Adds rows as `ImageRegister.add` does; the results are in the order of the images. */
  addAll(images: readonly Omit<ArchivedImage, 'id'>[]): Promise<readonly BulkRegistration[]>;
}
