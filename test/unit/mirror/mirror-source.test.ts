import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SqliteMirrorState } from '../../../src/cli/mirror/mirror-state.ts';
import { MIRROR_REQUESTS } from '../../../src/config/limits/mirror.ts';
import type { MirrorOutcome, MirrorScope, MirrorState } from '../../../src/ports/mirror.ts';
import { mirrorSource } from '../../../src/services/mirror/mirror-source.ts';
import { type MirrorKind, mirrorUpstream } from '../../../src/upstreams/mirror/mirror-upstream.ts';
import { DAY_MS, HOUR_MS } from '../../../src/util/durations.ts';
import { filledArchive, fingerprint } from '../../support/mirror/filled-archive.ts';
import { sampleFiles } from '../../support/mirror/sample-files.ts';
import { serveTree } from '../../support/mirror/tree-server.ts';
import { type ServedApp, serveApp } from '../../support/serve-app.ts';
import { startUpstream, text } from '../../support/test-upstream.ts';

const FROM = Date.UTC(2024, 4, 10);
const TO = FROM + 2 * DAY_MS - 1;
const POLITENESS = { ...MIRROR_REQUESTS, perSecond: 200, attempts: 2, firstRetryMs: 1, longestWaitMs: 3_000 };
const SCOPE: MirrorScope = { sourceId: 10, cadenceMs: null, fromMs: FROM };

let files: Map<string, Uint8Array>;

beforeAll(async () => {
  files = await sampleFiles([10], { fromMs: FROM, toMs: TO, cadenceMs: 6 * HOUR_MS });
});

const newState = (upstream = 'an upstream') => new SqliteMirrorState(':memory:', { serviceUrl: 'http://a.test', upstream });
const expected = (kept: (path: string, i: number) => boolean = () => true) =>
  Object.fromEntries([...files].filter(([path], i) => kept(path, i)).map(([path, bytes]) => [path, fingerprint(bytes)]));

interface Given {
  readonly kind?: MirrorKind;
  readonly archive?: ReturnType<typeof filledArchive>;
  readonly state?: MirrorState;
  readonly scope?: MirrorScope;
  readonly toMs?: number;
  readonly files?: number;
  readonly again?: boolean;
}

async function mirror(url: string, given: Given = {}) {
  const { kind = 'tree', archive = filledArchive(), state = newState(), scope = SCOPE, toMs = TO, again = false } = given;
  const outcomes: (MirrorOutcome | Error)[] = [];
  const isComplete = await mirrorSource(
    { upstream: mirrorUpstream(kind, url, POLITENESS), archive: archive.archive, state },
    scope,
    {
      toMs,
      concurrency: 2,
      again,
      note: (_, outcome) => outcomes.push(outcome),
      isOver: () => outcomes.length >= (given.files ?? Number.POSITIVE_INFINITY),
    },
  );
  const failures = outcomes.filter((outcome) => outcome instanceof Error).map(({ message }) => message);
  return { isComplete, archive, state, failures, outcomes };
}

