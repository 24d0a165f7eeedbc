import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { PREVIEWS } from '../../../src/movies/movie.ts';
import { movieArchive, plansOf } from '../../support/movies/movie-archive.ts';

const it = test.extend('archive', () => movieArchive()).extend('id', ({ archive }) => archive.queue());

type Archive = ReturnType<typeof movieArchive>;

const status = (archive: Archive, id: string, more = '') => archive.json(`/v2/getMovieStatus/?id=${id}&format=mp4${more}`);

it('getMovieStatus gives the queue position of a queued movie', async ({ archive }) => {
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

it('getMovieStatus gives the progress of a running build, below 1 when all frames are drawn', async ({ archive, id }) => {
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
  await archive.claims.progress(build.id, { lease, framesDone: 31, framesSkipped: 0, stage: 'encoding' }, archive.clock.nowMs);
  expect((await status(archive, id)).body).toMatchObject({ status: 1, progress: 0.99, currentFrame: 31, numFrames: 31 });
});

it('getMovieStatus holds the response until something changes, with wait', async ({ archive, id }) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const ended = vi.fn();
  const waiting = status(archive, id, '&wait=30').finally(ended);
  await vi.advanceTimersByTimeAsync(9_000);
  expect(ended).not.toHaveBeenCalled();
  await archive.claim();
  vi.setTimerTickMode('nextTimerAsync');
  expect((await waiting).body).toMatchObject({ status: 1, statusLabel: 'Processing' });
  expect((await status(archive, id, '&wait=31')).body).toMatchObject({ parameter: 'wait' });
});

it('getMovieStatus describes a finished movie and its files', async ({ archive }) => {
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

it('getMovieStatus gives URLs of the public origin for requests to any host', async () => {
  const archive = movieArchive({ PUBLIC_ORIGIN: 'https://public.test' });
  const id = await archive.queue();
  await archive.build();
  const { body } = await status(archive, id);
  const addresses = [body.url, ...Object.values(body.thumbnails as object)];
  expect(addresses).toHaveLength(6);
  for (const address of addresses) expect(address).toMatch(/^https:\/\/public\.test\/cache\/movies\//);
  expect((await archive.json(`/v2/reQueueMovie/?id=${id}`)).body.error).toContain('https://public.test/cache/movies/');
});

it('getMovieStatus adds the parameters of the request with verbose', async ({ archive }) => {
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

it('getMovieStatus gives the reason why a movie could not be built', async ({ archive, id }) => {
  const { build, lease } = await archive.claim();
  await archive.claims.fail(build.id, lease, { reason: 'No frame could be drawn.', isFinal: true }, archive.clock.nowMs);
  expect((await status(archive, id)).body).toEqual({
    status: 3,
    statusLabel: 'Invalid',
    error: 'No frame could be drawn.',
    jobStatus: '',
  });
});

it('getMovieStatus reports expired files', async ({ archive, id }) => {
  await archive.build();
  expect((await status(archive, id)).body).not.toHaveProperty('expired');
  archive.expire();
  expect((await status(archive, id)).body).toMatchObject({ status: 2, expired: true });
});

it('getMovieStatus reports the number of omitted frames', async ({ archive }) => {
  const id = await archive.queue({ frameRate: '1' });
  await archive.build({ framesSkipped: 2 });
  expect((await status(archive, id, '&verbose=1')).body).toMatchObject({
    numFrames: 29,
    duration: 29,
    message: '2 of 31 frames are left out: their images are damaged or missing.',
  });
});

it('getMovieStatus reports incomplete event sources until the movie is rebuilt', async ({ archive, id }) => {
  await archive.build({ eventsMissing: ['HEK', 'CCMC'], framesSkipped: 1 });
  expect((await status(archive, id)).body.message).toMatch(
    /^1 of 31 frames .* Events of CCMC and HEK are missing: .* reQueueMovie /,
  );
  await archive.get(`/v2/reQueueMovie/?id=${id}&force=true`);
  await archive.build();
  expect((await status(archive, id)).body).not.toHaveProperty('message');
});

it('getMovieStatus gives the state of the build of a token', async ({ archive }) => {
  const { body } = await archive.ask();
  const jobStatus = async (token: string) => (await status(archive, String(body.id), `&token=${token}`)).body.jobStatus;
  expect([await jobStatus('0'), await jobStatus('abc'), await jobStatus(String(body.token))]).toEqual(['', false, 1]);
  const { build, lease } = await archive.claim();
  expect(await jobStatus(String(body.token))).toBe(2);
  await archive.claims.fail(build.id, lease, { reason: 'x', isFinal: true }, archive.clock.nowMs);
  expect(await jobStatus(String(body.token))).toBe(3);
});

it('getMovieStatus returns only the status in v1 unless it is verbose', async ({ archive, id }) => {
  const v1 = async (more: string) => (await archive.json(`/v1/getMovieStatus/?id=${id}&format=mp4${more}`)).body;
  expect(await v1('')).toEqual({ status: 0 });
  expect(await v1('&verbose=true')).toMatchObject({ status: 0, layers: '[13,1,100]' });
});

it.each(['VXvX5', 'aeiouaei', 'bcdfghjk', 'bcdfghjkl'])('getMovieStatus returns 404 for the unknown movie %s', async (id) => {
  const { status: code, body } = await status(movieArchive(), id);
  expect([code, body]).toMatchObject([404, { errno: 24, parameter: 'id' }]);
  expect(body.error).toBe(
    `No movie has the id ${id}. queueMovie returns the ids of movies, which expire 365 days after their last use.`,
  );
});

describe('reQueueMovie', () => {
  const again = (archive: Archive, id: string, more = '') => archive.json(`/v2/reQueueMovie/?id=${id}${more}`);
  const status = async (archive: Archive, id: string) =>
    (await archive.json(`/v2/getMovieStatus/?id=${id}&format=mp4`)).body.status;

  it('rebuilds a movie with expired files under the same id', async ({ archive }) => {
    const { body: first } = await archive.ask();
    const { frames } = await archive.build();
    archive.expire();
    archive.nudges.length = 0;
    const { status: code, body } = await again(archive, String(first.id));
    expect([code, body]).toEqual([200, { id: first.id, token: first.token, eta: expect.any(Number), queue: 0 }]);
    expect([await status(archive, String(first.id)), archive.nudges.length]).toEqual([0, 1]);
    expect((await archive.claim()).frames).toEqual(frames);
  });

  it('renews the plan of a movie that it rebuilds, and plans a movie anew whose plan has expired', async ({ archive, id }) => {
    const { frames } = await archive.build();
    const [key] = plansOf(archive);
    const put = vi.spyOn(archive.objects, 'put');
    archive.expire();
    expect((await again(archive, id)).status).toBe(200);
    expect(put.mock.calls.map(([renewed]) => renewed)).toEqual([key]);
    await archive.build();
    archive.expire();
    archive.objects.objects.delete(key!);
    expect((await again(archive, id)).status).toBe(200);
    expect((await archive.claim()).frames).toEqual(frames);
  });

  it('rebuilds a failed movie', async ({ archive, id }) => {
    const { build, lease } = await archive.claim();
    await archive.claims.fail(build.id, lease, { reason: 'x', isFinal: true }, archive.clock.nowMs);
    expect((await again(archive, id)).status).toBe(200);
    expect(await status(archive, id)).toBe(0);
  });

  it('refuses an existing movie, with its URL, and ignores force in v1', async ({ archive, id }) => {
    await archive.build();
    const { status: code, body } = await again(archive, id);
    expect([code, body.errno]).toEqual([409, 44]);
    expect(body.error).toMatch(new RegExp(`http://sun\\.test/cache/movies/2024/01/31/${id}/.+\\.mp4$`));
    expect((await archive.json(`/v1/reQueueMovie/?id=${id}&force=true`)).status).toBe(409);
  });

  it.each(['', '&force=true'])('refuses a queued or running movie%s', async (force) => {
    const archive = movieArchive();
    const id = await archive.queue();
    expect(await again(archive, id, force)).toMatchObject({ status: 409, body: { errno: 47 } });
    await archive.claim();
    expect(await again(archive, id, force)).toMatchObject({ status: 409, body: { errno: 47 } });
  });

  it('rebuilds a movie when force is set, anew with new images, without changing other requests', async ({ archive }) => {
    const [id, other] = [await archive.queue(), await archive.queue()];
    await archive.build();
    await again(archive, id, '&force=true');
    expect([await status(archive, id), await status(archive, other)]).toEqual([0, 2]);
    await archive.build();
    expect([await status(archive, id), await status(archive, other)]).toEqual([2, 2]);
    const image = archive.index.images.find(({ sourceId }) => sourceId === 13)!;
    archive.index.images.push({ ...image, id: 999_997, takenAtMs: image.takenAtMs + 5000, fileName: 'late.jp2' });
    archive.index.images.sort((a, b) => a.takenAtMs - b.takenAtMs);
    const { body } = await again(archive, id, '&force=true');
    expect(body.id).toBe(id);
    expect([await status(archive, id), await status(archive, other)]).toEqual([0, 2]);
    expect((await archive.claim()).frames.length).toBe(32);
  });

  it('charges the client for each rebuild, with and without force', async () => {
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
    const download = await archive.get(`/v2/downloadMovie/?id=${id}&format=mp4`, {
      headers: { 'CF-Connecting-IP': '192.0.2.9' },
    });
    expect(download.status).toBe(429);
    expect((await from('192.0.2.8')).status).toBe(200);
    archive.clock.nowMs += 3_600_001;
    await archive.build();
    expect((await from('192.0.2.9')).status).toBe(200);
  });

  it('returns 404 for an unknown movie, with and without force', async () => {
    for (const force of ['', '&force=true']) {
      expect(await again(movieArchive(), 'bcdfghjk', force)).toMatchObject({ status: 404, body: { errno: 24 } });
    }
  });
});
