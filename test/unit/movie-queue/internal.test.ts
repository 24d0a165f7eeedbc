import { createHash } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { movieFileKey, moviePlanKey } from '../../../src/archive/keys.ts';
import { Coefficients, partKey } from '../../../src/archive/reading/coefficients.ts';
import { ImageReader } from '../../../src/archive/reading/image-reader.ts';
import type { SourceState } from '../../../src/events/event-days.ts';
import { D1BuildClaims } from '../../../src/movies/d1-build-claims.ts';
import { D1Movies } from '../../../src/movies/d1-movies.ts';
import { MOVIE_FILES, type MovieFileName } from '../../../src/movies/movie.ts';
import { R2MovieFrames } from '../../../src/movies/movie-plan.ts';
import { type BuildClaim, PART_BYTES, WORKER_VERSION } from '../../../src/movies/worker-protocol.ts';
import type { Picture } from '../../../src/picture/picture.ts';
import { isolateRateLimit } from '../../../src/platform/admission/rate-limit.ts';
import { Turns } from '../../../src/platform/admission/turns.ts';
import { MOVIE_BUILDS } from '../../../src/platform/limits/movies.ts';
import { Failure, TransientError } from '../../../src/platform/util/errors.ts';
import type { ArchivedImage } from '../../../src/sun/image.ts';
import { makeImage } from '../../support/imaging/images.ts';
import { anyMemory } from '../../support/memory/any-memory.ts';
import { beforeNext } from '../../support/memory/before-next.ts';
import { MemoryImageIndex } from '../../support/memory/image-index.ts';
import { MemoryObjectStore } from '../../support/memory/object-store.ts';
import { databasesIn, migrated } from '../../support/memory/sqlite-d1.ts';
import { bytesOf, internalApp, MOVIE_TOKEN, workerOf } from '../../support/movies/internal-service.ts';
import { movieArchive as movieTestArchive } from '../../support/movies/movie-archive.ts';
import { addMovie, newBuild, RECIPE, request, START_MS } from '../../support/movies/movie-builds.ts';
import { movieArchive } from '../../support/movies/planned-builds.ts';

const it = test.extend('service', () => service());

const images = Array.from({ length: 12 }, (_, i) => ({ ...makeImage(10, START_MS + i * 60_000), id: 16 * i + 26 }));

/** An event source that has failed. */
const AWAY = { source: 'HEK', state: 'failed' } as SourceState;

async function service({ plans = [newBuild('a')], movieToken = MOVIE_TOKEN as string | null } = {}) {
  const databases = databasesIn(migrated());
  const movies = new D1Movies(databases);
  const objects = new MemoryObjectStore();
  const planObjects = new MemoryObjectStore();
  const storedFrames = new R2MovieFrames(planObjects);
  const clock = { nowMs: START_MS };
  const marked: Picture[] = [];
  const logged: object[] = [];
  const claims = new D1BuildClaims(databases);
  const index = new MemoryImageIndex(images);
  const app = internalApp(
    {
      claims,
      incoming: objects,
      objects,
      frames: storedFrames,
      index,
      publicOrigin: 'https://sun.example',
      markers: {
        markers: async (recipe) => {
          marked.push(recipe);
          return { timeSuffix: ` ${recipe.atMs}`, sources: [AWAY] };
        },
      },
      clock: () => clock.nowMs,
      log: (record) => logged.push(record),
    },
    movieToken,
  );
  const ids: string[] = [];
  for (const one of plans) {
    await storedFrames.keep(one.key, one.frames);
    ids.push((await addMovie(movies, request(), one, START_MS)).movie.id);
  }
  const call = workerOf(app);
  const claim = async () =>
    (await (await call('movies/claim', { json: { worker: 'w-1', version: WORKER_VERSION } })).json()) as BuildClaim;
  const buildOf = async (i: number) => (await movies.find(ids[i]!))!.build;
  return { call, claim, claims, index, movies, objects, planObjects, clock, marked, logged, ids, buildOf, databases };
}

