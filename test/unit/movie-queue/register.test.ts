import { describe, expect, test, vi } from 'vitest';
import { D1BuildClaims } from '../../../src/movies/d1-build-claims.ts';
import { D1Movies } from '../../../src/movies/d1-movies.ts';
import { databasesIn, migrated } from '../../support/memory/sqlite-d1.ts';
import { addMovie, START_MS as NOW, newBuild, request } from '../../support/movies/movie-builds.ts';

const it = test.extend('rows', () => queue());

function queue() {
  const databases = databasesIn(migrated());
  return { movies: new D1Movies(databases), claims: new D1BuildClaims(databases) };
}

describe('a requested movie', () => {
  it('queues a requested movie behind the others, and finds it by its id', async ({ rows: { movies } }) => {
    const first = request();
    const { movie, build } = await addMovie(movies, first, newBuild('a'), NOW);
    const second = await addMovie(movies, request(), newBuild('b', { frames: 20, cost: 7.5 }), NOW + 5);
    expect(movie).toEqual({ ...first, buildId: build.id, cost: 100, usedAtMs: first.createdAtMs });
    expect(await movies.find(first.id)).toEqual({ movie, build });
    expect(await movies.find('00000000')).toBeNull();
    expect([build.arrival, second.build.arrival]).toEqual([1, 2]);
    expect(second.build).toEqual({
      ...newBuild('b', { cost: 7.5 }),
      frames: undefined,
      id: second.build.id,
      generation: 1,
      frameCount: 20,
      firstFrameMs: NOW,
      lastFrameMs: NOW + 19 * 60_000,
      status: 0,
      statusMp4: 0,
      statusWebm: 0,
      arrival: 2,
      turn: 100,
      queuedAtMs: NOW + 5,
      startedAtMs: null,
      finishedAtMs: null,
      attempts: 0,
      expiries: 0,
      framesDone: 0,
      framesSkipped: 0,
      eventsMissing: [],
      stage: null,
      error: null,
      files: [],
      buildSeconds: null,
    });
    expect(await movies.queueLength()).toEqual({ queued: 2, processing: 0 });
  });

  it('requeues an invalid build at the end of the queue with all its attempts', async ({ rows: { movies, claims } }) => {
    const { build } = await addMovie(movies, request(), newBuild('a'), NOW);
    const { lease } = (await claims.claim('worker', NOW))!;
    await claims.fail(build.id, lease, { reason: 'It is broken.', isFinal: true }, NOW);
    await addMovie(movies, request(), newBuild('b'), NOW);
    const again = await addMovie(movies, request('other'), newBuild('a'), NOW + 9);
    expect(again.movie.cost).toBe(100);
    expect(again.build).toMatchObject({ id: build.id, generation: 1, status: 0, arrival: 3, attempts: 0, error: null });
  });

  it('gets another id when its own is taken, and the next one too', async ({ rows: { movies } }) => {
    await addMovie(movies, { ...request(), id: '00000000' }, newBuild('a'), NOW);
    vi.spyOn(crypto, 'getRandomValues').mockReturnValueOnce(new Uint8Array(8));
    const { movie, build } = await addMovie(movies, { ...request(), id: '00000000' }, newBuild('b'), NOW);
    vi.restoreAllMocks();
    expect([movie.id, movie.buildId, build.arrival]).toEqual([expect.not.stringMatching(/^0{8}$/), build.id, 2]);
    expect(await movies.queueLength()).toEqual({ queued: 2, processing: 0 });
  });

  it('gives concurrent requests of a movie one build and one arrival number', async ({ rows: { movies } }) => {
    const added = await Promise.all(Array.from({ length: 20 }, () => addMovie(movies, request(), newBuild('a'), NOW)));
    expect(new Set(added.map(({ build }) => build.id)).size).toBe(1);
    expect(added.map(({ movie }) => movie.cost).reduce((a, b) => a + b)).toBe(100);
  });
});

describe('the movie queue', () => {
  it('sums the waiting builds ahead of a place and the remaining cost of running ones', async ({ rows: { movies, claims } }) => {
    const added = [];
    for (const key of ['a', 'b', 'c', 'd']) added.push(await addMovie(movies, request(), newBuild(key, { cost: 40 }), NOW));
    const { build, lease } = (await claims.claim('worker', NOW))!;
    await claims.progress(build.id, { lease, framesDone: 3, framesSkipped: 0, stage: 'drawing' }, NOW);
    const places = (await Promise.all(added.map(({ movie }) => movies.find(movie.id)))).map((found) => found!.build);
    expect(await movies.ahead(places[3]!)).toEqual({ waiting: 2, cost: 110 });
    expect(await movies.ahead(places[1]!)).toEqual({ waiting: 0, cost: 30 });
    expect(await movies.ahead(places[0]!)).toEqual({ waiting: 0, cost: 0 });
  });

  it('lists the duration of recent builds, newest first, and counts the workers', async ({ rows: { movies, claims } }) => {
    for (const [i, key] of ['a', 'b', 'c'].entries()) {
      await addMovie(movies, request(), newBuild(key, { cost: 10 + i }), NOW);
      const { build, lease } = (await claims.claim(`worker-${i % 2}`, NOW + 1000 * i))!;
      await claims.finish(build.id, { lease, framesSkipped: 0, files: [], totalMs: 1500 * (i + 1) }, NOW);
    }
    const outlook = (workersSinceMs: number) => movies.outlook({ turn: 0, arrival: 0 }, 2, workersSinceMs);
    expect(await outlook(NOW)).toEqual({
      recent: [
        { cost: 12, seconds: 4.5 },
        { cost: 11, seconds: 3 },
      ],
      length: { queued: 0, processing: 0 },
      workers: 2,
      ahead: { waiting: 0, cost: 0 },
    });
    expect(await movies.recentBuilds(1)).toEqual([{ cost: 12, seconds: 4.5 }]);
    expect((await outlook(NOW + 1500)).workers).toBe(1);
    await claims.expire(NOW + 86_400_000 + 1500);
    expect((await outlook(0)).workers).toBe(1);
  });
});
