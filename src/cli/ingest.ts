// npm run ingest -- PATH...
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  command,
  expected,
  FLAG,
  MAX_PARALLEL,
  SERVICE_HELP,
  serviceAccess,
  stateDirFrom,
  TEXT,
  wholeNumber,
} from './command.ts';
import { adminClient, expectService } from './ingest/admin-client.ts';
import { openIngestState } from './ingest/ingest-state.ts';
import { findSources } from './ingest/jp2-sources.ts';
import { withOutcomes } from './ingest/outcomes.ts';
import { uploadAll } from './ingest/upload.ts';
import { watchedFiles } from './ingest/watched-folders.ts';

const HELP = `npm run ingest -- [options] PATH...

Sends JPEG 2000 files to a running service. PATH is a file, a folder (every .jp2 below it), the http address of a file, or - for a
list of paths and addresses on standard input, one a line. Files that the archive already has are skipped. Their outcomes are kept
in ingest.sqlite in STATE_DIR, so that a repeated run reads no file twice.

  --watch DIR     goes on with the files that other programs write to this folder, until it is interrupted; may be repeated
  --parallel N    files at once, 1 to ${MAX_PARALLEL} (4)
  --replace       replaces archived images with other content under these names; without it, such files are refused
  --restore       brings files back that were withdrawn; without it, such files are refused
  --again         reads and sends every file, also those of earlier runs: needed after images have been withdrawn
  --report FILE   writes each refused or failed file as a line of JSON: label, outcome, reason, sentence
${SERVICE_HELP}

Exit status: 0 all accepted or already there, 1 some could not be sent, 2 some were refused, 130 interrupted.`;

const OPTIONS = {
  parallel: { ...TEXT, default: '4' },
  replace: FLAG,
  restore: FLAG,
  again: FLAG,
  report: TEXT,
  watch: { ...TEXT, multiple: true, default: [] as string[] },
} as const;

await command(
  HELP,
  OPTIONS,
  async ({ values, positionals }) => {
    const { watch, replace, restore } = values;
    const concurrency = wholeNumber('parallel', values.parallel, 1, MAX_PARALLEL);
    for (const folder of watch) {
      const found = await stat(folder).catch(() => null);
      if (!found?.isDirectory()) throw expected('a folder', 'watch', folder);
    }
    const [serviceUrl, token] = await serviceAccess(process.env);
    await expectService(serviceUrl);
    const client = adminClient(serviceUrl, token);
    // A token that does not permit uploads fails here, and not for each file.
    await client.isEmpty();
    const state = values.again ? null : openIngestState(join(stateDirFrom(process.env), 'ingest.sqlite'), serviceUrl);
    const isEndless = watch.length > 0;
    return withOutcomes('ingest', { report: values.report, isEndless }, async ({ outcomes, progress, interrupted }) => {
      const onProgress = () => progress.update(outcomes.count, null);
      const [flags, failed] = [{ replace, restore }, new Set<string>()];
      const options = { concurrency, flags, outcomes, failed, ...(state ? { state } : {}), interrupted, onProgress };
      try {
        await uploadAll(client, findSources(positionals, process.stdin), options);
        if (isEndless && !interrupted.aborted) await uploadAll(client, watchedFiles(watch, interrupted, failed), options);
      } finally {
        state?.close();
        // Another program that writes the list would wait for a reader.
        process.stdin.destroy();
      }
    });
  },
  ({ values, positionals }) => positionals.length + values.watch.length > 0,
);
