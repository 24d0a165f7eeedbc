import { XMLParser } from 'fast-xml-parser';
import { expect, test, vi } from 'vitest';
import { CachedImageIndex } from '../../../src/archive/image-index/cached-image-index.ts';
import type { SourceState } from '../../../src/events/event-days.ts';
import type { MirrorHeartbeat } from '../../../src/operator/mirror/d1-mirror-state.ts';
import type { State } from '../../../src/operator/status/d1-status-register.ts';
import { D1StatusRegister } from '../../../src/operator/status/d1-status-register.ts';
import { JOBS, type JobName, jobBeat } from '../../../src/operator/status/jobs.ts';
import { StatusService, statesOf, statusJson, upstreamBeats } from '../../../src/operator/status/service-status.ts';
import { chart, metricsText } from '../../../src/operator/status/status-routes.ts';
import { STATUS } from '../../../src/platform/limits/status.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { formatIso } from '../../../src/sun/time.ts';
import { anyMemory } from '../../support/memory/any-memory.ts';
import { archivedImage } from '../../support/memory/archived-images.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';
import { MemoryObjectStore } from '../../support/memory/object-store.ts';
import { databasesIn, migrated } from '../../support/memory/sqlite-d1.ts';
import { testArchive } from '../../support/test-archive.ts';

const it = test.extend('service', () => service());

const NOW = Date.UTC(2024, 0, 31, 12);
const TOKEN = 'the-token-of-the-monitoring';

const MIRROR: MirrorHeartbeat = {
  upstream: 'https://sun.test/',
  sources: 2,
  okAtMs: NOW - HOUR_MS,
  triedAtMs: NOW,
  cursorMs: NOW - HOUR_MS,
  added: 7,
  failing: 0,
  sentence: null,
  open: 1,
  waiting: 4,
  refused: 3,
};

function service() {
  const time = { nowMs: NOW };
  const clock = () => time.nowMs;
  const main = migrated();
  const register = new D1StatusRegister(databasesIn(main), clock);
  const sources: { state: 'ok' | 'failed' } = { state: 'ok' };
  const mirror = { ...MIRROR };
  const points: { subject: string; state: State; values: readonly number[] }[] = [];
  const index = new MemoryImageIndex([
    archivedImage(26, 10, '2024-01-31T11:30:00Z'),
    archivedImage(42, 10, '2024-01-30T11:30:00Z'),
    archivedImage(20, 4, '2024-01-31T06:00:00Z'),
  ]);
  const status = new StatusService({
    index,
    register,
    events: {
      eventsAt: async (_, asked) => ({
        events: [],
        states: asked.map((source) => ({ source, state: sources.state, missing: [] as readonly string[] }) as SourceState),
      }),
    },
    mirror: async () => mirror,
    points: (subject, state, values) => points.push({ subject, state, values }),
    clock,
  });
  const { get } = testArchive({ index, status, clock, operators: [{ name: 'monitoring', token: TOKEN, scopes: ['metrics'] }] });
  return { time, main, index, register, sources, mirror, points, status, get };
}

const down = () => Promise.reject(new Error('down'));
const healthOf = async (get: (path: string) => Promise<Response>) => {
  const { status, index, main, operations, archive } = (await (await get('/health')).json()) as Record<string, unknown>;
  return { status, index, main, operations, archive };
};

it('/health reports the store that fails and no other', async () => {
  const stores = () => {
    const { status, index: replica, register } = service();
    const objects = new MemoryObjectStore();
    const index = new CachedImageIndex({ databases: replica.databases, objects, clock: () => NOW, memory: anyMemory() });
    const { get } = testArchive({ index, objects, status, clock: () => NOW });
    return { get, replica, objects, register };
  };
  const all = { status: 'ok', index: true, main: true, operations: true, archive: true };
  expect(await healthOf(stores().get)).toEqual(all);
  const withoutObjects = stores();
  Object.assign(withoutObjects.objects, { head: down, read: down, readAll: down });
  expect(await healthOf(withoutObjects.get)).toEqual({ ...all, status: 'degraded', archive: false });
  const withoutImages = stores();
  withoutImages.replica.fail(new Error('down'));
  expect(await healthOf(withoutImages.get)).toEqual({ ...all, status: 'degraded', index: false });
  const withoutMain = stores();
  Object.assign(withoutMain.register, { movieQueue: down });
  expect(await healthOf(withoutMain.get)).toEqual({ ...all, status: 'degraded', main: false });
  const withoutOperations = stores();
  Object.assign(withoutOperations.register, { heartbeats: down, states: down });
  expect(await healthOf(withoutOperations.get)).toEqual({ ...all, status: 'degraded', operations: false });
});

