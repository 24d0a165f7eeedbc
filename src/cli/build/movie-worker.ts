// Bundles the movie worker and its threads into build/movie: as TypeScript, its two hundred modules take three times the processor time.
import { copyFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { projectRoot } from '../command.ts';
import { writeFolder } from './write-folder.ts';

const TARGET = join(projectRoot, 'build', 'movie');
/** Programs by file name: the worker, and its threads, which it starts by their names beside its own. */
const PROGRAMS = { main: 'main.ts', thread: 'draw/thread.ts', 'embedded-thread': 'encode/embedded-thread.ts' };

/** Replaces an imported WebAssembly file by its compiled module, as in workerd, and copies the file beside the bundle. */
const compiledWasm = (folder: string): Plugin => ({
  name: 'compiled-wasm',
  setup({ onLoad }) {
    onLoad({ filter: /\.wasm$/ }, async ({ path }) => {
      const name = JSON.stringify(basename(path));
      await copyFile(path, join(folder, basename(path)));
      return {
        contents: `import { readFileSync } from 'node:fs';
          export default new WebAssembly.Module(readFileSync(new URL(${name}, import.meta.url)));`,
      };
    });
  },
});

await writeFolder(TARGET, (folder) =>
  build({
    entryPoints: Object.fromEntries(
      Object.entries(PROGRAMS).map(([name, source]) => [name, join(projectRoot, 'containers', 'movie', source)]),
    ),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // The assets of the Worker, as imports that a bundler resolves.
    conditions: ['workerd'],
    loader: { '.ttf': 'binary', '.svg': 'text' },
    // The embedded encoder, found at run time where it is installed.
    external: ['@ffmpeg/core'],
    plugins: [compiledWasm(folder)],
    logLevel: 'error',
  }),
);
