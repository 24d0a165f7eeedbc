// Builds the decoder core: wasm/core/*.ts -> build/core.wasm. `npm run wasm`.
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import asc from 'assemblyscript/asc';

const root = join(import.meta.dirname, '..');

/** Pages of 64 KiB: what an instance starts with, and the ceiling that arena.ts states too. */
const INITIAL_PAGES = 16;
const MAXIMUM_PAGES = 1024;

mkdirSync(join(root, 'build'), { recursive: true });
const { error, stderr } = await asc.main(
  [
    'wasm/core/index.ts',
    '--outFile=build/core.wasm',
    '--baseDir',
    root,
    '--optimizeLevel=3',
    '--shrinkLevel=1',
    '--converge',
    '--noAssert',
    '--runtime=stub',
    '--enable=simd',
    '--enable=bulk-memory',
    `--initialMemory=${INITIAL_PAGES}`,
    `--maximumMemory=${MAXIMUM_PAGES}`,
    '--use=abort=',
    '--runPasses=const-hoisting',
  ],
  { stdout: process.stdout },
);
if (error) {
  console.error(String(stderr));
  console.error(error.message);
  process.exit(1);
}
console.log(`build/core.wasm ${statSync(join(root, 'build/core.wasm')).size} bytes`);
