import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SHARING } from '../../../src/platform/limits/sharing.ts';
import { D1VideoShares } from '../../../src/sharing/videos/d1-video-shares.ts';
import { NOW_MS } from '../../support/memory/archived-images.ts';
import { databasesIn } from '../../support/memory/sqlite-d1.ts';
import { FACTS, MOVIE, shareThrough, sharingService } from '../../support/sharing/sharing-service.ts';
import { answered, testArchive } from '../../support/test-archive.ts';

let sun: Awaited<ReturnType<typeof sharingService>>;

beforeEach(async () => {
  sun = await sharingService();
});
afterEach(() => sun.host.stop());

const ids = async (query = '') => {
  const list = (await (await sun.browser().get(`/v2/getUserVideos/?${query}`)).json()) as { id: string }[];
  await sun.settle();
  return list.map(({ id }) => id);
};

/** Stores a share that was published at `atMs`. */
async function published(id: string, atMs: number, { isShared = true, facts = FACTS } = {}): Promise<void> {
  const shares = new D1VideoShares(databasesIn(sun.database));
  const details = { title: id, description: '', tags: [], isShared };
  await shares.begin({ movieId: id, session: 'a', sealedGrant: 'b', details, facts }, atMs);
  const { lease } = (await shares.claim(atMs, 1000))!;
  expect(await shares.finish(id, lease, `video-${id}`, atMs)).toBe(true);
}

describe('the list of shared movies', () => {
  beforeEach(async () => {
    for (let n = 0; n < 12; n += 1) await published(`movie${n}`, NOW_MS + n * 1000 + 400);
    await published('hidden', NOW_MS + 20_000, { isShared: false });
  });

  it('lists the ten newest videos whose users list them, and honours num and skip', async () => {
    expect(await ids()).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2].map((n) => `movie${n}`));
    expect(await ids('num=3&skip=2')).toEqual(['movie9', 'movie8', 'movie7']);
    expect(await ids('num=100&skip=11')).toEqual(['movie0']);
    expect(await ids('skip=12')).toEqual([]);
  });

  it('lists only videos published after `since`, compared in whole seconds', async () => {
    const [newest, second] = (await (await sun.browser().get('/v2/getUserVideos/')).json()) as { published: string }[];
    const since = (of: { published: string }) => `since=${of.published.replace(' ', 'T')}Z`;
    expect(await ids(since(second!))).toEqual(['movie11']);
    expect(await ids(since(newest!))).toEqual([]);
  });

  it('stays in clients for 90 seconds, unless forced, and names the host of its request', async () => {
    const browser = sun.browser();
    const first = await browser.get('/v2/getUserVideos/?num=1');
    expect([first.headers.get('Cache-Control'), first.headers.get('Cf-Cache-Status')]).toEqual(['private, max-age=90', 'BYPASS']);
    await published('newest', NOW_MS + 30_000);
    expect(await ids('num=1')).toEqual(['newest']);
    expect(await ids('num=1&skip=1')).toEqual(['movie11']);
    expect(await (await sun.app.request('https://moon.test/v2/getUserVideos/?num=1')).text()).toContain(
      'https://moon.test/cache/',
    );
    const forced = await browser.get('/v2/getUserVideos/?num=1&force=true');
    expect(forced.headers.get('Cache-Control')).toBe('no-store');
    expect(await forced.text()).toContain('newest');
  });
});

it('a service without a video host returns an empty list, authorises no session and refuses to share', async () => {
  const { get } = testArchive();
  expect(await (await get('/v2/getUserVideos/')).json()).toEqual([]);
  expect(await (await get('/v2/checkYouTubeAuth/')).json()).toBe(false);
  const sentence = 'Sharing is not enabled on this server.';
  for (const path of ['getVideoHostAuth/?title=a&description=&tags=&id=bcdfghjk', 'uploadMovieToVideoHost/?id=bcdfghjk'])
    expect(await answered(get(`/v2/${path}`))).toMatchObject([400, { errno: 26, error: sentence }]);
  const browser = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };
  for (const page of [
    await get('/v2/uploadMovieToVideoHost/?id=bcdfghjk&html=true'),
    await get('/v2/uploadMovieToVideoHost/?id=bcdfghjk', browser),
    await get('/?action=getYouTubeAuth&id=bcdfghjk&title=a&description=&tags=', browser),
  ]) {
    expect([page.status, await page.text()]).toEqual([400, expect.stringContaining(`<p>${sentence}</p>`)]);
  }
});

