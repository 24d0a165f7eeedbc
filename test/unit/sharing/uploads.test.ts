import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { JOBS } from '../../../src/operator/status/jobs.ts';
import { SHARING } from '../../../src/platform/limits/sharing.ts';
import { HOUR_MS } from '../../../src/platform/util/durations.ts';
import { D1SharingSessions } from '../../../src/sharing/videos/d1-sharing-sessions.ts';
import { beforeNext } from '../../support/memory/before-next.ts';
import { databasesIn } from '../../support/memory/sqlite-d1.ts';
import { ENTERED, FILE_KEY, MOVIE, OWN_PAGE, shareThrough, sharingServices } from '../../support/sharing/sharing-service.ts';

const it = test.extend('sun', () => shared());

const service = sharingServices();
type Service = Awaited<ReturnType<typeof service>>;

/** A service with a pending upload, and the browser that started it. */
async function shared(bytes?: Uint8Array) {
  const sun = await service({}, bytes);
  const browser = sun.browser();
  expect((await shareThrough(sun, browser)).status).toBe(303);
  const status = async () => (await (await browser.get(STATUS)).json()) as { status: string; error?: string };
  return { ...sun, owner: browser, status };
}

const STATUS = `/v2/uploadMovieToVideoHost/?id=${MOVIE}`;
const MOVIE_BYTES = new Uint8Array((12 << 20) + 12_345);
for (let i = 0; i < MOVIE_BYTES.length; i++) MOVIE_BYTES[i] = (i * 2_654_435_761) >>> 24;

/** Runs due uploads and advances the clock until the upload has ended. */
async function runToEnd({ sharing, pass, rows }: Service, limit = 40): Promise<string> {
  for (let run = 0; run < limit; run += 1) {
    await sharing.runUploads();
    const [{ status } = { status: 'none' }] = await rows('video_shares');
    if (status === 'done' || status === 'failed') return status;
    pass(20 * 60_000);
  }
  return 'never';
}

it('an upload continues in a later run when the time of one is used up', async () => {
  const sun = await shared(MOVIE_BYTES);
  beforeNext(sun.store, 'read', () => sun.pass(SHARING.runMs + 1));
  expect(await sun.sharing.runUploads()).toMatchObject({ waiting: 1, done: 0 });
  expect(sun.host.sentChunks).toBe(1);
  expect(await sun.sharing.runUploads()).toMatchObject({ done: 1 });
});

it('an upload waits while the host has all bytes and no video yet', async () => {
  const sun = await shared();
  sun.host.isAtWork = true;
  for (let run = 0; run < 2; run += 1) {
    expect(await sun.sharing.runUploads()).toMatchObject({ waiting: 1 });
    sun.pass(HOUR_MS);
  }
  sun.host.isAtWork = false;
  expect(await sun.sharing.runUploads()).toMatchObject({ done: 1 });
  expect([sun.host.videos.size, sun.host.sentChunks]).toEqual([1, 1]);
});

it('an upload takes at most the subrequests and statements that are stated for an upload and each of its chunks', async () => {
  const used = async (chunks: number) => {
    const sun = await shared(new Uint8Array(SHARING.chunkBytes * (chunks - 1) + 1));
    // The host rejects the token, so that the upload refreshes it.
    sun.host.takesAccessTokens = false;
    const spies = [vi.spyOn(sun.database, 'prepare'), vi.spyOn(sun.store, 'read'), vi.spyOn(globalThis, 'fetch')];
    expect(await sun.sharing.runUploads()).toMatchObject({ done: 1 });
    const [statements, reads, requests] = spies.map(({ mock }) => mock.calls.length);
    vi.restoreAllMocks();
    // The service looks for the movie and its file by a statement and a read more.
    return { calls: statements! + reads! + requests! + 2, statements: statements! + 1 };
  };
  const [one, four] = [await used(1), await used(4)];
  const ofChunk = (four.calls - one.calls) / 3;
  expect([ofChunk > 1, ofChunk <= SHARING.callsPerChunk]).toEqual([true, true]);
  expect([one.calls - ofChunk > SHARING.callsPerUpload / 2, one.calls - ofChunk <= SHARING.callsPerUpload]).toEqual([true, true]);
  expect(four.statements / four.calls).toBeLessThanOrEqual(JOBS.runVideoUploads.statements / SHARING.runCalls);
});