it('/health shows the last success of each job, and is 503 with strict while a job is late, but not without', async () => {
  const { status, register, time, get } = service();
  const names = Object.keys(JOBS) as JobName[];
  const look = async () => {
    time.nowMs += STATUS.healthFreshMs;
    const { jobs } = (await (await get('/health')).json()) as {
      jobs: { name: JobName; time: string | null; isLate: boolean }[];
    };
    const late = jobs.filter(({ isLate }) => isLate).map(({ name }) => name);
    return { jobs, late, usual: (await get('/health')).status, strict: (await get('/health?strict')).status };
  };
  expect(await look()).toMatchObject({ late: names, usual: 200, strict: 503 });
  for (const name of names) await register.beat(jobBeat(name), null);
  const noted = formatIso(time.nowMs);
  expect(await look()).toMatchObject({ jobs: names.map((name) => ({ name, time: noted })), late: [], usual: 200, strict: 200 });
  time.nowMs += JOBS.sweepMovies.lateMs;
  for (const name of names) if (name !== 'sweepMovies') await register.beat(jobBeat(name), null);
  await register.beat(jobBeat('sweepMovies'), 'The log has its failure.');
  expect(await look()).toMatchObject({ late: ['sweepMovies'], usual: 200, strict: 503 });
  time.nowMs += STATUS.freshMs;
  expect((await status.read()).heartbeats.map(({ name }) => name)).toEqual(['mirror']);
});

it('the status updates while the gathering of a cancelled request hangs', async ({ service: { status, register } }) => {
  const { heartbeats } = register;
  register.heartbeats = () => new Promise(() => undefined);
  void status.read();
  register.heartbeats = heartbeats;
  expect((await status.read()).movies).toMatchObject({ queued: 0 });
}, 30_000);

it('the status reads the databases at most each half minute, and its charts each five minutes', async () => {
  const { status, index, time } = service();
  const spies = [vi.spyOn(index, 'extents'), vi.spyOn(index, 'counts')];
  const reads = () => spies.map(({ mock }) => mock.calls.length);
  for (let n = 0; n < 10; n++) await Promise.all([status.read(), status.dayCounts()]);
  expect(reads()).toEqual([2, 1]);
  time.nowMs += MINUTE_MS;
  await Promise.all([status.read(), status.dayCounts()]);
  expect(reads()).toEqual([3, 1]);
  time.nowMs += STATUS.chartsFreshMs;
  await status.dayCounts();
  expect(reads()[1]).toBe(2);
});

it('the status says of an upstream that it fails from the third failure on, in every form', async () => {
  const { status, sources, time } = service();
  sources.state = 'failed';
  const said = async () => {
    await status.record();
    time.nowMs += STATUS.beatMs;
    const { states, upstreams } = statusJson(await status.read());
    const [state, upstream] = [
      states.find(({ subject }) => subject === 'events HEK'),
      upstreams.find(({ name }) => name === 'events HEK'),
    ];
    return [state?.state, upstream?.isFailing];
  };
  expect([await said(), await said(), await said()]).toEqual([
    ['ok', false],
    ['ok', false],
    ['failing', true],
  ]);
});

it('the status says of a mirror that it fails when no source has been listed for more than an hour', async () => {
  const { status, time } = service();
  const stateOf = async () => (await status.read()).states.find(({ subject }) => subject === 'mirror');
  expect(await stateOf()).toMatchObject({ state: 'ok' });
  time.nowMs += STATUS.freshMs;
  expect(await stateOf()).toMatchObject({ state: 'failing', sentence: 'It responded last at 2024-01-31T11:00:00Z.' });
});

