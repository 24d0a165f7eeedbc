// Removes what is left of withdrawn images and of uploads that were interrupted before their row was added: objects, and cached responses. The
// sweep also completes withdrawals, and uploads whose row was added.
import { RENDER_VERSION } from '../../picture/raster/render-version.ts';
import { PURGES, SWEEP } from '../../platform/limits/images.ts';
import type { Clock } from '../../platform/ports/timing.ts';
import type { FoundObjects, ImmutableObjects, ObjectStore } from '../../platform/storage/r2-object-store.ts';
import { Failure, when } from '../../platform/util/errors.ts';
import type { ArchivedImage, WithdrawnImage } from '../../sun/image.ts';
import { LAWS_VERSION } from '../../sun/laws/gate.ts';
import type { CachedImageIndex } from '../image-index/cached-image-index.ts';
import type { ImageIndex } from '../image-index/d1-image-index.ts';
import { type D1ImageRegister, SKEW_MS } from '../image-index/d1-image-register.ts';
import { type D1UploadJournal, isFolderKey } from '../image-index/d1-upload-journal.ts';
import type { D1Withdrawals } from '../image-index/d1-withdrawals.ts';
import {
  additionsTag,
  folderTag,
  GRID_KINDS,
  gridKeys,
  imageCopyPrefix,
  imageTag,
  lawKey,
  sidecarKey,
  timelineTagOf,
} from '../keys.ts';
import { PurgeRefused, type Upload } from '../ports.ts';
import type { ResponseCaches } from '../purges.ts';
import { partKey } from '../reading/coefficients.ts';
import { statisticsKey } from '../reading/image-statistics.ts';
import { metadataOf, restateIds, statesId } from './stated-ids.ts';

/** Parts of a coefficient sidecar. */
const PARTS = ['A', 'B', 'C'] as const;
/** Most copies of an image: far more than there are stored sizes and formats. */
const COPIES = 900;

export interface RemovalPorts {
  readonly index: ImageIndex;
  readonly journal: D1UploadJournal;
  readonly objects: ImmutableObjects & FoundObjects & ObjectStore;
  /** Copies of the rows beside the files. An index of objects in bulk leaves them to the first view, because a write for each costs more than its row. */
  readonly records: Pick<CachedImageIndex, 'write' | 'forget' | 'idsOf'>;
  readonly register: Pick<D1ImageRegister, 'withdraw'>;
  readonly withdrawals: Pick<D1Withdrawals, 'ofContents' | 'ofNames' | 'lift'>;
  readonly clock: Clock;
  readonly caches: ResponseCaches;
  readonly sidecarVersion: number;
}

async function removeObjects({ objects, sidecarVersion }: Pick<RemovalPorts, 'objects' | 'sidecarVersion'>, key: string) {
  await objects.delete(sidecarKey(key, sidecarVersion));
  await objects.delete(key);
}

/**
 * Deletes what is left of a withdrawn image, and purges the responses that show it. Idempotent. The sweep repeats it some minutes
 * later, because a response may be stored after the purge by an isolate that still knows the image, and because the platform
 * refuses purges that come too fast. Screenshots that show the image expire unseen: their ids are 410. Finished movies keep it.
 */
export async function removeWithdrawn(ports: RemovalPorts, image: Removed & Pick<WithdrawnImage, 'fileName'>): Promise<void> {
  const { key, fileName } = image;
  await removeFiles(ports, image, await presentAt(ports, image));
  // Purges at once only while few removals wait, so that the purges of the sweep are not refused.
  if (!(await ports.journal.hasMoreThan(PURGES.immediate)))
    await ports.caches.purge([imageTag(image), timelineTagOf(image)]).catch(when(PurgeRefused, () => null));
  await ports.journal.leave({ key, fileName });
}

type Removed = Pick<WithdrawnImage, 'id' | 'key' | 'sha256' | 'sourceId' | 'takenAtMs'>;

const presentAt = async ({ index }: Pick<RemovalPorts, 'index'>, { sourceId, takenAtMs }: Removed) =>
  (await index.inRange(sourceId, takenAtMs, takenAtMs, 1))[0];

/**
 * Deletes the objects of a withdrawn image, its records first: a restored database has the row again. What is derived from its content stays where
 * `present`, the image of its source and time, has the content too.
 */
async function removeFiles(
  { objects, records, sidecarVersion }: Pick<RemovalPorts, 'objects' | 'records' | 'sidecarVersion'>,
  image: Removed,
  present?: ArchivedImage,
): Promise<void> {
  const { id, key, sha256 } = image;
  const content = { sha256 };
  const again = present?.sha256 === sha256 ? present : null;
  const ids = new Set([id, ...(await records.idsOf(content))]);
  await records.forget(
    [...ids].filter((each) => each !== again?.id),
    content,
  );
  await removeObjects({ objects, sidecarVersion }, key);
  if (again) return;
  const { objects: copies } = await objects.list(imageCopyPrefix(RENDER_VERSION, content), { limit: COPIES });
  const derived = [...PARTS.map((part) => partKey(content, part)), lawKey(LAWS_VERSION, content), statisticsKey(content)];
  await objects.delete([...derived, ...copies.map((copy) => copy.key)]);
  const grids = GRID_KINDS.map((kind) => gridKeys(kind, image));
  // Days are deleted last: one that is made in between would have the image again.
  await objects.delete(grids.map(([own]) => own));
  await objects.delete(grids.map(([, day]) => day));
}