it('an upload waits for a later run when others have used up the subrequests of one', async ({ sun }) => {
  const most = Math.ceil(SHARING.runCalls / SHARING.callsPerUpload);
  const [row] = await sun.rows('video_shares');
  const columns = Object.keys(row!).filter((name) => name !== 'movie_id');
  // The grant is bound to another movie, so that each upload fails.
  const others = `SELECT 'movie' || value, ${columns.join(', ')} FROM json_each(?), video_shares`;
  await sun.database
    .prepare(`INSERT INTO video_shares (movie_id, ${columns.join(', ')}) ${others}`)
    .bind(JSON.stringify([...Array(most).keys()]))
    .run();
  await sun.database.prepare('UPDATE video_shares SET due_at_ms = due_at_ms + 1 WHERE movie_id = ?').bind(MOVIE).run();
  sun.pass(1);
  const waiting = async () =>
    (await sun.rows('video_shares')).filter(({ status }) => status === 'pending').map((share) => share.movie_id);
  expect(await sun.sharing.runUploads()).toMatchObject({ failed: most });
  expect(await waiting()).toEqual([MOVIE]);
  expect(await sun.sharing.runUploads()).toMatchObject({ done: 1 });
});

it('an upload restarts when the movie file was rebuilt in the meantime', async () => {
  const sun = await shared(MOVIE_BYTES);
  sun.host.faults.push({ breakAfterBytes: 700_000 }, { status: 503 });
  await sun.sharing.runUploads();
  const again = new Uint8Array(MOVIE_BYTES.length).fill(9);
  sun.objects.set(FILE_KEY, again);
  sun.movies.set(MOVIE, { ...sun.movies.get(MOVIE)!, file: { key: FILE_KEY, size: again.length, etag: '"2"' } });
  expect(await runToEnd(sun)).toBe('done');
  expect(Buffer.compare([...sun.host.videos.values()][0]!.bytes, again)).toBe(0);
});

/** An upload whose last part was sent, and whose host was away from then on. */
async function sent() {
  const sun = await shared();
  sun.host.faults.push({ breakAfterBytes: 3_000_000 });
  const { fetch } = globalThis;
  globalThis.fetch = (address, init) => (sun.host.videos.size ? Promise.reject(new TypeError()) : fetch(address, init));
  expect(await sun.sharing.runUploads().finally(() => (globalThis.fetch = fetch))).toMatchObject({ waiting: 1 });
  return sun;
}

it.each([null, { key: 'movies/2/movie-hq.mp4', size: 5, etag: '"2"' }])(
  'a sent video is found, whatever the file is: %o',
  async (file) => {
    const sun = await sent();
    sun.movies.set(MOVIE, { ...sun.movies.get(MOVIE)!, file });
    expect([await runToEnd(sun), sun.host.videos.size]).toEqual(['done', 1]);
  },
);

it.each(['stop', 'revoke', 'forgetUploads'] as const)(
  'the reason says that a sent video may be there after %s',
  async (event) => {
    const sun = await sent();
    await sun.host[event]();
    expect(await runToEnd(sun)).toBe('failed');
    expect((await sun.status()).error).toContain('has not confirmed the video after its last part was sent. If it is not among');
  },
);

it('an upload refreshes an expired access token, even after the session has expired', async ({ sun }) => {
  sun.pass(23 * 3_600_000);
  expect(await sun.sharing.runUploads()).toMatchObject({ done: 1 });
});