describe('a published video', () => {
  beforeEach(async () => {
    await shareThrough(sun, sun.browser());
    await sun.sharing.runUploads();
  });
  const onlyVideo = () => [...sun.host.videos.keys()][0]!;

  it('removes a video from the list within a day after its removal at the host, and allows sharing it again', async () => {
    sun.host.videos.delete(onlyVideo());
    expect(await sun.sharing.sweep()).toBe(0);
    expect(await ids('force=true')).toEqual([MOVIE]);
    sun.pass(SHARING.checkMs);
    expect(await sun.sharing.sweep()).toBe(1);
    expect(await ids('force=true')).toEqual([]);
    expect((await shareThrough(sun, sun.browser())).status).toBe(303);
    await sun.sharing.runUploads();
    expect(await ids('force=true')).toEqual([MOVIE]);
  });

  it('lists a video again when its owner unhides it, and keeps it while the host is unreachable', async () => {
    sun.host.hidden.add(onlyVideo());
    sun.pass(SHARING.checkMs);
    await sun.sharing.sweep();
    expect(await ids('force=true')).toEqual([]);
    sun.host.hidden.clear();
    sun.pass(SHARING.checkMs);
    await sun.sharing.sweep();
    expect(await ids('force=true&num=5')).toEqual([MOVIE]);
    await sun.host.stop();
    sun.pass(SHARING.checkMs);
    expect(await sun.sharing.sweep()).toBe(0);
    expect(await ids('force=true')).toEqual([MOVIE]);
  });
});

it('a scheduled run checks a limited number of videos, longest unchecked first', async () => {
  for (let n = 0; n < SHARING.checksPerRun + 5; n += 1) await published(`movie${n}`, NOW_MS + n * 1000);
  sun.pass(SHARING.checkMs + 3_600_000);
  expect(await sun.sharing.sweep()).toBe(SHARING.checksPerRun);
  expect(await sun.sharing.sweep()).toBe(5);
});

it('the videos at the time of an image are the listed ones that cover it', async () => {
  const facts = (day: number) => ({ ...FACTS, startMs: Date.UTC(2024, 0, day), endMs: Date.UTC(2024, 0, day + 1), centreX: day });
  await published('early', NOW_MS, { facts: facts(1) });
  await published('late', NOW_MS + 1000, { facts: facts(2) });
  await published('hidden', NOW_MS + 2000, { facts: facts(2), isShared: false });
  const at = async (hour: number) => (await sun.sharing.userVideos.videosAt(Date.UTC(2024, 0, 1, hour))).map(({ x }) => x);
  expect([await at(0), await at(12), await at(24), await at(48), await at(49)]).toEqual([[1], [1], [2, 1], [2], []]);
  expect(await sun.sharing.userVideos.videosAt(Date.UTC(2024, 0, 1))).toEqual([{ x: 1, y: -40, label: 'AIA 171' }]);
  await sun.database.exec('DROP TABLE video_shares');
  expect(await at(12)).toEqual([]);
});

it('getObservationDateVideos lists the movies that cover the date, latest start first, with the fields that the web client reads', async () => {
  const day = (number: number) => Date.UTC(2024, 0, number);
  for (const [id, from] of Object.entries({ earlier: 1, later: 2, over: 20 }))
    await published(id, NOW_MS + from, { facts: { ...FACTS, startMs: day(from), endMs: day(from + 2) } });
  const at = async (query: string) =>
    (await (await sun.browser().get(`/?action=getObservationDateVideos&${query}`)).json()) as { id: string }[];
  const idsAt = async (query: string) => (await at(query)).map(({ id }) => id);
  expect(await idsAt('date=2024-01-03T00:00:00.000Z')).toEqual(['later', 'earlier']);
  expect(await idsAt('date=2024-01-03T00:00:00.000Z&num=20&skip=1')).toEqual(['earlier']);
  expect(await idsAt('date=2024-02-03T00:00:00.000Z')).toEqual([]);
  const preview = (size: string) => `https://sun.test/cache/movies/2024/01/30/later/preview-${size}.png`;
  expect((await at('date=2024-01-03T00:00:00Z'))[0]).toMatchObject({
    url: expect.stringMatching(/watch\?v=video-later$/),
    title: 'AIA 171 (2024-01-02 00:00:00 - 2024-01-04 00:00:00 UTC)',
    thumbnails: { small: preview('small'), medium: preview('medium') },
    ...{ startDate: '2024-01-02 00:00:00', endDate: '2024-01-04 00:00:00', movieLength: '10' },
    ...{ imageScale: 2.4, width: 1280, height: 720 },
    roi: { left: -635, top: -377, right: 645, bottom: 343, width: 1280, height: 720, imageScale: 2.4 },
  });
});
