import { resolve } from 'node:path';
import { DrizzleQueryError } from 'drizzle-orm';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { experimental_readRawConfig as readRawConfig } from 'wrangler';
import { checkWorkerVariables } from '../../../src/cli/command.ts';
import { D1MirrorState } from '../../../src/operator/mirror/d1-mirror-state.ts';
import { copyPlannedFile, mirrorStep } from '../../../src/operator/mirror/mirror-step.ts';
import type { PlannedFile } from '../../../src/operator/mirror/ports.ts';
import { mirrorUpstream } from '../../../src/operator/mirror/upstream/mirror-upstream.ts';
import { MIRROR_REQUESTS, MIRROR_STEP, OPEN_SPANS } from '../../../src/platform/limits/mirror.ts';
import { readMirrorSettings } from '../../../src/platform/settings/mirror.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { TransientError } from '../../../src/platform/util/errors.ts';
import { ADMIN_TOKEN, filledArchive, fingerprint } from '../../support/mirror/filled-archive.ts';
import { sampleFiles } from '../../support/mirror/sample-files.ts';
import { serveTree } from '../../support/mirror/tree-server.ts';

const FROM = Date.UTC(2024, 4, 10);
const EVERY_MS = 10 * MINUTE_MS;

/** A service whose clock mirrors AIA 171 and LASCO C2 of a tree. */
async function mirrored(files: ReadonlyMap<string, Uint8Array>) {
  const time = { nowMs: FROM + 23 * HOUR_MS };
  const clock = () => time.nowMs;
  const service = filledArchive({ clock });
  const tree = await serveTree(files);
  onTestFinished(() => tree.close());
  const state = new D1MirrorState(service.databases, tree.url, clock);
  const logged: object[] = [];
  const scopes = [10, 4].map((sourceId) => ({ sourceId, cadenceMs: null, fromMs: FROM }));
  const politeness = { ...MIRROR_REQUESTS, ...MIRROR_STEP, parallel: 4, perSecond: 1000, attempts: 1, longestWaitMs: 0 };
  const sent: PlannedFile[] = [];
  const ports = {
    upstream: mirrorUpstream('tree', tree.url, politeness),
    archive: service.archive,
    state,
    clock,
    log: (record: object) => logged.push(record),
  };
  const send = async (planned: readonly PlannedFile[]) => void sent.push(...planned);
  const plan = (most: number = MIRROR_STEP.sent, some = scopes) =>
    mirrorStep(ports, { scopes: some, everyMs: EVERY_MS, sent: most, send });
  /** Copies what was sent. @returns images added */
  const copy = async () => {
    let added = 0;
    for (const file of sent.splice(0)) added += await copyPlannedFile(ports, file);
    return added;
  };
  const step = async () => {
    await plan();
    return copy();
  };
  return { ...service, time, tree, state, scopes, plan, copy, step, sent, logged };
}

const oneFile = (sourceId = 10) => sampleFiles([sourceId], { fromMs: FROM, toMs: FROM, cadenceMs: HOUR_MS });

/** `count` files of AIA 171, a minute after the other, that are cut off after 200 bytes. */
async function damagedFiles(count: number): Promise<Map<string, Uint8Array>> {
  const [[path, bytes]] = (await oneFile()) as unknown as [[string, Uint8Array]];
  const two = (value: number) => String(value).padStart(2, '0');
  const pathOf = (i: number) => path.replace(/__\d\d_\d\d_/, `__${two(Math.floor(i / 60))}_${two(i % 60)}_`);
  return new Map(Array.from({ length: count }, (_, i) => [pathOf(i), bytes.subarray(0, 200)]));
}

