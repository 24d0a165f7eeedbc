// Removes the objects of uploads that were interrupted before their row was added, and of withdrawn images.
import { type RemovalPorts, removeObjects, removeWithdrawn } from './remove-withdrawn.ts';

/** Uploads per sweep: each takes up to nine subrequests of the thousand that an invocation has. */
const UPLOADS_PER_SWEEP = 100;

/**
 * Deletes the objects of abandoned uploads without a row, and completes interrupted withdrawals.
 * @returns the number of uploads removed
 */
export async function sweepAbandonedUploads(ports: RemovalPorts): Promise<number> {
  const { index, journal } = ports;
  let removed = 0;
  for (const { key, fileName } of await journal.takeAbandoned(UPLOADS_PER_SWEEP)) {
    const image = await index.byFileName(fileName);
    if (image?.key !== key) {
      const withdrawn = (await index.withdrawnByFileName(fileName)).find((version) => version.key === key);
      await (withdrawn ? removeWithdrawn(ports, withdrawn) : removeObjects(ports, key));
      removed += 1;
    }
    await journal.end(key);
  }
  return removed;
}
