// Builds the client into dist, for `npm pack`: compiled, with its declarations. Generates api.ts, the types of the operations of v2, from the
// OpenAPI document.
import { execFile } from 'node:child_process';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import openapiTS, { astToString } from 'openapi-typescript';
import { factory } from 'typescript';
import { writeFolder } from '../../src/cli/build/write-folder.ts';
import { projectRoot } from '../../src/cli/command.ts';
import { operations } from '../../src/faces/operations.ts';
import { TAGS } from '../../src/faces/pages.ts';
import { openApiDocument } from '../../src/platform/http/openapi/document.ts';

const TYPES = join(import.meta.dirname, 'api.ts');

/**
 * Types without the headers of responses, which are half of the text. Times of requests may be a Date. Leaves a file that is up to date as it
 * is, because a compiler takes a new one for a change.
 */
export async function writeTypes(): Promise<void> {
  const { paths, ...document } = openApiDocument(operations.values(), { origin: 'https://HOST', tags: TAGS });
  const v2 = Object.fromEntries(Object.entries(paths).filter(([path]) => path.startsWith('/v2/')));
  const stringOrDate = ['string', 'Date'].map((name) => factory.createTypeReferenceNode(name));
  const withoutHeaders = (name: string, value: unknown) => (name === 'headers' ? undefined : value);
  const nodes = await openapiTS(JSON.stringify({ ...document, paths: v2 }, withoutHeaders), {
    transform: ({ format }) => (format === 'date-time' ? factory.createUnionTypeNode(stringOrDate) : undefined),
  });
  const types = astToString(nodes);
  if ((await readFile(TYPES, 'utf8').catch(() => null)) !== types) await writeFile(TYPES, types);
}

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

if (import.meta.main) await writeFolder(join(import.meta.dirname, 'dist'), pack);
