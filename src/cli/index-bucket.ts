// npm run index -- --prefix PATH
import { command, FLAG, MAX_PARALLEL, SERVICE_HELP, serviceAccess, TEXT, wholeNumber } from './command.ts';
import { adminClient } from './ingest/admin-client.ts';
import { indexBucket } from './ingest/index-bucket.ts';
import { withOutcomes } from './ingest/outcomes.ts';

const HELP = `npm run index -- --prefix PATH [options]

Adds images to the archive whose JP2 files are in its bucket already, under the paths of the archive. Nothing is sent or copied. A
deployment indexes files by itself when the bucket reports them; this command finds those that no report told of. May be repeated.

  --prefix PATH   beginning of the paths, such as AIA/2024/05/; "" for the whole archive
  --after PATH    begins after this path: that which an interrupted run has shown
  --packets       reads every packet and decodes a reduced image, as an upload does; takes several times as long
  --parallel N    batches of a hundred files at once, 1 to ${MAX_PARALLEL} (4)
  --report FILE   writes each refused, failed or incomplete file as a line of JSON: label, outcome, reason, sentence
${SERVICE_HELP}

Exit status: 0 all indexed, 1 some could not be, 2 some were refused, 130 interrupted.`;

const goOnAfter = (path: string) => `go on with --after ${path || '""'}`;

const OPTIONS = {
  prefix: TEXT,
  after: { ...TEXT, default: '' },
  packets: FLAG,
  parallel: { ...TEXT, default: '4' },
  report: TEXT,
} as const;

await command(
  HELP,
  OPTIONS,
  async ({ values }) => {
    const { prefix = '', after, packets: readPackets } = values;
    const concurrency = wholeNumber('parallel', values.parallel, 1, MAX_PARALLEL);
    const client = adminClient(...(await serviceAccess(process.env)));
    return withOutcomes('index', { report: values.report }, (run) => {
      run.goOn = goOnAfter(after);
      const onProgress = (done: number, last: string) => {
        run.progress.update(done, null);
        run.goOn = goOnAfter(last);
      };
      return indexBucket(client, { ...run, prefix, after, readPackets, concurrency, onProgress });
    });
  },
  ({ values, positionals }) => values.prefix !== undefined && positionals.length === 0,
);
