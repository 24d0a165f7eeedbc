// Limits of queueMovie: what a client and all clients may have queued and built.
import { expect, it, vi } from 'vitest';
import { D1Movies } from '../../../src/movies/d1-movies.ts';
import { movieArchive, plansOf } from '../../support/movies/movie-archive.ts';

it('queueMovie refuses only a client that has exceeded its cost within the hour, or whose waiting movies take its share', async () => {
  const archive = movieArchive({ MOVIE_CLIENT_COST: '50' });
  const ask = (address: string, imageScale: string) => archive.ask({ imageScale }, address);
  const refused = async (imageScale: string) => {
    const { status, headers, body } = await ask('192.0.2.1', imageScale);
    expect([status, headers.get('Retry-After')]).toEqual([429, '60']);
    return body;
  };
  for (const imageScale of ['2.4', '2.41']) expect((await ask('192.0.2.1', imageScale)).status).toBe(200);
  expect(await refused('2.42')).toMatchObject({
    errno: 29,
    error: expect.stringMatching(/^An address can have 50 megapixels of movies built in an hour; /),
  });
  expect((await ask('192.0.2.2', '2.42')).status).toBe(200);
  // More than an hour later, what was requested no longer counts, but it still waits.
  archive.clock.nowMs += 3_600_001;
  expect((await refused('2.43')).error).toBe(
    'An address can have 50 megapixels of movies waiting, and has 40. Try again in 60 seconds, when some of them may have been built.',
  );
  expect((await ask('192.0.2.2', '2.43')).status).toBe(200);
  expect((await ask('192.0.2.1', '2.42')).status).toBe(200);
  await archive.build();
  expect((await ask('192.0.2.1', '2.44')).status).toBe(200);
});

it('queueMovie leaves the rest of the queue to others when all networks of a customer ask', async () => {
  const archive = movieArchive({ MOVIE_CLIENT_COST: '40', MOVIE_QUEUE_COST: '100' });
  const ask = async (address: string, imageScale: string) => (await archive.ask({ imageScale }, address)).status;
  const statuses = await Array.fromAsync({ length: 6 }, (_, i) => ask(`2001:db8:1:${i + 1}::1`, String(2.4 + i / 100)));
  expect(statuses).toEqual([200, 200, 429, 429, 429, 429]);
  expect(await ask('192.0.2.1', '2.5')).toBe(200);
});

it('queueMovie names no limit that was reached and is so no longer', async () => {
  const archive = movieArchive({});
  vi.spyOn(D1Movies.prototype, 'add').mockResolvedValueOnce(null as never);
  const { status, headers, body } = await archive.ask({});
  expect([status, headers.get('Retry-After')]).toEqual([503, '60']);
  expect(body.error).toBe('The movie queue has changed meanwhile. Try again in 60 seconds.');
  expect((await archive.ask({})).status).toBe(200);
});

it('queueMovie keeps both limits among requests at the same time', async () => {
  const scales = Array.from({ length: 30 }, (_, i) => String(2.4 + i / 100));
  const askAll = async (settings: Readonly<Record<string, string>>) => {
    const archive = movieArchive(settings);
    const replies = await Promise.all(scales.map((imageScale) => archive.ask({ imageScale })));
    const errors = replies.flatMap(({ body }) => body.errno ?? []);
    return { ...(await archive.register.queueLength()), refused: errors.length, errors: [...new Set(errors)] };
  };
  expect(await askAll({ MOVIE_QUEUE_COST: '80' })).toEqual({ queued: 4, processing: 0, refused: 26, errors: [40] });
  expect(await askAll({ MOVIE_CLIENT_COST: '100' })).toMatchObject({ queued: 5, refused: 25, errors: [29] });
});