type Service = Awaited<ReturnType<typeof service>>;

const sentence = async (response: Response) => [response.status, ((await response.json()) as { error: string }).error];
const content = (name: string) => new TextEncoder().encode(`content of ${name}`);
const allFiles = Object.keys(MOVIE_FILES) as MovieFileName[];
const finishOf = ({ lease }: BuildClaim, names = allFiles) => ({
  lease,
  framesSkipped: 1,
  files: names.map((name) => ({ name, size: content(name).length })),
  totalMs: 12_000,
});

async function storeAll({ call }: Service, { build, lease }: BuildClaim, names: readonly string[] = allFiles) {
  for (const name of names) {
    const { status } = await call(`movies/${build}/files/${name}?lease=${lease}`, bytesOf(content(name)));
    expect([name, status]).toEqual([name, 204]);
  }
}

describe('the operations of movie workers', () => {
  it('refuse other clients, and give movies to workers of the version of the service alone', async ({ service: { call } }) => {
    const others = ['', 'Bearer ', `Bearer ${MOVIE_TOKEN}x`, MOVIE_TOKEN, `Basic ${MOVIE_TOKEN}`, 'Bearer null'];
    for (const Authorization of others) {
      for (const path of ['movies/claim', 'movies/1/finish', 'objects/jp2/a.jp2', 'nothing']) {
        const response = await call(path, { json: { worker: 'w', version: WORKER_VERSION }, headers: { Authorization } });
        expect([path, response.status, response.headers.get('WWW-Authenticate')]).toEqual([path, 401, 'Bearer']);
      }
    }
    const withoutToken = await service({ movieToken: null });
    for (const token of [MOVIE_TOKEN, 'null', '']) {
      const headers = { Authorization: `Bearer ${token}` };
      expect((await withoutToken.call('movies/claim', { json: {}, headers })).status).toBe(401);
    }
    for (const version of [undefined, '', 'protocol-1.render-1', `${WORKER_VERSION}0`])
      expect((await call('movies/claim', { json: { worker: 'old', version } })).status).toBe(204);
    expect((await call('movies/claim', { json: { worker: 'w', version: WORKER_VERSION } })).status).toBe(200);
  });

  it('count requests without the token for the address that sends them, and take the turns of movie workers only with it', async () => {
    const requestLimiter = isolateRateLimit({ name: 'few', quota: 2, seconds: 60 }, () => 0);
    const turns = new Turns();
    const admitted = vi.spyOn(turns, 'turn');
    const archive = movieTestArchive({}, { requestLimiter, turns });
    const claim = async (Authorization: string) => {
      const headers = { Authorization, 'CF-Connecting-IP': '192.0.2.1' };
      return archive.app.request('http://sun.test/internal/movies/claim', { method: 'POST', headers, body: '{"worker":"w"}' });
    };
    const statuses = await Array.fromAsync({ length: 3 }, async () => (await claim('Bearer wrong')).status);
    expect(statuses).toEqual([401, 401, 429]);
    expect(admitted).not.toHaveBeenCalled();
    for (let i = 0; i < 4; i += 1) expect((await claim(`Bearer ${MOVIE_TOKEN}`)).status).toBe(204);
    expect(admitted).toHaveBeenCalledTimes(4);
  });

  it('name the invalid member of a report, and ignore the report', async ({ service: { call, claim, buildOf } }) => {
    const { build, lease } = await claim();
    const before = await buildOf(0);
    const wrong: [string, unknown, string][] = [
      ['claim', { worker: 'x y' }, 'worker'],
      ['claim', [], 'the request body'],
      [`${build}/progress`, { lease, framesDone: -1, framesSkipped: 0, stage: 'drawing' }, 'framesDone'],
      [`${build}/progress`, { lease, framesDone: 1, framesSkipped: 0, stage: 'resting' }, 'stage'],
      [`${build}/finish`, { lease, framesSkipped: 0, files: [{ name: 'movie.exe', size: 1 }], totalMs: 12_000 }, 'files.0.name'],
      [`${build}/fail`, { lease, reason: '', isFinal: true }, 'reason'],
      [`${build}/release`, {}, 'lease'],
    ];
    for (const [path, json, member] of wrong) {
      const expected = `The worker protocol does not allow this value of ${member}.`;
      expect(await sentence(await call(`movies/${path}`, { json }))).toEqual([400, expected]);
    }
    expect((await call('movies/claim', { method: 'POST', body: '{' })).status).toBe(400);
    expect((await call('movies/claim', { method: 'POST', body: 'x'.repeat(MOVIE_BUILDS.reportBytes + 1) })).status).toBe(413);
    expect((await call(`movies/x${build}/release`, { json: { lease } })).status).toBe(400);
    expect(await buildOf(0)).toEqual(before);
  });
});

