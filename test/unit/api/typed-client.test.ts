// The client of clients/typescript as `npm pack` makes it, and the program of docs/clients.md with it.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { projectRoot } from '../../../src/cli/command.ts';
import { MEASURED_SIZE, requestableArchive } from '../../support/good-requests.ts';
import { installClient } from '../../support/system/installed-client.ts';

/** Lines that must not compile after the program: values would be `any`, `unknown` or `{}`. */
const MISTAKES = [
  'image.ident',
  'image.id.length',
  'status.sources?.[0]?.sourceId.length',
  'movie.statusLabel.ident',
  "sun.get('getClosestImage', { sourceId: 10 })",
  "sun.get('getClosestImage', { sourceId: 'ten', date: new Date() })",
  "sun.get('getClosestImage', { sourceId: 10, date: new Date(), callback: 'show' })",
  "sun.get('downloadImage', { id: 1 })",
  "sun.get('getTiles', {})",
];

const run = promisify(execFile);
let folder: string;
let program: string;

/** The errors of a compiler in the program, and in the program with the mistakes; empty for none. */
async function errorsOf(compiler: string): Promise<string> {
  const tsc = join(projectRoot, 'node_modules', compiler, 'bin', 'tsc');
  // Without the types of Node, which a browser does not have, and without a check of the compiler's own.
  const options =
    '--types --skipDefaultLibCheck --strict --noEmit --module nodenext --target es2024 --lib es2024,dom --ignoreConfig';
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
  await installClient(folder);
  const page = await readFile(join(projectRoot, 'docs/clients.md'), 'utf8');
  program = /```ts\n([\s\S]*?)```/.exec(page)![1]!;
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
  await writeFile(join(folder, 'program.ts'), program);
  const expected = MISTAKES.map((line) => `// @ts-expect-error\n${line};\n`).join('');
  await writeFile(join(folder, 'mistakes.ts'), program + expected);
}, 120_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

it('the TypeScript program of the documentation uses no casts, and no values of any type', () => {
  expect(program.replace(/\/\/.*/g, '')).not.toMatch(/\bas\b|\bany\b|\bunknown\b|!\./);
  expect(program).not.toContain('@ts-');
});

it.each([
  ['5', 'typescript'],
  ['7', '@typescript/native'],
])(
  'the TypeScript program of the documentation compiles in TypeScript %s, and a mistake does not',
  async (_version, compiler) => {
    expect(await errorsOf(compiler)).toBe('');
  },
  120_000,
);

it('the TypeScript program of the documentation runs', async () => {
  const archive = await requestableArchive();
  const lines: unknown[][] = [];
  vi.stubGlobal('fetch', async ({ url }: Request) => {
    const { pathname, search, searchParams } = new URL(url);
    if (searchParams.get('wait') === '30') await archive.build();
    return archive.get(pathname + search);
  });
  vi.spyOn(console, 'log').mockImplementation((...line) => void lines.push(line));
  try {
    await import(join(folder, 'program.ts'));
  } finally {
    vi.restoreAllMocks();
  }
  const sentence = 'Expected a UTC date like 2024-01-31T12:00:00Z for date, got noon.';
  expect(lines.slice(0, 2)).toEqual([
    ['date', sentence, expect.stringMatching(/^https?:\/\/[^/]+\/docs\/#getClosestImage$/)],
    [expect.any(Number), '2024-05-10T12:00:00.000Z', MEASURED_SIZE],
  ]);
  const [count, picture, estimate, queued, finished, movie, nicknames] = lines.slice(-7);
  const ages = lines.slice(2, -7);
  expect(ages).toContainEqual(['AIA 171', 0]);
  expect(count).toEqual([48]);
  expect(picture).toEqual([expect.any(Number), '2024-05-10T12:00:00.000Z']);
  expect(estimate).toEqual([48, 3.2]);
  expect([queued, finished]).toEqual([['Queued'], ['Completed']]);
  expect(movie).toEqual([48, expect.stringMatching(/\.mp4$/)]);
  // The catalogue has groups besides the sources with images of their own.
  expect(Number(nicknames?.[0])).toBeGreaterThanOrEqual(ages.length);
});

interface Sun {
  get(name: string, parameters?: object, more?: object): Promise<unknown>;
  address(name: string, parameters?: object): string;
}

/** The packed client before a service that responds so, one after the other; a failure is one of the connection. */
async function clientOf(...responses: readonly (Response | Error)[]) {
  const { createClient } = await import(join(folder, 'node_modules/helioedge-client/dist/client.js'));
  const sent: Request[] = [];
  const send = async (request: Request) => {
    const response = responses[sent.push(request) - 1]!;
    if (response instanceof Error) throw response;
    return response;
  };
  const notices: string[] = [];
  const options = {
    baseUrl: 'https://sun.test/api',
    fetch: send,
    longestWaitMs: 0,
    onNotice: (text: string) => notices.push(text),
  };
  return { sun: createClient(options) as Sun, sent, notices };
}

const busy = () => Response.json({ error: 'Busy.', errno: 29 }, { status: 503, headers: { 'Retry-After': '5' } });

it('the client imports nothing, and uses nothing of Node', async () => {
  const code = await readFile(join(folder, 'node_modules/helioedge-client/dist/client.js'), 'utf8');
  expect(code).not.toMatch(/\bimport\b|\brequire\b|\bprocess\b|\bBuffer\b/);
});

it('the client tries again what passes, and no other failure', async () => {
  const again = await clientOf(
    busy(),
    new TypeError('offline'),
    Response.json({ id: 1 }, { headers: { 'X-Notice': 'A notice.' } }),
  );
  expect(await again.sun.get('getClosestImage')).toEqual({ id: 1 });
  expect([again.sent.length, again.notices]).toEqual([3, ['A notice.']]);
  const wrong = await clientOf(Response.json({ error: 'No.', errno: 25, parameter: 'date' }, { status: 400 }), busy());
  await expect(wrong.sun.get('getClosestImage')).rejects.toMatchObject({
    message: 'No.',
    status: 400,
    errno: 25,
    parameter: 'date',
  });
  const never = await clientOf(busy(), busy(), busy(), busy(), Response.json({}));
  await expect(never.sun.get('getClosestImage')).rejects.toMatchObject({ status: 503, retryAfterMs: 5000 });
  expect(never.sent).toHaveLength(4);
});

it('the client throws failures of status 200, and the reason of a signal without another attempt', async () => {
  const few = await clientOf(Response.json({ error: 'Too few images.', errno: 16 }));
  await expect(few.sun.get('queueMovie')).rejects.toMatchObject({ errno: 16, status: 200 });
  const stopped = await clientOf(busy(), busy());
  await expect(stopped.sun.get('getStatus', {}, { signal: AbortSignal.abort('stopped') })).rejects.toBeDefined();
  expect(stopped.sent.length).toBeLessThan(2);
});

it('the client sends times as ISO 8601, and objects in a body', async () => {
  const { sun, sent } = await clientOf(Response.json({ id: 'a' }));
  expect(sun.address('getTile', { id: 1, date: new Date(0), difference: undefined })).toBe(
    'https://sun.test/api/v2/getTile/?id=1&date=1970-01-01T00:00:00.000Z',
  );
  await sun.get('postMovie', { startTime: new Date(0), eventsState: {} });
  expect([sent[0]?.method, await sent[0]?.json()]).toEqual(['POST', { startTime: '1970-01-01T00:00:00.000Z', eventsState: {} }]);
});
