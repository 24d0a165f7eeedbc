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
  /** Receives the labels of files that could not be read or sent. */
  readonly failed?: Set<string>;
  /** Takes the number of files so far. */
  readonly onProgress?: (done: number) => void;
  /** Ends the run after the files under way. */
  readonly interrupted?: AbortSignal;
}

/** Sends files as they arrive. @throws WrongTokenError when the service refuses the token; every other failure is in the outcomes */
export async function uploadAll(
  client: AdminClient,
  sources: Iterable<Jp2Source> | AsyncIterable<Jp2Source>,
  { concurrency, flags = {}, state, outcomes = new Outcomes(), failed, onProgress, interrupted }: UploadOptions,
): Promise<Outcomes> {
  let done = 0;
  await mapConcurrently(interrupted ? until(sources, interrupted) : sources, concurrency, async (source) => {
    const outcome = await uploadOnce(client, source, flags, state);
    if (outcome instanceof Error) failed?.add(source.label);
    outcomes.note(source.label, outcome);
    done += 1;
    onProgress?.(done);
  });
  return outcomes;
}

/** The outcome of an earlier run for a file that has not changed since and is not to be restored, else that of an upload. */
async function uploadOnce(
  client: AdminClient,
  source: Jp2Source,
  flags: UploadFlags,
  state: UploadOptions['state'],
): Promise<UploadOutcome | Error> {
  const version = state ? await source.version() : null;
  // The archive may have withdrawn since then what it had accepted.
  const earlier = version === null || flags.restore ? null : state?.find(source.label, version);
  if (earlier) return earlier.outcome === 'added' ? { outcome: 'known' } : earlier;
  const outcome = await uploadOne(client, source, flags);
  if (version !== null && !(outcome instanceof Error)) state?.keep(source.label, version, outcome);
  return outcome;
}

const OTHER_CONTENT = 'The archive has other content under this name. Add --replace to replace it.';

async function uploadOne(client: AdminClient, source: Jp2Source, flags: UploadFlags): Promise<UploadOutcome | Error> {
  const { replace = false } = flags;
  try {
    // An image that is found may be in the middle of its withdrawal: a restoration asks for no row.
    const found = flags.restore ? null : await client.find(source.fileName);
    if (found && source.remote && !replace) return { outcome: 'known' };
    const jp2 = await source.read();
    if (found && found.sha256 === (await sha256Hex(jp2))) return { outcome: 'known' };
    if (found && !replace) return { outcome: 'refused', reason: 'conflict', sentence: OTHER_CONTENT };
    return await client.put(source.fileName, jp2, flags);
  } catch (error) {
    if (error instanceof WrongTokenError) throw error;
    if (error instanceof TooLargeError) return { outcome: 'refused', reason: 'too-large', sentence: error.message };
    return error as Error;
  }
}
