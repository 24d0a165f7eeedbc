// Builds the Worker of the local service into build/local as it is deployed, with its options of Miniflare, so that it starts without wrangler.
import { readdir, writeFile } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { bundleWorker, projectRoot, QUIET, runProgram } from '../command.ts';
import { BUILT_WORKER, MANIFEST, type Manifest, type ModuleType, type WorkerOptions } from '../local/built-worker.ts';
import { writeFolder } from './write-folder.ts';

/** Types of the modules of a bundle by the ends of their names; what else wrangler writes is not of the Worker. */
const MODULE_TYPES: Readonly<Record<string, ModuleType>> = {
  '.js': 'ESModule',
  '.wasm': 'CompiledWasm',
  '.ttf': 'Data',
  '.svg': 'Text',
};
const CONFIG = join(projectRoot, 'wrangler.toml');
/** With a stand-in of Workers Cache. */
const ENTRY_POINT = join(projectRoot, 'src', 'worker', 'local.ts');

async function manifest(): Promise<Omit<Manifest, 'modules'>> {
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
  const modules = (await readdir(folder)).flatMap((file) => {
    const type = MODULE_TYPES[extname(file)];
    return type ? [{ type, file }] : [];
  });
  // The entry point first.
  modules.sort((a, b) => Number(b.type === 'ESModule') - Number(a.type === 'ESModule'));
  await writeFile(join(folder, MANIFEST), JSON.stringify({ ...described, modules } satisfies Manifest));
}

await runProgram(() => writeFolder(BUILT_WORKER, build));
