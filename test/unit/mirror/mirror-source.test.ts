import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import type { FileOutcome } from '../../../src/archive/ingest/ingest-result.ts';
import { D1MirrorState } from '../../../src/operator/mirror/d1-mirror-state.ts';
import { copyFiles, mirrorSource } from '../../../src/operator/mirror/mirror-step.ts';
import type { MirrorPosition, MirrorScope, UpstreamFile } from '../../../src/operator/mirror/ports.ts';
import { mirrorUpstream } from '../../../src/operator/mirror/upstream/mirror-upstream.ts';
import { MIRROR_REQUESTS } from '../../../src/platform/limits/mirror.ts';
import { shardOfSource } from '../../../src/platform/storage/shards.ts';
import { DAY_MS, HOUR_MS } from '../../../src/platform/util/durations.ts';
import { migrated } from '../../support/memory/sqlite-d1.ts';
import { filledArchive, fingerprint } from '../../support/mirror/filled-archive.ts';
import { sampleFiles } from '../../support/mirror/sample-files.ts';
import { serveTree } from '../../support/mirror/tree-server.ts';
import { serveApp } from '../../support/serve-app.ts';
import { testFolder } from '../../support/system/test-folder.ts';
import { startUpstream, text } from '../../support/upstream/test-upstream.ts';

const it = test.extend('tree', () => treeOf(files));

const FROM = Date.UTC(2024, 4, 10);
const TO = FROM + 2 * DAY_MS - 1;
const POLITENESS = { ...MIRROR_REQUESTS, attemptMs: 20_000, perSecond: 200, attempts: 2, firstRetryMs: 1, longestWaitMs: 3_000 };
const ENDLESS = { files: Infinity, pages: Infinity, names: Infinity, endsAtMs: Infinity };
const TIMING = { clock: Date.now, log: () => undefined };
const SCOPE: MirrorScope = { sourceId: 10, cadenceMs: null, fromMs: FROM };

const files = await sampleFiles([10], { fromMs: FROM, toMs: TO, cadenceMs: 6 * HOUR_MS });

const newState = () => new D1MirrorState({ operations: migrated('operations') }, 'an upstream', Date.now);
const expected = (kept: (path: string, i: number) => boolean = () => true) =>
  Object.fromEntries([...files].filter(([path], i) => kept(path, i)).map(([path, bytes]) => [path, fingerprint(bytes)]));

interface Given {
  readonly kind?: 'tree' | 'api';
  readonly archive?: ReturnType<typeof filledArchive>;
  readonly state?: D1MirrorState;
  readonly scope?: MirrorScope;
  readonly toMs?: number;
  readonly files?: number;
  readonly again?: boolean;
  readonly position?: MirrorPosition | null;
}

/** A tree that closes at the end of the test. */
async function treeOf(...given: Parameters<typeof serveTree>) {
  const tree = await serveTree(...given);
  onTestFinished(() => tree.close());
  return tree;
}

async function mirror(url: string, given: Given = {}) {
  const { kind = 'tree', archive = filledArchive(), state = newState(), scope = SCOPE, toMs = TO, again = false } = given;
  const outcomes: (FileOutcome | Error)[] = [];
  await state.begin([scope]);
  const ports = { ...TIMING, upstream: mirrorUpstream(kind, url, POLITENESS), archive: archive.archive, state };
  const budget = { ...ENDLESS, ...(given.files === undefined ? {} : { files: given.files }) };
  const note = (_: string, outcome: FileOutcome | Error) => outcomes.push(outcome);
  const cutOff = await mirrorSource(ports, scope, {
    toMs,
    again,
    position: given.position ?? null,
    retriesAll: true,
    take: (listed) => copyFiles(ports, scope, listed, { parallel: 2, budget, note }),
    note,
    budget,
  });
  const failures = outcomes.filter((outcome) => outcome instanceof Error).map(({ message }) => message);
  return { isComplete: cutOff === null, cutOff, archive, state, failures, outcomes };
}

it.each(['apache', 'nginx'] as const)('a mirror of a tree copies all files of the index pages of %s', async (form) => {
  const tree = await treeOf(files, { form });
  const { archive, isComplete, failures } = await mirror(tree.url);
  expect({ isComplete, failures }).toEqual({ isComplete: true, failures: [] });
  expect(archive.manifest()).toEqual(expected());
});

it('a mirror of a tree walks through the folders of a long period and requests no day that has none', async ({ tree }) => {
  const { archive } = await mirror(tree.url, { scope: { ...SCOPE, fromMs: Date.UTC(1990, 0, 1) } });
  expect(archive.manifest()).toEqual(expected());
  expect(tree.requests.filter((path) => path.endsWith('/')).map((path) => path.slice(0, 15))).toEqual([
    'AIA/',
    'AIA/2024/',
    'AIA/2024/05/',
    'AIA/2024/05/10/',
    'AIA/2024/05/11/',
  ]);
});

