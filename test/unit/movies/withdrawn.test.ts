// Movies of images that are no longer in the archive.
import { describe, expect, it } from 'vitest';
import { NO_MARKERS } from '../../../src/services/events/event-markers.ts';
import { MovieJobs } from '../../../src/services/movies/movie-jobs.ts';
import { movieArchive } from '../../support/movies/movie-archive.ts';
import { archivedImage } from '../../support/test-archive.ts';

/** First AIA 304 image of the movies. */
const FIRST = 16_013;
const REPLACEMENT = archivedImage(9 * 16_000 + 13, 13, '2024-01-01T00:00:00Z', { fileName: `image_${FIRST}.jp2` });

const imagesOf = (frames: readonly { readonly images: readonly (readonly number[])[] }[]) => frames[0]!.images;

describe('a movie of a replaced image', () => {
  it('keeps its files, and is planned anew with the new image after they have expired', async () => {
    const archive = movieArchive();
    const id = await archive.queue();
    const old = await archive.build();
    expect(imagesOf(old.frames)).toEqual([[FIRST]]);
    archive.index.withdraw(FIRST, REPLACEMENT);
    const download = `/v2/downloadMovie/?id=${id}&format=mp4`;
    expect(await (await archive.get(download)).text()).toBe(`movie.mp4 ${old.job.id}`);

    archive.expire();
    expect((await archive.get(download)).status).toBe(202);
    const { job, frames } = await archive.build();
    expect(job.id).not.toBe(old.job.id);
    expect(imagesOf(frames)).toEqual([[REPLACEMENT.id]]);
    expect(await (await archive.get(download)).text()).toBe(`movie.mp4 ${job.id}`);
  });

  it('is planned anew by reQueueMovie, and each movie of a shared build by itself', async () => {
    const archive = movieArchive();
    const [first, second] = [await archive.queue(), await archive.queue()];
    await archive.build();
    archive.expire();
    archive.index.withdraw(FIRST, REPLACEMENT);
    for (const id of [first, second]) expect((await archive.json(`/v2/reQueueMovie/?id=${id}`)).body).toMatchObject({ id });
    const { frames } = await archive.build();
    expect(imagesOf(frames)).toEqual([[REPLACEMENT.id]]);
    expect(await archive.claims.claim('worker', archive.clock.nowMs)).toBeNull();
  });

  it('is a new build for a new request', async () => {
    const archive = movieArchive();
    await archive.queue();
    const { job } = await archive.build();
    archive.index.withdraw(FIRST, REPLACEMENT);
    await archive.queue();
    const again = await archive.build();
    expect([again.job.id === job.id, imagesOf(again.frames)]).toEqual([false, [[REPLACEMENT.id]]]);
  });

  it('that waits fails with the reason, and reQueueMovie plans it anew', async () => {
    const archive = movieArchive();
    const id = await archive.queue();
    archive.index.withdraw(FIRST);
    const unused = {} as never;
    const jobs = new MovieJobs({
      ...archive,
      markers: NO_MARKERS,
      publicOrigin: null,
      uploads: unused,
      incoming: unused,
      clock: () => archive.clock.nowMs,
      log: () => undefined,
    });
    expect(await jobs.claim('worker')).toBeNull();
    expect((await archive.json(`/v2/getMovieStatus/?id=${id}&format=mp4`)).body).toMatchObject({
      status: 3,
      error: `This movie has an image (${FIRST}) that has been withdrawn or replaced. Request a new one.`,
    });
    await archive.get(`/v2/reQueueMovie/?id=${id}`);
    const job = await jobs.claim('worker');
    expect(job!.images.map(({ id }) => id)).not.toContain(FIRST);
    expect(job!.images.length).toBe(new Set(job!.frames.flatMap(({ images }) => images.flat())).size);
  });
});