it('a job gives the plan, images, dimensions and metadata of a claimed movie', async ({ service: { call, claim, ids } }) => {
  const job = await claim();
  expect(job).toEqual({
    build: 1,
    lease: job.lease,
    leaseMs: 30_000,
    attempt: 1,
    recipe: RECIPE,
    frames: newBuild('a').frames,
    images: JSON.parse(JSON.stringify(images)),
    output: { width: 640, height: 480 },
    metadata: {
      title: 'SDO AIA 171 (2024-05-10 00:00:00 - 00:11:00 UTC)',
      description: 'The Sun as seen by SDO AIA 171 from 2024-05-10 00:00:00 to 2024-05-10 00:11:00 UTC.',
      comment: expect.stringMatching(`^Address: /v2/queueMovie/[^]+\nCredit: .+[^]+id=${ids[0]}.+Download: .+${ids[0]}`),
      createdAtMs: START_MS,
    },
    segments: [],
  });
  expect((await call('movies/claim', { json: { worker: 'w-2', version: WORKER_VERSION } })).status).toBe(204);
});

it('a job ends movies whose plan is invalid or has expired, with the reason, and goes on to the next', async () => {
  const plans = [newBuild('broken'), newBuild('expired'), newBuild('a')];
  const { claim, buildOf, logged, databases, planObjects } = await service({ plans });
  const write = databases.main.prepare("UPDATE movie_builds SET recipe = ? WHERE key = 'broken'");
  await write.bind('{"what":"is this"}').run();
  await planObjects.delete(moviePlanKey('expired'));
  expect((await claim()).build).toBe(3);
  expect(await buildOf(0)).toMatchObject({ status: 3, error: 'The plan of the movie cannot be read.' });
  const error = 'The plan of this movie has expired. reQueueMovie plans it anew.';
  expect(await buildOf(1)).toMatchObject({ status: 3, error });
  expect(logged).toHaveLength(2);
});

it('jobs that cannot be read now wait without using up an attempt, and hold up no worker that others wait for', async () => {
  const { call, buildOf, planObjects } = await service({ plans: ['a', 'b', 'c', 'd'].map((key) => newBuild(key)) });
  const claims = () =>
    Promise.all(['w-1', 'w-2'].map((worker) => call('movies/claim', { json: { worker, version: WORKER_VERSION } })));
  const builds = async () =>
    (await Promise.all((await claims()).map((each) => each.json() as Promise<BuildClaim>))).map(({ build }) => build);
  const unread: Readonly<Record<string, Error>> = {
    [moviePlanKey('a')]: new Failure('index-moved', 'A part of the image index is being moved.'),
    [moviePlanKey('b')]: new TransientError('R2 does not respond.'),
  };
  const readAll = planObjects.readAll.bind(planObjects);
  const reading = vi.spyOn(planObjects, 'readAll');
  reading.mockImplementation((key) => (unread[key] ? Promise.reject(unread[key]) : readAll(key)));
  expect((await builds()).sort()).toEqual([3, 4]);
  expect((await claims()).map(({ status }) => status)).toEqual([503, 503]);
  for (const build of [0, 1]) expect(await buildOf(build)).toMatchObject({ status: 0, attempts: 0, expiries: 0 });
  reading.mockRestore();
  expect((await builds()).sort()).toEqual([1, 2]);
});

