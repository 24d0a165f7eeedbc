import { expect, it, vi } from 'vitest';
import { D1Movies } from '../../../src/movies/d1-movies.ts';
import { movieArchive } from '../../support/movies/movie-archive.ts';

const TEMPLATE = '<head><!--head of the view--></head><body><!--first picture--><!--page data--></body>';
const POLICY = "default-src 'none'; frame-ancestors 'none'";

function archiveWithPages(env: Readonly<Record<string, string>> = {}) {
  const page = () => new Response(TEMPLATE, { headers: { 'Content-Type': 'text/html', 'Content-Security-Policy': POLICY } });
  return movieArchive(env, { assets: { fetch: async () => page() } });
}

type Archive = ReturnType<typeof archiveWithPages>;

async function open(archive: Archive, id: string) {
  const response = await archive.get(`/movie/${id}`);
  const html = await response.text();
  const [, json] = /<script type="application\/json" id="page-data">(.*?)<\/script>/s.exec(html) ?? [];
  return { status: response.status, headers: response.headers, html, data: json === undefined ? null : JSON.parse(json) };
}

it('the page of a movie shows its title, a preview for messengers once it is finished, and the view of its middle', async () => {
  const archive = archiveWithPages();
  const id = await archive.queue({ x1: '-480', x2: '960', grid: 'true' });
  const queued = await open(archive, id);
  const shows = queued.html.includes('og:image');
  expect([queued.status, shows, queued.data.title.startsWith('SDO AIA 304')]).toEqual([200, false, true]);
  await archive.build();
  const { status, headers, html, data } = await open(archive, id);
  expect([status, headers.get('Cache-Control'), headers.get('Content-Security-Policy')]).toEqual([
    200,
    'no-store',
    POLICY.replace("frame-ancestors 'none'", 'frame-ancestors *'),
  ]);
  const title = 'SDO AIA 304 (2024-01-01 00:00:00 - 05:00:00 UTC)';
  expect(html).toContain(`<title>${title} · helioedge</title>`);
  expect(html).toMatch(/<meta property="og:image" content="http[^"]+\/preview-large\.png">/);
  expect(html).toMatch(new RegExp(`<link rel="canonical" href="http[^"]+/movie/${id}">`));
  expect(html).toContain(`<noscript><p class="noscript"><a href="/v2/playMovie/?id=${id}&amp;format=mp4">`);
  expect(data).toMatchObject({ id, title, canShare: false });
  expect(data.description).toMatch(/^The Sun as seen by SDO AIA 304 from 2024-01-01/);
  expect(data.view).toBe('date=2024-01-01T02:30:00Z&imageLayers=[13,1,100]&centerX=240&centerY=0&imageScale=1.6&grid=true');
});

it('the page of a movie says for an unknown id that there is no movie, and escapes it', async () => {
  const { status, headers, html } = await open(archiveWithPages(), 'bcdfghjk');
  expect([status, headers.get('Content-Type')]).toEqual([404, 'text/html; charset=utf-8']);
  expect(html).toMatch(/<h1>No movie<\/h1>[\s\S]*No movie has the id bcdfghjk/);
  const hostile = await open(archiveWithPages(), encodeURIComponent('<script>alert(1)'));
  expect(hostile.html).not.toContain('<script>alert');
});

it('the page of a movie has status 404 where no pages are installed, and says so', async () => {
  const archive = movieArchive();
  const { status, html } = await open(archive, await archive.queue());
  expect([status, /<p>[^<]*<\/p>/.exec(html)?.[0]]).toEqual([404, '<p>No pages are installed on this server.</p>']);
});

it('the page of a movie is a page that says when to try again while the storage does not respond', async () => {
  const archive = archiveWithPages();
  for (const path of ['/movie/bcdfghjk', '/v2/playMovie/?id=bcdfghjk&format=mp4']) {
    vi.spyOn(D1Movies.prototype, 'find').mockRejectedValueOnce(
      new Error('D1_ERROR: D1 DB is overloaded. Requests queued for too long.'),
    );
    const { status, headers } = await archive.get(path);
    expect([status, headers.get('Content-Type')]).toEqual([503, 'text/html; charset=utf-8']);
    expect(headers.has('Retry-After')).toBe(true);
  }
});