describe('a mirror of a tree', () => {
  it.each(['apache', 'nginx'] as const)('has all files of the index pages of %s', async (form) => {
    const tree = await serveTree(files, { form });
    const { archive, isComplete, failures } = await mirror(tree.url);
    expect({ isComplete, failures }).toEqual({ isComplete: true, failures: [] });
    expect(archive.manifest()).toEqual(expected());
    await tree.close();
  });

  it('walks through the folders of a long period and requests no day that has none', async () => {
    const tree = await serveTree(files);
    const { archive } = await mirror(tree.url, { scope: { ...SCOPE, fromMs: Date.UTC(1990, 0, 1) } });
    expect(archive.manifest()).toEqual(expected());
    expect(tree.requests.filter((path) => path.endsWith('/')).map((path) => path.slice(0, 15))).toEqual([
      'AIA/',
      'AIA/2024/',
      'AIA/2024/05/',
      'AIA/2024/05/10/',
      'AIA/2024/05/11/',
    ]);
    await tree.close();
  });

  it('asks whether a page has changed, and reads the new files of one that has', async () => {
    const tree = await serveTree(files, { tags: true });
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
    await tree.close();
  });

  it('takes one image of each interval of the cadence, and the others when a finer one is chosen', async () => {
    const tree = await serveTree(files);
    const first = await mirror(tree.url, { scope: { ...SCOPE, cadenceMs: 12 * HOUR_MS } });
    expect(Object.keys(first.archive.manifest())).toHaveLength(4);
    await mirror(tree.url, first);
    expect(first.archive.manifest()).toEqual(expected());
    await tree.close();
  });

  it('goes on behind a file that fails, and tries its day again in the next run', async () => {
    const tree = await serveTree(files);
    const bad = [...files.keys()][0]!;
    tree.fault = (path) => (path === bad ? 'error' : 'pass');
    const first = await mirror(tree.url);
    expect(first.failures).toEqual(['Expected status 200, got 500.']);
    expect(Object.keys(first.archive.manifest())).toHaveLength(files.size - 1);
    tree.fault = () => 'pass';
    const later = { ...first, toMs: TO + 30 * DAY_MS };
    expect((await mirror(tree.url, later)).failures).toEqual([]);
    expect(first.archive.manifest()).toEqual(expected());
    expect(await first.state.openSpans(SCOPE)).toEqual([]);
    await tree.close();
  });

  it('pauses as long as the upstream asks for, and gives up when that is too long', async () => {
    const tree = await serveTree(files);
    tree.fault = (path, count) => (path.endsWith('10/171/') && count === 1 ? 'busy' : 'pass');
    const began = performance.now();
    const { archive } = await mirror(tree.url);
    expect(performance.now() - began).toBeGreaterThan(900);
    expect(archive.manifest()).toEqual(expected());
    await tree.close();
    const upstream = await startUpstream({ jp2: text('', 429, { 'Retry-After': '3600' }) });
    await expect(mirror(`${upstream.url}/jp2/`)).rejects.toMatchObject({ problem: 'busy', waitMs: 3_600_000 });
    expect(upstream.requests).toHaveLength(1);
    await upstream.close();
  });

  it('sends at most as many requests at once, and a second, as the operator allows', async () => {
    const tree = await serveTree(files);
    tree.fault = () => 'slow';
    const upstream = mirrorUpstream('tree', tree.url, { ...POLITENESS, perSecond: 20, parallel: 2 });
    const began = performance.now();
    const note = () => undefined;
    const run = { toMs: TO, concurrency: 8, note, isOver: () => false };
    await mirrorSource({ upstream, archive: filledArchive().archive, state: newState() }, SCOPE, run);
    expect(performance.now() - began).toBeGreaterThan((tree.requests.length - 1) * 50);
    expect(tree.busiest).toBe(2);
    await tree.close();
  });

  it('follows no redirect to another host', async () => {
    const upstream = await startUpstream({ jp2: text('', 302, { Location: 'http://169.254.169.254/latest/' }) });
    const { failures } = await mirror(`${upstream.url}/jp2/`);
    expect(failures).toEqual(Array(2).fill(expect.stringMatching(/got a redirect to another host/)));
    await upstream.close();
  });

  it('ends at an upstream that fails for every page', async () => {
    const tree = await serveTree(files);
    tree.fault = () => 'drop';
    await expect(mirror(tree.url, { toMs: FROM + 9 * DAY_MS })).rejects.toMatchObject({ problem: 'failing' });
    expect(tree.requests.length).toBeLessThanOrEqual(6);
    await tree.close();
  });

  it('leaves out what an operator has withdrawn', async () => {
    const tree = await serveTree(files);
    const first = await mirror(tree.url);
    const [path] = [...files.keys()];
    const image = (await first.archive.ports.index.byFileName(path!.split('/').at(-1)!))!;
    await first.archive.ports.register.withdraw({ id: image.id, atMs: Date.now() });
    tree.requests.length = 0;
    await mirror(tree.url, { archive: first.archive });
    expect(tree.requests.filter((request) => request.endsWith('.jp2'))).toEqual([]);
    await tree.close();
  });
});

describe('a mirror of an API', () => {
  let upstream: ServedApp;
  let requests: string[];

  beforeAll(async () => {
    const full = filledArchive();
    for (const [path, bytes] of files) await full.archive.add(path.split('/').at(-1)!, bytes);
    upstream = await serveApp((request) => {
      requests.push(new URL(request.url).pathname);
      return full.fetch(request);
    });
  });
  afterAll(() => upstream.close());
  const count = (name: string) => requests.filter((path) => path === `/v2/${name}/`).length;

  it('has all images of another service, bit for bit, also after it was cut off', async () => {
    requests = [];
    const first = await mirror(`${upstream.url}/v2`, { kind: 'api', files: 3 });
    expect(first.isComplete).toBe(false);
    expect(Object.keys(first.archive.manifest()).length).toBeLessThan(files.size);
    const { isComplete, failures } = await mirror(`${upstream.url}/v2`, { ...first, kind: 'api' });
    expect({ isComplete, failures }).toEqual({ isComplete: true, failures: [] });
    expect(first.archive.manifest()).toEqual(expected());
    expect(count('getJP2Image')).toBeLessThanOrEqual(2 * files.size + files.size + 2);
    requests = [];
    await mirror(`${upstream.url}/v2`, { ...first, kind: 'api' });
    expect(count('getClosestImageDatesForSources')).toBeLessThanOrEqual(2);
  });

  it('steps from interval to interval of a cadence', async () => {
    requests = [];
    const scope = { ...SCOPE, cadenceMs: DAY_MS };
    const { archive } = await mirror(`${upstream.url}/v2`, { kind: 'api', scope });
    expect(Object.keys(archive.manifest())).toHaveLength(2);
    expect(count('getClosestImageDatesForSources')).toBe(3);
  });

  it('offers the sources that have images', async () => {
    requests = [];
    expect(await mirrorUpstream('api', `${upstream.url}/v2`, POLITENESS).sources()).toEqual([10]);
  });
});
