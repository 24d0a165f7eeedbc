import { describe, expect, it, onTestFinished } from 'vitest';
import { checkWorkerVariables } from '../../../src/cli/settings.ts';
import { MIRROR_REQUESTS, MIRROR_STEP } from '../../../src/config/limits/mirror.ts';
import { readMirrorSettings } from '../../../src/config/settings/mirror.ts';
import { mirrorStep } from '../../../src/services/mirror/mirror-step.ts';
import { D1MirrorState } from '../../../src/storage/mirror/d1-mirror-state.ts';
import { mirrorUpstream } from '../../../src/upstreams/mirror/mirror-upstream.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/util/durations.ts';
import { ADMIN_TOKEN, filledArchive, fingerprint } from '../../support/mirror/filled-archive.ts';
import { sampleFiles } from '../../support/mirror/sample-files.ts';
import { serveTree } from '../../support/mirror/tree-server.ts';

const FROM = Date.UTC(2024, 4, 10);
const EVERY_MS = 10 * MINUTE_MS;

/** A service whose clock mirrors AIA 171 and LASCO C2 of a tree. */
async function mirrored(files: ReadonlyMap<string, Uint8Array>) {
  const time = { nowMs: FROM + 23 * HOUR_MS };
  const clock = () => time.nowMs;
  const service = filledArchive(clock);
  const tree = await serveTree(files);
  onTestFinished(() => tree.close());
  const state = new D1MirrorState(service.databases, tree.url, clock);
  const logged: object[] = [];
  const scopes = [10, 4].map((sourceId) => ({ sourceId, cadenceMs: null, fromMs: FROM }));
  const politeness = { ...MIRROR_REQUESTS, ...MIRROR_STEP, parallel: 4, perSecond: 200, attempts: 1, longestWaitMs: 0 };
  const step = () =>
    mirrorStep(
      {
        upstream: mirrorUpstream('tree', tree.url, politeness),
        archive: service.archive,
        state,
        clock,
        log: (record) => logged.push(record),
      },
      { scopes, parallel: 2, everyMs: EVERY_MS },
    );
  return { ...service, time, tree, state, scopes, step, logged };
}

describe('the mirror of the clock', () => {
  it('copies all due sources in bounded steps, and looks again when it is time', async () => {
    const files = await sampleFiles([10, 4], { fromMs: FROM, toMs: FROM + 22 * HOUR_MS, cadenceMs: 2 * HOUR_MS });
    const { step, tree, time, manifest, state } = await mirrored(files);
    expect(await step()).toBe(files.size);
    expect(manifest()).toEqual(Object.fromEntries([...files].map(([path, bytes]) => [path, fingerprint(bytes)]).sort()));
    tree.requests.length = 0;
    expect(await step()).toBe(0);
    expect(tree.requests).toEqual([]);
    time.nowMs += EVERY_MS;
    expect(await step()).toBe(0);
    expect(tree.requests.length).toBeGreaterThan(0);
    expect(tree.requests.filter((path) => path.endsWith('.jp2'))).toEqual([]);
    expect(await state.heartbeat()).toMatchObject({
      sources: 2,
      okAtMs: time.nowMs,
      added: files.size,
      failing: 0,
      open: 0,
      refused: 0,
    });
  });

  it('ends a step at its budget of files, and the next step goes on with the other source', async () => {
    const one = await sampleFiles([10], { fromMs: FROM, toMs: FROM, cadenceMs: HOUR_MS });
    const [path, bytes] = [...one][0]!;
    const files = new Map(one);
    const damaged = MIRROR_STEP.files + 5;
    for (let i = 0; i < damaged; i += 1)
      files.set(
        path.replace(/__\d\d_\d\d_/, `__${String(1 + Math.floor(i / 60)).padStart(2, '0')}_${String(i % 60).padStart(2, '0')}_`),
        bytes.subarray(0, 200),
      );
    const { step, state, manifest } = await mirrored(files);
    await step();
    const { refused } = await state.heartbeat();
    expect(refused).toBeGreaterThan(damaged - 20);
    expect(refused).toBeLessThan(damaged);
    await step();
    expect(await state.heartbeat()).toMatchObject({ refused: damaged, failing: 0 });
    expect(Object.keys(manifest())).toEqual([path]);
  });

  it('ends a step at its budget of pages, whose subrequests an invocation has, and the next step goes on', async () => {
    const days = MIRROR_STEP.pages + 3;
    const files = await sampleFiles([10], { fromMs: FROM, toMs: FROM + (days - 1) * DAY_MS, cadenceMs: DAY_MS });
    const { step, time } = await mirrored(files);
    time.nowMs = FROM + days * DAY_MS;
    expect(await step()).toBe(MIRROR_STEP.pages);
    expect(await step()).toBe(3);
  });

  it('tries a failing upstream again after growing pauses, and says what failed', async () => {
    const files = await sampleFiles([10], { fromMs: FROM, toMs: FROM, cadenceMs: HOUR_MS });
    const { step, state, time, tree, scopes, logged } = await mirrored(files);
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
    expect(await state.failures(scopes[0]!)).toBe(0);
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

describe('a request of npm run mirror', () => {
  it('names a member that it does not have, and its form when another is wrong', async () => {
    const { fetch } = filledArchive();
    const sent = { kind: 'tree', address: 'https://sun.test/jp2', perSecond: 1, parallel: 1 };
    const post = async (body: object) => {
      const headers = { Authorization: `Bearer ${ADMIN_TOKEN}` };
      const response = await fetch('http://localhost/admin/mirror/sources', {
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
    expect(await post({ ...sent, kind: 'ftp' })).toMatchObject([
      400,
      { error: 'The body has to be a request of `npm run mirror`. Use the command of the same version.' },
    ]);
  });
});

describe('the settings of the mirror', () => {
  it('name an upstream and sources, and have none without either', () => {
    const MIRROR_TREE_URL = 'https://sun.test/jp2/';
    expect(readMirrorSettings({ MIRROR_TREE_URL, MIRROR_SOURCES: '10:300, 13', MIRROR_FROM: '2024-05-10' })).toEqual({
      kind: 'tree',
      address: 'https://sun.test/jp2',
      sources: [
        { sourceId: 10, cadenceMs: 300_000 },
        { sourceId: 13, cadenceMs: null },
      ],
      fromMs: FROM,
      everyMs: EVERY_MS,
      perSecond: 5,
    });
    expect([readMirrorSettings({}), readMirrorSettings({ MIRROR_TREE_URL })]).toEqual([null, null]);
  });

  it('refuse two upstreams at the start, because the clock keeps the archive in step with one', () => {
    const both = { MIRROR_TREE_URL: 'https://sun.test/jp2', MIRROR_API_URL: 'https://api.sun.test/v2', MIRROR_SOURCES: '10' };
    const sentence = 'MIRROR_TREE_URL and MIRROR_API_URL are both set.';
    expect(() => readMirrorSettings(both)).toThrow(sentence);
    expect(() => checkWorkerVariables(both)).toThrow(sentence);
  });

  it('refuse other addresses and sources by name', () => {
    expect(() => readMirrorSettings({ MIRROR_API_URL: 'file:///etc' })).toThrow('Expected an http address for MIRROR_API_URL');
    expect(() => readMirrorSettings({ MIRROR_SOURCES: '10:x' })).toThrow('for MIRROR_SOURCES, got 10:x');
  });
});
