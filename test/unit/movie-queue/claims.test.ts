import { describe, expect, test } from 'vitest';
import { D1BuildClaims } from '../../../src/movies/d1-build-claims.ts';
import { D1Movies } from '../../../src/movies/d1-movies.ts';
import { type MovieFileName, PREVIEW_FILES } from '../../../src/movies/movie.ts';
import { D1StatusRegister } from '../../../src/operator/status/d1-status-register.ts';
import { MOVIE_BUILDS } from '../../../src/platform/limits/movies.ts';
import { databasesIn, migrated } from '../../support/memory/sqlite-d1.ts';
import { addMovie, newBuild, request, START_MS } from '../../support/movies/movie-builds.ts';

const it = test.extend('one', () => queueOf('a')).extend('two', () => queueOf('a', 'b'));

const NOW = START_MS;
const EXPIRED = NOW + MOVIE_BUILDS.leaseMs + 1;

async function queueOf(...keys: string[]) {
  const databases = databasesIn(migrated());
  const movies = new D1Movies(databases);
  const ids = await Array.fromAsync(keys, async (key) => (await addMovie(movies, request(), newBuild(key), NOW)).movie.id);
  const buildOf = async (i: number) => (await movies.find(ids[i]!))!.build;
  return { databases, movies, claims: new D1BuildClaims(databases), buildOf };
}

describe('a claim', () => {
  it('returns the build and records the start', async ({ one: { claims, buildOf } }) => {
    const { build, segments } = (await claims.claim('worker', NOW + 7))!;
    expect(build.recipe).toEqual(newBuild('a').recipe);
    expect(segments).toEqual([]);
    expect(build).toMatchObject({ status: 1, statusMp4: 1, statusWebm: 1, attempts: 1, startedAtMs: NOW + 7, stage: 'drawing' });
    expect(await buildOf(0)).toEqual(build);
  });

  it('returns a build to the worker that failed at it only when no other build waits', async ({ two: { claims, buildOf } }) => {
    const failAt = async (worker: string) => {
      const { build, lease } = (await claims.claim(worker, NOW))!;
      await claims.fail(build.id, lease, { reason: 'The disk is full.', isFinal: false }, NOW);
      return build.key;
    };
    expect([await failAt('sick'), await failAt('sick'), await failAt('sick')]).toEqual(['a', 'b', 'a']);
    const { build } = (await claims.claim('well', NOW))!;
    expect([build.key, build.attempts]).toEqual(['a', 3]);
    expect([await failAt('other'), await failAt('sick')]).toEqual(['b', 'b']);
    expect(await buildOf(1)).toMatchObject({ status: 3, attempts: 3 });
  });
});

describe('a lost lease', () => {
  it('ignores all reports of a worker whose lease is lost', async ({ one: { claims, buildOf } }) => {
    const { build, lease } = (await claims.claim('one', NOW))!;
    await claims.claim('two', EXPIRED);
    const before = await buildOf(0);
    const file = { name: 'movie.mp4', size: 5, etag: '"e"' } as const;
    expect([
      await claims.claimed(build.id, lease, EXPIRED),
      await claims.progress(build.id, { lease, framesDone: 9, framesSkipped: 0, stage: 'encoding' }, EXPIRED),
      await claims.missEvents(build.id, lease, ['HEK']),
      await claims.extendLease(build.id, lease, EXPIRED),
      await claims.stored(build.id, lease, file),
      await claims.storedSegment(build.id, lease, 'part-0000-0006.mp4.mp4'),
      await claims.finish(build.id, { lease, framesSkipped: 0, files: [], totalMs: 30_000 }, EXPIRED),
      await claims.fail(build.id, lease, { reason: 'It broke.', isFinal: true }, EXPIRED),
      await claims.release(build.id, lease),
    ]).toEqual([null, false, false, false, false, false, false, false, false]);
    expect(await buildOf(0)).toEqual(before);
  });

  it('requeues the build in its place nine times, then ends it with a reason', async ({ two: { claims, buildOf } }) => {
    let nowMs = NOW;
    for (let attempt = 1; attempt <= MOVIE_BUILDS.silentAttempts; attempt += 1) {
      const claimed = await claims.claim('doomed', nowMs);
      expect([claimed!.build.key, claimed!.build.attempts]).toEqual(['a', attempt]);
      nowMs += MOVIE_BUILDS.leaseMs + 1;
    }
    expect((await claims.claim('doomed', nowMs))!.build.key).toBe('b');
    expect(await buildOf(0)).toMatchObject({
      status: 3,
      statusMp4: 3,
      statusWebm: 3,
      error: 'The movie could not be built: its workers stopped responding 10 times.',
      finishedAtMs: nowMs,
    });
  });

  it('expires after a period and a number of attempts that the service sets', async ({ one: { databases, buildOf } }) => {
    const claims = new D1BuildClaims(databases, { leaseMs: 500, attempts: 1, silentAttempts: 3 });
    const { build, lease, leaseMs } = (await claims.claim('one', NOW))!;
    expect(leaseMs).toBe(500);
    expect(await claims.expire(NOW + 500)).toBe(0);
    expect(await claims.expire(NOW + 501)).toBe(1);
    expect(await claims.extendLease(build.id, lease, NOW + 502)).toBe(false);
    const second = (await claims.claim('two', NOW + 1000))!;
    expect(await claims.extendLease(build.id, second.lease, NOW + 1400)).toBe(true);
    expect(await claims.expire(NOW + 1900)).toBe(0);
    expect(await claims.fail(build.id, second.lease, { reason: 'It broke.', isFinal: false }, NOW + 1900)).toBe(true);
    expect(await buildOf(0)).toMatchObject({ status: 3, error: 'It broke.' });
  });

  it('counts lost leases apart from failures that workers report', async ({ one: { claims, databases, buildOf } }) => {
    const { build, lease } = (await claims.claim('one', NOW))!;
    await claims.fail(build.id, lease, { reason: 'The disk is full.', isFinal: false }, NOW);
    await claims.claim('two', NOW);
    const status = new D1StatusRegister(databases, () => NOW);
    expect(await status.movieQueue()).toMatchObject({ repeated: 1, expired: 0 });
    // The next claim takes the lease over.
    expect((await claims.claim('three', EXPIRED))?.build.id).toBe(build.id);
    expect(await status.movieQueue()).toMatchObject({ repeated: 1, expired: 1 });
    for (const ends of [0, 3]) {
      const { lease } = (await claims.claim('four', EXPIRED * 2))!;
      await claims.fail(build.id, lease, { reason: 'It broke.', isFinal: false }, EXPIRED);
      expect(await buildOf(0)).toMatchObject({ status: ends });
    }
  });
});

