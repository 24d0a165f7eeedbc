import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { movieFileKey } from '../../src/domain/archive/keys.ts';
import { MOVIE_FILES } from '../../src/domain/movies/movie.ts';
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

function service() {
  const databases = databasesFrom(env);
  const clock = { nowMs: START_MS };
  const frames = new R2MovieFrames(new R2ObjectStore(env.ARCHIVE));
  const app = internalApp({
    claims: new D1BuildClaims(databases),
    incoming: new R2ObjectStore(env.ARCHIVE),
    objects: new R2ObjectStore(env.ARCHIVE),
    frames,
    index: new D1ImageIndex(databases),
    markers: NO_MARKERS,
    publicOrigin: null,
    clock: () => clock.nowMs,
    log: () => undefined,
  });
  const call = workerOf(app);
  const claim = () => call('movies/claim', { method: 'POST', json: { worker: 'w', version: WORKER_VERSION } });
  const movies = new D1Movies(databases);
  const add = async () => {
    const planned = newBuild('a');
    await frames.keep(planned.key, planned.frames);
    return movies.add(request(), planned, { nowMs: START_MS });
  };
  return { movies, add, call, claim, clock };
}

const content = (name: string) => new TextEncoder().encode(`content of ${name}`);
const names = Object.keys(MOVIE_FILES) as (keyof typeof MOVIE_FILES)[];
const FIRST = { ...newBuild('a'), generation: 1 };
const keys = async () => (await env.ARCHIVE.list({ prefix: 'derived/movies/' })).objects.map(({ key }) => key);

describe('a movie in the queue, over D1 and R2', () => {
  it('waits for a worker of the version of the service', async () => {
    const { movies, add, call, claim } = service();
    const { movie } = await add();
    for (const version of [undefined, '', 'protocol-1.render-1', `${WORKER_VERSION}0`]) {
      const json = { worker: 'old', ...(version === undefined ? {} : { version }) };
      expect([version, (await call('movies/claim', { method: 'POST', json })).status]).toEqual([version, 204]);
    }
    expect((await movies.find(movie.id))!.build).toMatchObject({ status: 0, attempts: 0 });
    expect((await claim()).status).toBe(200);
  });

  it('goes from a claim to its files and its end by one worker', async () => {
    const { movies, add, call, claim } = service();
    const { movie } = await add();
    const claims = await Promise.all([claim(), claim(), claim()]);
    expect(claims.map(({ status }) => status).sort()).toEqual([200, 204, 204]);
    const { build, lease } = await claims.find(({ status }) => status === 200)!.json<BuildClaim>();
    const progress = { lease, framesDone: 4, framesSkipped: 0, stage: 'drawing' };
    expect((await call(`movies/${build}/progress`, { method: 'POST', json: progress })).status).toBe(204);
    const segment = 'part-0000-0004.mp4.mp4';
    for (const name of [segment, ...names]) {
      expect((await call(`movies/${build}/files/${name}?lease=${lease}`, bytesOf(content(name)))).status).toBe(204);
    }
    expect(await (await call(`movies/${build}/files/${segment}?lease=${lease}`)).text()).toBe(`content of ${segment}`);
    expect((await env.ARCHIVE.head(movieFileKey(FIRST, segment)))!.httpMetadata!.contentType).toBe('video/mp4');
    const files = names.map((name) => ({ name, size: content(name).length }));
    const finish = { lease, framesSkipped: 0, files, timings: { totalMs: 9000, drawingMs: 1, encodingMs: 1 } };
    expect((await call(`movies/${build}/finish`, { method: 'POST', json: finish })).status).toBe(204);
    const found = (await movies.find(movie.id))!.build;
    expect(found).toMatchObject({ status: 2, statusMp4: 2, statusWebm: 2, framesDone: 12, buildSeconds: 9 });
    const stored = await env.ARCHIVE.head(movieFileKey(FIRST, 'movie.webm'));
    expect([stored!.httpMetadata!.contentType, stored!.size]).toEqual(['video/webm', content('movie.webm').length]);
    expect(found.files.find(({ name }) => name === 'movie.webm')!.etag).toBe(stored!.httpEtag);
    expect((await keys()).sort()).toEqual(names.map((name) => movieFileKey(FIRST, name)).sort());
  });

  it('stores no file from a body whose length differs from Content-Length', async () => {
    const { add, call, claim } = service();
    await add();
    const { build, lease } = await (await claim()).json<BuildClaim>();
    for (const length of ['5', '500']) {
      const headers = { 'Content-Length': length };
      const sent = { method: 'PUT', body: content('movie'), headers };
      expect([length, (await call(`movies/${build}/files/movie.mp4?lease=${lease}`, sent)).status]).toEqual([length, 400]);
    }
    expect(await keys()).toEqual([]);
  });

  it('stores a large file from parts that are each sent twice', async () => {
    const { add, call, claim } = service();
    await add();
    const { build, lease } = await (await claim()).json<BuildClaim>();
    const put = async (body: Uint8Array, part: number) =>
      (await call(`movies/${build}/files/movie-hq.mp4?lease=${lease}&part=${part}&of=2`, bytesOf(body))).status;
    const first = new Uint8Array(PART_BYTES).fill(7);
    expect([await put(first, 1), await put(first, 1)]).toEqual([204, 204]);
    expect(await keys()).toEqual([]);
    expect([await put(content('end'), 2), await put(content('end'), 2)]).toEqual([204, 204]);
    const stored = await env.ARCHIVE.get(movieFileKey(FIRST, 'movie-hq.mp4'), { range: { offset: PART_BYTES - 1, length: 100 } });
    expect(await stored!.text()).toBe(`\u0007content of end`);
  });
});