it('a mirror of a tree asks whether a page has changed, and reads the new files of one that has', async () => {
  const tree = await treeOf(files, { tags: true });
  const late = [...files.keys()][1]!;
  const bytes = files.get(late)!;
  files.delete(late);
  const first = await mirror(tree.url);
  await mirror(tree.url, first);
  expect(tree.unchanged).toHaveLength(2);
  files.set(late, bytes);
  await mirror(tree.url, first);
  expect(tree.unchanged).toHaveLength(3);
  expect(first.archive.manifest()).toEqual(expected());
});

it('a mirror of a tree takes one image of each interval of the cadence, and the others when a finer one is chosen', async ({
  tree,
}) => {
  const first = await mirror(tree.url, { scope: { ...SCOPE, cadenceMs: 12 * HOUR_MS } });
  expect(Object.keys(first.archive.manifest())).toHaveLength(4);
  await mirror(tree.url, first);
  expect(first.archive.manifest()).toEqual(expected());
});

it('a mirror of a tree pauses as long as the upstream asks for, and gives up when that is too long', async ({ tree }) => {
  tree.fault = (path, count) => (path.endsWith('10/171/') && count === 1 ? 'busy' : 'pass');
  const began = performance.now();
  const { archive } = await mirror(tree.url);
  expect(performance.now() - began).toBeGreaterThan(900);
  expect(archive.manifest()).toEqual(expected());
  const upstream = await startUpstream({ jp2: text('', 429, { 'Retry-After': '3600' }) });
  await expect(mirror(`${upstream.url}/jp2/`)).rejects.toMatchObject({ problem: 'busy', retryAfterMs: 3_600_000 });
  expect(upstream.requests).toHaveLength(1);
  await upstream.close();
});

it('a mirror of a tree sends at most as many requests at once, and a second, as the operator allows', async ({ tree }) => {
  tree.fault = () => 'slow';
  const upstream = mirrorUpstream('tree', tree.url, { ...POLITENESS, perSecond: 20, parallel: 2 });
  const began = performance.now();
  const note = () => undefined;
  const ports = { ...TIMING, upstream, archive: filledArchive().archive, state: newState() };
  const budget = { ...ENDLESS };
  const take = (listed: readonly UpstreamFile[]) => copyFiles(ports, SCOPE, listed, { parallel: 8, budget, note });
  await ports.state.begin([SCOPE]);
  await mirrorSource(ports, SCOPE, { toMs: TO, take, note, budget });
  expect(performance.now() - began).toBeGreaterThan((tree.requests.length - 1) * 50);
  expect(tree.busiest).toBe(2);
});

it('a mirror of a tree follows no redirect to another host', async () => {
  const upstream = await startUpstream({ jp2: text('', 302, { Location: 'http://169.254.169.254/latest/' }) });
  const { failures } = await mirror(`${upstream.url}/jp2/`);
  expect(failures).toEqual(Array(2).fill(expect.stringMatching(/redirects to another host/)));
  await upstream.close();
});

it('a mirror of a tree ends at an upstream that fails for every page', async ({ tree }) => {
  tree.fault = () => 'drop';
  await expect(mirror(tree.url, { toMs: FROM + 9 * DAY_MS })).rejects.toMatchObject({ problem: 'failing' });
  expect(tree.requests.length).toBeLessThanOrEqual(6);
});

it('a mirror of a tree leaves out what an operator has withdrawn', async ({ tree }) => {
  const first = await mirror(tree.url);
  const [path] = [...files.keys()];
  expect(await first.archive.services.withdraw(path!.split('/').at(-1)!)).not.toBeNull();
  tree.requests.length = 0;
  await mirror(tree.url, { archive: first.archive });
  expect(tree.requests.filter((request) => request.endsWith('.jp2'))).toEqual([]);
});

it('a mirror of a tree leaves out what was withdrawn since the time to which the image database has been restored', async ({
  tree,
}) => {
  const { archive } = await mirror(tree.url);
  const name = [...files.keys()][0]!.split('/').at(-1)!;
  const image = (await archive.services.index.byFileName(name))!;
  await archive.services.withdraw(name);
  await archive.databases.ofShard(shardOfSource(image.sourceId)).prepare('DELETE FROM withdrawn_images').run();
  tree.requests.length = 0;
  await mirror(tree.url, { archive });
  expect(tree.requests.filter((request) => request.endsWith('.jp2'))).toEqual([]);
  expect(await archive.services.index.byFileName(name)).toBeNull();
});