it('the status keeps each change of a state once, with the time since which it holds', async () => {
  const { status, time, sources, mirror, get } = service();
  expect(await status.record()).toBe(0);
  time.nowMs += 5 * HOUR_MS;
  mirror.okAtMs = time.nowMs;
  expect(await status.record()).toBe(1);
  expect(await status.record()).toBe(0);
  expect((await status.read()).states).toContainEqual({
    subject: 'instrument AIA',
    state: 'late',
    sentence: 'The newest image is of 2024-01-31T11:30:00Z.',
    sinceMs: time.nowMs,
  });
  sources.state = 'failed';
  for (let i = 0; i < 3; i += 1) {
    time.nowMs += STATUS.beatMs;
    await status.record();
  }
  const changes = await status.changes();
  expect(changes.map(({ subject, before, state }) => `${subject}: ${before} to ${state}`)).toEqual([
    'events WSA: ok to failing',
    'events HEK: ok to failing',
    'events CCMC: ok to failing',
    'instrument AIA: ok to late',
  ]);
  const feed = await (await get('/status.rss')).text();
  const { rss } = new XMLParser().parse(feed) as { rss: { channel: { item: { title: string; pubDate: string }[] } } };
  expect(rss.channel.item.map(({ title }) => title)).toEqual([
    'events WSA: failing',
    'events HEK: failing',
    'events CCMC: failing',
    'instrument AIA: late',
  ]);
  expect(Date.parse(rss.channel.item[3]!.pubDate)).toBe(NOW + 5 * HOUR_MS);
});

it('the status asks the sources of events each five minutes, whatever other upstreams have done, and shows these too', async () => {
  const { status, time, register } = service();
  const watched = upstreamBeats({ register, clock: () => time.nowMs, log: () => undefined });
  await status.record();
  time.nowMs += MINUTE_MS;
  await status.record();
  expect((await register.heartbeats()).map(({ okAtMs }) => okAtMs)).toEqual([NOW, NOW, NOW]);
  time.nowMs += STATUS.beatMs;
  await watched('shortener', async () => 'a link');
  await status.record();
  expect((await register.heartbeats()).map(({ name, okAtMs }) => [name, okAtMs])).toEqual([
    ['events CCMC', time.nowMs],
    ['events HEK', time.nowMs],
    ['events WSA', time.nowMs],
    ['shortener', time.nowMs],
  ]);
  const fail = () => watched('shortener', () => Promise.reject(new Error('refused at https://secret.test')));
  for (let i = 0; i < 3; i += 1) await expect(fail()).rejects.toThrow('refused');
  const { subject, state, sentence } = statesOf({
    nowMs: time.nowMs,
    instruments: {},
    heartbeats: await register.heartbeats(),
    movies: await register.movieQueue(),
  }).at(-2)!;
  expect([subject, state]).toEqual(['shortener', 'failing']);
  expect(sentence).toMatch(/^The upstream did not respond as expected\. It responded last at /);
  await watched('shortener', async () => 'a link');
  expect((await register.heartbeats()).map(({ failures }) => failures)).toEqual([0, 0, 0, 0]);
});

it('the status notes successes of an upstream that is asked often only each five minutes, and no failure of its own', async () => {
  const time = { nowMs: NOW };
  const noted: (string | null)[] = [];
  const log: unknown[] = [];
  const register = { beat: async (_: string, failure: string | null) => void noted.push(failure) };
  const watched = upstreamBeats({ register, clock: () => time.nowMs, log: (record) => log.push(record) });
  const ask = (status: number) =>
    watched(
      'video host',
      async () => status,
      (answered) => answered < 500,
    );
  for (const status of [200, 308, 200, 503, 200]) expect(await ask(status)).toBe(status);
  time.nowMs += STATUS.beatMs;
  await ask(404);
  expect(noted.map((failure) => failure === null)).toEqual([true, false, true, true]);
  register.beat = () => Promise.reject(new Error('The database is away.'));
  expect(await ask(500)).toBe(500);
  expect(log).toEqual([{ heartbeat: 'video host', failed: expect.stringContaining('away') }]);
});

it('the status counts the movies that wait, fail and were begun again', async ({ service: { main, register } }) => {
  const add = (id: number, status: number, attempts: number, error: string | null, ageMs: number, expiries = 0) =>
    main
      .prepare(
        `INSERT INTO movie_builds (id, key, generation, recipe, frame_count, layer_count, width, height, frame_rate, first_frame_ms,
           last_frame_ms, cost, status, status_mp4, status_webm, arrival, queued_at_ms, attempts, expiries, frames_done, frames_skipped, error, files)
           VALUES (?, ?, 1, '', 1, 1, 1, 1, 1, 0, 0, 1, ?, 0, 0, ?, ?, ?, ?, 0, 0, ?, '[]')`,
      )
      .bind(id, `k${id}`, status, id, NOW - ageMs, attempts, expiries, error)
      .run();
  await add(1, 0, 0, null, 5 * MINUTE_MS);
  await add(2, 0, 2, null, 2 * MINUTE_MS, 1);
  await add(3, 1, 1, null, MINUTE_MS);
  await add(4, 3, 3, 'No frames.', HOUR_MS);
  await add(5, 3, 3, 'Old.', 50 * HOUR_MS, 3);
  expect(await register.movieQueue()).toEqual({
    queued: 2,
    processing: 1,
    oldestWaitMs: 5 * MINUTE_MS,
    repeated: 2,
    expired: 1,
    failed: [{ reason: 'No frames.', count: 1 }],
  });
});

