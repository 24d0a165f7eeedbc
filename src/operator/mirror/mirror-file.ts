// Copies one file of an upstream into the archive.
import { refused } from '../../archive/ingest/describe-jp2.ts';
import type { FileOutcome, IngestResult, RefusedFile } from '../../archive/ingest/ingest-result.ts';
import { isImageName } from '../../archive/keys.ts';
import { MIRROR_DOWNLOADS } from '../../platform/limits/mirror.ts';
import { sha256Hex } from '../../platform/util/bytes.ts';
import { mapConcurrently } from '../../platform/util/concurrency.ts';
import type { D1MirrorState } from './d1-mirror-state.ts';
import { MirrorError, type MirrorUpstream, type UpstreamFile } from './ports.ts';

/** Refusals of the content that a damaged transfer may cause. */
const MAY_BE_DAMAGED: readonly string[] = ['malformed', 'unsupported', 'header'];

export interface MirrorTarget {
  known(fileNames: readonly string[]): Promise<ReadonlySet<string>>;
  add(fileName: string, jp2: Uint8Array): Promise<IngestResult>;
}

export interface MirrorPorts {
  readonly upstream: MirrorUpstream;
  readonly archive: MirrorTarget;
  readonly state: D1MirrorState;
}

type MirroredFile = Pick<UpstreamFile, 'fileName' | 'address'> & { readonly sourceId: number };

/** Copies a file, and remembers a refusal. @returns the failure of a file that may succeed later @throws MirrorError of a busy upstream */
export async function mirrorFile({ archive, upstream, state }: MirrorPorts, file: MirroredFile) {
  try {
    const outcome = await added(archive, upstream, file);
    // A conflict depends on the archive and not on the file alone, so it is not remembered.
    if (outcome.outcome === 'refused') await state.keepRefusal(file.sourceId, file.fileName, outcome);
    return outcome;
  } catch (error) {
    if (error instanceof MirrorError && error.problem !== 'busy') return error;
    throw error;
  }
}

export interface TakenFiles {
  /** The first failure; null for none. */
  readonly failure: string | null;
  /** Name of the last file that was tried; null for none. */
  readonly afterName: string | null;
  /** Whether files are left, because the step has used up its budget. */
  readonly isCutOff: boolean;
}

interface Copying {
  readonly parallel: number;
  /** Whether a further file may begin. */
  readonly begins: () => boolean;
  readonly note: (address: string, outcome: FileOutcome | Error) => void;
}

export async function copyFiles(
  ports: MirrorPorts,
  { sourceId }: { readonly sourceId: number },
  files: readonly UpstreamFile[],
  { parallel, begins, note }: Copying,
): Promise<TakenFiles> {
  let [failure, afterName, isCutOff]: [string | null, string | null, boolean] = [null, null, false];
  await mapConcurrently(files, parallel, async (file) => {
    isCutOff ||= !begins();
    if (isCutOff) return;
    afterName = file.fileName;
    const outcome = await mirrorFile(ports, { ...file, sourceId });
    note(file.address, outcome);
    if (outcome instanceof Error) failure ??= outcome.message;
  });
  return { failure, afterName, isCutOff };
}

/** Downloads a file and adds it. A refusal counts once two downloads are equal, because one may be cut. @throws MirrorError */
async function added(archive: MirrorTarget, upstream: MirrorUpstream, file: MirroredFile) {
  if (!isImageName(file.fileName))
    return refused('name', 'The name is not of letters, digits, dots, dashes and underscores ending in .jp2.');
  const seen = new Set<string>();
  for (let download = 1; download <= MIRROR_DOWNLOADS; download += 1) {
    const jp2 = await downloaded(upstream, file);
    if ('outcome' in jp2) return jp2;
    const sha256 = await sha256Hex(jp2);
    const result = await archive.add(file.fileName, jp2);
    if (result.outcome === 'busy') throw new MirrorError('failing', result.sentence);
    if (result.outcome !== 'refused' || !MAY_BE_DAMAGED.includes(result.reason) || seen.has(sha256)) return result;
    seen.add(sha256);
  }
  throw new MirrorError('failing', 'Every download of this file had different content.');
}

async function downloaded(upstream: MirrorUpstream, file: MirroredFile): Promise<Uint8Array | RefusedFile> {
  try {
    return await upstream.download(file);
  } catch (error) {
    if (error instanceof MirrorError && error.problem === 'too-large') return refused('too-large', error.message);
    throw error;
  }
}
