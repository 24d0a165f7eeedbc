import { describe, expect, test } from 'vitest';
import { WORKER_VERSION } from '../../../src/movies/worker-protocol.ts';
import { WorkerService } from '../../../src/movies/worker-service.ts';
import { archivedImage } from '../../support/memory/archived-images.ts';
import { movieArchive } from '../../support/movies/movie-archive.ts';
import { NO_MARKERS } from '../../support/movies/no-markers.ts';

const it = test.extend('archive', () => movieArchive());

/** First AIA 304 image of the movies. */
const FIRST = 16_013;
const REPLACEMENT = archivedImage(9 * 16_000 + 13, 13, '2024-01-01T00:00:00Z', { fileName: `image_${FIRST}.jp2` });

const imagesOf = (frames: readonly { readonly images: readonly (readonly number[])[] }[]) => frames[0]!.images;

describe('a movie of a replaced image', () => {
  it('keeps its files, and is planned anew with the new image after they have expired', async ({ archive }) => {
    const id = await archive.queue();
    const old = await archive.build();
    expect(imagesOf(old.frames)).toEqual([[FIRST]]);
    archive.index.withdraw(FIRST, REPLACEMENT);
    const download = `/v2/downloadMovie/?id=${id}&format=mp4`;
    expect(await (await archive.get(download)).text()).toBe(`movie.mp4 ${old.build.id}`);

    archive.expire();
    expect((await archive.get(download)).status).toBe(202);
    const { build, frames } = await archive.build();
    expect(build.id).not.toBe(old.build.id);
    expect(imagesOf(frames)).toEqual([[REPLACEMENT.id]]);
    expect(await (await archive.get(download)).text()).toBe(`movie.mp4 ${build.id}`);
  });

  it('reQueueMovie plans the movie of a replaced image anew, each movie of a shared build separately', async ({ archive }) => {
    const [first, second] = [await archive.queue(), await archive.queue()];
    await archive.build();
    archive.expire();
    archive.index.withdraw(FIRST, REPLACEMENT);
    for (const id of [first, second]) expect((await archive.json(`/v2/reQueueMovie/?id=${id}`)).body).toMatchObject({ id });
    const { frames } = await archive.build();
    expect(imagesOf(frames)).toEqual([[REPLACEMENT.id]]);
    expect(await archive.claims.claim('worker', archive.clock.nowMs)).toBeNull();
  });

  it('a waiting movie of a replaced image fails with the reason, and reQueueMovie plans it anew', async ({ archive }) => {
    const id = await archive.queue();
    archive.index.withdraw(FIRST);
    const unused = {} as never;
    const service = new WorkerService({
      ...archive,
      markers: NO_MARKERS,
      publicOrigin: null,
      incoming: unused,
      clock: () => archive.clock.nowMs,
      log: () => undefined,
    });
    expect(await service.claim('worker', WORKER_VERSION)).toBeNull();
    expect((await archive.json(`/v2/getMovieStatus/?id=${id}&format=mp4`)).body).toMatchObject({
      status: 3,
      error: `This movie has an image (${FIRST}) that has been withdrawn or replaced. Request a new one.`,
    });
    await archive.get(`/v2/reQueueMovie/?id=${id}`);
    const build = await service.claim('worker', WORKER_VERSION);
    expect(build!.images.map(({ id }) => id)).not.toContain(FIRST);
    expect(build!.images.length).toBe(new Set(build!.frames.flatMap(({ images }) => images.flat())).size);
  });
});
