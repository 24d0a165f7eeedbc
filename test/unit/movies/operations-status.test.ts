import { describe, expect, test } from 'vitest';
import { readSharingSettings } from '../../../src/config/settings/sharing.ts';
import { PREVIEWS } from '../../../src/domain/movies/formats.ts';
import { UserVideos } from '../../../src/services/sharing/user-videos.ts';
import { movieArchive, movieQuery } from '../../support/movies/movie-archive.ts';

type Archive = ReturnType<typeof movieArchive>;

const queue = (archive: Archive) => archive.json(`/v2/queueMovie/?${movieQuery()}`);

describe('getMovieStatus', () => {
  const status = (archive: Archive, id: string, more = '') => archive.json(`/v2/getMovieStatus/?id=${id}&format=mp4${more}`);

  test('of a movie that waits says its place', async () => {
    const archive = movieArchive();
    await archive.queue();
    const id = await archive.queue({ imageScale: '3' });
    const { headers, body } = await status(archive, id);
    expect(headers.get('Cache-Control')).toBe('no-store');
    expect(body).toEqual({
      status: 0,
      statusLabel: 'Queued',
      progress: 0,
      currentFrame: 0,
      numFrames: 31,
      queuePosition: 2,
      eta: expect.any(Number),
      jobStatus: '',
    });
  });

  test('of a movie that is built says how far it is', async () => {
    const archive = movieArchive();
    const id = await archive.queue();
    const { build, lease } = await archive.claim();
    expect((await status(archive, id)).body).toMatchObject({ status: 1, progress: 0, queuePosition: 0 });
    await archive.claims.progress(build.id, { lease, framesDone: 12, framesSkipped: 0, stage: 'drawing' }, archive.clock.nowMs);
    expect((await status(archive, id)).body).toMatchObject({
      status: 1,
      statusLabel: 'Processing',
      progress: 0.387,
      currentFrame: 12,
      numFrames: 31,
    });
  });

  test('of a movie whose frames are all drawn is not that of one that is there', async () => {
    const archive = movieArchive();
    const id = await archive.queue();
    const { build, lease } = await archive.claim();
    await archive.claims.progress(build.id, { lease, framesDone: 31, framesSkipped: 0, stage: 'encoding' }, archive.clock.nowMs);
    const encoding = await status(archive, id);
    expect(encoding.body).toMatchObject({ status: 1, progress: 0.99, currentFrame: 31, numFrames: 31 });
  });

  test('of a finished movie says what it is and where', async () => {
    const archive = movieArchive();
    const id = await archive.queue({ frameRate: '10' });
    await archive.build();
    const root = `http://sun.test/cache/movies/2024/01/31/${id}`;
    expect((await status(archive, id)).body).toEqual({
      status: 2,
      statusLabel: 'Completed',
      frameRate: 10,
      numFrames: 31,
      startDate: '2024-01-01 00:00:00',
      endDate: '2024-01-01 05:00:00',
      width: 800,
      height: 400,
      title: 'SDO AIA 304 (2024-01-01 00:00:00 - 05:00:00 UTC)',
      thumbnails: Object.fromEntries(PREVIEWS.map((name) => [name, `${root}/preview-${name}.png`])),
      url: `${root}/2024_01_01_00_00_00_2024_01_01_05_00_00_AIA_304.mp4`,
      jobStatus: '',
    });
    const webm = await archive.json(`/v2/getMovieStatus/?id=${id}&format=webm`);
    expect(webm.body.url).toBe(`${root}/2024_01_01_00_00_00_2024_01_01_05_00_00_AIA_304.webm`);
  });

  test('names the addresses under which the service is public, whatever host was asked', async () => {
    const settings = readSharingSettings({ PUBLIC_ORIGIN: 'https://public.test' });
    const userVideos = new UserVideos({ shares: { published: async () => [], covering: async () => [] }, watchUrl: '' });
    const archive = movieArchive({}, { sharing: { settings, userVideos, videoSharing: null } });
    const id = await archive.queue();
    await archive.build();
    const { body } = await status(archive, id);
    const addresses = [body.url, ...Object.values(body.thumbnails as object)];
    expect(addresses).toHaveLength(6);
    for (const address of addresses) expect(address).toMatch(/^https:\/\/public\.test\/cache\/movies\//);
    expect((await archive.json(`/v2/reQueueMovie/?id=${id}`)).body.error).toContain('https://public.test/cache/movies/');
  });

  test('verbose adds what was asked for', async () => {
    const archive = movieArchive();
    const id = await archive.queue({ frameRate: '10', events: '[AR,SPoCA,1],[FL,all,1]' });
    await archive.build();
    expect((await status(archive, id, '&verbose=true')).body).toMatchObject({
      timestamp: '2024-01-31 12:00:00',
      duration: 3.1,
      imageScale: 2.4,
      layers: '[13,1,100]',
      events: '[AR,SPoCA,1],[FL,all,1]',
      eventsState: { tree_HEK: { labels_visible: false } },
      x1: -960,
      y1: -480,
      x2: 960,
      y2: 480,
    });
  });

  test('of each format is its own', async () => {
    const archive = movieArchive();
    const id = await archive.queue();
    const { build, lease } = await archive.claim();
    for (const name of [...PREVIEWS.map((preview) => `preview-${preview}.png` as const), 'movie.mp4' as const]) {
      await archive.claims.stored(build.id, lease, { name, size: 1, etag: '"e"' });
    }
    const of = async (format: string) => (await archive.json(`/v2/getMovieStatus/?id=${id}&format=${format}`)).body.status;
    expect([await of('mp4'), await of('webm')]).toEqual([2, 1]);
  });

  test('of a movie that cannot be built says why', async () => {
    const archive = movieArchive();
    const id = await archive.queue();
    const { build, lease } = await archive.claim();
    await archive.claims.fail(build.id, lease, { reason: 'No frame could be drawn.', isFinal: true }, archive.clock.nowMs);
    expect((await status(archive, id)).body).toEqual({
      status: 3,
      statusLabel: 'Invalid',
      error: 'No frame could be drawn.',
      jobStatus: '',
    });
  });

  test('says when files have expired', async () => {
    const archive = movieArchive();
    const id = await archive.queue();
    await archive.build();
    expect((await status(archive, id)).body).not.toHaveProperty('expired');
    archive.expire();
    expect((await status(archive, id)).body).toMatchObject({ status: 2, expired: true });
  });

  test('says how many frames are missing', async () => {
    const archive = movieArchive();
    const id = await archive.queue({ frameRate: '1' });
    await archive.build({ framesSkipped: 2 });
    expect((await status(archive, id, '&verbose=1')).body).toMatchObject({
      numFrames: 29,
      duration: 29,
      message: '2 of 31 frames are left out: their images are damaged or missing.',
    });
  });

  test('says which events it could not show, until it is built anew', async () => {
    const archive = movieArchive();
    const id = await archive.queue();
    await archive.build({ eventsMissing: ['HEK', 'CCMC'], framesSkipped: 1 });
    expect((await status(archive, id)).body.message).toMatch(
      /^1 of 31 frames .* Events of CCMC and HEK are missing: .* reQueueMovie /,
    );
    await archive.get(`/v2/reQueueMovie/?id=${id}&force=true`);
    await archive.build();
    expect((await status(archive, id)).body).not.toHaveProperty('message');
  });

  test('tells of the job behind a token', async () => {
    const archive = movieArchive();
    const { body } = await queue(archive);
    const job = async (token: string) => (await status(archive, String(body.id), `&token=${token}`)).body.jobStatus;
    expect([await job('0'), await job('abc'), await job(String(body.token))]).toEqual(['', false, 1]);
    const { build, lease } = await archive.claim();
    expect(await job(String(body.token))).toBe(2);
    await archive.claims.fail(build.id, lease, { reason: 'x', isFinal: true }, archive.clock.nowMs);
    expect(await job(String(body.token))).toBe(3);
  });

  test('in v1 is the status alone unless it is verbose', async () => {
    const archive = movieArchive();
    const id = await archive.queue();
    const v1 = async (more: string) => (await archive.json(`/v1/getMovieStatus/?id=${id}&format=mp4${more}`)).body;
    expect(await v1('')).toEqual({ status: 0 });
    expect(await v1('&verbose=true')).toMatchObject({ status: 0, layers: '[13,1,100]' });
  });

  test.each(['VXvX5', 'aeiouaei', 'bcdfghjk', 'bcdfghjkl'])('of the unknown movie %s is 404', async (id) => {
    const { status: code, body } = await status(movieArchive(), id);
    expect([code, body]).toMatchObject([404, { errno: 24, parameter: 'id' }]);
    expect(body.error).toBe(`No movie has the id ${id}.`);
  });

  test('of an unknown format is refused', async () => {
    const archive = movieArchive();
    const id = await archive.queue();
    const { status: code, body } = await archive.json(`/v2/getMovieStatus/?id=${id}&format=foo`);
    expect([code, body]).toMatchObject([400, { errno: 25, parameter: 'format' }]);
  });
});

describe('reQueueMovie', () => {
  const again = (archive: Archive, id: string, more = '') => archive.json(`/v2/reQueueMovie/?id=${id}${more}`);
  const status = async (archive: Archive, id: string) =>
    (await archive.json(`/v2/getMovieStatus/?id=${id}&format=mp4`)).body.status;

  test('builds a movie again whose files have gone, under the same id', async () => {
    const archive = movieArchive();
    const { body: first } = await queue(archive);
    const { frames } = await archive.build();
    archive.expire();
    archive.nudges.length = 0;
    const { status: code, body } = await again(archive, String(first.id));
    expect([code, body]).toEqual([200, { id: first.id, token: first.token, eta: expect.any(Number), queue: 0 }]);
    expect([await status(archive, String(first.id)), archive.nudges.length]).toEqual([0, 1]);
    expect((await archive.claim()).frames).toEqual(frames);
  });

  test('builds a movie again that failed', async () => {
    const archive = movieArchive();
    const id = await archive.queue();
    const { build, lease } = await archive.claim();
    await archive.claims.fail(build.id, lease, { reason: 'x', isFinal: true }, archive.clock.nowMs);
    expect((await again(archive, id)).status).toBe(200);
    expect(await status(archive, id)).toBe(0);
  });

  test('refuses a movie that is there, and says where', async () => {
    const archive = movieArchive();
    const id = await archive.queue();
    await archive.build();
    const { status: code, body } = await again(archive, id);
    expect([code, body.errno]).toEqual([409, 44]);
    expect(body.error).toMatch(new RegExp(`http://sun\\.test/cache/movies/2024/01/31/${id}/.+\\.mp4$`));
  });

  test.each(['', '&force=true'])('refuses a movie that is under way%s', async (force) => {
    const archive = movieArchive();
    const id = await archive.queue();
    expect(await again(archive, id, force)).toMatchObject({ status: 409, body: { errno: 47 } });
    await archive.claim();
    expect(await again(archive, id, force)).toMatchObject({ status: 409, body: { errno: 47 } });
  });

  test('by force plans anew with new images, and leaves the movies of others as they are', async () => {
    const archive = movieArchive();
    const [id, other] = [await archive.queue(), await archive.queue()];
    await archive.build();
    const image = archive.index.images.find(({ sourceId }) => sourceId === 13)!;
    archive.index.images.push({ ...image, id: 999_997, takenAtMs: image.takenAtMs + 5000, fileName: 'late.jp2' });
    archive.index.images.sort((a, b) => a.takenAtMs - b.takenAtMs);
    const { body } = await again(archive, id, '&force=true');
    expect(body.id).toBe(id);
    expect([await status(archive, id), await status(archive, other)]).toEqual([0, 2]);
    expect((await archive.claim()).frames.length).toBe(32);
  });

  test('by force builds the same movie again without taking it from others', async () => {
    const archive = movieArchive();
    const [id, other] = [await archive.queue(), await archive.queue()];
    await archive.build();
    await again(archive, id, '&force=true');
    expect([await status(archive, id), await status(archive, other)]).toEqual([0, 2]);
    await archive.build();
    expect([await status(archive, id), await status(archive, other)]).toEqual([2, 2]);
  });

  test('counts for whoever asks, by force or not: nobody keeps the workers busy with movies that are there', async () => {
    const archive = movieArchive({ MOVIE_CLIENT_COST: '50' });
    const id = await archive.queue();
    const from = (address: string, force = '&force=true') =>
      archive.json(`/v2/reQueueMovie/?id=${id}${force}`, { headers: { 'CF-Connecting-IP': address } });
    for (const force of ['&force=true', '']) {
      await archive.build();
      if (force === '') archive.expire();
      expect((await from('192.0.2.9', force)).status).toBe(200);
    }
    await archive.build();
    const refused = await from('192.0.2.9');
    expect([refused.status, refused.body.errno]).toEqual([429, 29]);
    archive.expire();
    expect((await from('192.0.2.9', '')).status).toBe(429);
    const asked = await archive.get(`/v2/downloadMovie/?id=${id}&format=mp4`, { headers: { 'CF-Connecting-IP': '192.0.2.9' } });
    expect(asked.status).toBe(429);
    expect((await from('192.0.2.8')).status).toBe(200);
    archive.clock.nowMs += 3_600_001;
    await archive.build();
    expect((await from('192.0.2.9')).status).toBe(200);
  });

  test('in v1 knows no force', async () => {
    const archive = movieArchive();
    const id = await archive.queue();
    await archive.build();
    expect((await archive.json(`/v1/reQueueMovie/?id=${id}&force=true`)).status).toBe(409);
  });

  test('of an unknown movie is 404, with force or without', async () => {
    for (const force of ['', '&force=true']) {
      expect(await again(movieArchive(), 'bcdfghjk', force)).toMatchObject({ status: 404, body: { errno: 24 } });
    }
  });

  test('is refused when too many wait', async () => {
    const archive = movieArchive({ MOVIE_QUEUE_LIMIT: '1' });
    const id = await archive.queue();
    await archive.build();
    archive.expire();
    await archive.queue({ imageScale: '3' });
    expect(await again(archive, id)).toMatchObject({ status: 503, body: { errno: 40 } });
  });
});
