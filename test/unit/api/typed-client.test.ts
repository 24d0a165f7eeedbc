// The TypeScript program of docs/clients.md, with types that openapi-typescript makes of the OpenAPI document.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import openapiTS, { astToString } from 'openapi-typescript';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { projectRoot } from '../../../src/cli/settings.ts';
import { DOCUMENT } from '../../support/described-responses.ts';
import { requestableArchive } from '../../support/good-requests.ts';

/** Lines that must not compile after the program: `data` would be `any`, `unknown` or `{}`. */
const MISTAKES = [
  'image.data?.ident',
  'estimate.data?.error',
  'image.data?.id.length',
  'status.data?.sources?.[0]?.sourceId.length',
  'wrong.error?.sentence',
  "client.GET('/v2/getClosestImage/', { params: { query: { sourceId: 10 } } })",
  "client.GET('/v2/getTiles/')",
];

const run = promisify(execFile);
let folder: string;
let program: string;

/** The errors of a compiler in the program, and in the program with the mistakes; empty for none. */
async function errorsOf(compiler: string): Promise<string> {
  const tsc = join(projectRoot, 'node_modules', compiler, 'bin', 'tsc');
  const options =
    '--strict --noEmit --module nodenext --target es2024 --lib es2024,dom --types --allowImportingTsExtensions --ignoreConfig';
  const known = compiler === 'typescript' ? options.replace(' --ignoreConfig', '') : options;
  const result = await run(process.execPath, [tsc, ...known.split(' '), 'program.ts', 'mistakes.ts'], { cwd: folder }).catch(
    (error) => error,
  );
  return result.stdout;
}

beforeAll(async () => {
  const parent = join(projectRoot, 'build');
  await mkdir(parent, { recursive: true });
  folder = await mkdtemp(join(parent, 'typed-client-'));
  const page = await readFile(join(projectRoot, 'docs/clients.md'), 'utf8');
  program = /```ts\n([\s\S]*?)```/.exec(page)![1]!;
  const types = astToString(await openapiTS(JSON.stringify(DOCUMENT)));
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  await writeFile(join(folder, 'helioedge.ts'), types);
  await writeFile(join(folder, 'program.ts'), program);
  const expected = MISTAKES.map((line) => `// @ts-expect-error\n${line};\n`).join('');
  await writeFile(join(folder, 'mistakes.ts'), program + expected);
}, 120_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the TypeScript program of the documentation', () => {
  it('has no casts, and no values of any type', () => {
    expect(program.replace(/\/\/.*/g, '')).not.toMatch(/\bas\b|\bany\b|\bunknown\b|!\./);
    expect(program).not.toContain('@ts-');
    expect(new Set(program.match(/'\/v2\/\w+\/'/g)).size).toBeGreaterThanOrEqual(5);
  });

  it.each([
    ['5', 'typescript'],
    ['7', '@typescript/native'],
  ])(
    'compiles under --strict of TypeScript %s, and a mistake does not',
    async (_version, compiler) => {
      expect(await errorsOf(compiler)).toBe('');
    },
    120_000,
  );

  it('runs', async () => {
    const archive = await requestableArchive();
    const lines: unknown[][] = [];
    vi.stubGlobal('fetch', async (request: Request) => archive.get(new URL(request.url).pathname + new URL(request.url).search));
    vi.spyOn(console, 'log').mockImplementation((...line) => void lines.push(line));
    try {
      await import(join(folder, 'program.ts'));
    } finally {
      vi.unstubAllGlobals();
      vi.restoreAllMocks();
    }
    const sentence = 'Expected a UTC date like 2024-01-31T12:00:00Z for date, got noon.';
    expect(lines.slice(0, 2)).toEqual([
      ['date', sentence, expect.stringMatching(/^https?:\/\/[^/]+\/docs\/#getClosestImage$/)],
      [expect.any(Number), '2024-05-10 12:00:00', 4096],
    ]);
    const [picture, movie, state, nicknames] = lines.slice(-4);
    const ages = lines.slice(2, -4);
    expect(ages).toContainEqual(['AIA 171', 0]);
    expect(picture).toEqual([expect.any(Number), '2024-05-10T12:00:00.000Z']);
    expect(movie).toEqual([48, 3.2]);
    expect(state).toEqual(['Queued']);
    // The catalogue has groups besides the sources with images of their own.
    expect(nicknames).toEqual([expect.any(Number)]);
    expect(Number(nicknames![0])).toBeGreaterThanOrEqual(ages.length);
  });
});
