// Removes what is left of a withdrawn image: its objects, and cached responses.
import { RENDER_VERSION } from '../../picture/raster/render-version.ts';
import { PURGES } from '../../platform/limits/images.ts';
import type { FoundObjects, ImmutableObjects, ObjectStore } from '../../platform/ports/objects.ts';
import type { WithdrawnImage } from '../../sun/image.ts';
import { LAWS_VERSION } from '../../sun/laws/gate.ts';
import type { CachedImageIndex } from '../image-index/cached-image-index.ts';
import type { D1UploadJournal } from '../image-index/d1-upload-journal.ts';
import { GRID_FORMATS, gridKeys, imageCopyPrefix, imageTag, lawKey, sidecarKey, timelineTagOf } from '../keys.ts';
import { type ImageIndex, PurgeRefused, type ResponseCaches } from '../ports.ts';
import { partKey } from '../reading/coefficients.ts';
import { statisticsKey } from '../reading/image-statistics.ts';

/** Parts of a coefficient sidecar. */
const PARTS = ['A', 'B', 'C'] as const;
/** Most copies of an image: far more than there are stored sizes and formats. */
const COPIES = 900;

export interface RemovalPorts {
  readonly index: Pick<ImageIndex, 'byFileName' | 'withdrawnByFileName'>;
  readonly journal: Pick<
    D1UploadJournal,
    'begin' | 'end' | 'leave' | 'recorded' | 'hasMoreThan' | 'endOfEarlierDay' | 'unpurged' | 'markPurged' | 'takeAbandoned'
  >;
  readonly objects: ImmutableObjects & Pick<FoundObjects, 'list'> & Pick<ObjectStore, 'put' | 'readAll'>;
  /** Copies of the rows beside the files. */
  readonly records: Pick<CachedImageIndex, 'write' | 'forget' | 'idsOf'>;
  readonly caches: ResponseCaches;
  readonly sidecarVersion: number;
}

export async function removeObjects({ objects, sidecarVersion }: Pick<RemovalPorts, 'objects' | 'sidecarVersion'>, key: string) {
  await objects.delete(sidecarKey(key, sidecarVersion));
  await objects.delete(key);
}

/**
 * Deletes what is left of a withdrawn image, and purges the responses that show it. Idempotent. The sweep repeats it some minutes
 * later, because a response may be stored after the purge by an isolate that still knows the image, and because the platform
 * refuses purges that come too fast. Screenshots and movies that show the image expire unseen: their ids are 410.
 */
export async function removeWithdrawn(ports: RemovalPorts, image: Removed & Pick<WithdrawnImage, 'fileName'>): Promise<void> {
  const { key, fileName } = image;
  await removeFiles(ports, image);
  // Purges at once only while few removals wait, so that the purges of the sweep are not refused.
  if (!(await ports.journal.hasMoreThan(PURGES.immediate)))
    await ports.caches.purge([imageTag(image), timelineTagOf(image)]).catch((error: unknown) => {
      if (!(error instanceof PurgeRefused)) throw error;
    });
  await ports.journal.leave({ key, fileName });
}

type Removed = Pick<WithdrawnImage, 'id' | 'key' | 'sha256' | 'sourceId' | 'takenAtMs'>;

/** Deletes the objects of a withdrawn image, its records first, with all that was derived: a restored database has the row again. */
export async function removeFiles(
  { objects, records, sidecarVersion }: Pick<RemovalPorts, 'objects' | 'records' | 'sidecarVersion'>,
  image: Removed,
): Promise<void> {
  const { id, key, sha256 } = image;
  const content = { sha256 };
  await records.forget([...new Set([id, ...(await records.idsOf(content))])], content);
  await removeObjects({ objects, sidecarVersion }, key);
  const { objects: copies } = await objects.list(imageCopyPrefix(RENDER_VERSION, content), { limit: COPIES });
  const derived = [...PARTS.map((part) => partKey(content, part)), lawKey(LAWS_VERSION, content), statisticsKey(content)];
  await objects.delete([...derived, ...copies.map((copy) => copy.key)]);
  const grids = Object.values(GRID_FORMATS).map((format) => gridKeys(format, image));
  // Days are deleted last: one that is made in between would have the image again.
  await objects.delete(grids.map(([own]) => own));
  await objects.delete(grids.map(([, day]) => day));
}
