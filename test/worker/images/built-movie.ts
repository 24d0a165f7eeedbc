import { env } from 'cloudflare:workers';
import { expect } from 'vitest';
import { movieFileKey } from '../../../src/archive/keys.ts';
import { D1BuildClaims } from '../../../src/movies/d1-build-claims.ts';
import { MOVIE_FILES, type MovieFileName } from '../../../src/movies/movie.ts';
import { databasesFrom } from '../../../src/platform/storage/databases.ts';
import { R2ObjectStore } from '../../../src/platform/storage/r2-object-store.ts';
import { MINUTE_MS } from '../../../src/platform/util/durations.ts';
import { minutesFromMs } from '../samples/sample-files.ts';
import { jsonOf, type Send } from '../services.ts';

/** Queues a movie of the images a minute apart. @returns its id */
export async function queueMovie(send: Send): Promise<string> {
  const [startTime, endTime] = [0, 6].map((minutes) => new Date(minutesFromMs + minutes * MINUTE_MS).toISOString());
  const region = 'imageScale=9.6&x0=0&y0=0&width=480&height=480';
  const movie = `startTime=${startTime}&endTime=${endTime}&layers=[10,1,100]&events=&eventsLabels=false&${region}`;
  const queued = await jsonOf<{ id: string }>(await send(`/v2/queueMovie/?${movie}`));
  expect(queued, movie).toMatchObject({ id: expect.any(String) });
  return queued.id;
}

/** Takes the part of a movie worker: claims the next movie and stores files with their names and `mark` as content. */
export async function buildMovie(mark = '') {
  const claims = new D1BuildClaims(databasesFrom(env));
  const objects = new R2ObjectStore(env.ARCHIVE);
  const { build, lease } = (await claims.claim('worker', Date.now()))!;
  const files = await Promise.all(
    (Object.keys(MOVIE_FILES) as MovieFileName[]).map(async (name) => {
      const { size, etag } = await objects.put(
        movieFileKey(build, name),
        new TextEncoder().encode(name + mark),
        MOVIE_FILES[name],
      );
      return { name, size, etag };
    }),
  );
  for (const file of files) await claims.stored(build.id, lease, file);
  await claims.finish(build.id, { lease, framesSkipped: 0, files, totalMs: 1000 }, Date.now());
}
