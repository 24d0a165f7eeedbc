// Builds the client into dist, for `npm pack`: the types of the operations of v2 from the OpenAPI
// document, and the client compiled with its declarations.
import { execFile } from 'node:child_process';
import { copyFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
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

const COMPILER = [join(projectRoot, 'node_modules', '@typescript/native', 'bin', 'tsc'), 'client.ts'];
const OPTIONS =
  '--ignoreConfig --declaration --strict --target es2022 --lib es2022,dom,dom.asynciterable --types --module nodenext --skipLibCheck';

async function build(folder: string): Promise<void> {
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  await writeFile(join(folder, 'api.ts'), await typesOfOperations());
  await copyFile(join(import.meta.dirname, 'client.ts'), join(folder, 'client.ts'));
  await promisify(execFile)(process.execPath, [...COMPILER, ...OPTIONS.split(' ')], { cwd: folder });
  for (const name of ['package.json', 'api.ts', 'api.js', 'client.ts']) await rm(join(folder, name));
}

await writeFolder(join(import.meta.dirname, 'dist'), build);
