// Requests to the Worker, and an archive with the images that the examples of clients ask for.
import { env } from 'cloudflare:workers';
import { expect } from 'vitest';
import { movieFileKey } from '../../../src/archive/keys.ts';
import { D1BuildClaims } from '../../../src/movies/d1-build-claims.ts';
import { MOVIE_FILES, type MovieFileName } from '../../../src/movies/movie.ts';
import { R2MovieFrames } from '../../../src/movies/movie-plan.ts';
import { databasesFrom } from '../../../src/platform/storage/databases.ts';
import { R2ObjectStore } from '../../../src/platform/storage/r2-object-store.ts';
import type { SampleFile } from '../samples/provide-samples.ts';
import { recent } from '../samples/sample-files.ts';
import { decoded, fetchService, ingest } from '../service.ts';

const ORIGIN = 'http://helioedge.test';

/** Sends a path, or an address of the service. */
export const send = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetchService(new Request(new URL(path, ORIGIN), init));

/** Adds the recent images of sources to the archive. @returns their ids by name */
export async function recentArchive(...sourceIds: readonly number[]): Promise<Map<string, number>> {
  const ids = new Map<string, number>();
  for (const file of recent.files) if (sourceIds.includes(file.sourceId)) ids.set(file.name, (await ingest(decoded(file))).id);
  return ids;
}

/** The JP2 file of the archive with this name. */
export const jp2Of = (files: readonly SampleFile[], name: string) =>
  Buffer.from(files.find((file) => file.name === name)!.base64, 'base64');

/** The JSON of a response with status 200: clients raise an error for any other status. */
export async function jsonOf<T = Record<string, unknown>>(response: Response): Promise<T> {
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return JSON.parse(text);
}

/** The body of a response with status 200. */
export async function bytesOf(response: Response): Promise<Buffer> {
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

/** Takes the part of a movie worker: claims the next movie and stores files with their names and `mark` as content. @returns its frames */
export async function buildMovie(mark = '') {
  const claims = new D1BuildClaims(databasesFrom(env));
  const objects = new R2ObjectStore(env.ARCHIVE);
  const { build, lease } = (await claims.claim('worker', Date.now()))!;
  const frames = (await new R2MovieFrames(objects).find(build.key))!;
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
  const timings = { totalMs: 1000, drawingMs: 1, encodingMs: 1 };
  await claims.finish(build.id, { lease, framesSkipped: 0, files, timings }, Date.now());
  return frames;
}
