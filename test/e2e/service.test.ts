import { spawnSync } from 'node:child_process';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { seriesShots } from '../../demo/archive.ts';
import { DAY_MS } from '../../src/platform/util/durations.ts';
import { freePort, runCommand, type Started, startService, WITHOUT_EVENTS } from '../support/commands.ts';
import { writeSampleFiles } from '../support/sample-files.ts';
import { localServer } from '../support/system/local-server.ts';
import { testFolder } from '../support/system/test-folder.ts';

const NOON = Date.UTC(2024, 4, 10, 12);
const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

const folder = testFolder();
let files: string;
let paths: string[];
let env: NodeJS.ProcessEnv;
/** Environment of later starts on the same state. */
let again: NodeJS.ProcessEnv;
let service: Started;

beforeAll(async () => {
  files = join(folder, 'files');
  const plan = seriesShots({ sources: [10, 13], fromMs: NOON, toMs: NOON + 60_000, cadenceMs: 60_000, size: 128 });
  paths = await writeSampleFiles(plan, files);
  const stateDir = join(folder, 'state');
  await mkdir(stateDir);
  // The state of an archive that has had the sample: the service makes no other images than recent ones.
  await writeFile(join(stateDir, 'sample-state'), 'complete\n');
  env = { ...WITHOUT_EVENTS, STATE_DIR: stateDir, SAMPLE: '', PORT: String(await freePort()), HANG_SECONDS: '10' };
  // Movies, and the images of the sample Sun that a start adds, are looked at in the first start alone.
  again = { ...env, SAMPLE: 'none', MOVIE_WORKERS: '0' };
  service = await startService(env);
});

afterAll(() => service?.interrupt());

beforeEach(async () => {
  if (service.isRunning()) return;
  // A test that failed may have left processes.
  for (const { pid } of service.processes()) process.kill(pid, 'SIGKILL');
  service = await startService(again);
});

const getJson = async (path: string) => {
  const response = await fetch(service.url + path, { signal: AbortSignal.timeout(5_000) });
  return response.json() as Promise<Record<string, unknown>>;
};
/** An image that was ingested, as the service finds it. */
const archived = () => getJson('/v2/getClosestImage/?sourceId=13&date=2024-05-10T12:00:00Z');
const ingest = (...args: string[]) => runCommand('src/cli/ingest.ts', args, env);
const counts = (stdout: string) =>
  stdout
    .split('\n')
    .slice(0, 4)
    .map((line) => line.replace(/ +/g, ' '));

it('npm start prints one ready line with the address of the service', async () => {
  expect(service.stdout()).toBe(`ready http://127.0.0.1:${env.PORT}\n`);
  expect((await fetch(`${service.url}/health`)).status).toBe(200);
});

it('npm start creates a token that only its owner can read', async () => {
  const file = join(env.STATE_DIR!, 'admin-token');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await readFile(file, 'utf8')).trim()).toMatch(/^[\w-]{32}$/);
});

it('npm run ingest ingests a folder and lists refused files with their reasons', async () => {
  const broken = join(folder, 'broken.jp2');
  await writeFile(broken, 'this is no image');
  const report = join(folder, 'report.jsonl');
  const { code, stdout, stderr } = await ingest(files, broken, '--report', report);
  expect(counts(stdout)).toEqual(['accepted 4', 'already there 0', 'refused 1', 'failed 0']);
  expect(stdout).toMatch(/\nrefused 1: malformed: [A-Z][^\n]+\.\n {2}broken\.jp2\n$/s);
  expect(stderr).toMatch(/^ingest 5 \(\d+ s, [\d.]+ a second\)$/m);
  expect(JSON.parse(await readFile(report, 'utf8'))).toMatchObject({ label: broken, outcome: 'refused', reason: 'malformed' });
  expect(code).toBe(2);
});

it('the running service serves the closest image, its file and a tile', async () => {
  const image = await archived();
  expect(image).toMatchObject({ name: 'AIA 304', date: expect.stringMatching(/^2024-05-10 12:00:\d\d$/), width: 128 });
  const jp2 = await fetch(`${service.url}/v2/getJP2Image/?id=${image.id}`);
  const onDisk = await readFile(paths.find((path) => path.includes('304'))!);
  expect(Buffer.from(await jp2.arrayBuffer()).equals(onDisk)).toBe(true);
  const tile = await fetch(`${service.url}/v2/getTile/?id=${image.id}&x=-1&y=-1&imageScale=4.8`);
  const png = Buffer.from(await tile.arrayBuffer());
  expect([...png.subarray(0, 8)]).toEqual(PNG_SIGNATURE);
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([512, 512]);
});

it('the running service serves its documentation, also under the path of the menu of the official web client', async () => {
  const moved = await fetch(`${service.url}/docs/v2`, { redirect: 'manual' });
  expect([moved.status, moved.headers.get('Location')]).toEqual([302, '/docs/']);
  const page = await fetch(`${service.url}/docs/v2`);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<h1')]);
  expect((await fetch(`${service.url}/docs/nothing`)).headers.get('Content-Type')).toMatch(/json|html/);
});

