// Builds the Worker of the local service into build/local as it is deployed, with its options of Miniflare, so that it starts without wrangler.
import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { bundleWorker, projectRoot, QUIET, runProgram } from '../command.ts';
import { BUILT_WORKER, MANIFEST, type Manifest, type WorkerOptions } from '../local/built-worker.ts';
import { writeFolder } from './write-folder.ts';

const CONFIG = join(projectRoot, 'wrangler.toml');
/** With a stand-in of Workers Cache. */
const ENTRY_POINT = join(projectRoot, 'src', 'worker', 'local.ts');

async function manifest(): Promise<Manifest> {
  Object.assign(process.env, QUIET);
  const wrangler = await import('wrangler');
  const { rootPath: _, assets, ...options } = wrangler.unstable_getMiniflareWorkerOptions(CONFIG).workerOptions as WorkerOptions;
  return {
    name: wrangler.unstable_readConfig({ config: CONFIG }, { hideWarnings: true }).name ?? 'helioedge',
    // Relative, because the folder of the project may be moved.
    options: { ...options, assets: { ...assets, directory: relative(projectRoot, assets.directory) } },
  };
}

async function build(folder: string): Promise<void> {
  const [described] = await Promise.all([manifest(), bundleWorker(folder, [ENTRY_POINT, '--config', CONFIG])]);
  await writeFile(join(folder, MANIFEST), JSON.stringify(described));
}

await runProgram(() => writeFolder(BUILT_WORKER, build));
