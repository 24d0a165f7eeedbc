import { describe, expect, test } from 'vitest';
import {
  authorisePath,
  ENTERED,
  FILE_KEY,
  MOVIE,
  ORIGIN,
  OWN_PAGE,
  shareThrough,
  sharingServices,
} from '../../support/sharing/sharing-service.ts';

const it = test.extend('sun', () => service()).extend('browser', ({ sun }) => sun.browser());

const service = sharingServices();

const STATUS = `/v2/uploadMovieToVideoHost/?id=${MOVIE}`;
const UPLOAD = `/v2/uploadMovieToVideoHost/?${new URLSearchParams(ENTERED)}`;

async function failure(response: Response): Promise<object> {
  return { status: response.status, ...((await response.json()) as object) };
}

it('sharing a movie logs a fault of the service, also for a browser', async ({ sun, browser }) => {
  sun.sharing.videoSharing!.beginAuthorisation = () => Promise.reject(new Error('D1_ERROR: Network connection lost.'));
  const response = await browser.get(authorisePath(), { Accept: 'text/html' });
  expect([response.status, response.headers.get('Retry-After')]).toEqual([503, '5']);
  expect(await response.text()).toContain('<p>The storage of the service does not respond at the moment.');
  expect(sun.logged).toMatchObject([{ failure: 'storage-unavailable' }]);
});

it('sharing a movie authorises at the host, uploads the file byte for byte and lists the video', async () => {
  const sun = await service(
    {},
    Uint8Array.from({ length: 2_000_001 }, (_, i) => (i * 31) % 251),
  );
  const browser = sun.browser();
  const away = await browser.get(authorisePath());
  expect(away.status).toBe(302);
  const page = new URL(away.headers.get('Location')!);
  expect(page.origin + page.pathname).toBe(`${sun.host.url}/authorise`);
  expect(page.searchParams.get('redirect_uri')).toBe(`${ORIGIN}/v2/uploadMovieToVideoHost/?html=true`);
  expect(page.searchParams.get('scope')).toBe('https://www.googleapis.com/auth/youtube.upload');
  expect(page.searchParams.get('prompt')).toBe('consent');

  const back = await browser.get(sun.host.allow(page.href).href);
  expect([back.status, back.headers.get('Location')]).toEqual([303, `${ORIGIN}${STATUS}&html=true`]);
  expect(sun.nudges).toHaveLength(1);
  expect(await (await browser.get(STATUS)).json()).toEqual({ status: 'upload in progress.', progress: 0 });

  expect(await sun.sharing.runUploads()).toEqual({ done: 1, failed: 0, waiting: 0, lost: 0 });
  const [video] = [...sun.host.videos.values()];
  expect(Buffer.compare(video!.bytes, sun.objects.get(FILE_KEY)!)).toBe(0);
  expect(video!.resource).toEqual({
    snippet: { title: 'A day of the Sun', description: 'Calm.', tags: ['sun', 'corona'], categoryId: '28' },
    status: { privacyStatus: 'public', embeddable: true, selfDeclaredMadeForKids: false },
  });

  const url = `${sun.host.url}/watch?v=${video!.id}`;
  expect(await (await browser.get(STATUS)).json()).toEqual({ status: 'uploaded.', progress: 1, url });
  expect(await failure(await browser.get(UPLOAD, OWN_PAGE))).toMatchObject({ status: 409, errno: 46 });
  const list = await (await sun.browser().get('/v2/getUserVideos/')).json();
  expect(list).toEqual([
    {
      id: MOVIE,
      url,
      thumbnails: Object.fromEntries(
        ['icon', 'small', 'medium', 'large', 'full'].map((size) => [
          size,
          `${ORIGIN}/cache/movies/2024/01/30/${MOVIE}/preview-${size}.png`,
        ]),
      ),
      published: '2024-01-31 12:00:00',
      title: 'A day of the Sun',
      description: 'Calm.',
      keywords: 'sun,corona',
      imageScale: '2.4',
      dataSourceString: '[10,1,100]',
      eventSourceString: '',
      movieLength: '10',
      width: '1280',
      height: '720',
      startDate: '2024-01-01 00:00:00',
      endDate: '2024-01-02 00:00:00',
    },
  ]);
});

