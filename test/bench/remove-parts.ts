// Removes part A of images' coefficient sidecars from the local bucket of a state folder, while no service runs: remove-parts.ts STATE_DIR SHA256…
import { partKey } from '../../src/archive/reading/coefficients.ts';
import { withStateRuntime } from '../../src/cli/local/migrations.ts';

const [stateDir = '', ...hashes] = process.argv.slice(2);

await withStateRuntime(stateDir, { r2Buckets: { ARCHIVE: 'helioedge-archive' } }, async (runtime) => {
  const bucket = await runtime.getR2Bucket('ARCHIVE');
  await bucket.delete(hashes.map((sha256) => partKey({ sha256 }, 'A')));
});
process.exit(0);