it('uploads in parts go when their build has ended, not before', async ({ one: { claims, databases } }) => {
  for (const isFinal of [false, true]) {
    const { build, lease } = (await claims.claim('worker', NOW))!;
    const begin = (uploadId: string, replaced: string | null) =>
      claims.beginUpload({ buildId: build.id, lease, name: `movie.${isFinal}`, uploadId }, replaced);
    expect([await begin('begun', null), await begin('overtaken', null)]).toEqual([true, false]);
    await claims.expire(NOW);
    expect(await claims.findUpload(build.id, lease, `movie.${isFinal}`)).not.toBeNull();
    await claims.fail(build.id, lease, { reason: 'It broke.', isFinal }, NOW);
    expect(await begin('late', 'begun')).toBe(false);
    expect(await claims.findUpload(build.id, lease, `movie.${isFinal}`)).toMatchObject({ uploadId: 'begun' });
  }
  await claims.expire(NOW);
  expect((await databases.main.prepare('SELECT * FROM movie_uploads').all()).results).toEqual([]);
});

it('a worker that gives up a build releases it without using up an attempt', async ({ two: { claims, buildOf } }) => {
  for (let turn = 0; turn < 5; turn += 1) {
    const { build, lease } = (await claims.claim('leaving', NOW))!;
    expect([build.key, build.attempts]).toEqual(['a', 1]);
    expect(await claims.release(build.id, lease)).toBe(true);
  }
  expect(await buildOf(0)).toMatchObject({ status: 0, statusMp4: 0, attempts: 0, arrival: 1, stage: null });
});

describe('the progress of a build', () => {
  it('never decreases under one lease, and returns to the frames stored in every encoding when it is lost', async ({
    one: { claims, buildOf },
  }) => {
    const { build, lease } = (await claims.claim('one', NOW))!;
    for (const framesDone of [3, 7, 5, 99]) {
      await claims.progress(build.id, { lease, framesDone, framesSkipped: 0, stage: 'drawing' }, NOW);
    }
    // The number of frames.
    expect((await buildOf(0)).framesDone).toBe(12);
    const stored = [
      'part-0000-0004.mp4.mp4',
      'part-0000-0004.hq.mp4',
      'part-0000-0004.webm.x-1.webm',
      'part-0004-0008.mp4.mp4',
      'part-0004-0008.hq.mp4',
    ];
    for (const name of [...stored, stored[0]!]) expect(await claims.storedSegment(build.id, lease, name)).toBe(true);
    await claims.progress(build.id, { lease, framesDone: 11, framesSkipped: 2, stage: 'drawing' }, NOW);
    expect(await claims.expire(EXPIRED)).toBe(1);
    expect(await buildOf(0)).toMatchObject({ framesDone: 4, framesSkipped: 0 });
    const next = (await claims.claim('two', EXPIRED))!;
    expect([next.build.framesDone, next.segments]).toEqual([4, stored.toSorted()]);
    await claims.finish(build.id, { lease: next.lease, framesSkipped: 1, files: [], totalMs: 30_000 }, EXPIRED);
    const done = await buildOf(0);
    expect(done).toMatchObject({ status: 2, framesDone: 12, framesSkipped: 1, buildSeconds: 30, finishedAtMs: EXPIRED });
  });
});

it('a format of a movie finishes a format when its files and the previews are stored, whatever the state of the other format', async ({
  one: { claims, buildOf },
}) => {
  const { build, lease } = (await claims.claim('one', NOW))!;
  const store = (name: MovieFileName, size = 5) => claims.stored(build.id, lease, { name, size, etag: `"${name}"` });
  await store('movie.mp4');
  for (const preview of PREVIEW_FILES) {
    expect((await buildOf(0)).statusMp4).toBe(1);
    await store(preview);
  }
  expect((await buildOf(0)).statusMp4).toBe(1);
  await store('movie-hq.mp4');
  expect(await buildOf(0)).toMatchObject({ status: 1, statusMp4: 2, statusWebm: 1 });
  await store('movie.mp4', 6);
  expect((await buildOf(0)).files.filter(({ name }) => name === 'movie.mp4')).toEqual([
    { name: 'movie.mp4', size: 6, etag: '"movie.mp4"' },
  ]);
  await claims.fail(build.id, lease, { reason: 'No webm.', isFinal: true }, NOW);
  expect(await buildOf(0)).toMatchObject({ status: 3, statusMp4: 2, statusWebm: 3 });
  expect((await buildOf(0)).files).toHaveLength(7);
});
