import { expect, test } from 'vitest';
import type { SeenBodies } from '../../../src/picture/overlays/overlay.ts';
import { archivedImage } from '../../support/memory/archived-images.ts';
import { MOVIE_TOKEN } from '../../support/movies/internal-service.ts';
import { MOVIE, type MovieChanges, movieArchive, movieQuery } from '../../support/movies/movie-archive.ts';
import { answered, testArchive } from '../../support/test-archive.ts';

const it = test.extend('archive', () => movieArchive());

type Archive = ReturnType<typeof movieArchive>;

async function buildOf(archive: Archive, changes: MovieChanges = {}) {
  const id = await archive.queue(changes);
  const { build } = (await archive.register.find(id))!;
  return { build, movie: build.recipe };
}

async function framesOf(changes: MovieChanges) {
  const archive = movieArchive();
  await archive.queue(changes);
  return (await archive.claim()).frames;
}

it('queueMovie returns the id, the estimate, the place in the queue and the handle of the build', async ({ archive }) => {
  const { status, headers, body } = await archive.ask();
  expect([status, headers.get('Cache-Control')]).toEqual([200, 'no-store']);
  expect(body).toEqual({
    id: expect.stringMatching(/^[A-Za-z0-9]{5,}$/),
    eta: expect.any(Number),
    queue: 0,
    token: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  expect(body.eta).toBeGreaterThan(0);
  expect(archive.nudges.length).toBe(1);
});

it('queueMovie plans the reference images of differences', async () => {
  const frames = await framesOf({
    startTime: '2024-01-01T02:00:00Z',
    layers: '[13,1,100,1,25,1],[13,1,50,2,1,1,2024-01-01T00:15:00Z]',
  });
  expect(frames[0]!.images).toEqual([
    [16013 + 12 * 16, 16013 + 9 * 16],
    [16013 + 12 * 16, 16013 + 16],
  ]);
});

it('queueMovie keeps all parameters in the recipe', async () => {
  const options = {
    frameRate: '7.5',
    watermark: 'false',
    scale: 'true',
    scaleType: 'scalebar',
    scaleX: '10',
    scaleY: '-20',
    movieIcons: '1',
    grid: 'true',
    followViewport: '1',
    reqObservationDate: '2024-01-01T01:00:00Z',
    switchSources: 'true',
    events: '[AR,all,1]',
    eventsLabels: 'true',
  };
  const { movie } = await buildOf(movieArchive(), options);
  expect(movie).toMatchObject({
    startMs: Date.UTC(2024, 0, 1),
    endMs: Date.UTC(2024, 0, 1, 5),
    frameRate: 7.5,
    followViewport: true,
    viewedAtMs: Date.UTC(2024, 0, 1, 1),
    scene: {
      overlays: { watermark: false, scale: { type: 'scalebar', position: { x: 10, y: -20 } }, movieIcons: true, grid: true },
      switchSources: true,
      events: [{ source: 'HEK', labels: true, paths: [['Active_Region']] }],
    },
  });
});

it('queueMovie builds equal movies once, and gives each request its own id', async ({ archive }) => {
  const ids = [await archive.queue(), await archive.queue({ format: 'webm', eventLabels: 'true' }), await archive.queue()];
  expect(new Set(ids).size).toBe(3);
  expect(await archive.register.queueLength()).toEqual({ queued: 1, processing: 0 });
  await archive.build();
  const again = await archive.ask();
  expect(again.body).toMatchObject({ eta: 0, queue: 0 });
  for (const id of [...ids, again.body.id]) {
    expect((await archive.json(`/v2/getMovieStatus/?id=${id}&format=mp4`)).body).toMatchObject({ status: 2 });
  }
});

it('queueMovie rebuilds an equal movie whose files have expired', async ({ archive }) => {
  await archive.queue();
  await archive.build();
  archive.expire();
  const { body } = await archive.ask();
  expect((await archive.json(`/v2/getMovieStatus/?id=${body.id}&format=mp4`)).body).toMatchObject({ status: 0 });
});

it('queueMovie returns the number of builds before it, and the estimate', async ({ archive }) => {
  const ask = async (imageScale: string) => (await archive.ask({ endTime: '2024-01-01T23:59:59Z', imageScale })).body;
  const responses = await Array.fromAsync(['1.2', '1.25', '1.3', '1.35'], ask);
  expect(responses.map((response) => response.queue)).toEqual([0, 1, 2, 3]);
  const etas = responses.map((response) => response.eta as number);
  expect(etas[3]).toBeGreaterThan(etas[0]! * 3);
  expect(etas).toEqual([...etas].sort((a, b) => a - b));
});

it('queueMovie reports in message: nothing for a movie that is as requested', async () => {
  expect((await movieArchive().ask()).body).not.toHaveProperty('message');
  expect((await movieArchive().ask({ maxFrames: '12' })).body).not.toHaveProperty('message');
});

it.each<[string, MovieChanges, RegExp]>([
  [
    'that the scale is coarser',
    { imageScale: '0.3' },
    /^The scale is 0\.46875 arcseconds per pixel: finer, a side would be too long\.$/,
  ],
  ['that maxFrames is too many', { maxFrames: '1000' }, /^maxFrames is 300, which is the most\.$/],
  [
    'that the layers share their frames',
    { endTime: '2024-01-02T00:00:00Z', layers: '[13,1,100],[13,1,50],[13,1,20]' },
    /^It shows 100 of 144 images \(SDO AIA 304\), one every 867 seconds on average; 300 images of all layers together are the most\.$/,
  ],
  [
    'that a layer has nothing in this time',
    { layers: '[13,1,100],[4,1,50]' },
    /^SOHO LASCO C2 white-light has no image in this time/,
  ],
  ['that the movie is shorter', { movieLength: '1000' }, /^It takes 31 seconds: 1 frame per second\.$/],
])('queueMovie reports in message: %s', async (_, changes, message) => {
  expect((await movieArchive().ask(changes)).body.message).toMatch(message);
});

it('queueMovie reports in message: the limit while many movies wait', async ({ archive }) => {
  for (let i = 0; i < 20; i++) await archive.queue({ imageScale: String(2.5 + i / 100) });
  const { body } = await archive.ask({ maxFrames: '300' });
  expect(body.message).toBe('maxFrames is 225, the most while 20 movies wait.');
});

it('queueMovie reports a range without images, with the nearest time of each layer', async ({ archive }) => {
  const { status, body } = await archive.ask({
    startTime: '2024-01-03T00:00:00Z',
    endTime: '2024-01-04T00:00:00Z',
    layers: '[13,1,100],[11,1,100]',
  });
  expect(status).toBe(200);
  expect(body).toEqual({
    errno: 12,
    error:
      'There are no images from 2024-01-03 00:00:00 to 2024-01-04 00:00:00 (SDO AIA 304, nearest outside: ' +
      '2024-01-01 23:50:00; SDO AIA 193, no other images).',
  });
  expect(await archive.register.queueLength()).toEqual({ queued: 0, processing: 0 });
});

it('queueMovie reports too few images, with their number, layer and nearest time', async () => {
  const { status, body } = await movieArchive().ask({ endTime: '2024-01-01T00:15:00Z', layers: '[14,1,100],[13,1,100]' });
  expect([status, body]).toEqual([
    200,
    {
      errno: 16,
      error:
        'A movie needs at least 4 images; there are 3 from 2024-01-01 00:00:00 to 2024-01-01 00:15:00 ' +
        '(SDO AIA 304, nearest outside: 2024-01-01 00:20:00).',
    },
  ]);
});

it('queueMovie reports a single image in the singular', async () => {
  const { body } = await movieArchive().ask({ endTime: '2024-01-01T00:05:00Z' });
  expect(body).toMatchObject({ errno: 16, error: expect.stringContaining('; there is 1 from 2024-01-01 00:00:00 to') });
});

it('queueMovie refuses a movie when the queue is full, in the form that clients of the original service expect', async () => {
  const archive = movieArchive({ MOVIE_QUEUE_COST: '20' });
  await archive.queue();
  const { status, body } = await archive.ask({ imageScale: '3' });
  expect([status, body]).toEqual([200, { errno: 40, error: 'The movie queue is full (1 waiting). Try again in 60 seconds.' }]);
});

const ACTION_FORM = [
  [
    'a full queue',
    {},
    40,
    'Too many movies are waiting to be made. Please try again later.',
    /^The movie queue is full \(1 waiting\)/,
  ],
  [
    'no images',
    { layers: '[11,1,100]' },
    12,
    'No images found for requested time range. Please try a different time.',
    /\(SDO AIA 193/,
  ],
  [
    'too few images',
    { endTime: '2024-01-01T00:15:00Z' },
    16,
    'Too few images found for requested time range. Please try a different time.',
    /^A movie needs at least 4 images; there are 2/,
  ],
] as const;

it.each(ACTION_FORM)(
  'queueMovie fails with 500 and the sentence of the web client for %s, in the action form',
  async (...row) => {
    const [what, changes, errno, error, details] = row;
    const archive = movieArchive(what === 'a full queue' ? { MOVIE_QUEUE_COST: '20' } : {});
    if (what === 'a full queue') await archive.queue({ imageScale: '3' });
    const { status, body } = await archive.json(`//?action=queueMovie&${movieQuery(changes)}`);
    expect([status, body]).toMatchObject([500, { errno, error, details: expect.stringMatching(details) }]);
  },
);

it('queueMovie shows 1920x1200 pixels around the centre of the Sun without a field of view', async () => {
  const none = { x1: undefined, y1: undefined, x2: undefined, y2: undefined };
  const { build, movie } = await buildOf(movieArchive(), none);
  expect(build).toMatchObject({ width: 1920, height: 1200 });
  expect(movie.scene.region).toEqual({ left: -2304, top: -1440, right: 2304, bottom: 1440 });
});

it('queueMovie joins a finished or running build regardless of queue length and cost', async () => {
  const archive = movieArchive({ MOVIE_QUEUE_COST: '20', MOVIE_CLIENT_COST: '40' });
  await archive.queue();
  await archive.build();
  await archive.queue({ imageScale: '2.5' });
  const ask = (changes: MovieChanges) => archive.ask(changes, '192.0.2.7');
  const responses = [await ask({}), await ask({ imageScale: '2.5' }), await ask({ imageScale: '3' }), await ask({})];
  expect(responses.map(({ body }) => [body.queue, body.errno])).toEqual([
    [0, undefined],
    [0, undefined],
    [undefined, 40],
    [0, undefined],
  ]);
  expect(await archive.register.queueLength()).toEqual({ queued: 1, processing: 0 });
});

it.each<[string, MovieChanges, number, string]>([
  ['a length of 0', { movieLength: '0' }, 25, 'movieLength'],
  ['inverted times', { startTime: MOVIE.endTime, endTime: MOVIE.startTime }, 25, 'endTime'],
  ['no time at all', { endTime: MOVIE.startTime }, 25, 'endTime'],
  ['hidden layers alone', { layers: '[13,0,100]' }, 20, 'layers'],
  ['half a field of view', { x1: undefined }, 23, 'x1'],
  ['events without a word on labels', { events: '[AR,all,1]', eventsLabels: undefined }, 28, 'eventsLabels'],
])('queueMovie refuses %s', async (_, changes, errno, parameter) => {
  const archive = movieArchive();
  const { status, body } = await archive.ask(changes);
  expect([status, body]).toMatchObject([400, { errno, parameter, error: expect.stringMatching(/^Expected .+, got /) }]);
  expect(await archive.register.queueLength()).toEqual({ queued: 0, processing: 0 });
});

it('queueMovie ignores size, movieIcons and followViewport in v1', async ({ archive }) => {
  const options = movieQuery({ size: '9', movieIcons: 'x', followViewport: 'x', reqObservationDate: 'x' });
  const { body } = await archive.json(`/v1/queueMovie/?${options}`);
  const { build } = (await archive.register.find(String(body.id)))!;
  expect(build.recipe).toMatchObject({ size: 0, followViewport: false });
});

it('queueMovie stores the celestial bodies of the web client, which a rebuild keeps, and names one that does not exist', async () => {
  const archive = movieArchive();
  const bodies = { celestialBodiesLabels: 'soho-mercury', celestialBodiesTrajectories: 'soho-venus,soho-mercury' };
  const id = await archive.queue(bodies);
  const selected = { celestialBodiesLabels: ['soho-mercury'], celestialBodiesTrajectories: ['soho-mercury', 'soho-venus'] };
  expect((await archive.register.find(id))!.build.recipe.scene.overlays.bodies).toEqual(selected);
  await archive.build();
  expect((await archive.json(`/v2/reQueueMovie/?id=${id}&force=true`)).status).toBe(200);
  expect((await archive.claim()).build.recipe.scene.overlays.bodies).toEqual(selected);
  const { status, body } = await movieArchive().ask({ celestialBodiesLabels: 'soho-moon' });
  expect([status, body]).toMatchObject([400, { errno: 25, parameter: 'celestialBodiesLabels' }]);
});

it('queueMovie gives the movie worker the celestial bodies of each frame, on one trajectory', async ({ archive }) => {
  const startMs = Date.UTC(2024, 5, 6);
  const at = (i: number) => new Date(startMs + i * 3_600_000).toISOString();
  archive.index.images.push(...Array.from({ length: 24 }, (_, i) => archivedImage(9000 * 16 + i * 16 + 13, 13, at(i))));
  const bodies = { celestialBodiesLabels: 'soho-venus,soho-mars', celestialBodiesTrajectories: 'soho-venus' };
  await archive.queue({ startTime: at(0), endTime: at(23), ...bodies });
  const { build, lease, frames } = await archive.claim();
  const path = `/internal/movies/${build.id}/markers?lease=${lease}&from=0&to=${frames.length}`;
  const response = await archive.get(path, { headers: { Authorization: `Bearer ${MOVIE_TOKEN}` } });
  const seen = ((await response.json()) as { readonly bodies: SeenBodies }[]).map((markers) => markers.bodies);
  expect(seen.map(({ labels }) => labels.map(({ name }) => name))).toEqual(frames.map(() => ['Venus']));
  expect(new Set(seen.map(({ labels }) => labels[0]!.x)).size).toBe(24);
  expect(new Set(seen.map(({ trajectories }) => JSON.stringify(trajectories))).size).toBe(1);
  expect(seen[0]!.trajectories[0]!.points.length).toBeGreaterThan(50);
});

it('queueMovie shows EIT before the first AIA image, by date', async ({ archive }) => {
  const at = (i: number) => Date.UTC(2010, 5, 2) + i * 30_000;
  archive.index.images.length = 0;
  for (let i = 0; i < 20; i++) {
    const image = { ...movieArchive().index.images[0]!, id: 5000 + i, takenAtMs: at(i), fileName: `eit_${i}`, sourceId: 3 };
    archive.index.images.push(image, { ...image, id: 6000 + i, takenAtMs: at(i) + 1000, fileName: `aia_${i}`, sourceId: 13 });
  }
  const range = { startTime: '2010-06-02T00:00:00Z', endTime: '2010-06-02T00:09:45Z', switchSources: 'true' };
  await archive.queue(range);
  const { frames } = await archive.claim();
  const ids = frames.map(({ images }) => images[0]![0]);
  expect(ids).toEqual([...Array.from({ length: 12 }, (_, i) => 5000 + i), ...Array.from({ length: 8 }, (_, i) => 6012 + i)]);
});

it('queueMovie reports that movies are not enabled', async () => {
  expect(await answered(testArchive().get(`/v2/queueMovie/?${movieQuery()}`))).toMatchObject([400, { errno: 26 }]);
});
