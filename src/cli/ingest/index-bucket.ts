// Indexes the objects of a bucket in batches, several at a time.
import { inPages, mapConcurrently, until } from '../../platform/util/concurrency.ts';
import { type BucketObject, type ObjectClient, WrongTokenError } from './admin-client.ts';
import type { Outcomes } from './outcomes.ts';

/** Objects of a request, the most that the service takes. */
const BATCH = 100;

interface IndexingRun {
  readonly prefix: string;
  /** Path after which to begin. */
  readonly after: string;
  readonly readPackets: boolean;
  readonly concurrency: number;
  readonly outcomes: Outcomes;
  readonly interrupted: AbortSignal;
  /** Takes the number of objects so far, and the path from which an interrupted or failed run goes on. */
  readonly onProgress: (done: number, last: string) => void;
}

/** Indexes the objects below a prefix. @throws Error without objects */
export async function indexBucket(client: ObjectClient, run: IndexingRun): Promise<void> {
  const { prefix, after, readPackets, concurrency, outcomes, interrupted, onProgress } = run;
  const open: { readonly last: string; isDone: boolean }[] = [];
  let last = after;
  let done = 0;
  const batches = inPages(until(client.list(prefix, after), interrupted), BATCH);
  await mapConcurrently(until(batches, interrupted), concurrency, async (batch) => {
    const place = { last: batch.at(-1)!.path, isDone: false };
    open.push(place);
    await indexBatch(client, batch, readPackets, outcomes);
    place.isDone = true;
    while (open[0]?.isDone) ({ last } = open.shift()!);
    done += batch.length;
    onProgress(done, last);
  });
  if (done === 0 && after === '' && !interrupted.aborted)
    throw new Error(`The bucket has no objects whose keys begin with jp2/${prefix}.`);
}

async function indexBatch(client: ObjectClient, batch: readonly BucketObject[], readPackets: boolean, outcomes: Outcomes) {
  try {
    const { added, known, problems } = await client.index(batch, readPackets);
    outcomes.added += added;
    outcomes.known += known;
    for (const { path, outcome, reason = outcome, warning, sentence = 'The object does not exist any more.' } of problems) {
      const isRefused = outcome === 'refused' || outcome === 'conflict';
      if (warning) outcomes.problem({ label: path, outcome: 'warned', sentence: warning });
      else outcomes.problem({ label: path, outcome: isRefused ? 'refused' : 'failed', reason, sentence });
    }
  } catch (error) {
    if (error instanceof WrongTokenError) throw error;
    for (const { path } of batch) outcomes.note(path, error as Error);
  }
}
