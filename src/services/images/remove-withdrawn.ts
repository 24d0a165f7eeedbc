// Removes what is left of a withdrawn image: its objects, and cached responses.
import { imageTag, type WithdrawnImage } from '../../domain/image.ts';
import { type ImageFacts, type ImageIndex, PurgeRefused, type ResponseCaches, type UploadJournal } from '../../ports/images.ts';
import type { ImmutableObjects } from '../../ports/objects.ts';
import { sidecarKey } from '../../storage/keys.ts';

export interface RemovalPorts {
  readonly index: Pick<ImageIndex, 'byFileName' | 'withdrawnByFileName'>;
  readonly journal: UploadJournal;
  readonly objects: ImmutableObjects;
  readonly facts: Pick<ImageFacts, 'write' | 'delete'>;
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
 * Deletes what is left of a withdrawn image, and purges the responses that show it. Idempotent. The sweep repeats it some minutes
 * later, because a response may be stored after the purge by an isolate that still knows the image, and because the platform
 * refuses purges that come too fast. Tiles and copies that were made of the image expire by themselves: their names are found
 * through its facts alone.
 */
export async function removeWithdrawn(
  ports: RemovalPorts,
  { id, key, fileName }: Pick<WithdrawnImage, 'id' | 'key' | 'fileName'>,
): Promise<void> {
  await removeFiles(ports, { id, key });
  await ports.caches.purge([imageTag(id)]).catch((error: unknown) => {
    if (!(error instanceof PurgeRefused)) throw error;
  });
  await ports.journal.leave({ key, fileName });
}

/** Deletes the objects of a withdrawn image, its facts first. */
export async function removeFiles(
  ports: Pick<RemovalPorts, 'objects' | 'facts' | 'sidecarVersion'>,
  { id, key }: Pick<WithdrawnImage, 'id' | 'key'>,
): Promise<void> {
  await ports.facts.delete(id);
  await removeObjects(ports, key);
}
