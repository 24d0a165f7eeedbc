// Changes the local bucket of a state folder while no service runs, in a process of its own, because a runtime ends with the services that its
// process has stopped before: state-bucket.ts STATE_DIR CHANGE
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../src/cli/command.ts';
import { withStateRuntime } from '../support/system/state-runtime.ts';

/** Objects by the paths of their files, and keys of objects to remove. */
interface BucketChange {
  readonly put?: readonly { readonly key: string; readonly path: string; readonly metadata?: Readonly<Record<string, string>> }[];
  readonly remove?: readonly string[];
}

export async function changeBucket(stateDir: string, change: BucketChange): Promise<void> {
  const file = join(stateDir, 'bucket-change.json');
  writeFileSync(file, JSON.stringify(change));
  await run('test/bench/state-bucket.ts', [stateDir, file]);
}

if (import.meta.main) {
  const [stateDir = '', file = ''] = process.argv.slice(2);
  const { put = [], remove = [] } = JSON.parse(readFileSync(file, 'utf8')) as BucketChange;
  await withStateRuntime(stateDir, { r2Buckets: { ARCHIVE: 'helioedge-archive' } }, async (runtime) => {
    const bucket = await runtime.getR2Bucket('ARCHIVE');
    for (const { key, path, metadata } of put)
      await bucket.put(key, readFileSync(path), metadata ? { customMetadata: metadata } : undefined);
    if (remove.length > 0) await bucket.delete([...remove]);
  });
  process.exit(0);
}
