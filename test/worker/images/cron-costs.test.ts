// Subrequests and statements of the jobs of the clock with as much work as one run takes, against the figures in src/operator/status/jobs.ts.
import { env } from 'cloudflare:workers';
import { afterEach, expect, it, vi } from 'vitest';
import { GRID_KINDS, imageGridKey, sourceGridPrefix } from '../../../src/archive/keys.ts';
import { RHESSI_FEED } from '../../../src/events/records/rhessi.ts';
import { MOVIE_FILE_NAMES } from '../../../src/movies/movie.ts';
import type { BuildClaim } from '../../../src/movies/worker-protocol.ts';
import { WORKER_VERSION } from '../../../src/movies/worker-protocol.ts';
import type { PlannedFile } from '../../../src/operator/mirror/ports.ts';
import { type InvocationCost, JOBS, type JobName, OTHER_COSTS } from '../../../src/operator/status/jobs.ts';
import { EVENT_COUNTS } from '../../../src/platform/limits/events.ts';
import { GRIDS } from '../../../src/platform/limits/grids.ts';
import { INDEXING, LISTS, RECONCILIATION, SWEEP } from '../../../src/platform/limits/images.ts';
import { LISTED_NAMES, MIRROR_STEP } from '../../../src/platform/limits/mirror.ts';
import { SHARD_COUNT } from '../../../src/platform/storage/shards.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { regularFileName } from '../../../src/sun/catalogue/archive-name.ts';
import type { Composed } from '../../../src/worker/services.ts';
import { COUNTED, MOVIE } from '../../bench/counted.ts';
import { type CallCount, countedBindings, noCalls } from '../counted-bindings.ts';
import { index, samples, sendAsAdmin } from '../service.ts';
import { isolate } from '../services.ts';

/** Jobs of a few statements, and those that have nothing to do without movies, uploads, a mirror or webhooks. */
const IDLE = [
  'sweepMovies',
  'sweepScreenshots',
  'sweepUnusedMovies',
  'sweepClientStates',
  'sweepLinks',
  'sweepAudit',
  'sweepSharing',
  'wakeMovieWorkers',
  'runVideoUploads',
  'mirror',
  'sendWebhooks',
] as const satisfies readonly JobName[];

/** Longest wait before a further attempt. */
const LONGEST_PAUSE_MS = 2000;

const START_MS = Date.UTC(2024, 4, 11);
const names = (count: number) => Array.from({ length: count }, (_, i) => regularFileName(10, START_MS + 1000 * i)!);
const numbers = (count: number) => JSON.stringify(Array.from({ length: count }, (_, i) => i));

/**
 * Runs work of a new isolate; returns what it cost. Other hosts have nothing.
 * @param nothing Their response
 */
async function costOf(
  work: (services: Composed, request: (path: string, init?: RequestInit) => Promise<string>) => Promise<unknown>,
  nothing: (url: string) => Response = () => new Response('[]'),
  variables: object = {},
): Promise<CallCount> {
  const count = noCalls();
  const counted = <Result>(result: Result) => {
    count.calls += 1;
    return result;
  };
  vi.stubGlobal('fetch', async (url: unknown) => counted(nothing(String(url))));
  const bound = countedBindings(env, count, ['DB', 'OPERATIONS', 'IMAGES', 'IMAGES_ODD', 'ARCHIVE', 'LONG_JOBS']);
  const { services, send } = isolate({ ...bound, ...variables }, async () => counted(true));
  await work(services, async (path, init) => (await send(path, init)).text());
  return count;
}

const jobCost = (job: JobName, nothing?: (url: string) => Response) => costOf((services) => services[job](), nothing);

/** @param most Of a deployment, which has a database for each shard in place of two: `others` for each of them */
function expectWithin(
  { calls, statements }: Pick<CallCount, 'calls' | 'statements'>,
  most: InvocationCost,
  others = { calls: 0, statements: 0 },
  label = '',
) {
  expect(calls + others.calls * SHARD_COUNT, label).toBeLessThanOrEqual(most.subrequests);
  expect(statements + others.statements * SHARD_COUNT, label).toBeLessThanOrEqual(most.statements);
}

