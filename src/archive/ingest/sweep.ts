// Removes the objects of uploads that were interrupted before their row was added, and repeats the removal of withdrawn images.
import { PURGES, SWEEP } from '../../platform/limits/images.ts';
import { isFolderKey } from '../image-index/d1-upload-journal.ts';
import { additionsTag, folderTag, imageTag, timelineTagOf } from '../keys.ts';
import type { Upload } from '../ports.ts';
import { type RemovalPorts, removeFiles, removeObjects } from './remove-withdrawn.ts';

/** Deletes the objects of abandoned uploads and withdrawn images, and purges. @returns the number of uploads @throws PurgeRefused at the end */
export async function sweepAbandonedUploads(ports: RemovalPorts): Promise<number> {
  const { journal, caches } = ports;
  await purgeFolders(ports);
  const taken = await journal.takeAbandoned(SWEEP.uploads);
  const swept = [];
  for (const upload of taken) swept.push({ ...(await sweep(ports, upload)), isPurged: upload.isPurged });
  const withdrawn = swept.flatMap((each) => (each.withdrawn && !each.isPurged ? each.withdrawn : []));
  const folders = taken.filter(({ key, isPurged }) => isFolderKey(key) && !isPurged);
  const tags = [...withdrawn.map(imageTag), ...folders.map(additionsTag), ...[...withdrawn, ...folders].map(timelineTagOf)];
  if (tags.length > 0) await caches.purge([...new Set(tags)]);
  for (const { key } of taken) await journal.end(key);
  return swept.filter(({ isRemoved }) => isRemoved).length;
}

/** Purges by folders and instruments where more removals wait than a sweep takes: a tag for each of 100,000 images would take 17 hours. */
async function purgeFolders({ journal, caches }: Pick<RemovalPorts, 'journal' | 'caches'>): Promise<void> {
  const keys = await journal.unpurged(PURGES.keys);
  if (keys.length <= SWEEP.uploads) return;
  await caches.purge([
    ...new Set(keys.flatMap((key) => [isFolderKey(key) ? additionsTag({ key }) : folderTag({ key }), timelineTagOf({ key })])),
  ]);
  await journal.markPurged(keys.at(-1)!);
}

async function sweep(ports: RemovalPorts, { key, fileName }: Upload) {
  const { index, records } = ports;
  if (isFolderKey(key)) return { isRemoved: false };
  const image = await index.byFileName(fileName);
  if (image?.key === key) {
    await records.write(image);
    return { isRemoved: false };
  }
  const withdrawn = (await index.withdrawnByFileName(fileName)).find((version) => version.key === key);
  if (!withdrawn) {
    await removeObjects(ports, key);
    return { isRemoved: true };
  }
  await removeFiles(ports, withdrawn);
  // The same content may have been archived again under another name of its key.
  if (image?.sha256 === withdrawn.sha256) await records.write(image);
  return { isRemoved: true, withdrawn };
}
