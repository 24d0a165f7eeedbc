// Puts the grids of days in a folder into the local bucket of a state folder, before the service runs: fill-grid-days.ts STATE_DIR FOLDER
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { withStateRuntime } from '../../../src/cli/local/migrations.ts';
import type { FiledDay } from './grid-days.ts';

const [stateDir = '', folder = ''] = process.argv.slice(2);
const days = JSON.parse(readFileSync(join(folder, 'days.json'), 'utf8')) as readonly FiledDay[];

await withStateRuntime(stateDir, { r2Buckets: { ARCHIVE: 'helioedge-archive' } }, async (runtime) => {
  const bucket = await runtime.getR2Bucket('ARCHIVE');
  for (const { key, file, metadata } of days) {
    await bucket.put(key, readFileSync(join(folder, file)), { customMetadata: metadata });
  }
});
process.exit(0);
