// A newcomer's archive: an empty service gets the sample once, so that there is a Sun to look at.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AdminClient } from '../ingest/admin-client.ts';
import { findSources } from '../ingest/jp2-sources.ts';
import { uploadAll } from '../ingest/upload.ts';
import { showProgress } from '../progress.ts';

const PARALLEL_UPLOADS = 4;

/** Writes the sample into a folder, passing over files that are there already. */
export type MakeSample = (folder: string, onProgress: (done: number, total: number) => void) => Promise<unknown>;

/**
 * Makes the sample and takes it in, if the archive is empty and never had it. What a kill interrupts goes on at the next
 * start. Throws when a sample file is not accepted.
 */
export async function fillEmptyArchive(client: AdminClient, stateDir: string, makeSample: MakeSample): Promise<void> {
  const stamp = join(stateDir, 'sample-state');
  const state = (await readFile(stamp, 'utf8').catch(() => '')).trim();
  if (state === 'complete') return;
  if (state === '' && !(await client.isEmpty())) return;
  await writeFile(stamp, 'begun\n');

  const folder = join(stateDir, 'sample');
  const making = showProgress('making the sample archive');
  await makeSample(folder, making.update);
  making.finish();

  const sending = showProgress('ingesting the sample archive');
  const report = await uploadAll(client, await findSources([folder]), {
    concurrency: PARALLEL_UPLOADS,
    onProgress: sending.update,
  });
  sending.finish();
  const trouble = [...report.failed, ...report.refused][0];
  if (trouble) throw new Error(`Expected every sample file to be accepted, got for ${trouble.label}: ${trouble.sentence}`);
  await writeFile(stamp, 'complete\n');
  await rm(folder, { recursive: true, force: true });
}
