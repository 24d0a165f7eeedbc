// Generates api.ts, the types of the operations of v2, from the OpenAPI document.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { factory } from 'typescript';
import { operations } from '../../src/faces/operations.ts';
import { TAGS } from '../../src/faces/pages.ts';
import { openApiDocument } from '../../src/platform/http/openapi/document.ts';

const TYPES = join(import.meta.dirname, 'api.ts');

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

/** Leaves a file that is up to date as it is, because a compiler takes a new one for a change. */
export async function writeTypes(): Promise<void> {
  const types = await typesOfOperations();
  if ((await readFile(TYPES, 'utf8').catch(() => null)) !== types) await writeFile(TYPES, types);
}
