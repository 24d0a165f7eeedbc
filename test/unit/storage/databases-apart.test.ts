// What operators need goes on when the database of visitors is full, because no request of a visitor writes to theirs.
import { expect, it, onTestFinished, vi } from 'vitest';
import { archivePath } from '../../../demo/image-file.ts';
import { MIRROR_REQUESTS } from '../../../src/platform/limits/mirror.ts';
import { HOUR_MS } from '../../../src/platform/util/durations.ts';
import { consumeQueue } from '../../../src/worker/background.ts';
import { callOf, readingPaths, requestableArchive } from '../../support/good-requests.ts';
import { batchOf, runMinute } from '../../support/memory/background-jobs.ts';
import { MemoryIdSequences } from '../../support/memory/id-sequences.ts';
import { MemoryObjectStore } from '../../support/memory/object-store.ts';
import { databasesIn, fillUp, migrated } from '../../support/memory/sqlite-d1.ts';
import { sampleFiles } from '../../support/mirror/sample-files.ts';
import { serveTree } from '../../support/mirror/tree-server.ts';
import { MOVIE_TOKEN } from '../../support/movies/internal-service.ts';
import { OPERATOR, resourceInit, resourcePath } from '../../support/resource-examples.ts';
import { sampleFile } from '../../support/sample-files.ts';
import { servedApp, testServices } from '../../support/test-services.ts';

const FROM = Date.UTC(2024, 4, 10);
const [AIA_171, AIA_193, LASCO_C2] = [10, 11, 4] as const;

/** Jobs of the clock on what visitors make. */
const JOBS_OF_VISITORS = [
  'runVideoUploads',
  'sweepClientStates',
  'sweepLinks',
  'sweepMovies',
  'sweepScreenshots',
  'sweepSharing',
  'sweepUnusedMovies',
  'wakeMovieWorkers',
];