it('sharing a movie needs no further authorisation within an authorised session', async ({ sun, browser }) => {
  expect(await (await browser.get('/v2/checkVideoHostAuth/')).json()).toBe(false);
  await shareThrough(sun, browser);
  expect(await (await browser.get('/v2/checkVideoHostAuth/')).json()).toBe(true);
  expect(await (await browser.get('/v2/checkYouTubeAuth/?callback=tell')).text()).toBe('tell(true)');
  expect(await (await sun.browser().get('/v2/checkVideoHostAuth/?callback=tell')).text()).toBe('tell(false)');

  const second = UPLOAD.replace(MOVIE, 'second22').replace('VideoHost', 'YouTube');
  expect(await (await browser.get(second, OWN_PAGE)).json()).toEqual({ status: 'upload in progress.', progress: 0 });
  expect(await sun.sharing.runUploads()).toMatchObject({ done: 2 });
});

it('sharing a movie lists the video only if the user chose to', async ({ sun }) => {
  await shareThrough(sun, sun.browser(), { ...ENTERED, share: 'false' });
  await sun.sharing.runUploads();
  expect(sun.host.videos.size).toBe(1);
  expect(await (await sun.browser().get('/v2/getUserVideos/?force=true')).json()).toEqual([]);
});

it('sharing a movie works without the queue, because the scheduled job finds the upload', async () => {
  const sun = await service({}, undefined, { isQueueAway: true });
  expect((await shareThrough(sun, sun.browser())).status).toBe(303);
  expect(sun.nudges).toHaveLength(1);
  expect(await sun.sharing.runUploads()).toMatchObject({ done: 1 });
});

it('sharing a movie shows its progress on a page that refreshes itself', async () => {
  const sun = await service({}, new Uint8Array(20 << 20));
  const browser = sun.browser();
  await shareThrough(sun, browser);
  sun.host.faults.push({ breakAfterBytes: 5 << 20 }, { status: 503 });
  expect(await sun.sharing.runUploads()).toMatchObject({ waiting: 1 });
  const page = await browser.get(`${STATUS}&html=true`);
  const html = await page.text();
  expect(html).toContain('<progress max="100" value="25">25 %</progress>');
  expect(html).toContain('<meta http-equiv="refresh" content="5">');
  sun.pass(60_000);
  await sun.sharing.runUploads();
  const done = await (await browser.get(`${STATUS}&html=true`)).text();
  expect(done).toContain(`<a href="${sun.host.url}/watch?v=${[...sun.host.videos.keys()][0]}" rel="noreferrer">`);
  expect(done).not.toContain('http-equiv');
});

it.each([
  ['an unknown movie', { id: 'nosuchid' }, 404, 24],
  ['a title with markup', { title: '<script>alert(1)</script>' }, 400, 25],
  ['tags of more than 500 characters', { tags: Array.from({ length: 50 }, (_, i) => `solar day ${i}`).join() }, 400, 25],
])('authorisation is refused refuses to authorise %s', async (_, wrong, status, errno) => {
  const sun = await service();
  const response = await sun.browser().get(authorisePath({ ...ENTERED, ...wrong }));
  expect(response.headers.has('Location') || response.headers.has('Set-Cookie')).toBe(false);
  expect(await failure(response)).toMatchObject({ status, errno, parameter: Object.keys(wrong)[0] });
  expect(await sun.rows('video_authorisations')).toEqual([]);
});

it.each([
  ['is not finished', { isFinished: false }],
  ['has no stored file', { file: null }],
])('authorisation is refused refuses to authorise a movie that %s', async (_, movie) => {
  const sun = await service(movie);
  expect(await failure(await sun.browser().get(authorisePath()))).toMatchObject({ status: 409, errno: 41, parameter: 'id' });
});

it('authorisation is refused refuses to authorise a movie that is being uploaded or already shared', async ({ sun }) => {
  await shareThrough(sun, sun.browser());
  const refused = { status: 409, errno: 46, parameter: 'id' };
  expect(await failure(await sun.browser().get(authorisePath()))).toMatchObject(refused);
  await sun.sharing.runUploads();
  expect(await failure(await sun.browser().get(authorisePath()))).toMatchObject(refused);
});

