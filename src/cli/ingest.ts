// npm run ingest -- PATH...
import { mkdir, stat } from 'node:fs/promises';
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
import { IngestState } from './ingest/ingest-state.ts';
import { findSources, type Jp2Source } from './ingest/jp2-sources.ts';
import { outcomesOf } from './ingest/outcomes.ts';
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

async function openState(serviceUrl: string): Promise<IngestState> {
  const folder = stateDirFrom(process.env);
  await mkdir(folder, { recursive: true });
  return new IngestState(join(folder, 'ingest.sqlite'), serviceUrl);
}

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
    const state = values.again ? null : await openState(serviceUrl);
    const { outcomes, progress, interrupted, finished } = outcomesOf('ingest', values.report);
    let before = 0;
    const send = async (sources: AsyncIterable<Jp2Source>) => {
      let sent = 0;
      await uploadAll(client, sources, {
        concurrency,
        flags: { replace, restore },
        outcomes,
        ...(state ? { state } : {}),
        interrupted,
        onProgress: (done) => {
          sent = done;
          progress.update(before + done, null);
        },
      });
      before += sent;
    };
    await send(findSources(positionals, process.stdin));
    if (watch.length > 0 && !interrupted.aborted) await send(watchedFiles(watch, interrupted));
    state?.close();
    process.stdin.destroy();
    return finished('the same command goes on from here', watch.length > 0);
  },
  ({ values, positionals }) => positionals.length + values.watch.length > 0,
);