/** As many withdrawn images as one sweep takes, whose removal was left to it. */
async function leaveRemovals() {
  await env.IMAGES.prepare(
    `INSERT INTO withdrawn_images (id, source_id, taken_at_ms, withdrawn_at_ms)
     SELECT 16000010 + 16 * value, 10, ? + 1000 * value, 0 FROM json_each(?)`,
  )
    .bind(START_MS, numbers(SWEEP.uploads))
    .run();
  await env.OPERATIONS.prepare(
    `INSERT INTO uploads (key, file_name, touched_at_ms) SELECT 'jp2/AIA/2024/05/11/171/' || value, value, 0 FROM json_each(?)`,
  )
    .bind(JSON.stringify(names(SWEEP.uploads)))
    .run();
}

/** Inserts rows of copies of an image from `startMs` on, with ids from `firstId` on. */
async function copyRows(count: number, startMs: number, stepMs: number, firstId: number) {
  const { results } = await env.IMAGES.prepare('SELECT * FROM images LIMIT 1').all<Record<string, unknown>>();
  const columns = Object.keys(results[0]!).filter((column) => !['id', 'taken_at_ms', 'file_name'].includes(column));
  await env.IMAGES.prepare(
    `INSERT INTO images (id, taken_at_ms, ${columns.join(', ')})
     SELECT ? + 16 * value, ? + ? * value, ${columns.join(', ')} FROM json_each(?), (SELECT * FROM images LIMIT 1)`,
  )
    .bind(firstId, startMs, stepMs, numbers(count))
    .run();
}

/** Ingests an image, and inserts rows of copies of it from `startMs` on. */
async function addRows(count: number, startMs: number, stepMs: number) {
  const { name, bytes } = samples[0]!;
  await sendAsAdmin(`/admin/images/${name}`, { method: 'PUT', body: bytes });
  await copyRows(count, startMs, stepMs, 16_000_010);
}

/** Puts as many objects as a request may name into the bucket, each of which is an image of another second; their paths. */
async function putObjects(): Promise<{ path: string; size: number }[]> {
  const text = Buffer.from(samples[0]!.bytes).toString('latin1');
  const noon = /2024-05-10T12:00:00/g;
  expect(text).toMatch(noon);
  const put = async (_: unknown, i: number) => {
    const takenMs = Date.UTC(2024, 4, 10, 13) + 1000 * i;
    const bytes = Buffer.from(text.replaceAll(noon, new Date(takenMs).toISOString().slice(0, 19)), 'latin1');
    const path = `AIA/2024/05/10/171/${regularFileName(10, takenMs)}`;
    await env.ARCHIVE.put(`jp2/${path}`, bytes);
    return { path, size: bytes.length };
  };
  return Promise.all(Array.from({ length: INDEXING.objects }, put));
}

/** As many files with rows as one step of a reconciliation compares, whose hashes the bucket does not know. */
async function fillBucket() {
  const { bytes } = samples[0]!;
  await addRows(RECONCILIATION.objects, START_MS, 1000);
  await Promise.all(names(RECONCILIATION.objects).map((each) => env.ARCHIVE.put(`jp2/AIA/2024/05/11/171/${each}`, bytes)));
}

