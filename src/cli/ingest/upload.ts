// Sends JP2 files to a service, several at a time, and notes the outcomes.
import { sha256Hex } from '../../platform/util/bytes.ts';
import { mapConcurrently, until } from '../../platform/util/concurrency.ts';
import { type AdminClient, type UploadFlags, type UploadOutcome, WrongTokenError } from './admin-client.ts';
import type { IngestState } from './ingest-state.ts';
import { type Jp2Source, TooLargeError } from './jp2-sources.ts';
import { Outcomes } from './outcomes.ts';

interface UploadOptions {
  readonly concurrency: number;
  readonly flags?: UploadFlags;
  /** Outcomes of earlier runs; files with one are not read. */
  readonly state?: Pick<IngestState, 'find' | 'keep'>;
  readonly outcomes?: Outcomes;
  /** Takes the number of files so far. */
  readonly onProgress?: (done: number) => void;
  /** Ends the run after the files under way. */
  readonly interrupted?: AbortSignal;
}

/** Sends files as they arrive. @throws WrongTokenError when the service refuses the token; every other failure is in the outcomes */
export async function uploadAll(
  client: AdminClient,
  sources: Iterable<Jp2Source> | AsyncIterable<Jp2Source>,
  { concurrency, flags = {}, state, outcomes = new Outcomes(), onProgress, interrupted }: UploadOptions,
): Promise<Outcomes> {
  let done = 0;
  await mapConcurrently(interrupted ? until(sources, interrupted) : sources, concurrency, async (source) => {
    outcomes.note(source.label, await uploadOnce(client, source, flags, state));
    done += 1;
    onProgress?.(done);
  });
  return outcomes;
}

/** The outcome of an earlier run for a file that has not changed since, else that of an upload. */
async function uploadOnce(
  client: AdminClient,
  source: Jp2Source,
  flags: UploadFlags,
  state: UploadOptions['state'],
): Promise<UploadOutcome | Error> {
  if (!state) return uploadOne(client, source, flags);
  const version = await source.version();
  const earlier = version === null ? null : state.find(source.label, version);
  if (earlier) return earlier.outcome === 'added' ? { outcome: 'known' } : earlier;
  const outcome = await uploadOne(client, source, flags);
  if (version !== null && !(outcome instanceof Error)) state.keep(source.label, version, outcome);
  return outcome;
}

async function uploadOne(client: AdminClient, source: Jp2Source, flags: UploadFlags): Promise<UploadOutcome | Error> {
  const { replace = false } = flags;
  try {
    const found = await client.find(source.fileName);
    if (found && source.remote && !replace) return { outcome: 'known' };
    const jp2 = await source.read();
    if (found && found.sha256 === (await sha256Hex(jp2))) return { outcome: 'known' };
    if (found && !replace) return otherContent();
    return await client.put(source.fileName, jp2, flags);
  } catch (error) {
    if (error instanceof WrongTokenError) throw error;
    if (error instanceof TooLargeError) return { outcome: 'refused', reason: 'too-large', sentence: error.message };
    return error as Error;
  }
}

const otherContent = (): UploadOutcome => ({
  outcome: 'refused',
  reason: 'conflict',
  sentence: 'The archive has other content under this name. Add --replace to replace it.',
});
