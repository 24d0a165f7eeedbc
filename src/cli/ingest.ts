// npm run ingest -- PATH...
import { parseArgs } from 'node:util';
import { adminClient } from './ingest/admin-client.ts';
import { findSources } from './ingest/jp2-sources.ts';
import { uploadAll } from './ingest/upload.ts';
import { uploadTable } from './ingest/upload-table.ts';
import { onInterrupt } from './interrupt.ts';
import { showProgress } from './progress.ts';
import { adminTokenFrom, serviceUrlFrom } from './settings.ts';

const HELP = `npm run ingest -- [--parallel N] [--replace] PATH...

Sends JPEG 2000 files to a running service. PATH is a file, a folder (every .jp2 below it) or the http address of a file.
Files that the archive already has are skipped, so that an interrupted run can be repeated.

  --parallel N    files at once, 1 to 16 (4)
  --replace       replaces archived images with other content under these names; without it, such files are refused
  HELIOEDGE_URL   the service (http://127.0.0.1:$PORT, where PORT is 8787 unless set)
  ADMIN_TOKEN     its token; not needed for a service started on this machine with the same STATE_DIR

Exit status: 0 all accepted or already there, 1 some could not be sent, 2 some were refused, 130 interrupted.`;

const EXIT = { good: 0, failed: 1, refused: 2, interrupted: 130 } as const;
const MAX_PARALLEL = 16;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean' }, parallel: { type: 'string', default: '4' }, replace: { type: 'boolean' } },
  });
  if (values.help || positionals.length === 0) {
    console.log(HELP);
    return values.help ? EXIT.good : EXIT.failed;
  }
  const concurrency = Number(values.parallel);
  if (!Number.isInteger(concurrency) || concurrency < 1 || concurrency > MAX_PARALLEL) {
    throw new Error(`Expected a whole number from 1 to ${MAX_PARALLEL} for --parallel, got ${values.parallel}.`);
  }
  const serviceUrl = serviceUrlFrom(process.env);
  const sources = await findSources(positionals);
  const client = adminClient(serviceUrl, await adminTokenFrom(process.env, serviceUrl));
  await client.isEmpty().catch((error: Error) => {
    throw new Error(`${serviceUrl} does not respond as a running service: ${error.message}`, { cause: error });
  });

  const interruption = new AbortController();
  onInterrupt(
    () => interruption.abort(),
    () => process.exit(EXIT.interrupted),
  );
  const progress = showProgress('ingest');
  const report = await uploadAll(client, sources, {
    concurrency,
    replace: values.replace ?? false,
    interrupted: interruption.signal,
    onProgress: (done) => progress.update(done, sources.length),
  });
  progress.finish();
  console.log(uploadTable(report));
  if (interruption.signal.aborted) return EXIT.interrupted;
  if (report.failed.length > 0) return EXIT.failed;
  return report.refused.length > 0 ? EXIT.refused : EXIT.good;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = EXIT.failed;
}