it('a claim passes or ends 20 builds, and no more', async () => {
  const { call, planObjects } = await service({ plans: Array.from({ length: 25 }, (_, i) => newBuild(`passed-${i}`)) });
  const reading = vi.spyOn(planObjects, 'readAll').mockRejectedValue(new TransientError('R2 does not respond.'));
  const claimed = async () => (await call('movies/claim', { json: { worker: 'w-1', version: WORKER_VERSION } })).status;
  expect([await claimed(), reading.mock.calls.length]).toEqual([503, 20]);
  reading.mockResolvedValue(null);
  expect([await claimed(), reading.mock.calls.length]).toEqual([503, 40]);
  expect([await claimed(), reading.mock.calls.length]).toEqual([204, 45]);
  reading.mockRestore();
});

it('a job keeps 300 frames in a compressed object and not in its row', async () => {
  const { planObjects, databases } = await service({ plans: [newBuild('long', { frames: 300 })] });
  const { results } = await databases.main.prepare('SELECT * FROM movie_builds').all();
  expect(JSON.stringify(results).length).toBeLessThan(1200);
  expect((await planObjects.head(moviePlanKey('long')))!.size).toBeLessThan(4000);
});

it('a job accepts progress, release and failure only under its lease', async ({ service: { call, claim, buildOf } }) => {
  const { build, lease } = await claim();
  const post = async (what: string, json: object) => (await call(`movies/${build}/${what}`, { json })).status;
  const progress = { framesDone: 5, framesSkipped: 2, stage: 'encoding' };
  expect(await post('progress', { ...progress, lease: 'another' })).toBe(409);
  expect(await post('progress', { ...progress, lease })).toBe(204);
  expect(await buildOf(0)).toMatchObject({ framesDone: 5, framesSkipped: 2, stage: 'encoding' });
  expect(await post('release', { lease: 'another' })).toBe(409);
  expect(await post('release', { lease })).toBe(204);
  expect(await buildOf(0)).toMatchObject({ status: 0, attempts: 0 });
  const next = await claim();
  expect(await post('fail', { lease, reason: 'It broke.', isFinal: true })).toBe(409);
  const reason = 'x'.repeat(1000);
  expect(await post('fail', { lease: next.lease, reason, isFinal: true })).toBe(204);
  expect((await buildOf(0)).error).toBe('x'.repeat(MOVIE_BUILDS.reasonCharacters));
});

it('a job returns the markers of its frames, and records failed sources', async () => {
  const { call, claim, marked, logged, buildOf } = await service({ plans: [newBuild('a', { frames: 60 })] });
  const { build, lease } = await claim();
  const ask = (query: string) => call(`movies/${build}/markers?${query}`);
  const response = await ask(`lease=${lease}&from=2&to=4`);
  const times = [2, 3].map((i) => START_MS + i * 60_000);
  expect(await response.json()).toEqual(times.map((atMs) => ({ timeSuffix: ` ${atMs}` })));
  expect(logged).toEqual([{ movieBuild: build, frames: [2, 4], eventsMissing: ['HEK'] }]);
  expect((await buildOf(0)).eventsMissing).toEqual(['HEK']);
  expect(marked.map(({ atMs, layers, width }) => [atMs, layers[0]!.sourceId, width])).toEqual(
    times.map((atMs) => [atMs, 10, 640]),
  );
  expect(((await (await ask(`lease=${lease}&from=10&to=60`)).json()) as []).length).toBe(50);
  expect((await ask('lease=another&from=0&to=1')).status).toBe(409);
  for (const span of ['from=0&to=51', 'from=3&to=3', 'from=60&to=61', 'from=59&to=61', 'from=-1&to=1', 'from=1', 'from=a&to=b']) {
    expect([span, (await ask(`lease=${lease}&${span}`)).status]).toEqual([span, 400]);
  }
});