describe('nothing is published', () => {
  it('publishes nothing for requests that other sites embed or navigate to', async ({ sun, browser }) => {
    await shareThrough(sun, browser);
    const address = UPLOAD.replace(MOVIE, 'second22');
    const foreign: Record<string, string>[] = [
      { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Dest': 'document' },
      { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Dest': 'empty', Origin: 'https://evil.test' },
      { 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Dest': 'empty', Origin: 'https://other.sun.test' },
      { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Dest': 'document' },
      { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Dest': 'image' },
      { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Dest': 'document' },
      { Origin: 'null' },
      {},
    ];
    for (const headers of foreign) {
      expect(await failure(await browser.get(address, headers))).toMatchObject({ status: 403, errno: 50 });
    }
    expect(await sun.rows('video_shares')).toHaveLength(1);
    const old = await browser.get(address, { Origin: ORIGIN });
    expect(await old.json()).toMatchObject({ status: 'upload in progress.' });
  });

  it('publishes nothing without an authorised session', async ({ sun }) => {
    for (const browser of [sun.browser(), sun.browser()]) {
      expect(await failure(await browser.get(UPLOAD, OWN_PAGE))).toMatchObject({ status: 401, errno: 45 });
    }
    const browser = sun.browser();
    browser.cookies.set('__Host-helioedge-sharing', 'a'.repeat(43));
    expect(await failure(await browser.get(UPLOAD, OWN_PAGE))).toMatchObject({ status: 401, errno: 45 });
  });

  it('publishes nothing for a state that is forged, of another browser or already used', async ({ sun, browser }) => {
    const back = sun.host.allow((await browser.get(authorisePath())).headers.get('Location')!);
    const forged = new URL(back);
    forged.searchParams.set('state', 'f'.repeat(43));
    const without = new URL(back);
    without.searchParams.delete('state');
    for (const [who, address] of [
      [browser, forged],
      [browser, without],
      [sun.browser(), back],
    ] as const) {
      const response = await who.get(address.href);
      expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('Begin again.')]);
    }
    expect(await sun.rows('video_shares')).toEqual([]);
    expect((await browser.get(back.href)).status).toBe(303);
    const replayed = await browser.get(back.href);
    expect(replayed.status).toBe(403);
    expect(await sun.rows('video_shares')).toHaveLength(1);
  });

  it('publishes nothing for the authorisation code of another user, because its verifier differs', async ({ sun }) => {
    const [mine, other] = [sun.browser(), sun.browser()];
    const stolen = sun.host.allow((await other.get(authorisePath())).headers.get('Location')!).searchParams.get('code')!;
    const back = sun.host.allow((await mine.get(authorisePath())).headers.get('Location')!);
    back.searchParams.set('code', stolen);
    const response = await mine.get(back.href);
    expect([response.status, await response.text()]).toEqual([401, expect.stringContaining('did not give the permission')]);
    expect(await sun.rows('video_shares')).toEqual([]);
  });

  it('publishes nothing when the user denies the permission', async ({ sun, browser }) => {
    const response = await browser.get(sun.host.deny((await browser.get(authorisePath())).headers.get('Location')!).href);
    expect([response.status, await response.text()]).toEqual([401, expect.stringContaining('did not give the permission')]);
    expect(await (await browser.get('/v2/checkVideoHostAuth/')).json()).toBe(false);
  });

  it('publishes nothing after ten minutes at the host, and after a day in a session', async ({ sun, browser }) => {
    const late = sun.host.allow((await browser.get(authorisePath())).headers.get('Location')!);
    sun.pass(10 * 60_000);
    expect((await browser.get(late.href)).status).toBe(403);
    await shareThrough(sun, browser);
    sun.pass(24 * 3_600_000);
    expect(await (await browser.get('/v2/checkVideoHostAuth/')).json()).toBe(false);
    const response = await browser.get(UPLOAD.replace(MOVIE, 'second22'), OWN_PAGE);
    expect(await failure(response)).toMatchObject({ status: 401, errno: 45 });
    await sun.sharing.sweep();
    expect([await sun.rows('video_sessions'), await sun.rows('video_authorisations')]).toEqual([[], []]);
  });

  it('publishes no movie that another session shares, whose progress only that session sees', async ({ sun }) => {
    const [owner, other] = [sun.browser(), sun.browser()];
    await shareThrough(sun, owner);
    await shareThrough(sun, other, { ...ENTERED, id: 'second22' });
    expect((await owner.get(STATUS)).status).toBe(200);
    expect(await failure(await other.get(STATUS))).toMatchObject({ status: 409, errno: 46 });
    expect(await failure(await other.get(UPLOAD, OWN_PAGE))).toMatchObject({ status: 409, errno: 46 });
  });

  it('publishes nothing without the id of a movie or the title of the video', async ({ sun }) => {
    const response = await failure(await sun.browser().get('/v2/uploadMovieToVideoHost/'));
    expect(response).toMatchObject({ status: 400, errno: 28, parameter: 'id' });
    const browser = sun.browser();
    await shareThrough(sun, browser);
    const untitled = await failure(await browser.get('/v2/uploadMovieToVideoHost/?id=second22', OWN_PAGE));
    expect(untitled).toMatchObject({ status: 400, errno: 28, parameter: 'title' });
  });
});
