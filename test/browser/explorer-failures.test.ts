// Failures of single requests and modules: what the page says, what it still shows, and that another attempt mends it.
import type { Page, Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { sharedPages } from '../support/browser/explorer-pages.ts';
import { downloaded, openPicture, openTool } from '../support/explorer/acts.ts';
import { axeViolations } from '../support/explorer/looks.ts';
import { AT_NOON, IN_BRITISH_ENGLISH, PATIENCE } from '../support/explorer/views.ts';

const { served, pages } = sharedPages('noon', { mayLogErrors: true });
let page: Page;

const sentence = (place: string) => page.textContent(`${place} .failure p`);

/** The page reports the failure at a place, and a click on its button mends it once requests succeed. */
async function expectMended(place: string, failing: string, says: RegExp, mended: string): Promise<void> {
  await page.waitForSelector(`${place} .failure`);
  await expect.poll(() => sentence(place)).toMatch(says);
  await expect.poll(() => axeViolations(page)).toEqual([]);
  await page.unroute(failing);
  await page.locator(`${place} .failure`, { hasText: says }).getByText('Try again').click();
  await page.waitForSelector(mended);
  // The archive of this test has no sources of events, which the panel of events says too.
  const left = () => page.$$eval(`${place} .failure p`, (all) => all.map((one) => one.textContent).join(' '));
  await expect.poll(left).not.toMatch(says);
}

it.each([
  ['the list of images', 'data', '**/v2/listImages/**', /list of images could not be loaded\. .*cannot be reached/, '.times li'],
  ['the FITS header', 'data', '**/v2/getJP2Header/**', /header could not be loaded\. .*cannot be reached/, '.table tr'],
  [
    'the list of sources of the presets',
    'presets',
    '**/v2/getDataSources/**',
    /list of sources could not be loaded/,
    '.card img',
  ],
  [
    'the pictures of the presets',
    'presets',
    '**/v2/getClosestImage/**',
    /[Pp]ictures of the presets could not be loaded/,
    '.card img',
  ],
  ['the list of sources', 'layers', '**/v2/getDataSources/**', /list of sources could not be loaded/, '.sources li'],
  ['the highlights', 'presets', '**/v2/getDataCoverage/**', /cannot be reached/, '.highlights .quiet, .highlights .chips'],
  ['the events', 'events', '**/v2/events/**', /cannot be reached/, '.event-sources'],
  ['events from a response that is none', 'events', '**/v2/events/**', /went wrong in this page/, '.event-sources', { json: {} }],
  ['the shared movies', 'make', '**/v2/getUserVideos/**', /list of shared movies could not be loaded/, '#make-movie'],
])(
  'a failure to load %s appears in its panel, with a button for another attempt',
  async (_, tool, failing, says, mended, response?: object) => {
    page = await pages.open();
    await page.route(failing, (route) => (response ? route.fulfill(response) : route.abort()));
    // Headers of the present image are kept by the page.
    if (failing.includes('Header')) {
      await page.click('#next');
      await expect.poll(() => page.textContent('#caption')).toContain('12:01:');
    }
    await openTool(page, tool);
    await expectMended('.panel', failing, says, mended);
  },
);

it('a failure to load the planets of another time leaves none of the time before, also while others load', async () => {
  page = await pages.openTool('measure', `${AT_NOON}&imageScale=60&bodies=true`);
  await page.waitForSelector('.body-name', { state: 'attached' });
  const [failing, held]: [string, Route[]] = ['**/v2/getSolarBodies/**', []];
  await page.route(failing, (route) => route.abort());
  await page.click('#next');
  await page.waitForSelector('.panel .failure');
  expect(await page.$('.body-name')).toBeNull();
  await page.route(failing, (route) => void held.push(route));
  await page.click('#next');
  await page.waitForSelector('.panel .failure', { state: 'detached' });
  await expect.poll(() => held.length).toBe(1);
  expect(await page.$('.body-name, #body-list')).toBeNull();
  await held[0]!.continue();
  await page.waitForSelector('.body-name', { state: 'attached' });
  expect(await page.isVisible('#body-list')).toBe(true);
});

it('a failure to load the map of the month is not said to load', async () => {
  page = await pages.empty();
  await page.route('**/v2/getSolarMap/**', (route) => route.abort());
  await page.goto(`${served.service.url}${AT_NOON}&projection=sphere,0,0&map=true`);
  await page.waitForSelector('.notice.trouble');
  await openTool(page, 'layers');
  await page.getByLabel('Map of the last 27 days').waitFor();
  expect(await page.getByText('Loading…').count()).toBe(0);
});

it('a failure to get the image of a dropped file is said', async () => {
  page = await pages.open();
  await page.route('**/tiles/image-*.json', (route) => route.abort());
  const file = `new File(['Address: /v2/getFrame/?id=7'], 'sun.jpg')`;
  const data = await page.evaluateHandle(`{ const data = new DataTransfer(); data.items.add(${file}); data; }`);
  await page.dispatchEvent('#view', 'drop', { dataTransfer: data });
  await expect.poll(() => page.textContent('.notice.trouble')).toMatch(/cannot be reached/);
});

it('a failure to get the file of an image leaves the page open', async () => {
  page = await pages.openTool('data');
  await page.context().setOffline(true);
  await Promise.all([page.waitForEvent('download'), page.click('text=FITS file')]);
  expect(await page.isVisible('#view canvas')).toBe(true);
});

it('a failure to find the picture of one preset leaves the others theirs', async () => {
  page = await pages.open();
  await page.route('**/v2/getClosestImage/**', (route) => route.abort(), { times: 1 });
  await openTool(page, 'presets');
  const havePictures = () => page.$$eval('.card:enabled', (cards) => cards.map((card) => card.querySelector('img') !== null));
  await expect.poll(havePictures).toEqual([false, true]);
  expect(await page.locator('.panel .failure', { hasText: /[Pp]ictures of the presets/ }).count()).toBe(0);
});

it('a failure shows a failed timeline beside what was loaded before, and offers another attempt', async () => {
  page = await pages.open();
  await page.waitForSelector('.timeline[aria-busy=false] .images', { state: 'attached' });
  const failing = '**/v2/getDataCoverage/**';
  await page.route(failing, (route) => route.abort());
  await page.click('[aria-label="Longer range"]');
  await page.waitForSelector('.timeline .failure');
  await expect.poll(() => page.$$eval('.timeline-rows .images', (rows) => rows.length)).toBe(1);
  await expectMended('.timeline', failing, /^The timeline could not be loaded\. .*still shown/, '.timeline-rows');
});

it('a failure shows a failed range of events without a failure of the images', async () => {
  page = await pages.open();
  await page.waitForSelector('.timeline[aria-busy=false]');
  const failing = '**/v2/getDataCoverage/?eventLayers=**';
  await page.route(failing, (route) => route.fulfill({ status: 503, body: '{"error": "Too many requests."}' }));
  await page.click('[aria-label="Longer range"]');
  await page.waitForSelector('.timeline .failure');
  for (const label of ['Longer range', 'Shorter range']) await page.click(`[aria-label="${label}"]`, { trial: true });
  await expectMended(
    '.timeline',
    failing,
    /^The events of this range could not be loaded\. Too many requests\./,
    '.timeline-rows',
  );
});

it.each([
  ['a dialog', /dialog-contents/, 'dialog', 'dialog h3'],
  ['the timeline', /timeline-/, '.timeline-place', '.timeline-rows'],
])('a failure shows a failed module of %s in its place, and offers another attempt', async (_, module, place, mended) => {
  const failing = (url: URL) => module.test(url.pathname);
  const abort = (route: Route) => route.abort();
  page = await pages.empty();
  await page.route(failing, abort);
  await page.goto(served.service.url + AT_NOON);
  await page.waitForSelector('main[aria-busy=false]');
  if (place === 'dialog') await page.click('text=What am I seeing?');
  await page.waitForSelector(`${place} .failure`);
  await expect.poll(() => sentence(place)).toMatch(/^This part of the page could not be loaded\./);
  await page.unroute(failing, abort);
  await page.click(`${place} .failure >> text=Try again`);
  await page.waitForSelector(mended);
});

/** Opens the list of a browser that has kept a movie, whose state cannot be had. */
async function keepMovie(): Promise<void> {
  await page.evaluate(`localStorage.setItem('helioedge.movies', '[{"id":"VXvX5Bcd","name":"AIA 171","atMs":0}]')`);
  await page.reload();
  await openTool(page, 'make');
  await page.waitForSelector('.movie .failure');
}

it('a failure repeats a failed request for the progress of a movie, and keeps the known progress', async () => {
  page = await pages.open();
  const answers: (readonly [number, object, Record<string, string>?])[] = [
    [200, { status: 1, progress: 0.5, currentFrame: 12, numFrames: 24, eta: 9, queuePosition: 0 }],
    [503, { error: 'Too many pictures are drawn at once.' }],
    [429, { error: 'Too many requests.' }, { 'Retry-After': '1' }],
    [200, { status: 3, error: 'Every image is damaged.' }],
  ];
  const times: number[] = [];
  // Until the states before have been seen.
  const last = Promise.withResolvers<void>();
  await page.route('**/v2/getMovieStatus/**', async (route) => {
    const [status, body, headers = {}] = answers[Math.min(times.length, answers.length - 1)]!;
    times.push(Date.now());
    if (times.length === answers.length) await last.promise;
    await route.fulfill({ status, contentType: 'application/json', headers, body: JSON.stringify(body) });
  });
  await keepMovie();
  await expect
    .poll(() => sentence('.movie'))
    .toMatch(/state of this movie could not be loaded\. Too many .* Retrying automatically\.$/);
  await expect.poll(() => page.textContent('.movie [role=status]')).toMatch(/^Image 12 of 24/);
  last.resolve();
  await page.waitForSelector('.movie > [role=alert]:not(.failure)');
  await expect.poll(() => page.textContent('.movie > [role=alert]:not(.failure)')).toBe('Every image is damaged.');
  await expect.poll(() => page.$('.movie .failure')).toBeNull();
  expect(times.length).toBe(4);
  expect(times[3]! - times[2]!).toBeGreaterThanOrEqual(1000);
});

it('a failure ends the progress of a movie that no longer exists', async () => {
  page = await pages.open();
  await keepMovie();
  await expect.poll(() => sentence('.movie')).toMatch(/No movie has the id VXvX5Bcd\. [^.]*expire[^.]*\.$/);
});

it('a browser that cannot write WebP saves PNG under its own name, and says so', async () => {
  page = await served.browser.newPage(IN_BRITISH_ENGLISH);
  await page.addInitScript(`{
      const { toBlob } = HTMLCanvasElement.prototype;
      HTMLCanvasElement.prototype.toBlob = function (done) { toBlob.call(this, done, 'image/png'); };
    }`);
  await page.goto(served.service.url + AT_NOON);
  await page.waitForSelector('main[aria-busy=false]', PATIENCE);
  await openTool(page, 'make');
  await openPicture(page);
  await page.selectOption('#picture-format', 'webp');
  const { name, file } = await downloaded(page);
  expect(name).toMatch(/\.png$/);
  expect(file.toString('latin1', 1, 4)).toBe('PNG');
  await expect.poll(() => page.textContent('#picture-said')).toMatch(/as PNG/);
  await page.close();
});