it('a finished movie stores all files of a finished movie, and deletes its segments', async ({ service: all }) => {
  const job = await all.claim();
  await storeAll(all, job, ['part-0000-0012.mp4.mp4', ...allFiles]);
  expect(all.objects.objects.size).toBe(10);
  const path = `movies/${job.build}/finish`;
  expect((await all.call(path, { json: finishOf(job) })).status).toBe(204);
  const build = await all.buildOf(0);
  expect(build).toMatchObject({ status: 2, statusMp4: 2, statusWebm: 2, framesDone: 12, framesSkipped: 1, buildSeconds: 12 });
  expect(build.files.map(({ name, size }) => [name, size])).toEqual(allFiles.map((name) => [name, content(name).length]));
  expect([...all.objects.objects.keys()]).toEqual(allFiles.map((name) => movieFileKey(build, name)));
  expect(all.objects.objects.get(movieFileKey(build, 'movie.webm'))).toEqual(Buffer.from(content('movie.webm')));
  expect((await all.call(path, { json: finishOf(job) })).status).toBe(204);
});

it('a finished movie refuses to finish a movie while a file is missing or has another size', async ({ service: all }) => {
  const job = await all.claim();
  const finish = (json: object) => all.call(`movies/${job.build}/finish`, { json });
  await storeAll(all, job, allFiles.slice(0, -1));
  const [status, error] = await sentence(await finish(finishOf(job)));
  expect([status, error]).toEqual([422, 'These files of the movie are missing or have another size: movie.flv.']);
  await storeAll(all, job, ['movie.flv']);
  const { files, ...others } = finishOf(job);
  const longer = files.map((file) => (file.name === 'movie.mp4' ? { ...file, size: file.size + 1 } : file));
  expect((await sentence(await finish({ ...others, files: longer })))[1]).toContain('have another size: movie.mp4.');
  expect((await sentence(await finish(finishOf(job, ['movie.mp4']))))[0]).toBe(422);
  expect((await all.buildOf(0)).status).toBe(1);
  expect((await finish({ ...finishOf(job), lease: 'another' })).status).toBe(409);
});

it('an uploaded file stores an uploaded file only when its body has the announced length', async () => {
  const { call, claim, objects, buildOf } = await service();
  const { build, lease } = await claim();
  const put = (length: string | undefined, name = 'movie.mp4') =>
    call(`movies/${build}/files/${name}?lease=${lease}`, {
      method: 'PUT',
      body: 'twelve bytes',
      headers: length === undefined ? {} : { 'Content-Length': length },
    });
  for (const length of [undefined, '11', '13', '0', '-1', '1e1', String(PART_BYTES)]) {
    expect([length, (await put(length)).status]).toEqual([length, 400]);
  }
  expect((await put(String(PART_BYTES + 1))).status).toBe(413);
  for (const name of ['movie.avi', 'part-1-2.mp4.mp4', '..%2Fmovie.mp4', 'toString']) {
    expect([name, (await put('12', name)).status]).toEqual([name, 400]);
  }
  expect([objects.objects.size, (await buildOf(0)).files]).toEqual([0, []]);
  expect((await put('12')).status).toBe(204);
  expect((await put('12')).status).toBe(204);
  expect((await buildOf(0)).files).toEqual([
    { name: 'movie.mp4', size: 12, etag: `"${createHash('md5').update('twelve bytes').digest('hex')}"` },
  ]);
});

it('an uploaded file keeps the files of another worker when a lease is lost during an upload', async () => {
  const { call, claim, objects, clock, buildOf } = await service();
  const old = await claim();
  const path = (lease: string) => `movies/${old.build}/files/movie.mp4?lease=${lease}`;
  const [halfway, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  beforeNext(objects, 'put', () => halfway.resolve());
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(content('late').slice(0, 4));
      await goOn.promise;
      controller.enqueue(content('late').slice(4, 8));
      controller.close();
    },
  });
  const late = call(path(old.lease), { method: 'PUT', body, headers: { 'Content-Length': '8' } });
  // The service checks the lease before it begins to write.
  await halfway.promise;
  clock.nowMs += MOVIE_BUILDS.leaseMs + 60_000;
  const next = await claim();
  expect(next.attempt).toBe(2);
  expect((await call(path(next.lease), bytesOf(content('new')))).status).toBe(204);
  goOn.resolve();
  expect((await late).status).toBe(409);
  expect((await call(path(old.lease), bytesOf(content('late')))).status).toBe(409);
  expect([...objects.objects.values()]).toEqual([Buffer.from(content('new'))]);
  expect((await buildOf(0)).files).toHaveLength(1);
});