it('the status writes a point for each subject, and gives holders of a token a text for Prometheus at /metrics', async ({
  service: { status, points, get },
}) => {
  await status.record();
  expect(points).toContainEqual({ subject: 'instrument AIA', state: 'ok', values: [1800] });
  expect(points.map(({ subject }) => subject)).toEqual(
    expect.arrayContaining(['instrument LASCO', 'mirror', 'events HEK', 'events CCMC', 'movies']),
  );
  expect((await get('/metrics')).status).toBe(401);
  expect((await get('/metrics', { headers: { Authorization: 'Bearer another-token-of-someone' } })).status).toBe(401);
  const response = await get('/metrics', { headers: { Authorization: `Bearer ${TOKEN}` } });
  expect(response.headers.get('Content-Type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const text = await response.text();
  for (const line of text.trimEnd().split('\n')) {
    expect(line).toMatch(/^(# (HELP|TYPE) helioedge_\w+ .+|helioedge_\w+(\{\w+="[^"]*"(,\w+="[^"]*")*\})? [\d.e+]+)$/);
  }
  expect(text).toContain('helioedge_image_age_seconds{instrument="AIA"} 1800\n');
  expect(text).toContain('helioedge_mirror_files_refused 3\n');
  const counted = { operation: 'getTile', requests: 40, faults: 2, hits: 30, seconds: 1.5 };
  const lines = metricsText(await status.read(), [counted]);
  for (const metric of [
    'requests{operation="getTile"} 40',
    'request_faults{operation="getTile"} 2',
    'request_hits{operation="getTile"} 30',
    'request_seconds{operation="getTile"} 1.5',
  ])
    expect(lines).toContain(`helioedge_${metric}\n`);
  for (const metric of ['job_ok_timestamp_seconds{job="mirror"} 0', 'job_late{job="mirror"} 1', 'dead_letters 0'])
    expect(text).toContain(`helioedge_${metric}\n`);
});

it('the status appears in /health, and in getStatus on request', async ({ service: { mirror, get } }) => {
  mirror.failing = 2;
  mirror.sentence = 'The upstream responds with status 503.';
  const failing = expect.objectContaining({
    subject: 'mirror',
    state: 'failing',
    sentence: expect.stringContaining('status 503'),
  });
  const upstreams = [expect.objectContaining({ name: 'mirror', isFailing: true })];
  expect(await (await get('/health')).json()).toMatchObject({ late: [failing], upstreams });
  const { service: state, ...instruments } = (await (await get('/v2/getStatus/?service=true')).json()) as Record<string, unknown>;
  const movies = expect.objectContaining({ queued: expect.any(Number) });
  expect(state).toMatchObject({ states: expect.arrayContaining([failing]), upstreams, movies });
  expect(await (await get('/v2/getStatus/')).json()).toEqual(instruments);
});

it('the status appears on a page without scripts, with a chart of each instrument', async ({ service: { get, mirror } }) => {
  mirror.failing = 2;
  mirror.sentence = '<script>alert(1)</script>';
  const response = await get('/status');
  const html = await response.text();
  expect(response.headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
  expect(html).not.toContain('<script');
  expect(html).toContain('aria-label="AIA: images on 2 of 30 days, at most 1 a day"');
  expect(html).toContain('1 part is late or failing.');
});

it('a chart draws a bar for each day in proportion to its images, and marks days without', () => {
  const svg = chart('AIA', [0, 5, 10]);
  expect(
    [...svg.matchAll(/<rect( class="none")? x="(\d+)" y="([\d.]+)"/g)].map(([, none, x, y]) => [Boolean(none), x, y]),
  ).toEqual([
    [true, '0', '18.5'],
    [false, '4', '10.0'],
    [false, '8', '0.0'],
  ]);
});