describe('the mirror of the clock', () => {
  it('lists all due sources, copies each file by a message, and looks again when it is time', async () => {
    const files = await sampleFiles([10, 4], { fromMs: FROM, toMs: FROM + 22 * HOUR_MS, cadenceMs: 2 * HOUR_MS });
    const { plan, copy, step, tree, time, manifest, state } = await mirrored(files);
    expect(await plan()).toBe(files.size);
    expect([await state.heartbeat(), manifest()]).toMatchObject([{ waiting: files.size, added: 0 }, {}]);
    expect(await copy()).toBe(files.size);
    expect(manifest()).toEqual(Object.fromEntries([...files].map(([path, bytes]) => [path, fingerprint(bytes)]).sort()));
    tree.requests.length = 0;
    expect(await step()).toBe(0);
    expect(tree.requests).toEqual([]);
    time.nowMs += EVERY_MS;
    expect(await step()).toBe(0);
    expect(tree.requests.length).toBeGreaterThan(0);
    expect(tree.requests.filter((path) => path.endsWith('.jp2'))).toEqual([]);
    const sums = { sources: 2, okAtMs: time.nowMs, added: files.size, failing: 0, open: 0, waiting: 0, refused: 0 };
    expect(await state.heartbeat()).toMatchObject(sums);
  });

  it('goes on with other files and sources while the copy of a file is killed at each attempt, and gives it up in the end', async () => {
    const files = await sampleFiles([10, 4], { fromMs: FROM, toMs: FROM + 6 * HOUR_MS, cadenceMs: 2 * HOUR_MS });
    const { plan, copy, sent, time, state, manifest } = await mirrored(files);
    await plan();
    const killed = sent.splice(2, 1)[0]!;
    expect(await copy()).toBe(files.size - 1);
    expect(Object.keys(manifest()).some((path) => path.endsWith(killed.fileName))).toBe(false);
    for (let attempt = 2; attempt <= OPEN_SPANS.attempts; attempt += 1) {
      time.nowMs += MIRROR_STEP.fileLeaseMs - 1;
      expect(await plan()).toBe(0);
      time.nowMs += 1;
      expect(await plan()).toBe(1);
      expect(sent.splice(0)).toEqual([{ fileName: killed.fileName, attempts: attempt }]);
    }
    time.nowMs += MIRROR_STEP.fileLeaseMs;
    expect([await plan(), (await state.heartbeat()).waiting]).toEqual([0, 0]);
  });

  it('drops a message that was delivered twice, or that a later attempt has followed', async () => {
    const { plan, copy, sent, time, tree } = await mirrored(await oneFile());
    await plan();
    const first = sent[0]!;
    time.nowMs += MIRROR_STEP.fileLeaseMs;
    await plan();
    const second = sent.at(-1)!;
    expect([first, second].map(({ attempts }) => attempts)).toEqual([1, 2]);
    sent.splice(0, sent.length, first, second, second);
    expect(await copy()).toBe(1);
    expect(tree.requests.filter((path) => path.endsWith('.jp2'))).toHaveLength(1);
  });

  it('tries a file that fails again after growing pauses, without a look at the list', async () => {
    const { plan, copy, step, time, tree, logged } = await mirrored(await oneFile());
    tree.fault = (path) => (path.endsWith('.jp2') ? 'error' : 'pass');
    expect(await step()).toBe(0);
    const failed = 'The upstream responds with status 500.';
    expect(logged).toContainEqual(expect.objectContaining({ job: 'mirror', failed }));
    time.nowMs += OPEN_SPANS.firstRetryMs;
    expect([await plan(), await copy()]).toEqual([1, 0]);
    tree.fault = () => 'pass';
    time.nowMs += OPEN_SPANS.firstRetryMs;
    expect([await plan(), await copy()]).toEqual([0, 0]);
    time.nowMs += OPEN_SPANS.firstRetryMs;
    expect([await plan(), await copy()]).toEqual([1, 1]);
  });

  it('keeps the files of a source that one version of the service leaves out', async () => {
    const { plan, copy, scopes } = await mirrored(await oneFile());
    expect([await plan(0), await plan(1, scopes.slice(1))]).toEqual([0, 0]);
    expect([await plan(), await copy()]).toEqual([1, 1]);
  });

  it('tries a file again for as long as the storage of the archive fails', async () => {
    const { plan, copy, time, archive } = await mirrored(await oneFile());
    const adding = vi.spyOn(archive, 'add').mockRejectedValue(new TransientError('R2 does not respond.'));
    for (let attempt = 0; attempt < 2 * OPEN_SPANS.attempts; attempt += 1, time.nowMs += OPEN_SPANS.firstRetryMs) {
      expect(await plan()).toBe(1);
      await expect(copy()).rejects.toThrow('R2 does not respond.');
    }
    adding.mockRestore();
    expect([await plan(), await copy()]).toEqual([1, 1]);
  });

  it('sends 60 files a minute and more, lists no more than may wait, and goes on as they are settled', async () => {
    const files = await damagedFiles(MIRROR_STEP.sent + 30);
    const { plan, copy, sent, state, time } = await mirrored(files);
    expect(MIRROR_STEP.sent).toBeGreaterThanOrEqual(60);
    expect([await plan(), sent.length]).toEqual([MIRROR_STEP.sent, MIRROR_STEP.sent]);
    expect(await plan(7)).toBe(7);
    await copy();
    time.nowMs += MINUTE_MS;
    expect(await plan()).toBe(23);
    await copy();
    expect(await state.heartbeat()).toMatchObject({ refused: files.size, waiting: 0, failing: 0 });
  });

  it('lists and copies other sources while more files than may be due cannot be copied, each of which is planned once', async () => {
    const count = MIRROR_STEP.waiting + 400;
    const files = await oneFile(4);
    const { plan, copy, sent, time, state, manifest } = await mirrored(new Map([...(await damagedFiles(count)), ...files]));
    for (let minute = 0; minute < 90; minute += 1) {
      await plan();
      for (const file of sent.splice(0))
        if (file.fileName.includes('AIA')) await state.putOff(file);
        else sent.push(file);
      await copy();
      time.nowMs += MINUTE_MS;
    }
    expect(Object.keys(manifest())).toEqual([...files.keys()]);
    expect((await state.heartbeat()).waiting).toBe(count);
  });

  it('keeps up with 60 files of 4096x4096 a minute by its consumers, at the processor time that one takes', () => {
    const [UPLOAD_SECONDS, WALL_SECONDS, FILES] = [1.2, 6, 60];
    const { rawConfig } = readRawConfig({ config: resolve(import.meta.dirname, '..', '..', '..', 'wrangler.toml') });
    const { max_batch_size: files, max_concurrency: atOnce } = rawConfig.queues!.consumers!.find(
      ({ queue }: { readonly queue: string }) => queue.endsWith('long-jobs'),
    )!;
    expect((files! * UPLOAD_SECONDS * 1000) / rawConfig.limits!.cpu_ms!).toBeLessThan(0.1);
    // Half of them, while the others have jobs of the clock and uploads to the video host.
    expect(((atOnce! / 2) * 60) / WALL_SECONDS).toBeGreaterThanOrEqual(FILES);
    expect(MIRROR_STEP.files * UPLOAD_SECONDS * 1000).toBeLessThan(rawConfig.limits!.cpu_ms!);
  });

  it('ends a step at its budget of pages, whose statements an invocation has, and the next step goes on', async () => {
    const days = MIRROR_STEP.pages + 3;
    const files = await sampleFiles([10], { fromMs: FROM, toMs: FROM + (days - 1) * DAY_MS, cadenceMs: DAY_MS });
    const { step, time } = await mirrored(files);
    time.nowMs = FROM + days * DAY_MS;
    expect(await step()).toBe(MIRROR_STEP.pages);
    expect(await step()).toBe(3);
  });

  it('tries a failing upstream again after growing pauses, and says what failed', async () => {
    const { step, state, time, tree, scopes, logged } = await mirrored(await oneFile());
    tree.fault = () => 'busy';
    await step();
    expect(tree.requests).toHaveLength(1);
    expect(await state.heartbeat()).toMatchObject({
      okAtMs: null,
      failing: 1,
      sentence: 'The upstream responds with status 503.',
    });
    expect(logged).toContainEqual(expect.objectContaining({ job: 'mirror', failed: 'The upstream responds with status 503.' }));
    await step();
    expect(tree.requests).toHaveLength(1);
    tree.fault = () => 'pass';
    time.nowMs += MIRROR_STEP.firstRetryMs;
    expect(await step()).toBe(1);
    expect(await state.progress(scopes[0]!)).toMatchObject({ failures: 0 });
  });

  it.each(['list', 'file'])('asks an upstream again after a day, however long a pause it asks for at a %s', async (at) => {
    const { step, time, tree } = await mirrored(await oneFile());
    Object.assign(tree, {
      fault: (path: string) => (path.endsWith('.jp2') === (at === 'file') ? 'busy' : 'pass'),
      retryAfter: '999999999',
    });
    expect(await step()).toBe(0);
    const asked = tree.requests.length;
    time.nowMs += DAY_MS - 1;
    expect([await step(), tree.requests.length]).toEqual([0, asked]);
    tree.fault = () => 'pass';
    time.nowMs += 1;
    expect(await step()).toBe(1);
  });

  it('says of a database that fails no statement, which the log has', async () => {
    const { step, state, logged, archive } = await mirrored(await oneFile());
    archive.known = () => Promise.reject(new DrizzleQueryError('select "id" from "images"', ['a.jp2']));
    await step();
    expect((await state.heartbeat()).sentence).toBe('The request failed because of an internal error. Try again later.');
    expect(logged).toContainEqual(expect.objectContaining({ failed: expect.stringContaining('select "id" from "images"') }));
  });

  it('plans a file with a refused name once, also when its page changes', async () => {
    const { step, plan, time, tree } = await mirrored(await damagedFiles(1));
    tree.absent = ['X.JP2'];
    await step();
    tree.absent = ['X.JP2', 'Y.JP2'];
    time.nowMs += EVERY_MS;
    expect(await plan()).toBe(1);
  });

  it('gives a source to one step at a time, until the claim of a step that was cut off ends', async () => {
    const { state, time, scopes } = await mirrored(new Map());
    await state.begin(scopes);
    const claim = () => state.claim(scopes, MIRROR_STEP.leaseMs);
    expect([(await claim())?.sourceId, (await claim())?.sourceId, await claim()]).toEqual([10, 4, null]);
    time.nowMs += MIRROR_STEP.leaseMs;
    expect((await claim())?.sourceId).toBe(10);
  });

  it('forgets the versions of old pages, and old refusals', async () => {
    const { state, time } = await mirrored(new Map());
    const keep = async (name: string) => {
      await state.keepPage(name, '1');
      await state.keepRefusal(10, `${name}.jp2`, { reason: 'malformed', sentence: 'Expected a JP2 file.' });
    };
    await keep('a');
    time.nowMs += 10;
    await keep('b');
    expect((await state.heartbeat()).refused).toBe(2);
    expect(await state.sweep(time.nowMs)).toBe(2);
    expect([await state.pageVersion('a'), await state.pageVersion('b')]).toEqual([null, '1']);
    expect([...(await state.refusals(['a.jp2', 'b.jp2'])).keys()]).toEqual(['b.jp2']);
    expect((await state.heartbeat()).refused).toBe(1);
  });
});

