// Copies one file of an upstream into the archive.
import { MIRROR_DOWNLOADS } from '../../config/limits/mirror.ts';
import type { IngestResult, RefusedFile } from '../../domain/archive/ingest-result.ts';
import { isImageName } from '../../domain/archive/keys.ts';
import { MirrorError, type UpstreamFile } from '../../ports/mirror.ts';
import { sha256Hex } from '../../util/bytes.ts';
import { refused } from '../images/describe-jp2.ts';

/** Refusals of the content that a damaged transfer may cause. */
const MAY_BE_DAMAGED: readonly string[] = ['malformed', 'unsupported', 'header'];

/** The archive that is filled. */
export interface MirrorTarget {
  /** The names that the archive has, or has withdrawn. */
  known(fileNames: readonly string[]): Promise<ReadonlySet<string>>;
  add(fileName: string, jp2: Uint8Array): Promise<IngestResult>;
}

/**
 * Downloads a file and adds it. A file whose content is refused is downloaded again, and the refusal counts once two downloads are
 * equal, because a proxy or a file that is being written may send parts.
 * @throws MirrorError when it cannot be downloaded, or no two downloads are equal
 */
export async function mirrorFile(
  archive: Pick<MirrorTarget, 'add'>,
  file: UpstreamFile,
): Promise<Exclude<IngestResult, { outcome: 'busy' }>> {
  if (!isImageName(file.fileName)) {
    return refused('name', 'The name is not of letters, digits, dots, dashes and underscores ending in .jp2.');
  }
  const seen = new Set<string>();
  for (let download = 1; download <= MIRROR_DOWNLOADS; download += 1) {
    const jp2 = await downloaded(file);
    if ('outcome' in jp2) return jp2;
    const sha256 = await sha256Hex(jp2);
    const added = await archive.add(file.fileName, jp2);
    if (added.outcome === 'busy') throw new MirrorError('failing', added.sentence);
    if (added.outcome !== 'refused' || !MAY_BE_DAMAGED.includes(added.reason) || seen.has(sha256)) return added;
    seen.add(sha256);
  }
  throw new MirrorError('failing', 'Every download of this file had different content.');
}

async function downloaded(file: UpstreamFile): Promise<Uint8Array | RefusedFile> {
  try {
    return await file.download();
  } catch (error) {
    if (error instanceof MirrorError && error.problem === 'too-large') return refused('too-large', error.message);
    throw error;
  }
}