it('an uploaded file accepts a file in parts, each of them more than once', async () => {
  const { call, claim, claims, objects, buildOf } = await service();
  const { build, lease } = await claim();
  const bytes = new Uint8Array(PART_BYTES).fill(7);
  const last = content('the last part');
  const put = async (body: Uint8Array, part: number, of = 2) =>
    (await call(`movies/${build}/files/movie-hq.mp4?lease=${lease}&part=${part}&of=${of}`, bytesOf(body))).status;
  expect(await put(last, 2)).toBe(400);
  expect(await put(last, 1)).toBe(400);
  for (const [part, of] of [
    [0, 2],
    [3, 2],
    [1, 0],
    [1, 10_001],
  ] as const)
    expect(await put(bytes, part, of)).toBe(400);
  expect(await put(bytes, 1)).toBe(204);
  expect(objects.objects.size).toBe(0);
  expect(await put(bytes, 1)).toBe(204);
  expect(objects.uploads.size).toBe(1);
  vi.spyOn(claims, 'stored').mockRejectedValueOnce(new Error('The isolate ends after it has completed the upload.'));
  expect(await put(last, 2)).toBe(500);
  expect(await put(last, 2)).toBe(204);
  expect(await put(last, 2)).toBe(204);
  expect(objects.uploads.size).toBe(0);
  const stored = objects.objects.get(movieFileKey(await buildOf(0), 'movie-hq.mp4'))!;
  expect(Buffer.compare(stored, Buffer.concat([bytes, last]))).toBe(0);
  expect((await buildOf(0)).files).toEqual([{ name: 'movie-hq.mp4', size: stored.length, etag: expect.any(String) }]);
});

it('an uploaded file completes no file from the parts of two workers', async ({ service: { call, claim, objects, clock } }) => {
  const old = await claim();
  const bytes = new Uint8Array(PART_BYTES);
  const put = async ({ build, lease }: BuildClaim, part: number) =>
    (await call(`movies/${build}/files/movie.webm?lease=${lease}&part=${part}&of=2`, bytesOf(bytes))).status;
  expect(await put(old, 1)).toBe(204);
  clock.nowMs += MOVIE_BUILDS.leaseMs + 1;
  const next = await claim();
  expect(await put(old, 2)).toBe(409);
  expect(await put(next, 2)).toBe(400);
  expect(objects.objects.size).toBe(0);
  expect([await put(next, 1), await put(next, 2)]).toEqual([204, 204]);
  expect(objects.objects.size).toBe(1);
});

it('a stored segment offers stored segments to the next attempt', async ({ service: all }) => {
  const old = await all.claim();
  const names = ['part-0000-0006.mp4.mp4', 'part-0000-0006.webm.x264-1.webm'];
  await storeAll(all, old, names);
  all.clock.nowMs += MOVIE_BUILDS.leaseMs + 1;
  const job = await all.claim();
  expect([job.segments, job.attempt]).toEqual([names, 2]);
  const get = (name: string, lease = job.lease) => all.call(`movies/${job.build}/files/${name}?lease=${lease}`);
  const response = await get(names[0]!);
  expect([response.status, response.headers.get('Content-Length'), await response.text()]).toEqual([
    200,
    String(content(names[0]!).length),
    `content of ${names[0]}`,
  ]);
  const types = await Promise.all(names.map(async (name) => (await get(name)).headers.get('Content-Type')));
  expect(types).toEqual(['video/mp4', 'video/webm']);
  expect((await get('part-0006-0012.mp4.mp4')).status).toBe(404);
  expect((await get(names[0]!, old.lease)).status).toBe(409);
});