it('a request of npm run mirror names a member that it does not have, and its form when another is wrong', async () => {
  const { fetch } = filledArchive();
  const sent = { kind: 'tree', address: 'https://sun.test/jp2', perSecond: 1, parallel: 1 };
  const post = async (body: object, path = 'sources') => {
    const headers = { Authorization: `Bearer ${ADMIN_TOKEN}` };
    const response = await fetch(`http://localhost/admin/mirror/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return [response.status, await response.json()];
  };
  expect(await post({ ...sent, attempts: 2 })).toMatchObject([
    400,
    {
      error: 'The body has no member attempts. It is a request of `npm run mirror`. Use the command of the same version.',
      parameter: 'attempts',
    },
  ]);
  const form = [400, { error: 'The body has to be a request of `npm run mirror`. Use the command of the same version.' }];
  expect(await post({ ...sent, kind: 'ftp' })).toMatchObject(form);
  const scope = { sourceId: 10, cadenceMs: null, fromMs: FROM };
  for (const wrong of [{ sourceId: 9999 }, { sourceId: 10_001 }, { fromMs: -8.64e15 }, { fromMs: 9e15 }, { cadenceMs: 1e15 }])
    expect(
      await post({ ...sent, scope: { ...scope, ...wrong }, toMs: FROM, again: false, position: null }, 'step'),
    ).toMatchObject(form);
});

it('the settings of the mirror name an upstream and sources, and have none without either', () => {
  const MIRROR_TREE_URL = 'https://sun.test/jp2/';
  expect(readMirrorSettings({ MIRROR_TREE_URL, MIRROR_SOURCES: '10:300, 13', MIRROR_FROM: '2024-05-10' })).toEqual({
    kind: 'tree',
    address: 'https://sun.test/jp2',
    sources: [
      { sourceId: 10, cadenceMs: 300_000 },
      { sourceId: 13, cadenceMs: null },
    ],
    fromMs: FROM,
    perSecond: 5,
  });
  expect([readMirrorSettings({}), readMirrorSettings({ MIRROR_TREE_URL })]).toEqual([null, null]);
});

it('the settings of the mirror refuse two upstreams at the start, and other addresses and sources by name', () => {
  const both = { MIRROR_TREE_URL: 'https://sun.test/jp2', MIRROR_API_URL: 'https://api.sun.test/v2', MIRROR_SOURCES: '10' };
  const sentence = 'MIRROR_TREE_URL and MIRROR_API_URL are both set.';
  expect(() => readMirrorSettings(both)).toThrow(sentence);
  expect(() => checkWorkerVariables(both)).toThrow(sentence);
  expect(() => readMirrorSettings({ MIRROR_API_URL: 'file:///etc' })).toThrow('Expected an http address for MIRROR_API_URL');
  expect(() => readMirrorSettings({ MIRROR_SOURCES: '10:x' })).toThrow('for MIRROR_SOURCES, got 10:x');
});
