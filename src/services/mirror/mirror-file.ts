// Copies one file of an upstream into the archive.
import { MIRROR_DOWNLOADS } from '../../config/limits/mirror.ts';
import { isImageName } from '../../domain/image.ts';
import { type MirrorArchive, MirrorError, type MirrorOutcome, type UpstreamFile } from '../../ports/mirror.ts';
import { sha256Hex } from '../../util/digest.ts';

/** Refusals of the content that a damaged transfer may cause. */
const MAY_BE_DAMAGED: readonly string[] = ['malformed', 'unsupported', 'header'];

const refused = (reason: string, sentence: string): MirrorOutcome => ({ outcome: 'refused', reason, sentence });

/**
 * Downloads a file and adds it. A file whose content is refused is downloaded again, and the refusal counts once two downloads are
 * equal, because a proxy or a file that is being written may send parts.
 * @throws MirrorError when it cannot be downloaded, or no two downloads are equal
 */
export async function mirrorFile(archive: Pick<MirrorArchive, 'add'>, file: UpstreamFile): Promise<MirrorOutcome> {
  if (!isImageName(file.fileName)) {
    return refused('name', `Expected letters, digits, dots, dashes and underscores ending in .jp2 for the name.`);
  }
  const seen = new Set<string>();
  for (let download = 1; download <= MIRROR_DOWNLOADS; download += 1) {
    const jp2 = await downloaded(file);
    if ('outcome' in jp2) return jp2;
    const sha256 = await sha256Hex(jp2);
    const added = await archive.add(file.fileName, jp2);
    if (added.outcome !== 'refused' || !MAY_BE_DAMAGED.includes(added.reason) || seen.has(sha256)) return added;
    seen.add(sha256);
  }
  throw new MirrorError(
    'failing',
    `Expected the same content in two of ${MIRROR_DOWNLOADS} downloads, got another one each time.`,
  );
}

async function downloaded(file: UpstreamFile): Promise<Uint8Array | MirrorOutcome> {
  try {
    return await file.download();
  } catch (error) {
    if (error instanceof MirrorError && error.problem === 'too-large') return refused(error.problem, error.message);
    throw error;
  }
}
