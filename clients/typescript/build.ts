// Builds the client into dist, for `npm pack`: the types of the operations of v2 from the OpenAPI
// document, and the client compiled with its declarations.
import { execFile } from 'node:child_process';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import openapiTS, { astToString } from 'openapi-typescript';
import { factory } from 'typescript';
import { writeFolder } from '../../src/cli/build/write-folder.ts';
import { projectRoot } from '../../src/cli/settings.ts';
import { openApiDocument } from '../../src/http/openapi/document.ts';
import { operations } from '../../src/routes/operations.ts';
import { TAGS } from '../../src/routes/tags.ts';

/** Types of the operations of v2, without the headers of their responses, which are half of the text. Times of requests may be a Date. */
async function typesOfOperations(): Promise<string> {
  const { paths, ...document } = openApiDocument(operations.values(), { origin: 'https://HOST', tags: TAGS });
  const v2 = Object.fromEntries(Object.entries(paths).filter(([path]) => path.startsWith('/v2/')));
  const stringOrDate = ['string', 'Date'].map((name) => factory.createTypeReferenceNode(name));
  const withoutHeaders = (name: string, value: unknown) => (name === 'headers' ? undefined : value);
  const nodes = await openapiTS(JSON.stringify({ ...document, paths: v2 }, withoutHeaders), {
    transform: ({ format }) => (format === 'date-time' ? factory.createUnionTypeNode(stringOrDate) : undefined),
  });
  return astToString(nodes);
}

const TYPES = join(import.meta.dirname, 'api.ts');
const COMPILER = [join(projectRoot, 'node_modules', '@typescript/native', 'bin', 'tsc'), join(import.meta.dirname, 'client.ts')];
// No types of Node or of Workers.
const OPTIONS =
  '--types --ignoreConfig --strict --declaration --emitDeclarationOnly --allowImportingTsExtensions --skipLibCheck --target es2024 --lib es2024,dom --module nodenext';

async function pack(folder: string): Promise<void> {
  await writeFile(TYPES, await typesOfOperations());
  const all = join(folder, 'all');
  await promisify(execFile)(process.execPath, [...COMPILER, ...OPTIONS.split(' '), '--rootDir', projectRoot, '--outDir', all]);
  for (const name of ['api.d.ts', 'client.d.ts', 'core.d.ts'])
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
