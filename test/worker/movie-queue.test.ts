import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { movieFileKey } from '../../src/domain/archive/keys.ts';
import { type BuildClaim, PART_BYTES } from '../../src/domain/movies/worker-protocol.ts';
import { R2MovieFrames } from '../../src/services/movies/movie-plan.ts';
import { WORKER_VERSION } from '../../src/services/rendering/worker-version.ts';
import { databasesFrom } from '../../src/storage/databases.ts';
import { D1ImageIndex } from '../../src/storage/images/d1-image-index.ts';
import { D1BuildClaims } from '../../src/storage/movies/d1-build-claims.ts';
import { D1Movies } from '../../src/storage/movies/d1-movies.ts';
import { R2ObjectStore } from '../../src/storage/r2-object-store.ts';
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