/** A service whose clock mirrors LASCO C2 of a tree, which has AIA 193 as well. */
async function mirroringService() {
  const time = { nowMs: FROM + 12 * HOUR_MS };
  const files = await sampleFiles([AIA_193, LASCO_C2], { fromMs: FROM, toMs: FROM + 2 * HOUR_MS, cadenceMs: 2 * HOUR_MS });
  const tree = await serveTree(files);
  onTestFinished(() => tree.close());
  const databases = databasesIn(migrated());
  const variables = {
    ...OPERATOR,
    MIRROR_TREE_URL: tree.url,
    MIRROR_SOURCES: String(LASCO_C2),
    MIRROR_FROM: new Date(FROM).toISOString(),
    MIRROR_PER_SECOND: String(MIRROR_REQUESTS.maxPerSecond),
  };
  const logged: Readonly<Record<string, unknown>>[] = [];
  const log = (record: Readonly<Record<string, unknown>>) => logged.push(record);
  const sent: unknown[] = [];
  const services = testServices({
    databases,
    send: async (_, messages) => void sent.push(...messages),
    objects: new MemoryObjectStore(),
    ids: new MemoryIdSequences(),
    variables,
    clock: () => time.nowMs,
    // Asks sources of events on the internet.
    countEvents: async () => 0,
    log,
    logFault: log,
  });
  const { direct, settle } = servedApp(services);
  const send = async (method: string, path: string, body?: BodyInit) => {
    const headers = { Authorization: `Bearer ${OPERATOR.ADMIN_TOKEN}` };
    const response = await direct(`http://sun.test${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
    await settle();
    return { status: response.status, body: (await response.json().catch(() => null)) as Record<string, unknown> };
  };
  const minute = async () => {
    await runMinute(services);
    for (const body of sent.splice(0)) await consumeQueue(batchOf('long-jobs', [body]), services);
  };
  return { databases, services, minute, time, tree, logged, send };
}

it('The journal, audit, mirror, withdrawals and reconciliation go on when the database of visitors is full.', async () => {
  const { databases, services, minute, time, tree, logged, send } = await mirroringService();
  const shots = [6, 8].map((hour) => ({ sourceId: AIA_171, timeMs: FROM + hour * HOUR_MS, size: 64 }));
  const [one, other] = shots.map((shot) => archivePath(shot).split('/').at(-1)!);
  const files = await Promise.all(shots.map((shot) => sampleFile(shot)));
  fillUp(databases.main);
  const added = await send('PUT', `/admin/images/${one}`, files[0] as Uint8Array<ArrayBuffer>);
  expect([added.status, added.body]).toMatchObject([201, { id: expect.any(Number) }]);
  expect((await send('PUT', `/admin/images/${other}`, files[1] as Uint8Array<ArrayBuffer>)).status).toBe(201);
  const field = 'imageScale=9.6&x0=0&y0=0&width=9&height=9';
  const screenshot = `/v2/takeScreenshot/?date=2024-05-10T06:00:00Z&layers=[${AIA_171},1,100]&${field}`;
  expect([(await send('GET', screenshot)).status, (await send('GET', `/v2/getJP2Header/?id=${added.body.id}`)).status]).toEqual([
    503, 200,
  ]);
  expect((await send('DELETE', `/admin/images/${other}`)).status).toBe(200);

  const upstream = { kind: 'tree', address: tree.url, perSecond: MIRROR_REQUESTS.maxPerSecond, parallel: 2 };
  const scope = { sourceId: AIA_193, cadenceMs: null, fromMs: FROM };
  const step = { ...upstream, scope, toMs: FROM + 3 * HOUR_MS, again: false, position: null };
  expect(await send('POST', '/admin/mirror/step', JSON.stringify(step))).toMatchObject({ status: 200, body: { added: 2 } });
  const reconciled = await send('POST', '/admin/reconciliation', JSON.stringify({ cursor: null, mend: true }));
  expect([reconciled.status, reconciled.body]).toMatchObject([200, { faults: [] }]);
  expect((await send('GET', '/admin/audit')).body).toMatchObject({
    entries: [
      { action: 'mirror', subject: `2 of source ${AIA_193}` },
      { action: 'withdraw', subject: other },
      { action: 'ingest', subject: other },
      { action: 'ingest', subject: one },
    ],
  });

  for (let runs = 0; runs < 3; runs += 1) {
    await minute();
    time.nowMs += HOUR_MS;
  }
  const failed = new Set(logged.flatMap((record) => ('job' in record && 'failed' in record ? [record.job] : [])));
  expect([...failed].filter((job) => !JOBS_OF_VISITORS.includes(String(job)))).toEqual([]);
  expect(failed.size).toBeGreaterThan(0);
  expect((await services.status.read()).mirror).toMatchObject({ failing: 0, added: 2 });
  const left = await databases.operations.prepare('SELECT key FROM uploads').all();
  expect(left.results).toEqual([]);
  const states = await databases.operations.prepare('SELECT subject FROM status_states').all();
  expect(states.results.length).toBeGreaterThan(0);
});

/** Upstreams that visitors make the service ask: a row each in `heartbeats`. */
const UPSTREAMS = ['news', 'shortener', 'video host'];

/** All rows of a database by their tables. */
async function rowsOf(database: D1Database): Promise<Record<string, readonly unknown[]>> {
  const tables = await database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all<{ name: string }>();
  const rows: Record<string, readonly unknown[]> = {};
  for (const { name } of tables.results) rows[name] = (await database.prepare(`SELECT * FROM ${name}`).all()).results;
  return rows;
}

it('No good request of a visitor adds a row to the database of operators, but for the heartbeats of upstreams.', async () => {
  vi.stubGlobal('fetch', async () => new Response('', { status: 500 }));
  const archive = await requestableArchive({
    variables: {
      ...{ MOVIE_TOKEN, ...OPERATOR, PUBLIC_ORIGIN: 'https://sun.test' },
      ...{ NEWS_FEED_URL: 'https://blog.test/feed', SHORTENER_TOKEN: 'a-token-of-a-shortener' },
    },
  });
  const { operations, images } = archive.databases;
  const all = async () => ({ operations: await rowsOf(operations), images: await Promise.all(images.map(rowsOf)) });
  const before = await all();
  const posted = archive.resources.filter(({ takesPost }) => takesPost);
  for (let rounds = 0; rounds < 2; rounds += 1) {
    for (const [name, parameters] of Object.entries(archive.good)) {
      for (const method of ['GET', 'POST']) await archive.app.direct(`https://sun.test${callOf(name, parameters)}`, { method });
    }
    for (const path of [...readingPaths(archive), '/', '/health', '/status', '/status.rss', '/metrics', '/load/abc'])
      await archive.app.direct(`https://sun.test${path}`);
    for (const example of posted)
      await archive.app.direct(`https://sun.test${resourcePath(example, example.elements)}`, resourceInit(example, '{}'));
    await archive.settle();
    archive.clock.nowMs += 2 * HOUR_MS;
  }
  const { heartbeats, ...rows } = (await all()).operations;
  const { heartbeats: _, ...rowsBefore } = before.operations;
  expect(Object.keys(rows).length).toBeGreaterThan(10);
  expect(rows).toEqual(rowsBefore);
  expect((await all()).images).toEqual(before.images);
  const beating = heartbeats!.map((row) => (row as { name: string }).name);
  expect(beating).toEqual(expect.arrayContaining(['news', 'shortener']));
  expect(beating.filter((name) => !UPSTREAMS.includes(name))).toEqual([]);
});
