import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { D1ImageIndex } from '../../src/archive/image-index/d1-image-index.ts';
import { movieFileKey } from '../../src/archive/keys.ts';
import { D1BuildClaims } from '../../src/movies/d1-build-claims.ts';
import { D1Movies } from '../../src/movies/d1-movies.ts';
import { R2MovieFrames } from '../../src/movies/movie-plan.ts';
import { type BuildClaim, PART_BYTES, WORKER_VERSION } from '../../src/movies/worker-protocol.ts';
import { databasesFrom } from '../../src/platform/storage/databases.ts';
import { R2ObjectStore } from '../../src/platform/storage/r2-object-store.ts';
import { bytesOf, internalApp, workerOf } from '../support/movies/internal-service.ts';
import { newBuild, request, START_MS } from '../support/movies/movie-builds.ts';
import { NO_MARKERS } from '../support/movies/no-markers.ts';

it('a movie worker stores a large file in R2 from parts that are each sent twice', async () => {
  const databases = databasesFrom(env);
  const objects = new R2ObjectStore(env.ARCHIVE);
  const frames = new R2MovieFrames(objects);
  const call = workerOf(
    internalApp({
      claims: new D1BuildClaims(databases),
      incoming: objects,
      objects,
      frames,
      index: new D1ImageIndex(databases),
      markers: NO_MARKERS,
      publicOrigin: null,
      clock: () => START_MS,
      log: () => undefined,
    }),
  );
  const planned = newBuild('a');
  await frames.keep(planned.key, planned.frames);
  await new D1Movies(databases).add(request(), planned, { nowMs: START_MS });
  const claimed = await call('movies/claim', { method: 'POST', json: { worker: 'w', version: WORKER_VERSION } });
  const { build, lease } = await claimed.json<BuildClaim>();
  const put = async (body: Uint8Array, part: number) =>
    (await call(`movies/${build}/files/movie-hq.mp4?lease=${lease}&part=${part}&of=2`, bytesOf(body))).status;
  const first = new Uint8Array(PART_BYTES).fill(7);
  expect([await put(first, 1), await put(first, 1)]).toEqual([204, 204]);
  expect((await env.ARCHIVE.list({ prefix: 'derived/movies/' })).objects).toEqual([]);
  const end = new TextEncoder().encode('end');
  expect([await put(end, 2), await put(end, 2)]).toEqual([204, 204]);
  const key = movieFileKey({ ...planned, generation: 1 }, 'movie-hq.mp4');
  const stored = await env.ARCHIVE.get(key, { range: { offset: PART_BYTES - 1, length: 100 } });
  expect(await stored!.text()).toBe('\u0007end');
});
