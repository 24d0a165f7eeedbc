// Puts the files of a folder into the local bucket of a state folder, before the service runs: fill-bucket.ts STATE_DIR FOLDER
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { filesBelow } from '../../src/cli/ingest/jp2-sources.ts';
import { withStateRuntime } from '../../src/cli/local/migrations.ts';

const [stateDir = '', folder = ''] = process.argv.slice(2);

await withStateRuntime(stateDir, { r2Buckets: { ARCHIVE: 'helioedge-archive' } }, async (runtime) => {
  const bucket = await runtime.getR2Bucket('ARCHIVE');
  for await (const { label } of filesBelow(folder)) await bucket.put(`jp2/${relative(folder, label)}`, readFileSync(label));
});
process.exit(0);
