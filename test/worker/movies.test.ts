// Movie operations over D1 and R2 in workerd; the test takes the part of the movie worker.
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, expect, it } from 'vitest';
import { createApp } from '../../src/composition/app.ts';
import { platformOf } from '../../src/composition/platform.ts';
import { composeServices } from '../../src/composition/services.ts';
import { movieFileKey } from '../../src/domain/archive/keys.ts';
import type { ArchivedImage } from '../../src/domain/image.ts';
import { MOVIE_FILES, type MovieFileName } from '../../src/domain/movies/movie.ts';
import { Turns } from '../../src/http/rate-limit.ts';
import { R2MovieFrames } from '../../src/services/movies/movie-plan.ts';
import { databasesFrom } from '../../src/storage/databases.ts';
import { D1ImageRegister } from '../../src/storage/images/d1-image-register.ts';
import { D1BuildClaims } from '../../src/storage/movies/d1-build-claims.ts';
import { MINUTE_MS } from '../../src/util/durations.ts';
import { archivedImage } from '../support/memory/archived-images.ts';
import { MemoryIdSequences } from '../support/memory/id-sequences.ts';
import { memoryRenderers } from '../support/memory/renderers.ts';

const START = Date.UTC(2024, 0, 1);
const FIELD = 'imageScale=2.4&x1=-960&y1=-480&x2=960&y2=480';
const RANGE = 'startTime=2024-01-01T00:00:00Z&endTime=2024-01-03T00:00:00Z';
const LAYERS = 'layers=[13,1,100],[14,1,50,1,1,2]';
const MOVIE = `${RANGE}&${FIELD}&${LAYERS}&events=&eventsLabels=false`;

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function service() {
  const platform = platformOf(env, { purge: async () => undefined }, new Turns());
  const services = composeServices(platform, { renderers: memoryRenderers() });
  const app = createApp(services);
  const get = async (path: string, init?: RequestInit) =>
    app.request(`http://helioedge.test${path}`, init, env, createExecutionContext());
  const json = async (path: string) => (await (await get(path)).json()) as Record<string, unknown>;
  const databases = databasesFrom(env);
  const images = new D1ImageRegister(databases, new MemoryIdSequences());
  return { get, json, claims: new D1BuildClaims(databases), objects: services.objects, images };
}

/** Adds 400 images of AIA 304 at a cadence of two minutes, and 30 of AIA 335 at one hour. */
beforeEach(async () => {
  const { images } = service();
  const added: Omit<ArchivedImage, 'id'>[] = [];
  for (const [sourceId, count, step] of [
    [13, 400, 2],
    [14, 30, 60],
  ] as const) {
    for (let i = 0; i < count; i++) {
      const { id: _id, ...image } = archivedImage(
        i * 16 + sourceId,
        sourceId,
        new Date(START + i * step * MINUTE_MS).toISOString(),
      );
      added.push({ ...image, fileName: `${sourceId}_${i}.jp2`, key: `jp2/${sourceId}/${i}.jp2` });
    }
  }
  await images.addAll(added);
});

it('plans, queues, builds, plays and downloads a movie', async () => {
  const { get, json, claims, objects } = service();
  const movie = MOVIE.replace('00:00:00Z&endTime', '02:00:00Z&endTime');
  const { id, message } = await json(`/v2/queueMovie/?${movie}`);
  expect(message).toBe(
    'It shows 272 of 340 images (SDO AIA 304), one every 150 seconds on average; 300 images of all layers together are the most.',
  );
  expect(await json(`/v2/getMovieStatus/?id=${id}&format=mp4`)).toMatchObject({ status: 0, numFrames: 272, queuePosition: 1 });

  const { build, lease } = (await claims.claim('worker', Date.now()))!;
  const frames = (await new R2MovieFrames(objects).find(build.key))!;
  expect(frames.map(({ atMs }) => atMs).at(-1)).toBe(START + 399 * 2 * MINUTE_MS);
  const ages = frames.map(({ images }) => images[1]!.length);
  expect(new Set(ages)).toEqual(new Set([2]));

  const files = await Promise.all(
    (Object.keys(MOVIE_FILES) as MovieFileName[]).map(async (name) => {
      const { size, etag } = await objects.put(
        movieFileKey(build, name),
        new TextEncoder().encode(`a ${name}`),
        MOVIE_FILES[name],
      );
      return { name, size, etag };
    }),
  );
  for (const file of files) await claims.stored(build.id, lease, file);
  const timings = { totalMs: 5000, drawingMs: 1, encodingMs: 1 };
  await claims.finish(build.id, { lease, framesSkipped: 0, files, timings }, Date.now());

  const status = await json(`/v2/getMovieStatus/?id=${id}&format=mp4&verbose=true`);
  expect(status).toMatchObject({ status: 2, startDate: '2024-01-01 02:00:00', x2: 960, layers: '[13,1,100],[14,1,50,1,1,2]' });
  const part = await get(new URL(String(status.url)).pathname, { headers: { Range: 'bytes=2-6' } });
  expect([part.status, part.headers.get('Content-Range'), textOf(await part.bytes())]).toEqual([206, 'bytes 2-6/11', 'movie']);
  const whole = await get(`/v2/downloadMovie/?id=${id}&format=mp4&hq=true`);
  expect([whole.status, whole.headers.get('Content-Length'), textOf(await whole.bytes())]).toEqual([200, '14', 'a movie-hq.mp4']);
  expect((await get(`/v2/playMovie/?id=${id}&format=webm`)).headers.get('Content-Type')).toBe('text/html; charset=utf-8');
});

it('stores a movie with a long events state, and refuses a longer one', async () => {
  const { get, json } = service();
  const bodyWith = (names: readonly string[]) =>
    JSON.stringify({
      startTime: '2024-01-01T02:00:00Z',
      endTime: '2024-01-02T00:00:00Z',
      layers: '[13,1,100]',
      imageScale: 2.4,
      ...{ x1: -960, y1: -480, x2: 960, y2: 480 },
      eventsState: { tree_HEK: { labels_visible: true, layers: [], layers_v2: names } },
    });
  const post = (body: string) => get('/v2/postMovie/', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  const refused = await post(bodyWith(Array.from({ length: 2000 }, (_, i) => `HEK>>${'x'.repeat(450)}${i}`)));
  expect([refused.status, await refused.json()]).toMatchObject([400, { parameter: 'eventsState' }]);
  expect(await env.DB.prepare('SELECT count(*) AS count FROM movies').first()).toEqual({ count: 0 });
  const response = await post(bodyWith(Array.from({ length: 35 }, (_, i) => `HEK>>${'x'.repeat(450)}${i}`)));
  const { id } = (await response.json()) as { id: string };
  const { eventsState } = await json(`/v2/getMovieStatus/?id=${id}&format=mp4&verbose=true`);
  expect((eventsState as { tree_HEK: { layers_v2: string[] } }).tree_HEK.layers_v2.length).toBe(35);
});
