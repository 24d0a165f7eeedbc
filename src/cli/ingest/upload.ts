// Sends JP2 files to a service, several at a time, and counts the outcomes.
import { sha256Hex } from '../../util/digest.ts';
import { type AdminClient, type UploadOutcome, WrongTokenError } from './admin-client.ts';
import { type Jp2Source, TooLargeError } from './jp2-sources.ts';

export interface UploadReport {
  added: number;
  known: number;
  readonly refused: { readonly label: string; readonly reason: string; readonly sentence: string }[];
  /** Files that could not be read or sent. */
  readonly failed: { readonly label: string; readonly sentence: string }[];
  /** Files not sent because the command was interrupted. */
  left: number;
}

interface UploadOptions {
  readonly concurrency: number;
  /** Whether files replace images with other content under their names. Unset: they are refused. */
  readonly replace?: boolean;
  /** Takes the number of files so far. */
  readonly onProgress?: (done: number) => void;
  /** Ends the run after the files under way. */
  readonly interrupted?: AbortSignal;
}

/**
 * Sends files as they arrive.
 * @throws WrongTokenError when the service refuses the token; every other failure is in the report
 */
export async function uploadAll(
  client: AdminClient,
  sources: Iterable<Jp2Source> | AsyncIterable<Jp2Source>,
  { concurrency, replace = false, onProgress, interrupted }: UploadOptions,
): Promise<UploadReport> {
  const report: UploadReport = { added: 0, known: 0, refused: [], failed: [], left: 0 };
  const queue = Symbol.asyncIterator in sources ? sources[Symbol.asyncIterator]() : sources[Symbol.iterator]();
  let done = 0;
  const work = async () => {
    for (let next = await queue.next(); !next.done; next = await queue.next()) {
      if (interrupted?.aborted) {
        report.left += 1;
        continue;
      }
      note(report, next.value, await uploadOne(client, next.value, replace));
      done += 1;
      onProgress?.(done);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return report;
}

async function uploadOne(client: AdminClient, source: Jp2Source, replace: boolean): Promise<UploadOutcome | Error> {
  try {
    if (source.remote && !replace && (await client.find(source.fileName))) return { outcome: 'known' };
    const jp2 = await source.read();
    const sha256 = await sha256Hex(jp2);
    const found = await client.find(source.fileName, sha256);
    if (found && !(replace && found.outcome === 'refused')) return found;
    return await client.put(source.fileName, jp2, sha256, replace);
  } catch (error) {
    if (error instanceof WrongTokenError) throw error;
    if (error instanceof TooLargeError) return { outcome: 'refused', reason: 'too-large', sentence: error.message };
    return error as Error;
  }
}

function note(report: UploadReport, { label }: Jp2Source, outcome: UploadOutcome | Error): void {
  if (outcome instanceof Error) report.failed.push({ label, sentence: outcome.message });
  else if (outcome.outcome === 'refused') report.refused.push({ label, reason: outcome.reason, sentence: outcome.sentence });
  else report[outcome.outcome] += 1;
}
