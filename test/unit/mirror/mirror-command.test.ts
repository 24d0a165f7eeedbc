import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { mirrorArguments, OPTIONS } from '../../../src/cli/mirror/mirror-arguments.ts';
import { DAY_MS, HOUR_MS } from '../../../src/platform/util/durations.ts';
import { ADMIN_TOKEN, filledArchive, fingerprint } from '../../support/mirror/filled-archive.ts';
import { sampleFiles } from '../../support/mirror/sample-files.ts';
import { type Fault, serveTree } from '../../support/mirror/tree-server.ts';
import { serveApp } from '../../support/serve-app.ts';
import { testFolder } from '../../support/system/test-folder.ts';

const FROM = Date.UTC(2024, 4, 10);
const ROOT = resolve(import.meta.dirname, '../../..');

const folder = testFolder();

const files = await sampleFiles([10, 4], { fromMs: FROM, toMs: FROM + 2 * DAY_MS - 1, cadenceMs: 3 * HOUR_MS });
/** A token that permits nothing but the mirror. */
const MIRROR_TOKEN = 'a-token-of-the-mirror-alone';
const archive = filledArchive({ variables: { ADMIN_TOKEN, ADMIN_TOKENS: `copier/mirror:${MIRROR_TOKEN}` } });
const service = await serveApp(archive.fetch);
const tree = await serveTree(files);

afterAll(async () => {
  await service.close();
  await tree.close();
});

const expected = () => Object.fromEntries([...files].map(([path, bytes]) => [path, fingerprint(bytes)]).sort());

/** Runs the command; kills it, without a chance to clean up, when the archive has so many images. */
async function mirror(args: readonly string[], { killAt = Number.POSITIVE_INFINITY, isOther = false, token = ADMIN_TOKEN } = {}) {
  const given = [...(isOther ? [] : ['--from-tree', tree.url]), '--sources', '10,4', '--rate', '200', ...args];
  const child = spawn(process.execPath, ['src/cli/mirror.ts', ...given], {
    cwd: ROOT,
    env: { ...process.env, HELIOEDGE_URL: service.url, ADMIN_TOKEN: token, STATE_DIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  const watch = setInterval(() => {
    if (Object.keys(archive.manifest()).length >= killAt) child.kill('SIGKILL');
  }, 1);
  const code = await new Promise<number | null>((done) => child.once('close', done));
  clearInterval(watch);
  return { code, ...output };
}

it('npm run mirror mirrors a tree that fails and lies, after a kill, equal by name, size and hash', async () => {
  const faults: Fault[] = ['cut', 'pass', 'wrong length', 'error', 'page', 'slow', 'half', 'drop'];
  tree.fault = (path, count) =>
    count > 1 ? 'pass' : faults[[...path].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % faults.length]!;
  expect((await mirror([], { killAt: 10 })).code).toBeNull();
  expect(Object.keys(archive.manifest()).length).toBeGreaterThanOrEqual(10);
  expect(Object.keys(archive.manifest()).length).toBeLessThan(files.size);
  const { code, stdout, stderr } = await mirror([]);
  expect({ code, stderr: stderr.split('\n').filter((line) => !line.startsWith('mirror ')) }).toEqual({ code: 0, stderr: [''] });
  expect(archive.manifest()).toEqual(expected());
  expect(stdout).toMatch(/refused +0\nfailed +0\n$/);
});

it('npm run mirror ends well after a pause that the upstream wants', async () => {
  const pauses: Fault[] = ['busy'];
  tree.fault = (path) => (/\d\/171\/$/.test(path) && pauses.pop()) || 'pass';
  const { code, stdout } = await mirror(['--again']);
  expect([pauses, code, stdout]).toEqual([[], 0, expect.stringMatching(/refused +0\nfailed +0\n$/)]);
});

it('npm run mirror names what is refused and what is listed but absent, and exits with their status', async () => {
  const noise = 'AIA/2024/05/10/171/2024_05_10__23_00_00_000__SDO_AIA_AIA_171.jp2';
  const absent = '2024_05_10__23_30_00_000__SDO_AIA_AIA_171.jp2';
  tree.fault = () => 'pass';
  files.set(noise, files.values().next().value!.slice(0, 300));
  tree.absent = [absent];
  const report = join(folder, 'report.jsonl');
  const { code, stdout } = await mirror([
    '--sources',
    '10',
    '--from',
    '2024-05-10',
    '--to',
    '2024-05-10T23:59:59Z',
    '--report',
    report,
  ]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/already there +8\nrefused +1\nfailed +1\n/);
  expect(stdout).toContain('incomplete: 1 part of the lists, which the next run tries again');
  const lines = (await readFile(report, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(lines).toEqual(
    expect.arrayContaining([
      { label: tree.url + noise, outcome: 'refused', reason: 'malformed', sentence: expect.any(String) },
      { label: `${tree.url}AIA/2024/05/10/171/${absent}`, outcome: 'failed', sentence: 'The upstream responds with status 404.' },
    ]),
  );
  expect(tree.requests.filter((path) => path === noise)).toHaveLength(2);
  files.delete(noise);
  tree.absent = [];
});

it.each([
  [`tree`, 'nosuch/', 'all', /no folder of an instrument, such as AIA\/\. Check the address/],
  [`tree`, 'AIA/2024/', '10', /no folder of an instrument/],
  [`api`, 'nosuch/', '10', /status 404/],
])('npm run mirror fails for a wrong %s at %s of source %s', async (kind, path, sources, sentence) => {
  tree.fault = () => 'pass';
  const { code, stdout } = await mirror([`--from-${kind}`, tree.url + path, '--sources', sources], { isOther: true });
  expect([code, stdout]).toEqual([1, expect.stringMatching(sentence)]);
  expect(stdout).toMatch(/failed +1\n/);
});

it('npm run mirror ends well for a source that a right address does not have, by a token with its scope alone', async () => {
  const { code, stdout } = await mirror(['--sources', '13'], { token: MIRROR_TOKEN });
  expect([code, stdout]).toEqual([0, expect.stringMatching(/already there +0\n/)]);
});

it.each([
  [['--sources', '10:0'], 'Expected a source id of getDataSources, with :<seconds> for a cadence, for --sources, got 10:0.'],
  [['--from-tree', 'ftp://sun.test/'], 'Expected an http address for --from-tree, got ftp://sun.test/.'],
  [['--from', 'noon'], 'Expected a UTC date such as 2024-05-10T12:00:00Z for --from, got noon.'],
])('npm run mirror explains %s', (args, sentence) => {
  const { values } = parseArgs({ args: ['--from-tree', tree.url, '--sources', '10', ...args], options: OPTIONS });
  expect(() => mirrorArguments(values)).toThrow(sentence);
});

it('npm run mirror ends with what is wrong with an argument', async () => {
  const stderr = 'Expected a number from 0.1 to 200 for --rate, got 0.\n';
  expect(await mirror(['--rate', '0'])).toMatchObject({ code: 1, stderr });
});
