// Removes the objects of uploads that were interrupted before their row was added, and repeats the removal of withdrawn images.
import { imageTag } from '../../domain/image.ts';
import type { Upload } from '../../ports/images.ts';
import { type RemovalPorts, removeFiles, removeObjects } from './remove-withdrawn.ts';

/** Uploads per sweep: each takes up to nine subrequests of the thousand that an invocation has, and a purge takes as many tags. */
const UPLOADS_PER_SWEEP = 100;

/**
 * Deletes the objects of abandoned uploads without a row and those of withdrawn images, whose responses it purges.
 * @returns the number of uploads removed
 * @throws PurgeRefused after the removal; a later sweep repeats both
 */
export async function sweepAbandonedUploads(ports: RemovalPorts): Promise<number> {
  const { journal, caches } = ports;
  const taken = await journal.takeAbandoned(UPLOADS_PER_SWEEP);
  const swept = [];
  for (const upload of taken) swept.push(await sweep(ports, upload));
  const withdrawn = swept.flatMap(({ withdrawnId }) => (withdrawnId === undefined ? [] : imageTag(withdrawnId)));
  if (withdrawn.length > 0) await caches.purge(withdrawn);
  for (const { key } of taken) await journal.end(key);
  return swept.filter(({ isRemoved }) => isRemoved).length;
}

async function sweep(ports: RemovalPorts, { key, fileName }: Upload): Promise<{ isRemoved: boolean; withdrawnId?: number }> {
  const { index, facts } = ports;
  const image = await index.byFileName(fileName);
  if (image?.key === key) {
    await facts.write(image);
    return { isRemoved: false };
  }
  const withdrawn = (await index.withdrawnByFileName(fileName)).find((version) => version.key === key);
  if (!withdrawn) {
    await removeObjects(ports, key);
    return { isRemoved: true };
  }
  await removeFiles(ports, withdrawn);
  return { isRemoved: true, withdrawnId: withdrawn.id };
}
