// Removes the objects of uploads that were interrupted before their row was added.
import type { ImageIndex, UploadJournal } from '../../ports/images.ts';
import type { ImmutableObjects } from '../../ports/objects.ts';
import { sidecarKey } from '../../storage/keys.ts';

/** Uploads per sweep: each takes up to four subrequests of the thousand that an invocation has. */
const UPLOADS_PER_SWEEP = 100;

interface SweepPorts {
  readonly index: Pick<ImageIndex, 'byFileName'>;
  readonly journal: UploadJournal;
  readonly objects: ImmutableObjects;
  readonly sidecarVersion: number;
}

/**
 * Deletes the objects of abandoned uploads without a row.
 * @returns the number of uploads removed
 */
export async function sweepAbandonedUploads({ index, journal, objects, sidecarVersion }: SweepPorts): Promise<number> {
  let removed = 0;
  for (const { key, fileName } of await journal.takeAbandoned(UPLOADS_PER_SWEEP)) {
    const image = await index.byFileName(fileName);
    if (image?.key !== key) {
      await objects.delete(sidecarKey(key, sidecarVersion));
      await objects.delete(key);
      removed += 1;
    }
    await journal.end(key);
  }
  return removed;
}
