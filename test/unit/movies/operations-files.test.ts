import { describe, expect, test } from 'vitest';
import { movieFileKey } from '../../../src/archive/keys.ts';
import { MOVIE_FILES, type MovieFileName, PREVIEW_FILES } from '../../../src/movies/movie.ts';
import { movieArchive } from '../../support/movies/movie-archive.ts';

const it = test
  .extend('archive', () => movieArchive())
  .extend('id', ({ archive }) => archive.queue())
  .extend('made', () => finished());

type Archive = ReturnType<typeof movieArchive>;

const BASE = '2024_01_01_00_00_00_2024_01_01_05_00_00_AIA_304';

async function finished(changes: Readonly<Record<string, string>> = {}) {
  const archive = movieArchive();
  const id = await archive.queue(changes);
  const { build } = await archive.build();
  return { archive, id, build, root: `/cache/movies/2024/01/31/${id}` };
}

async function failed(reason: string) {
  const archive = movieArchive();
  const id = await archive.queue();
  const { build, lease } = await archive.claim();
  await archive.claims.fail(build.id, lease, { reason, isFinal: true }, archive.clock.nowMs);
  return { archive, id };
}

describe('downloadMovie', () => {
  it.each([
    ['mp4', '', `${BASE}.mp4`, 'video/mp4', 'movie.mp4'],
    ['mp4', '&hq=true', `${BASE}-hq.mp4`, 'video/mp4', 'movie-hq.mp4'],
    ['webm', '', `${BASE}.webm`, 'video/webm', 'movie.webm'],
    ['webm', '&hq=true', `${BASE}.webm`, 'video/webm', 'movie.webm'],
    ['flv', '', `${BASE}.flv`, 'video/x-flv', 'movie.flv'],
  ])('returns %s%s as an attachment with its name', async (format, hq, fileName, type, content) => {
    const { archive, id, build } = await finished();
    const response = await archive.get(`/v2/downloadMovie/?id=${id}&format=${format}${hq}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe(type);
    expect(response.headers.get('Content-Disposition')).toBe(`attachment; filename="${fileName}"`);
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=60');
    expect(await response.text()).toBe(`${content} ${build.id}`);
  });

  it('supports ranges, conditional requests and HEAD', async ({ made: { archive, id } }) => {
    const ask = (init: RequestInit) => archive.get(`/v2/downloadMovie/?id=${id}&format=mp4`, init);
    const part = await ask({ headers: { Range: 'bytes=0-4' } });
    expect([part.status, part.headers.get('Content-Range'), await part.text()]).toEqual([206, 'bytes 0-4/11', 'movie']);
    const head = await ask({ method: 'HEAD' });
    expect([head.status, head.headers.get('Content-Length'), await head.text()]).toEqual([200, '11', '']);
    const etag = head.headers.get('ETag')!;
    expect((await ask({ headers: { 'If-None-Match': etag } })).status).toBe(304);
    expect((await ask({ headers: { Range: 'bytes=0-4', 'If-Range': '"another"' } })).status).toBe(200);
    expect((await ask({ headers: { Range: 'bytes=99-' } })).status).toBe(416);
  });

  it('returns 202 with progress and error for an unfinished movie', async ({ archive, id }) => {
    const ask = () => archive.json(`/v2/downloadMovie/?id=${id}&format=mp4`);
    const waiting = await ask();
    expect([waiting.status, waiting.headers.get('Cache-Control')]).toEqual([202, 'no-store']);
    expect(Number(waiting.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(waiting.body).toMatchObject({ status: 0, progress: 0, queuePosition: 1, eta: expect.any(Number) });
    expect(waiting.body.error).toMatch(/^This movie is still waiting to be built\. Try again in (a second|about \d+ seconds)\.$/);
    const { build, lease } = await archive.claim();
    await archive.claims.progress(build.id, { lease, framesDone: 12, framesSkipped: 0, stage: 'drawing' }, archive.clock.nowMs);
    const under = await ask();
    expect(under.body).toMatchObject({ status: 1, progress: 0.387, currentFrame: 12, error: expect.stringContaining('(39 %)') });
  });

  it('returns 202 for a movie with expired files, and rebuilds it from its recipe', async ({ made: { archive, id } }) => {
    archive.expire();
    archive.nudges.length = 0;
    const response = await archive.json(`/v2/downloadMovie/?id=${id}&format=mp4`);
    expect([response.status, response.body.status, archive.nudges.length]).toEqual([202, 0, 1]);
    expect((await archive.json(`/v2/downloadMovie/?id=${id}&format=mp4`)).status).toBe(202);
    expect(await archive.register.queueLength()).toEqual({ queued: 1, processing: 0 });
    await archive.build();
    expect((await archive.get(`/v2/downloadMovie/?id=${id}&format=mp4`)).status).toBe(200);
  });

  it('gives both qualities of mp4 once its status says that it is finished, and the other formats later', async ({
    archive,
    id,
  }) => {
    const { build, lease } = await archive.claim();
    const store = async (name: MovieFileName) => {
      const { size, etag } = await archive.objects.put(movieFileKey(build, name), new TextEncoder().encode(name));
      await archive.claims.stored(build.id, lease, { name, size, etag });
    };
    const ask = (query: string) => archive.get(`/v2/downloadMovie/?id=${id}&format=${query}`);
    const status = async () => (await archive.json(`/v2/getMovieStatus/?id=${id}&format=mp4`)).body.status;
    for (const name of [...PREVIEW_FILES, 'movie.mp4' as const]) await store(name);
    expect([await status(), (await ask('mp4')).status]).toEqual([1, 202]);
    await store('movie-hq.mp4');
    await archive.objects.delete(movieFileKey(build, 'movie.mp4'));
    const lost = await ask('mp4');
    expect([lost.status, await lost.json()]).toMatchObject([202, { status: 1, statusLabel: 'Processing' }]);
    await store('movie.mp4');
    expect([await status(), (await ask('mp4')).status, (await ask('mp4&hq=true')).status]).toEqual([2, 200, 200]);
    for (const query of ['flv', 'webm']) {
      const response = await ask(query);
      expect([response.status, await response.json()]).toMatchObject([202, { status: 1, statusLabel: 'Processing' }]);
    }
    await archive.claims.fail(build.id, lease, { reason: 'The disk is full.', isFinal: true }, archive.clock.nowMs);
    expect([(await ask('mp4&hq=true')).status, (await ask('webm')).status]).toEqual([200, 409]);
    expect(await archive.register.queueLength()).toEqual({ queued: 0, processing: 0 });
  });

  it('returns 409 with the reason for a movie that could not be built', async () => {
    const { archive, id } = await failed('No frame could be drawn.');
    const { status, body } = await archive.json(`/v2/downloadMovie/?id=${id}&format=mp4`);
    expect([status, body]).toMatchObject([409, { errno: 43, error: 'No frame could be drawn.' }]);
  });
});

describe('the URL of a movie file', () => {
  it('exists for every file of a movie', async ({ made: { archive, build, root } }) => {
    const names = ['icon', 'small', 'medium', 'large', 'full'].map((size) => `preview-${size}.png`);
    const stored = Object.keys(MOVIE_FILES);
    for (const [i, name] of [...names, `${BASE}.mp4`, `${BASE}-hq.mp4`, `${BASE}.webm`, `${BASE}.flv`].entries()) {
      const response = await archive.get(`${root}/${name}`);
      expect([response.status, await response.text()]).toEqual([200, `${stored[i]} ${build.id}`]);
      expect(response.headers.get('Content-Type')).toBe(Object.values(MOVIE_FILES)[i]);
      expect(response.headers.get('Content-Disposition')).toBe(`inline; filename="${name}"`);
    }
  });

  it('supports ranges, and is revalidated after a minute because a rebuild changes the file', async ({
    made: { archive, root },
  }) => {
    const part = await archive.get(`${root}/${BASE}.mp4`, { headers: { Range: 'bytes=6-' } });
    expect([part.status, part.headers.get('Content-Range')]).toEqual([206, 'bytes 6-10/11']);
    const head = await archive.get(`${root}/preview-icon.png`, { method: 'HEAD' });
    expect([head.status, head.headers.get('Cache-Control')]).toEqual([200, 'public, max-age=60']);
    const etag = head.headers.get('ETag')!;
    expect((await archive.get(`${root}/preview-icon.png`, { headers: { 'If-None-Match': etag } })).status).toBe(304);
  });

  it('leads to the hq file when -hq.mp4 replaces .mp4 in the url of getMovieStatus', async ({ made: { archive, id, build } }) => {
    const { body } = await archive.json(`/v2/getMovieStatus/?id=${id}&format=mp4`);
    const path = new URL(String(body.url).replace('.mp4', '-hq.mp4')).pathname;
    expect(await (await archive.get(path)).text()).toBe(`movie-hq.mp4 ${build.id}`);
  });

  it.each<[string, (root: string) => string]>([
    ['another day', (root) => `${root.replace('01/31', '01/30')}/preview-icon.png`],
    ['another movie', (root) => `${root.slice(0, -8)}bcdfghjk/preview-icon.png`],
    ['another name', (root) => `${root}/${BASE}.gif`],
    ['a name of the store', (root) => `${root}/movie.mp4`],
    ['a longer path', (root) => `${root}/x/preview-icon.png`],
    ['a way up', (root) => `${root}/..%2fpreview-icon.png`],
    ['bad escapes', (root) => `${root}/%ff%zz`],
  ])('returns 404 for %s', async (_, pathOf) => {
    const { archive, root } = await finished();
    const { status, body } = await archive.json(pathOf(root));
    expect([status, body.errno]).toEqual([404, 26]);
  });

  it('returns 404 for an expired file', async ({ made: { archive, root } }) => {
    archive.expire();
    expect((await archive.get(`${root}/preview-icon.png`)).status).toBe(404);
  });
});

describe('playMovie', () => {
  const play = async (archive: Archive, id: string, more = '&format=mp4') => {
    const response = await archive.get(`/v2/playMovie/?id=${id}${more}`);
    return { status: response.status, headers: response.headers, html: await response.text() };
  };

  it('returns a page with both formats, the preview and the size of the movie', async ({ made: { archive, id, root } }) => {
    const { status, headers, html } = await play(archive, id);
    expect([status, headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(html).toContain(`<title>helioedge - ${BASE}.mp4</title>`);
    expect(html).toContain(`<video controls preload="metadata" width="800" height="400" poster="${root}/preview-full.png">`);
    const sources = [...html.matchAll(/<source src="(.+?)" type="(.+?)">/g)].map(([, ...values]) => values);
    expect(sources).toEqual([
      [`${root}/${BASE}.mp4`, 'video/mp4'],
      [`${root}/${BASE}.webm`, 'video/webm'],
    ]);
    for (const [path] of sources) expect((await archive.get(path!)).status).toBe(200);
  });

  it('returns an error page for an unknown movie', async ({ made: { archive } }) => {
    const { status, headers, html } = await play(archive, 'bcdfghjk');
    expect([status, headers.get('Content-Type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(html).toContain(
      '<p>No movie has the id bcdfghjk. queueMovie returns the ids of movies, which expire 365 days after their last use.</p>',
    );
  });

  it('says when to try again to have an expired movie built while the queue is full, which reQueueMovie does not either', async () => {
    const archive = movieArchive({ MOVIE_QUEUE_COST: '20' });
    const id = await archive.queue();
    await archive.build();
    archive.expire();
    await archive.queue({ imageScale: '3' });
    for (const path of [`/v2/playMovie/?id=${id}&format=mp4`, `/v2/downloadMovie/?id=${id}&format=mp4`]) {
      const response = await archive.get(path);
      expect([response.status, response.headers.get('Retry-After')], path).toEqual([503, '60']);
    }
    expect(await archive.json(`/v2/reQueueMovie/?id=${id}`)).toMatchObject({ status: 503, body: { errno: 40 } });
  });

  it('allows other sites to embed the page, and runs no script', async ({ made: { archive, id } }) => {
    const { headers, html } = await play(archive, id);
    const policy = headers.get('Content-Security-Policy')!;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain('frame-ancestors *');
    expect(policy).not.toContain('unsafe');
    expect(headers.has('X-Frame-Options')).toBe(false);
    expect(html).not.toMatch(/<script| on\w+=|style="/);
  });

  it('uses the requested size, and the hq file for mp4 only', async ({ made: { archive, id, root } }) => {
    const { html } = await play(archive, id, '&format=webm&hq=true&width=320&height=200');
    expect(html).toContain('width="320" height="200"');
    expect([...html.matchAll(/src="(.+?)"/g)].map(([, path]) => path)).toEqual([
      `${root}/${BASE}.webm`,
      `${root}/${BASE}-hq.mp4`,
    ]);
  });

  it('plays mp4 for flv, which browsers do not support', async ({ made: { archive, id } }) => {
    expect((await play(archive, id, '&format=flv')).html).not.toContain('.flv');
  });

  it('shows the progress of an unfinished movie, and reloads itself', async ({ archive, id }) => {
    const { status, headers, html } = await play(archive, id);
    expect([status, headers.get('Content-Type'), headers.get('Cache-Control')]).toEqual([
      202,
      'text/html; charset=utf-8',
      'no-store',
    ]);
    expect(html).toContain('<meta http-equiv="refresh" content="10">');
    expect(html).toMatch(/This movie is waiting to be built\. It will play here in (a second|about \d+ seconds)\./);
    expect(headers.get('Content-Security-Policy')).toContain('frame-ancestors *');
    const { build, lease } = await archive.claim();
    await archive.claims.progress(build.id, { lease, framesDone: 12, framesSkipped: 0, stage: 'drawing' }, archive.clock.nowMs);
    expect((await play(archive, id)).html).toContain('This movie is being built (39 %).');
  });

  it('shows the escaped reason for a movie that could not be built', async () => {
    const { archive, id } = await failed('No <frame> & "nothing" could be drawn.');
    const { status, html } = await play(archive, id);
    expect(status).toBe(409);
    expect(html).toContain('<p>No &lt;frame&gt; &amp; &quot;nothing&quot; could be drawn.</p>');
    expect(html).not.toContain('refresh');
  });
});
