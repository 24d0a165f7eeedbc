// Removes what is left of a withdrawn image: its objects, and cached responses.
import { imageTag, type WithdrawnImage } from '../../domain/image.ts';
import type { ImageIndex, ResponseCaches, UploadJournal } from '../../ports/images.ts';
import type { ImmutableObjects } from '../../ports/objects.ts';
import { sidecarKey } from '../../storage/keys.ts';

export interface RemovalPorts {
  readonly index: Pick<ImageIndex, 'byFileName' | 'withdrawnByFileName'>;
  readonly journal: UploadJournal;
  readonly objects: ImmutableObjects;
  readonly caches: ResponseCaches;
  /** Version of the sidecars. */
  readonly sidecarVersion: number;
}

/** Deletes the sidecar and the file at a key that no row has. */
export async function removeObjects(
  { objects, sidecarVersion }: Pick<RemovalPorts, 'objects' | 'sidecarVersion'>,
  key: string,
): Promise<void> {
  await objects.delete(sidecarKey(key, sidecarVersion));
  await objects.delete(key);
}

/**
 * Purges the responses that show a withdrawn image, deletes its objects and its record in the journal. Idempotent. Tiles and copies
 * that were made of it expire by themselves, because their names are found through its row alone.
 */
export async function removeWithdrawn(ports: RemovalPorts, { id, key }: Pick<WithdrawnImage, 'id' | 'key'>): Promise<void> {
  await ports.caches.purge([imageTag(id)]);
  await removeObjects(ports, key);
  await ports.journal.end(key);
}