/** As many images with grids as the object of a day takes, of yesterday: of both kinds, one of which has its turn. */
async function fillDayOfGrids() {
  const yesterdayMs = Math.floor(Date.now() / DAY_MS - 1) * DAY_MS;
  await addRows(GRIDS.imagesOfDay, yesterdayMs, DAY_MS / GRIDS.imagesOfDay);
  const [grid] = (await env.ARCHIVE.list({ prefix: sourceGridPrefix('values', 10) })).objects;
  const bytes = await (await env.ARCHIVE.get(grid!.key))!.arrayBuffer();
  const images = await index().inRange(10, yesterdayMs, yesterdayMs + DAY_MS - 1, GRIDS.imagesOfDay);
  const keys = GRID_KINDS.flatMap((kind) => images.map((image) => imageGridKey(kind, image)));
  await Promise.all(keys.map((key) => env.ARCHIVE.put(key, bytes)));
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('a job of the clock removes as many withdrawn images as it may within its subrequests and statements', async () => {
  await leaveRemovals();
  const cost = await jobCost('sweepUploads');
  expect(cost.calls).toBeGreaterThan(JOBS.sweepUploads.subrequests / 2);
  expectWithin(cost, JOBS.sweepUploads);
});

it('a job of the clock compares a thousand files whose hashes the bucket does not know by less than a hundred calls', async () => {
  await fillBucket();
  const cost = await jobCost('reconcile');
  // A call for each file, and two for most, would be 1000 to 2000.
  expect(cost.calls).toBeLessThan(RECONCILIATION.objects / 10);
  expect(cost.calls).toBeLessThan(RECONCILIATION.stepCalls);
  expectWithin(cost, JOBS.reconcile);
  // A run takes as many such steps as it has calls for.
  const steps = RECONCILIATION.runCalls / cost.calls;
  expect(steps * cost.statements).toBeLessThan(JOBS.reconcile.statements);
});

it('a job of the clock puts the grids of a full day together within its subrequests and statements', async () => {
  await fillDayOfGrids();
  const cost = await jobCost('foldGrids');
  expect(cost.calls).toBeGreaterThan(GRIDS.imagesOfDay);
  expectWithin(cost, JOBS.foldGrids, { calls: 2, statements: 2 });
});

it.each([
  [
    'have no events',
    () => new Response('[]'),
    (days: number) => expect(days, 'days of more windows than the first').toBeGreaterThan(EVENT_COUNTS.firstWindowDays),
  ],
  ['fail', () => new Response('', { status: 503 }), (days: number) => expect(days).toBe(0)],
] as const)(
  'a job of the clock counts and looks at the events of all sources that %s within its subrequests and statements',
  async (_, nothing, expectDays) => {
    // Pauses before further attempts take no time; deadlines, which are longer, stay.
    const { setTimeout: later } = globalThis;
    for (const job of ['countEvents', 'recordStatus'] as const) {
      vi.stubGlobal('setTimeout', (run: () => void, ms = 0) => later(run, ms <= LONGEST_PAUSE_MS ? 0 : ms));
      const cost = await jobCost(job, nothing);
      expect(cost.calls, job).toBeGreaterThan(10);
      expectWithin(cost, JOBS[job]);
    }
    // The list of RHESSI is here, and cannot fail.
    const days = `SELECT feed, count(*) AS days FROM event_spans WHERE width = 'D' AND feed <> ? GROUP BY feed ORDER BY days DESC`;
    const most = await env.DB.prepare(days).bind(RHESSI_FEED).first<number>('days');
    expectDays(most ?? 0);
  },
);

it('a job of the clock keeps to its subrequests and statements where it has nothing to do', async () => {
  for (const job of IDLE) expectWithin(await jobCost(job), JOBS[job], undefined, job);
});

it('a heavy request lists files with a statement for each page of a manifest', async () => {
  const statementsOf = async (pages: number) => {
    const cost = await costOf(async (_, request) => {
      const lines = (await request('/v2/getHoldings/')).trim().split('\n');
      expect(lines.length - 1).toBeGreaterThan((pages - 1) * LISTS.pageImages);
    });
    return cost.statements;
  };
  await addRows(LISTS.pageImages / 2, START_MS, 1000);
  const one = await statementsOf(1);
  await copyRows(3 * LISTS.pageImages, START_MS + DAY_MS, 1000, 32_000_010);
  expect((await statementsOf(4)) - one).toBe(3);
  expect(LISTS.files / LISTS.pageImages + one + 2 * SHARD_COUNT).toBeLessThan(600);
});

it('a heavy request indexes as many objects as a request may name within the calls of a batch of notifications', async () => {
  const body = JSON.stringify({ objects: await putObjects(), readPackets: true });
  const headers = { Authorization: 'Bearer a-token-for-tests-only', 'Content-Type': 'application/json' };
  const cost = await costOf(async (_, request) => {
    const indexed = JSON.parse(await request('/admin/objects', { method: 'POST', headers, body }));
    expect(indexed).toMatchObject({ added: INDEXING.objects, problems: [] });
  });
  expect(cost.calls).toBeGreaterThan(INDEXING.objects);
  expectWithin(cost, OTHER_COSTS.notices);
  // The table of costs in docs/operate.md is made of these.
  const ofEach = (rows: number) => Math.round(rows / INDEXING.objects);
  expect(COUNTED.indexed).toMatchObject({ rowRead: ofEach(cost.rowsRead), rowWritten: ofEach(cost.rowsWritten) });
});

it('a movie costs each request of its client and of its worker what the prices of the documentation are made of', async () => {
  const FRAMES = 300;
  // In the first hour of a day a client also has the hash of the day before.
  vi.spyOn(Date, 'now').mockReturnValue(START_MS + 1.5 * DAY_MS);
  await addRows(FRAMES, START_MS, MINUTE_MS);
  const taken: Record<string, object> = {};
  const sent = async (name: string, path: string, init: RequestInit = {}) => {
    let text = '';
    const headers = { ...init.headers, Authorization: `Bearer ${env.MOVIE_TOKEN}` };
    const cost = await costOf(async (_, request) => {
      text = await request(path, { ...init, headers });
    });
    taken[name] = { rowRead: cost.rowsRead, rowWritten: cost.rowsWritten, read: cost.reads, write: cost.writes };
    return text;
  };
  const posted = (name: string, path: string, body: object) =>
    sent(name, `/internal/movies/${path}`, { method: 'POST', body: JSON.stringify(body) });
  const period = `startTime=${new Date(START_MS).toISOString()}&endTime=${new Date(START_MS + FRAMES * MINUTE_MS).toISOString()}`;
  const view = `layers=[10,1,100]&events=&imageScale=3.4&x0=0&y0=0&width=1280&height=720&maxFrames=${FRAMES}`;
  const { id } = JSON.parse(await sent('queue', `/v2/queueMovie/?${period}&${view}`));
  const claimed = JSON.parse(await posted('claim', 'claim', { worker: 'w', version: WORKER_VERSION }));
  const { build, lease, frames, images } = claimed as BuildClaim;
  expect(frames.length).toBe(FRAMES);
  await sent('status', `/v2/getMovieStatus/?id=${id}&format=mp4`);
  await sent('object', `/internal/objects/${images[0]!.key}`);
  await posted('progress', `${build}/progress`, { lease, framesDone: 9, framesSkipped: 0, stage: 'drawing' });
  await sent('markers', `/internal/movies/${build}/markers?lease=${lease}&from=0&to=50`);
  for (const name of MOVIE_FILE_NAMES) {
    const headers = { 'Content-Length': String(name.length) };
    await sent('file', `/internal/movies/${build}/files/${name}?lease=${lease}`, { method: 'PUT', body: name, headers });
  }
  const files = MOVIE_FILE_NAMES.map((name) => ({ name, size: name.length }));
  await posted('finish', `${build}/finish`, { lease, framesSkipped: 0, files, totalMs: 9 });
  const stated = Object.entries(MOVIE).map(([name, { count: _, request: __, cpuMs: ___, ...usage }]) => [name, usage]);
  expect(taken).toEqual(Object.fromEntries(stated));
  expect(JSON.parse(await sent('status', `/v2/getMovieStatus/?id=${id}&format=mp4`))).toMatchObject({ status: 2 });
});

const variables = { MIRROR_TREE_URL: 'https://sun.test/jp2', MIRROR_SOURCES: '10', MIRROR_FROM: '2024-05-10' };
const listed = (names: readonly string[]) =>
  `<a href="../">up</a>${names.map((name) => `<a href="${name}">${name}</a>`).join('\n')}`;

it('a message of a queue lists a day of the mirror with an image a second, or copies a file of it, within its subrequests and statements', async () => {
  const sample = samples[0]!;
  const folder = regularFileName(10, START_MS)!.slice(0, 10).replaceAll('_', '/');
  const day = listed([sample.name, ...names(MIRROR_STEP.maxPageNames - 1)]);
  const tree = (url: string) => {
    if (url.endsWith('.jp2')) return new Response(sample.bytes);
    if (url.endsWith('/jp2/')) return new Response(listed(['AIA/']));
    return url.includes(folder) ? new Response(day) : new Response('', { status: 404 });
  };
  const sent: PlannedFile[] = [];
  const LONG_JOBS = { sendBatch: async (batch: { body: PlannedFile }[]) => void sent.push(...batch.map(({ body }) => body)) };
  vi.spyOn(Date, 'now').mockReturnValue(START_MS + DAY_MS);
  const lists = await costOf((services) => services.mirror(), tree, { ...variables, LONG_JOBS });
  expect(sent).toHaveLength(MIRROR_STEP.sent);
  expect(lists.statements).toBeGreaterThan((MIRROR_STEP.maxPageNames / LISTED_NAMES) * 4);
  expectWithin(lists, JOBS.mirror);
  const file = sent.find(({ fileName }) => fileName === sample.name)!;
  const copy = await costOf((services) => services.copyMirrorFile(file), tree, variables);
  expect(copy.statements).toBeGreaterThan(6);
  expectWithin(copy, OTHER_COSTS.mirrorFile);
  expect(await index().byFileName(sample.name)).not.toBeNull();
});
