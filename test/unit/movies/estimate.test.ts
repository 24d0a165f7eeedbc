import { expect, test } from 'vitest';
import { isolateRateLimit } from '../../../src/platform/admission/rate-limit.ts';
import { movieArchive, movieQuery } from '../../support/movies/movie-archive.ts';

const it = test.extend('archive', () => movieArchive());

type Archive = ReturnType<typeof movieArchive>;

const estimate = (archive: Archive, changes: Readonly<Record<string, string>> = {}) =>
  archive.json(`/v2/estimateMovie/?${movieQuery(changes)}`);

it('estimateMovie gives frames, length and size of the movie that queueMovie makes, and queues none', async ({ archive }) => {
  const { status, body } = await estimate(archive, { frameRate: '10', x2: '959', maxFrames: '12' });
  expect(status).toBe(200);
  expect(body).toEqual({ frames: 12, frameRate: 10, duration: 1.2, width: 800, height: 400, eta: expect.any(Number), queue: 0 });
  expect(archive.nudges).toEqual([]);
  expect((await archive.json(`/v2/queueMovie/?${movieQuery()}`)).body.queue).toBe(0);
});

it('estimateMovie says what differs from the request', async () => {
  const { body } = await estimate(movieArchive(), { endTime: '2024-01-01T23:59:00Z', maxFrames: '20' });
  expect(body).toMatchObject({ frames: 20 });
  expect((await estimate(movieArchive(), { maxFrames: '900' })).body.message).toMatch(/^maxFrames is 300/);
});

it('estimateMovie expects the time at the end of the queue, by the speed of recent builds', async ({ archive }) => {
  await archive.queue();
  await archive.build({ seconds: 77 });
  const alone = (await estimate(archive, { imageScale: '2.400001' })).body;
  expect([alone.eta, alone.queue]).toEqual([77, 0]);
  for (const imageScale of ['2.5', '2.6']) await archive.json(`/v2/queueMovie/?${movieQuery({ imageScale })}`);
  const last = (await estimate(archive, { imageScale: '2.400001' })).body;
  expect(last.queue).toBe(2);
  expect(last.eta as number).toBeGreaterThan(2 * 77);
});

it('estimateMovie sees the build that queueMovie would join, under way and finished, until its files expire', async ({
  archive,
}) => {
  await archive.queue();
  await archive.queue({ imageScale: '2.5' });
  const first = (await estimate(archive)).body;
  expect([first.queue, first.exists]).toEqual([0, undefined]);
  await archive.build();
  expect((await estimate(archive)).body).toMatchObject({ exists: true, eta: 0, queue: 0 });
  const other = (await estimate(archive, { imageScale: '2.6' })).body;
  expect([other.queue, other.exists]).toEqual([1, undefined]);
  archive.expire();
  const again = (await estimate(archive)).body;
  expect([again.queue, again.exists]).toEqual([1, undefined]);
  expect(again.eta as number).toBeGreaterThan(0);
});

it('estimateMovie and queueMovie charge the plan of many layers as a long list, before images are looked up', async () => {
  const policy = { name: 'heavy', quota: 1, seconds: 60 };
  const archive = movieArchive({}, { pictureLimiter: isolateRateLimit(policy, () => 0) });
  const layers = Array(5).fill('[13,1,100]').join();
  const statuses = await Array.fromAsync({ length: 4 }, async () => (await estimate(archive, { layers })).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
  const read = () => Promise.reject(new Error('The index is read.'));
  Object.assign(archive.index, { countInRange: read, neighbours: read });
  expect((await archive.ask({ layers })).status).toBe(429);
  expect((await archive.ask({ layers, projection: 'sphere,0,0' })).status).toBe(429);
});

it.each([
  ['no images', { layers: '[11,1,100]' }, 12],
  ['too few images', { endTime: '2024-01-01T00:20:00Z' }, 16],
])('estimateMovie refuses %s with the sentence of queueMovie, as a failure', async (_, changes, errno) => {
  const archive = movieArchive();
  const { status, body } = await estimate(archive, changes as Record<string, string>);
  expect([status, body.errno]).toEqual([404, errno]);
  const queued = (await archive.json(`/v2/queueMovie/?${movieQuery(changes as Record<string, string>)}`)).body;
  expect(queued).toEqual({ error: body.error, errno });
});