describe('an upload fails with a reason and can be retried', () => {
  it.each([
    [403, 'quotaExceeded', 'The video host takes no more uploads today. Try again tomorrow.'],
    [400, 'uploadLimitExceeded', 'The video host takes no more uploads today. Try again tomorrow.'],
    [403, 'forbidden', 'The video host refused this video or this account.'],
    [401, 'youtubeSignupRequired', 'The video host refused this video or this account.'],
  ])('fails when the host responds with %i %s', async (status, reason, error) => {
    const sun = await shared();
    sun.host.refusesUploads = { status, reason };
    expect(await sun.sharing.runUploads()).toMatchObject({ failed: 1 });
    expect(await sun.status()).toMatchObject({ status: 'upload failed.', error });
    const page = await (await sun.owner.get(`${STATUS}&html=true`)).text();
    expect(page).toContain(error);
    expect(page).toContain('<form method="post" action="/v2/uploadMovieToVideoHost/">');

    sun.host.refusesUploads = null;
    const form = new URLSearchParams({ id: MOVIE, html: 'true' });
    const headers = { 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Dest': 'document', Origin: 'null' };
    const again = await sun.owner.get('/v2/uploadMovieToVideoHost/', headers, { method: 'POST', body: form });
    expect([again.status, again.headers.get('Location')]).toEqual([303, `https://sun.test${STATUS}&html=true`]);
    expect(await (await sun.owner.get(`${STATUS}&html=true`)).text()).toContain('<progress');
    expect(await sun.sharing.runUploads()).toMatchObject({ done: 1 });
    expect([...sun.host.videos.values()][0]!.resource.snippet.title).toBe('A day of the Sun');
  });

  it('lets another session retry a failed upload, and own it', async ({ sun }) => {
    sun.host.refusesUploads = { status: 403, reason: 'forbidden' };
    await sun.sharing.runUploads();
    sun.host.refusesUploads = null;
    const other = sun.browser();
    expect((await shareThrough(sun, other, { ...ENTERED, title: 'Mine' })).status).toBe(303);
    await sun.sharing.runUploads();
    expect((await sun.owner.get(STATUS)).status).toBe(409);
    expect(await (await other.get(STATUS)).json()).toMatchObject({ status: 'uploaded.' });
    expect([...sun.host.videos.values()][0]!.resource.snippet.title).toBe('Mine');
  });

  it('fails when the host stays unreachable for six attempts with doubling delays', async ({ sun }) => {
    await sun.host.stop();
    const waits: number[] = [];
    for (let due = 0; (await sun.rows('video_shares'))[0]!.status !== 'failed'; waits.push(due)) {
      await sun.sharing.runUploads();
      const [row] = await sun.rows('video_shares');
      due = Number(row!.due_at_ms) - sun.now();
      if (row!.status === 'pending') sun.pass(due);
    }
    expect(waits.slice(0, -1)).toEqual([15_000, 30_000, 60_000, 120_000, 240_000]);
    expect(await sun.status()).toMatchObject({ error: 'The video host could not be reached. Try again later.' });
  });

  it('fails when the upload is a day old', async ({ sun }) => {
    sun.pass(SHARING.giveUpMs + 1);
    expect(await sun.sharing.runUploads()).toMatchObject({ failed: 1 });
  });

  it('fails when the permission is withdrawn, which also deletes the tokens of the session', async ({ sun }) => {
    sun.host.revoke();
    expect(await sun.sharing.runUploads()).toMatchObject({ failed: 1 });
    expect((await sun.status()).error).toBe('The permission to upload was withdrawn or has ended. Authorise again.');
    expect(await (await sun.owner.get('/v2/checkVideoHostAuth/')).json()).toBe(false);
    expect((await sun.rows('video_sessions')).map(({ sealed_grant }) => sealed_grant)).toEqual([null]);
    const again = await sun.owner.get(STATUS, OWN_PAGE);
    expect([again.status, await again.json()]).toMatchObject([401, { errno: 45 }]);
    expect((await shareThrough(sun, sun.owner)).status).toBe(303);
    const [session] = await sun.rows('video_sessions');
    const before = { hash: String(session!.hash), expiresAtMs: 0, sealedGrant: 'the grant that was withdrawn' };
    await new D1SharingSessions(databasesIn(sun.database)).dropGrant(before);
    expect(await sun.rows('video_sessions')).toEqual([session]);
    expect(await sun.sharing.runUploads()).toMatchObject({ done: 1 });
  });

  it('fails when the movie file has been deleted', async ({ sun }) => {
    sun.objects.delete(FILE_KEY);
    expect(await sun.sharing.runUploads()).toMatchObject({ failed: 1 });
    expect((await sun.status()).error).toBe('The file of this movie has been deleted. Rebuild the movie, then share it.');
  });

  it('fails when the host redirects the upload to another origin', async ({ sun }) => {
    const origins: string[] = [];
    const { fetch } = globalThis;
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (address, init) => {
      origins.push(new URL(String(address)).origin);
      const response = await fetch(address, init);
      if (!response.headers.has('Location')) return response;
      return new Response(null, { status: 200, headers: { Location: 'http://169.254.169.254/upload/1' } });
    });
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await runToEnd(sun)).toBe('failed');
    expect([...new Set(origins)]).toEqual([sun.host.url]);
  });
});

it('an upload deletes its grant and its address when it ends', async ({ sun }) => {
  expect((await sun.rows('video_shares'))[0]).toMatchObject({ sealed_grant: expect.any(String) });
  await sun.sharing.runUploads();
  expect((await sun.rows('video_shares'))[0]).toMatchObject({ sealed_grant: null, sealed_address: null, lease: null });
});