it('an object of the archive reads an object of the archive whole or in ranges', async ({ service: { call, objects } }) => {
  objects.objects.set('jp2/AIA/2024/05/10/171/a_1.jp2', Buffer.from('0123456789'));
  const get = async (range?: string) => {
    const response = await call('objects/jp2/AIA/2024/05/10/171/a_1.jp2', { headers: range ? { Range: range } : {} });
    return [
      response.status,
      response.headers.get('Content-Range'),
      response.headers.get('Content-Length'),
      await response.text(),
    ];
  };
  expect(await get()).toEqual([200, null, '10', '0123456789']);
  expect(await get('bytes=2-5')).toEqual([206, 'bytes 2-5/10', '4', '2345']);
  expect((await get('bytes=10-12'))[0]).toBe(416);
  expect(await get('bytes=5-2')).toEqual([200, null, '10', '0123456789']);
  expect((await call('objects/jp2/AIA/none.jp2')).status).toBe(404);
});

it('an object of the archive allows reading of images and sidecars, and writing of sidecars only', async () => {
  const { call, objects } = await service();
  for (const key of ['derived/movies/1/movie.mp4', 'jpx/a.json', 'jp2/../derived/a', 'secret']) {
    objects.objects.set(key, Buffer.from('secret'));
  }
  const attempts = [
    'derived/movies/1/movie.mp4',
    'jpx/a.json',
    'jp2/../derived/a',
    'jp2/%2e%2e/derived/a',
    'jp2%2F..%2Fderived%2Fa',
    'jp2/..%2f..%2fsecret',
    'jp2/%252e%252e/derived/a',
    'jp2//a',
    'jp2/',
    'secret',
    '%zz',
  ];
  for (const key of attempts) {
    const response = await call(`objects/${key}`);
    expect([key, response.status]).toEqual([key, 404]);
    expect([key, (await call(`objects/${key}`, bytesOf(content('x')))).status]).toEqual([key, 404]);
  }
  expect((await call('objects/jp2/AIA/2024/05/10/171/a.jp2', bytesOf(content('x')))).status).toBe(404);
  expect((await call('objects/idx/3/AIA/2024/05/10/171/a.jp2.idx', bytesOf(content('x')))).status).toBe(204);
  expect(objects.objects.get('idx/3/AIA/2024/05/10/171/a.jp2.idx')).toEqual(content('x'));
  const tooLong = new Uint8Array(MOVIE_BUILDS.sidecarBytes + 1);
  expect((await call('objects/idx/3/b.idx', bytesOf(tooLong))).status).toBe(413);
  expect(objects.objects.size).toBe(5);
});

it('an object of the archive takes part A of a coefficient sidecar, and nothing else in its place', async () => {
  const { call, objects } = await service();
  const { images, objects: made } = await movieArchive(1, 64);
  const [image] = images as [ArchivedImage];
  const index = await new ImageReader({ objects: made, memory: anyMemory() }).openIndex(image.key);
  await new Coefficients({ objects: made, makes: [], log: () => {}, memory: anyMemory() }).make(
    image,
    index,
    new Set(['A']),
    false,
  );
  const key = partKey(image, 'A');
  const head = made.objects.get(key) as Uint8Array;
  expect((await call(`objects/${key}`, bytesOf(head))).status).toBe(204);
  expect(objects.objects.get(key)).toEqual(head);
  const flipped = head.slice();
  flipped[20]! ^= 1;
  for (const [name, body, status] of [
    [key, flipped, 400],
    [key, new Uint8Array(0), 400],
    [key.replace('/a/', '/c/'), head, 404],
    [`${key}/more`, head, 404],
  ] as const) {
    expect([name, (await call(`objects/${name}`, bytesOf(body))).status]).toEqual([name, status]);
  }
  expect([...objects.objects.keys()]).toEqual([key]);
});
