import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { seriesShots } from '../../demo/archive.ts';
import { watchTroubles } from '../support/explorer/looks.ts';
import { launchChromium, type ServedArchive, serveArchive } from '../support/served-archive.ts';
import { FakeVideoHost } from '../support/sharing/fake-video-host.ts';

const NOON = Date.UTC(2024, 4, 10, 12);
const HALF_HOUR_MS = 1_800_000;
const PATIENCE = { timeout: 60_000 };
const BREAKS = 20;

let host: FakeVideoHost;
let archive: ServedArchive;
let browser: Browser;
let page: Page;
let pageErrors: string[];
/** The service under a host name that is another site than the video host. */
let origin: string;
let movie: string;
let other: string;

const json = async (path: string) => (await fetch(`${archive.service.url}${path}`)).json();

/** Builds a movie of the sample archive; returns its id. */
async function makeMovie(frameRate: number): Promise<string> {
  const query = 'startTime=2024-05-10T12:00:00Z&endTime=2024-05-10T18:00:00Z&layers=[10,1,100]&events=&eventsLabels=false';
  const field = `imageScale=6&x0=0&y0=0&width=240&height=240&frameRate=${frameRate}`;
  const { id } = (await json(`/v2/queueMovie/?${query}&${field}`)) as { id: string };
  const isThere = async () =>
    ((await json(`/v2/getMovieStatus/?id=${id}&format=mp4&wait=10`)) as { status: number }).status === 2;
  await vi.waitUntil(isThere, { ...PATIENCE, interval: 50 });
  return id;
}

beforeAll(async () => {
  host = await new FakeVideoHost().start();
  const series = { fromMs: NOON, toMs: NOON + 11 * HALF_HOUR_MS, cadenceMs: HALF_HOUR_MS, size: 256 };
  archive = await serveArchive(seriesShots({ sources: [10], ...series }), host.environment());
  origin = archive.service.url.replace('127.0.0.1', 'localhost');
  browser = await launchChromium();
  page = await browser.newPage();
  pageErrors = watchTroubles(page);
  [movie, other] = (await Promise.all([12, 10].map(makeMovie))) as [string, string];
});

afterAll(async () => {
  await browser?.close();
  await archive?.close();
  await host?.stop();
});

const authoriseAddress = (id: string, title: string) =>
  `${origin}/v2/getVideoHostAuth/?${new URLSearchParams({ id, title, description: 'Sample.', tags: 'sun', share: 'true' })}`;
const fileOf = async (id: string) =>
  Buffer.from(await (await fetch(`${archive.service.url}/v2/downloadMovie/?id=${id}&format=mp4&hq=true`)).arrayBuffer());

it('a movie of the sample archive goes to the host over a repeatedly interrupted upload once the user permits it', async () => {
  const file = await fileOf(movie);
  const longest = Math.floor(file.length / (BREAKS + 1));
  const offsets = Array.from({ length: BREAKS }, () => 1 + Math.floor(Math.random() * longest));
  host.faults.push(...offsets.map((breakAfterBytes) => ({ breakAfterBytes })));

  await page.goto(`${origin}/movie/${movie}`);
  await page.fill('section:has(#share) input[type=text]', 'A day of the "Sun" & more');
  await page.click('#to-host');
  await page.waitForURL((url) => url.href.startsWith(`${host.url}/authorise?`), PATIENCE);
  await page.click('button[value=allow]');
  await page.waitForURL(`${origin}/v2/uploadMovieToVideoHost/?id=${movie}&html=true`);
  await expect.poll(() => page.textContent('h1')).toBe('A day of the "Sun" & more');
  await page.waitForSelector('main a', PATIENCE);

  expect(host.faults).toEqual([]);
  const [video] = [...host.videos.values()];
  expect([host.videos.size, video!.bytes.length], `interrupted after ${offsets}`).toEqual([1, file.length]);
  expect(Buffer.compare(video!.bytes, file), `interrupted after ${offsets}`).toBe(0);
  await expect.poll(() => page.getAttribute('main a', 'href')).toBe(`${host.url}/watch?v=${video!.id}`);
  const [listed] = (await json('/v2/getUserVideos/?force=true')) as {
    id: string;
    url: string;
    thumbnails: { small: string };
  }[];
  expect(listed).toMatchObject({ id: movie, url: `${host.url}/watch?v=${video!.id}`, title: 'A day of the "Sun" & more' });
  const preview = await fetch(listed!.thumbnails.small);
  expect([preview.status, preview.headers.get('Content-Type')]).toEqual([200, 'image/png']);
  expect(pageErrors).toEqual([]);
});

it('a movie of the sample archive leaves a session that is inaccessible to scripts and other sites', async () => {
  const [cookie] = await page.context().cookies(origin);
  expect(cookie).toMatchObject({ name: 'helioedge-sharing', httpOnly: true, sameSite: 'Lax', path: '/' });
  await page.goto(`${origin}/v2/uploadMovieToVideoHost/?id=${movie}&html=true`);
  await expect.poll(() => page.evaluate('document.cookie')).toBe('');
  expect(await (await page.request.get(`${origin}/v2/checkVideoHostAuth/`)).json()).toBe(true);

  const address = `${origin}/v2/uploadMovieToVideoHost/?${new URLSearchParams({ id: other, title: 'Not wanted' })}`;
  const form = `<form method="post" action="${origin}/v2/uploadMovieToVideoHost/"><input name="id" value="${other}">
<input name="title" value="Not wanted"><button>Win a prize</button></form><a href="${address.replaceAll('&', '&amp;')}">Read more</a>`;
  const foreign = `<!doctype html><img src="${address.replaceAll('&', '&amp;')}">${form}`;
  await page.route('http://elsewhere.test/', (route) => route.fulfill({ contentType: 'text/html', body: foreign }));
  const statuses: number[] = [];
  page.on('response', (response) => {
    if (response.url().startsWith(`${origin}/v2/uploadMovie`) && response.request().isNavigationRequest())
      statuses.push(response.status());
  });
  for (const lure of ['button', 'a']) {
    await page.goto('http://elsewhere.test/');
    await page.click(lure);
    await page.waitForURL(/uploadMovieToVideoHost/);
  }
  // The browser sends the cookie with the link, but not with the form.
  expect(statuses).toEqual([401, 403]);
  expect(host.videos.size).toBe(1);
});

it('a movie of the sample archive retries a movie on its page after the host refused it', async () => {
  pageErrors.length = 0;
  host.refusesUploads = { status: 403, reason: 'quotaExceeded' };
  await page.goto(authoriseAddress(other, 'Second'));
  await page.click('button[value=allow]');
  await page.waitForSelector('form button', PATIENCE);
  await expect.poll(() => page.textContent('body')).toContain('The video host takes no more uploads today.');
  host.refusesUploads = null;
  await page.click('form button');
  await page.waitForSelector('main a', PATIENCE);
  expect(host.videos.size).toBe(2);
  expect(Buffer.compare([...host.videos.values()][1]!.bytes, await fileOf(other))).toBe(0);
  expect(pageErrors).toEqual([]);
});