it('queueMovie keeps both limits among rebuilds at the same time', async () => {
  const rebuildAll = async (settings: Readonly<Record<string, string>>, rebuild: (id: string) => string) => {
    const archive = movieArchive(settings);
    const ids = await Array.fromAsync({ length: 12 }, async (_, i) => {
      const { body } = await archive.ask({ imageScale: String(2.4 + i / 100) }, `192.0.2.${i + 1}`);
      await archive.build();
      return String(body.id);
    });
    archive.expire();
    const headers = { 'CF-Connecting-IP': '192.0.2.200' };
    const replies = await Promise.all(ids.map((id) => archive.json(rebuild(id), { headers })));
    const refused = replies.filter(({ status, body }) => status >= 400 || body.errno !== undefined);
    return { ...(await archive.register.queueLength()), refused: refused.length };
  };
  const requeue = (id: string) => `/v2/reQueueMovie/?id=${id}`;
  const plannedAnew = (id: string) => `/v2/reQueueMovie/?id=${id}&force=true`;
  const download = (id: string) => `/v2/downloadMovie/?id=${id}&format=mp4`;
  for (const rebuild of [requeue, plannedAnew, download]) {
    expect(await rebuildAll({ MOVIE_QUEUE_COST: '80' }, rebuild)).toEqual({ queued: 4, processing: 0, refused: 8 });
    expect(await rebuildAll({ MOVIE_CLIENT_COST: '100' }, rebuild)).toEqual({ queued: 5, processing: 0, refused: 7 });
  }
});

it('queueMovie leaves no plan and no charge of a refused movie, however often it is repeated, also one that exists', async () => {
  const archive = movieArchive({ MOVIE_CLIENT_COST: '20' });
  await archive.ask();
  expect((await archive.ask({ imageScale: '2.5' })).status).toBe(429);
  expect(plansOf(archive)).toHaveLength(1);
  const charges = async () => (await archive.databases.main.prepare('SELECT * FROM charges').all()).results;
  const charged = await charges();
  expect(charged).not.toEqual([]);
  for (const imageScale of ['2.4', '2.4', '2.5']) expect((await archive.ask({ imageScale })).status).toBe(429);
  expect(await charges()).toEqual(charged);
});

it('queueMovie charges for long selections of events, because they are stored', async () => {
  const archive = movieArchive({ MOVIE_CLIENT_COST: '100' });
  const small = { x1: '-20', y1: '-20', x2: '20', y2: '20', maxFrames: '10' };
  const events = Array.from({ length: 60 }, (_, i) => `[FL,frm_${i}_${'x'.repeat(50)},1]`).join();
  const costs: number[] = [];
  for (const changes of [small, { ...small, imageScale: '2.5', events }]) {
    const { body } = await archive.ask(changes);
    costs.push((await archive.register.find(String(body.id)))!.movie.cost);
  }
  expect(costs).toEqual([10, 80]);
  expect((await archive.ask({ ...small, imageScale: '3', events })).status).toBe(429);
});

it('queueMovie charges a minimum for each request that joins a build, because each is a row', async () => {
  const archive = movieArchive({ MOVIE_CLIENT_COST: '75' });
  const statuses = await Array.fromAsync({ length: 15 }, async () => (await archive.ask()).status);
  expect(statuses).toEqual([...Array(6).fill(200), ...Array(9).fill(429)]);
});

it('queueMovie charges at least ten megapixels for a movie of any size', async () => {
  const archive = movieArchive({ MOVIE_CLIENT_COST: '30' });
  const small = { x1: '-20', y1: '-20', x2: '20', y2: '20', maxFrames: '10' };
  const ask = async (_: unknown, hour: number) => archive.ask({ ...small, startTime: `2024-01-01T0${hour}:00:00Z` });
  expect((await Array.fromAsync({ length: 4 }, ask)).map(({ status }) => status)).toEqual([200, 200, 200, 429]);
});

it('queueMovie counts the charges of a client across midnight', async () => {
  const archive = movieArchive({ MOVIE_CLIENT_COST: '30' });
  archive.clock.nowMs = Date.UTC(2024, 0, 31, 23, 50);
  expect((await archive.ask()).status).toBe(200);
  archive.clock.nowMs = Date.UTC(2024, 1, 1, 0, 10);
  expect((await archive.ask({ imageScale: '2.5' })).status).toBe(429);
});
