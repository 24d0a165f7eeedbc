// Withdraws an image from the archive.
import type { ArchivedImage, WithdrawnImage } from '../../sun/image.ts';
import { beingRemoved, type IngestPorts } from './ingest.ts';
import { removeWithdrawn } from './remove-withdrawn.ts';

export type WithdrawalResult =
  | { readonly outcome: 'withdrawn'; readonly image: WithdrawnImage }
  /** The archive has never had an image of this name, or the one that was meant is not of this name. */
  | { readonly outcome: 'unknown' }
  | { readonly outcome: 'busy'; readonly sentence: string };

/**
 * Withdraws the image of a file name. Idempotent: without one, completes the removal of the image of this name that was withdrawn
 * last. The file does not come back unless an operator restores it. The row goes first, and the journal records the objects, so that the sweep removes what an interrupted request leaves.
 * @param only Withdraws no other image that has the name meanwhile; its file is lost, and may come back
 */
export async function withdraw(
  ports: IngestPorts,
  fileName: string,
  only?: Pick<ArchivedImage, 'id' | 'key'>,
): Promise<WithdrawalResult> {
  const isMeant = (image: Pick<ArchivedImage, 'id' | 'key'>) => !only || (image.id === only.id && image.key === only.key);
  const present = await ports.index.byFileName(fileName);
  if (present && isMeant(present)) {
    if ((await ports.journal.begin({ key: present.key, fileName })) === null) return beingRemoved(fileName);
    const atMs = ports.clock();
    // An image whose file was lost may come back: it was meant because of its file, not because of its name.
    if (!only) await ports.withdrawals.record({ key: present.key, fileName, sha256: present.sha256, atMs });
    await ports.register.withdraw({ id: present.id, lostIds: await ports.records.idsOf(present), atMs });
  }
  const image = (await ports.index.withdrawnByFileName(fileName)).find(isMeant);
  if (!image) return { outcome: 'unknown' };
  await removeWithdrawn(ports, image);
  return { outcome: 'withdrawn', image };
}