it('the running service adds images of the sample Sun from 15 days ago soon after its start', async () => {
  const agoMs = Date.now() - (new Date().getTimezoneOffset() * 60_000 + 15 * DAY_MS);
  const nearest = async () => {
    const image = await getJson(`/v2/getClosestImage/?sourceId=14&date=${new Date(agoMs).toISOString()}`);
    expect(image).toMatchObject({ name: 'AIA 335', width: 512, height: 512 });
    expect(Math.abs(Date.parse(`${image.date}Z`) - agoMs)).toBeLessThanOrEqual(180_000);
  };
  await vi.waitFor(nearest, { timeout: 170_000, interval: 500 });
});

it('the running service stops at Ctrl-C without leaving a process, and keeps its archive', async () => {
  const before = await archived();
  expect(Object.keys(await getJson('/v2/getDataSources/'))).toEqual(['SDO']);
  expect(service.processes().some(({ command }) => command.includes('workerd'))).toBe(true);
  const { code, tookMs } = await service.interrupt();
  expect(code).toBe(0);
  // A hang alone: a busy machine takes several times the usual second.
  expect(tookMs).toBeLessThan(20_000);
  await vi.waitFor(() => expect(service.processes()).toEqual([]), { timeout: 20_000 });

  service = await startService(again);
  expect(await archived()).toEqual(before);
  expect(counts((await ingest(files)).stdout)[1]).toBe('already there 4');
});

// From here on after another start, because the first one draws images of the sample Sun as long as it runs.
it('npm start refuses nothing to a program on the same machine that sends more costly requests than an address may in a minute', async () => {
  const statuses = new Set<number>();
  // PICTURE_LIMIT is 60.
  for (let i = 0; i < 65; i += 1) statuses.add((await fetch(`${service.url}/v2/getHoldings/?sources=10&detail=days`)).status);
  expect([...statuses]).toEqual([200]);
});

it.skipIf(spawnSync('unshare', ['-rm', 'true']).status !== 0)('npm start explains that the disk is full', async () => {
  const small = join(folder, 'small');
  await mkdir(small);
  const mount = `mount -t tmpfs -o size=300k tmpfs ${small} && exec "$@"`;
  const smallEnv = { STATE_DIR: small, PORT: String(await freePort()) };
  const within = ['unshare', '-rm', 'sh', '-c', mount, 'sh'];
  const { code, stderr } = await runCommand('src/cli/start.ts', [], smallEnv, within);
  expect(code).toBe(1);
  expect(stderr).toContain(`\nNo space is left for the state in ${small}. Free some, or set STATE_DIR.\n`);
});

it('npm run ingest ingests a file from an http address', async () => {
  const fromMs = NOON + 3_600_000;
  const shots = seriesShots({ sources: [11], fromMs, toMs: fromMs, cadenceMs: 1, size: 64 });
  const [path] = await writeSampleFiles(shots, join(folder, 'remote'));
  const [name, bytes] = [basename(path!), await readFile(path!)];
  const mirror = await localServer((request, response) => {
    response.statusCode = request.url === `/${name}` ? 200 : 404;
    response.end(response.statusCode === 200 ? bytes : undefined);
  });
  const { code, stdout } = await ingest(`${mirror.url}/${name}`, `${mirror.url}/absent.jp2`);
  await mirror.close();
  expect(counts(stdout)).toEqual(['accepted 1', 'already there 0', 'refused 0', 'failed 1']);
  expect(stdout).toContain(`failed 1: ${mirror.url}/absent.jp2 responded with status 404.`);
  expect(code).toBe(1);
});

it('npm run ingest explains an absent service and an absent path', async () => {
  const absent = { ...env, HELIOEDGE_URL: `http://127.0.0.1:${await freePort()}` };
  const noService = await runCommand('src/cli/ingest.ts', [files], absent);
  expect([noService.code, noService.stderr]).toEqual([1, expect.stringContaining('does not respond: connect ECONNREFUSED')]);
  const noPath = await ingest(join(folder, 'nowhere'));
  expect([noPath.code, noPath.stderr]).toEqual([1, expect.stringContaining('Expected a file, a folder or an http address')]);
});

/** Id of the process with this in its command line. */
const processOf = (part: string) => service.processes().find(({ command }) => command.includes(part))!.pid;

it('the running service responds again, with its archive and without another ready line, after its runtime was killed', async () => {
  const before = await archived();
  const killed = processOf('workerd');
  process.kill(killed, 'SIGKILL');
  const isBack = async () => {
    expect(service.processes().filter(({ pid }) => pid === killed)).toEqual([]);
    expect(await archived()).toEqual(before);
  };
  await vi.waitFor(isBack, { timeout: 150_000, interval: 200 });
  expect(service.stdout()).toBe(`ready ${service.url}\n`);
});

it('the running service ends with all of its processes when its supervisor is killed', async () => {
  process.kill(processOf('src/cli/start.ts'), 'SIGKILL');
  await vi.waitFor(() => expect(service.processes()).toEqual([]), { timeout: 20_000 });
});
