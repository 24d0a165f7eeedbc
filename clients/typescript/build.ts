// Builds the client into dist, for `npm pack`: compiled, with its declarations.
import { execFile } from 'node:child_process';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { writeFolder } from '../../src/cli/build/write-folder.ts';
import { projectRoot } from '../../src/cli/command.ts';
import { writeTypes } from './types.ts';

const COMPILER = [join(projectRoot, 'node_modules', '@typescript/native', 'bin', 'tsc'), join(import.meta.dirname, 'client.ts')];
// No types of Node or of Workers.
const OPTIONS =
  '--types --ignoreConfig --strict --declaration --emitDeclarationOnly --allowImportingTsExtensions --skipLibCheck --target es2024 --lib es2024,dom --module nodenext';

async function pack(folder: string): Promise<void> {
  await writeTypes();
  const all = join(folder, 'all');
  await promisify(execFile)(process.execPath, [...COMPILER, ...OPTIONS.split(' '), '--rootDir', projectRoot, '--outDir', all]);
  for (const name of ['api.d.ts', 'client.d.ts', 'core.d.ts', 'operations.d.ts'])
    await rename(join(all, 'clients', 'typescript', name), join(folder, name));
  await rm(all, { recursive: true });
  await build({
    entryPoints: [join(import.meta.dirname, 'client.ts')],
    outfile: join(folder, 'client.js'),
    bundle: true,
    format: 'esm',
    target: 'es2022',
    logLevel: 'warning',
  });
}

await writeFolder(join(import.meta.dirname, 'dist'), pack);
