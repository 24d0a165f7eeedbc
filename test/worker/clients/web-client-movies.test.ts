// Requests of the web client about shared movies and about itself.
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { D1VideoShares } from '../../../src/sharing/videos/d1-video-shares.ts';
import { clientGet, getPath, ORIGIN } from './web-client.ts';

const day = (number: number) => Date.UTC(2024, 0, number);

/** Publishes a movie of two days from the start of `startDay`. */
async function publish(movieId: string, startDay: number): Promise<void> {
  const shares = new D1VideoShares({ main: env.DB });
  const facts = {
    layers: '[10,1,100]',
    events: '',
    layerNames: 'SDO AIA 171',
    imageScaleArcsecPerPixel: 2.5,
    width: 1280,
    height: 720,
    durationSeconds: 10,
    startMs: day(startDay),
    endMs: day(startDay + 2),
    centreX: 100,
    centreY: -50,
    createdAtMs: day(30),
  };
  const details = { title: 'A title', description: '', tags: [], isShared: true };
  await shares.begin({ movieId, session: 'a', sealedGrant: 'b', details, facts }, day(30));
  const { lease } = (await shares.claim(day(30), 1000))!;
  await shares.finish(movieId, lease, `video-${movieId}`, day(30));
}

it('getObservationDateVideos returns an empty list without shared movies', async () => {
  const response = await clientGet('action=getObservationDateVideos&date=2024-01-03T00:00:00.000Z');
  expect([response.status, await response.json()]).toEqual([200, []]);
});

it('getObservationDateVideos lists the movies that cover the date, latest start first, with the fields that the client reads', async () => {
  await publish('earlier', 1);
  await publish('later', 2);
  await publish('over', 20);
  const ids = async (query: string) =>
    (await (await clientGet(`action=getObservationDateVideos&${query}`)).json<{ id: string }[]>()).map(({ id }) => id);
  expect(await ids('date=2024-01-03T00:00:00.000Z')).toEqual(['later', 'earlier']);
  expect(await ids('date=2024-01-03T00:00:00.000Z&num=20&skip=1')).toEqual(['earlier']);
  expect(await ids('date=2024-02-03T00:00:00.000Z')).toEqual([]);

  const [movie] = await (await getPath('/v2/getObservationDateVideos/?date=2024-01-02T00:00:00Z')).json<unknown[]>();
  const preview = (size: string) => `${ORIGIN}/cache/movies/2024/01/30/later/preview-${size}.png`;
  expect(movie).toMatchObject({
    id: 'later',
    url: 'https://www.youtube.com/watch?v=video-later',
    title: 'SDO AIA 171 (2024-01-02 00:00:00 - 2024-01-04 00:00:00 UTC)',
    thumbnails: { small: preview('small'), medium: preview('medium') },
    startDate: '2024-01-02 00:00:00',
    endDate: '2024-01-04 00:00:00',
    imageScale: 2.5,
    width: 1280,
    height: 720,
    movieLength: '10',
    roi: { left: -600, top: -380, right: 680, bottom: 340, width: 1280, height: 720, imageScale: 2.5 },
  });
});

it('notices of the web client: enable3D returns an empty success', async () => {
  expect(await (await clientGet('action=enable3D')).json()).toEqual({ status_code: 200, status_txt: 'OK', data: '' });
});

it('notices of the web client: logNotificationStatistics returns its word, and refuses others', async () => {
  expect(await (await clientGet('action=logNotificationStatistics&notifications=granted')).json()).toBe('granted');
  expect(await (await clientGet('action=logNotificationStatistics&notifications=denied')).json()).toBe('denied');
  const refused = await clientGet('action=logNotificationStatistics&notifications=<script>');
  expect([refused.status, await refused.json()]).toMatchObject([500, { parameter: 'notifications' }]);
});

it('notices of the web client: getRandomSeed returns 256 bits that never repeat', async () => {
  const seeds = await Promise.all(
    [1, 2].map(async () => (await (await clientGet('action=getRandomSeed')).json<{ seed: string }>()).seed),
  );
  expect(seeds).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), expect.stringMatching(/^[0-9a-f]{64}$/)]);
  expect(seeds[0]).not.toBe(seeds[1]);
});

it('notices of the web client: getUsageStatistics fails with errno 26', async () => {
  expect(await (await getPath('/v2/getUsageStatistics/?resolution=daily')).json()).toMatchObject({ errno: 26 });
});