it('a step that is cut off continues behind the files that it has tried, also those that fail', async ({ tree }) => {
  const names = [...files.keys()].sort();
  tree.fault = (path) => (names.slice(0, 3).includes(path) ? 'error' : 'pass');
  const first = await mirror(tree.url, { files: 2 });
  expect(first.cutOff).toMatchObject({ part: 'list', fromMs: FROM, failure: 'The upstream responds with status 500.' });
  const second = await mirror(tree.url, { ...first, position: first.cutOff });
  expect(second.isComplete).toBe(true);
  expect(first.failures.length + second.failures.length).toBe(3);
  expect(Object.keys(first.archive.manifest())).toHaveLength(files.size - 3);
  expect(await first.state.openSpans(SCOPE, { onlyDue: false })).toHaveLength(1);
  tree.fault = () => 'pass';
  const repeated = { archive: first.archive, state: first.state };
  const third = await mirror(tree.url, { ...repeated, files: 2 });
  expect(third.cutOff).toMatchObject({ part: 'open', fromMs: FROM });
  expect((await mirror(tree.url, { ...repeated, position: third.cutOff })).isComplete).toBe(true);
  expect(first.archive.manifest()).toEqual(expected());
});

/** Runs a program of the system; null where it is not installed. */
async function run(program: string, args: readonly string[]): Promise<number | null> {
  const child = spawn(program, args, { stdio: 'ignore' });
  return new Promise((resolve) => {
    child.once('error', () => resolve(null));
    child.once('close', resolve);
  });
}

/** Another service with the files, whose first one is replaced by other content, which lies in the folder of a version. */
const full = filledArchive();
for (const [path, bytes] of files) {
  const [fileName, text] = [path.split('/').at(-1)!, Buffer.from(bytes).toString('latin1')];
  await full.archive.add(fileName, bytes);
  if (path !== [...files.keys()][0]) continue;
  const jp2 = Buffer.from(text.replace('(synthetic)', '(corrected)'), 'latin1');
  expect((await full.services.ingest({ fileName, jp2, replace: true })).outcome).toBe('added');
}
const requests: string[] = [];
const upstream = await serveApp((request) => {
  requests.push(new URL(request.url).pathname);
  return full.fetch(request);
});
afterAll(() => upstream.close());

const contents = (manifest: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(manifest).map(([path, print]) => [path.split('/').at(-1), print]));

describe('the index pages of another service', () => {
  const folder = testFolder('each test');
  it('let a mirror of a tree copy every file, whose second run finds them unchanged', async () => {
    const first = await mirror(`${upstream.url}/jp2/`);
    expect(first.failures).toEqual([]);
    expect(contents(first.archive.manifest())).toEqual(contents(full.manifest()));
    requests.length = 0;
    await mirror(`${upstream.url}/jp2/`, first);
    expect(requests.filter((path) => path.endsWith('.jp2'))).toEqual([]);
    expect(await mirrorUpstream('tree', `${upstream.url}/jp2/`, POLITENESS).sources()).toContain(10);
  });

  it.each(['AIA/2024/05/10/171/', '2024/05/10/AIA/171/', '2024/05/10/'])('let wget copy a day from %s', async (path) => {
    const code = await run('wget', ['-q', '-r', '-np', '-nd', '-A', 'jp2', '-P', folder, `${upstream.url}/jp2/${path}`]);
    if (code === null) return;
    const copied = await readdir(folder);
    const wanted = [...files].map(([file]) => file).filter((file) => file.startsWith('AIA/2024/05/10/'));
    expect(copied.sort()).toEqual(wanted.map((file) => file.split('/').at(-1)).sort());
    const prints = contents(full.manifest());
    for (const name of copied) expect(fingerprint(await readFile(join(folder, name)))).toBe(prints[name]);
  });
});

describe('a mirror of an API', () => {
  const count = (name: string) => requests.filter((path) => path === `/v2/${name}/`).length;

  it('copies all images of another service, bit for bit, also after it was cut off', async () => {
    requests.length = 0;
    const first = await mirror(`${upstream.url}/v2`, { kind: 'api', files: 3 });
    expect(first.isComplete).toBe(false);
    expect(Object.keys(first.archive.manifest()).length).toBeLessThan(files.size);
    const { isComplete, failures } = await mirror(`${upstream.url}/v2`, { ...first, kind: 'api' });
    expect({ isComplete, failures }).toEqual({ isComplete: true, failures: [] });
    expect(contents(first.archive.manifest())).toEqual(contents(full.manifest()));
    expect(count('getJP2Image')).toBeLessThanOrEqual(2 * files.size + files.size + 2);
    requests.length = 0;
    await mirror(`${upstream.url}/v2`, { ...first, kind: 'api' });
    expect(count('getClosestImageDatesForSources')).toBeLessThanOrEqual(2);
  });

  it('steps from interval to interval of a cadence, and offers the sources that have images', async () => {
    requests.length = 0;
    const scope = { ...SCOPE, cadenceMs: DAY_MS };
    const { archive } = await mirror(`${upstream.url}/v2`, { kind: 'api', scope });
    expect(Object.keys(archive.manifest())).toHaveLength(2);
    expect(count('getClosestImageDatesForSources')).toBe(3);
    expect(await mirrorUpstream('api', `${upstream.url}/v2`, POLITENESS).sources()).toEqual([10]);
  });
});
