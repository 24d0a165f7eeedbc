import { expect, it } from 'vitest';
import { movieFileKey } from '../../../src/archive/keys.ts';
import { shareableMovie } from '../../../src/sharing/videos/video-sharing.ts';
import { movieArchive } from '../../support/movies/movie-archive.ts';

it('a movie is shareable once it is finished and its file is stored, and none is found for unknown or malformed ids', async () => {
  const archive = movieArchive();
  const id = await archive.queue({ events: '[AR,all,1]', x1: '-900', y1: '-500' });
  expect(await shareableMovie(archive, id)).toMatchObject({ isFinished: false, file: null });
  const { build, frames } = await archive.build();
  const found = await shareableMovie(archive, id);
  const key = movieFileKey(build, 'movie-hq.mp4');
  expect(found!.file).toEqual({ key, size: archive.objects.objects.get(key)!.length, etag: expect.any(String) });
  expect(found!.facts).toEqual({
    layers: '[13,1,100]',
    events: '[AR,all,1]',
    layerNames: 'SDO AIA 304',
    imageScaleArcsecPerPixel: expect.closeTo(2.4, 1),
    width: build.width,
    height: build.height,
    durationSeconds: frames.length / build.frameRate,
    startMs: Date.UTC(2024, 0, 1),
    endMs: Date.UTC(2024, 0, 1, 5),
    centreX: expect.closeTo(30, -1),
    centreY: expect.closeTo(-10, -1),
    createdAtMs: expect.any(Number),
  });
  archive.expire();
  expect(await shareableMovie(archive, id)).toMatchObject({ isFinished: true, file: null });
  for (const other of ['bcdfghjk', '', "' OR 1=1", '../..']) expect(await shareableMovie(archive, other)).toBeNull();
});