/** Writes the record of an added image and states its id, for an upload that was broken off. */
export async function completeAdded({ objects, records }: Pick<RemovalPorts, 'objects' | 'records'>, image: ArchivedImage) {
  await records.write(image);
  const metadata = (await metadataOf(objects, image.key)) ?? {};
  await restateIds(objects, [{ ...image, metadata }], false);
}

/** Completes abandoned changes, deletes objects that no row has, and purges. @returns the number of those deleted @throws PurgeRefused at the end */
export async function sweepAbandonedUploads(ports: RemovalPorts): Promise<number> {
  const { journal, caches } = ports;
  await purgeFolders(ports);
  const taken = await journal.takeAbandoned(SWEEP.uploads);
  const swept = [];
  for (const upload of taken)
    if (journal.isHeld(upload.takenAtMs)) {
      // A shard that is being moved takes no withdrawal: its upload is swept later.
      const isBusy = when(Failure, ({ kind }) => (kind === 'busy' ? null : undefined));
      const result = await sweep(ports, upload).catch(isBusy);
      if (result) swept.push({ ...upload, ...result });
    }
  const unpurged = swept.filter(({ isPurged, isRepeated }) => !isPurged || isRepeated);
  const withdrawn = unpurged.flatMap((each) => each.withdrawn ?? []);
  const folders = unpurged.filter(({ hasAdditions }) => hasAdditions);
  const tags = [...withdrawn.map(imageTag), ...folders.map(additionsTag), ...[...withdrawn, ...folders].map(timelineTagOf)];
  if (tags.length > 0) await caches.purge([...new Set(tags)]);
  for (const { key, takenAtMs, isRepeated } of swept)
    await (isRepeated ? journal.repeat(key, takenAtMs) : journal.end(key, takenAtMs));
  return swept.filter(({ isRemoved }) => isRemoved).length;
}

/** Purges by folders and instruments where more removals wait than a sweep takes: a tag for each of 100,000 images would take a day. */
async function purgeFolders({ journal, caches }: Pick<RemovalPorts, 'journal' | 'caches'>): Promise<void> {
  const { keys, atMs } = await journal.unpurged(PURGES.keys);
  if (keys.length <= SWEEP.uploads) return;
  await caches.purge([
    ...new Set(
      keys.flatMap((key) => [additionsTag({ key }), timelineTagOf({ key }), ...(isFolderKey(key) ? [] : [folderTag({ key })])]),
    ),
  ]);
  await journal.markPurged(keys.at(-1)!, atMs);
}

interface Swept {
  readonly isRemoved: boolean;
  readonly withdrawn?: Removed;
  /** Whether responses about nearest images of its folder are to be purged. */
  readonly hasAdditions?: boolean;
  /** Whether a later sweep does it once more, because a response may be stored after the first purge. */
  readonly isRepeated?: boolean;
}

/**
 * Completes what was broken off: an upload whose row was added, a withdrawal by an operator, or the removal of other objects. An upload whose
 * content is withdrawn under another name is withdrawn as well, because nothing tells whether it was to restore it, unless it has replaced an
 * image, which cannot be brought back.
 */
async function sweep(ports: RemovalPorts, { key, fileName }: Upload): Promise<Swept> {
  const { index, records, register, objects, withdrawals, clock } = ports;
  if (isFolderKey(key)) return { isRemoved: false, hasAdditions: true };
  const image = await index.byFileName(fileName);
  if (image?.key === key) {
    const withdrawal = (await withdrawals.ofContents([image.sha256])).get(image.sha256);
    const isOther = withdrawal && withdrawal.key !== key;
    if (!withdrawal || (isOther && (withdrawal.fileName === fileName || (await hasReplaced(ports, fileName, withdrawal.atMs))))) {
      // The content was restored, unless only the row is back.
      if (withdrawal && (await objects.head(key))) await withdrawals.lift(withdrawal);
      await completeAdded(ports, image);
      return { isRemoved: false, hasAdditions: true };
    }
    await register.withdraw({ id: image.id, lostIds: await records.idsOf(image), atMs: clock() });
    await removeFiles(ports, image);
    return { isRemoved: true, withdrawn: image, isRepeated: true };
  }
  const withdrawn = (await index.withdrawnByFileName(fileName)).find((version) => version.key === key);
  if (withdrawn) await removeFiles(ports, withdrawn, await presentAt(ports, withdrawn));
  else {
    // A file that others have put there states no id, and waits for its index.
    const metadata = await metadataOf(objects, key);
    if (metadata && !statesId(metadata)) return { isRemoved: false };
    await removeObjects(ports, key);
  }
  return { isRemoved: true, ...(withdrawn ? { withdrawn } : {}) };
}

/** Whether the image of a name has replaced one since a time: the version before it is gone, and no operator has withdrawn that. */
async function hasReplaced(
  { index, withdrawals }: Pick<RemovalPorts, 'index' | 'withdrawals'>,
  fileName: string,
  sinceMs: number,
): Promise<boolean> {
  const [[before], recorded] = await Promise.all([index.withdrawnByFileName(fileName), withdrawals.ofNames([fileName])]);
  if (!before || before.withdrawnAtMs < sinceMs - SKEW_MS) return false;
  return !recorded.some(({ key }) => key === before.key);
}
