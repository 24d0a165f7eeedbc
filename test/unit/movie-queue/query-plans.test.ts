import { expect, it } from 'vitest';
import { D1BuildClaims } from '../../../src/movies/d1-build-claims.ts';
import { D1Movies } from '../../../src/movies/d1-movies.ts';
import { recorded, scansIn } from '../../support/memory/recorded-statements.ts';
import { databasesIn, migrated } from '../../support/memory/sqlite-d1.ts';
import { START_MS as NOW, newBuild, request } from '../../support/movies/movie-builds.ts';

const LIMITS = { queuedCost: 1e6, clients: ['client', 'yesterday'], sinceMs: NOW - 1, clientCost: 1e6 };
const OPTIONS = { nowMs: NOW, limits: LIMITS, minCost: 10 };
const FAILURE = { reason: 'It is broken.', isFinal: true };

/** Calls every method of the queue. */
async function useAll(databases: ReturnType<typeof databasesIn>): Promise<void> {
  const [movies, claims] = [new D1Movies(databases), new D1BuildClaims(databases)];
  const { movie, build } = (await movies.add(request(), newBuild('a'), OPTIONS))!;
  await movies.add(request(), newBuild('a'), { ...OPTIONS, fresh: true });
  await movies.joinable('a');
  await movies.ahead(build);
  await movies.queueLength();
  await movies.load(LIMITS);
  await movies.recentBuilds(100);
  await movies.outlook(build, { recent: 100, workersSinceMs: NOW });
  const { lease } = (await claims.claim('worker', NOW))!;
  await claims.claimed(build.id, lease, NOW);
  await claims.progress(build.id, { lease, framesDone: 1, framesSkipped: 0, stage: 'drawing' }, NOW);
  await claims.missEvents(build.id, lease, ['HEK']);
  await claims.extendLease(build.id, lease, NOW);
  await claims.storedSegment(build.id, lease, 'part-0000-0006.mp4.mp4');
  await claims.stored(build.id, lease, { name: 'movie.mp4', size: 5, etag: '"e"' });
  const upload = { buildId: build.id, lease, name: 'movie.mp4', uploadId: 'u' };
  await claims.beginUpload(upload);
  await claims.addPart(upload, { partNumber: 1, etag: '"e"' });
  await claims.findUpload(build.id, lease, 'movie.mp4');
  await claims.endUpload(upload);
  await claims.finish(
    build.id,
    { lease, framesSkipped: 0, files: [], timings: { totalMs: 1, drawingMs: 1, encodingMs: 1 } },
    NOW,
  );
  await movies.requeue(build.id, { ...OPTIONS, client: 'client' });
  const again = (await claims.claim('worker', NOW))!;
  await claims.release(again.build.id, again.lease);
  await claims.fail(again.build.id, again.lease, FAILURE, NOW);
  for (const fresh of [true, false]) await movies.replan(movie.id, newBuild('b'), { ...OPTIONS, client: 'client', fresh });
  await claims.expire(NOW);
  await movies.use(movie.id, NOW);
  await movies.expire({ nowMs: NOW, moviesBeforeMs: NOW, buildsBeforeMs: NOW });
}

/** Tables of which a statement may read every row: a row for each worker, and one. */
const SMALL = ['movie_workers', 'movie_arrivals'];

it('Every statement of the movie queue searches an index, and sums over the queue read no rows.', async () => {
  const database = migrated();
  const { texts, recording } = recorded(database);
  await useAll(databasesIn(recording));
  expect(texts.size).toBeGreaterThan(30);
  expect(await scansIn(database, texts, SMALL)).toEqual([]);
  const covered = (text: string) => [...texts].find((known) => known.includes(text))!;
  for (const text of ['(turn, arrival) <', '(SELECT count(*) FROM movie_builds']) {
    const { results } = await database.prepare(`EXPLAIN QUERY PLAN ${covered(text)}`).all<{ detail: string }>();
    const ofQueue = results.map(({ detail }) => detail).filter((step) => step.includes('movie_builds'));
    expect(ofQueue.filter((step) => step.includes('COVERING INDEX'))).not.toEqual([]);
  }
});
