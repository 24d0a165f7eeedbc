// The form of movies, and the page of a movie.
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { explorerPages, sharedPages } from '../support/browser/explorer-pages.ts';
import { drag, enter, openTool } from '../support/explorer/acts.ts';
import { axeViolations, boxOf } from '../support/explorer/looks.ts';
import { BUILT, DESKTOP, LARGE, PHONE } from '../support/explorer/views.ts';

const AT_TWO = '/?date=2024-05-10T14:00:00Z&imageLayers=[11,1,100]';

const { served, pages } = sharedPages('noon');
let page: Page;

const estimate = () => page.textContent('#estimate');

/** Whether an element of the panel is within the part of it that is seen. */
const isInView = (selector: string) =>
  page.evaluate(`(() => {
    const seen = document.querySelector('.panel-body').getBoundingClientRect();
    const { top, bottom } = document.querySelector('${selector}').getBoundingClientRect();
    return top >= seen.top - 1 && bottom <= seen.bottom + 1;
  })()`);

describe('a movie of the newest images', () => {
  // A refusal is a response with an error.
  const failing = explorerPages(served, { mayLogErrors: true });
  it('ends at the newest image, and says beside its button why there is no movie', async () => {
    for (const options of [LARGE, PHONE]) {
      page = await failing.openTool('make', '/?imageLayers=[11,1,100]', options);
      await page.selectOption('label:has-text("Time around") select', String(6 * 3_600_000));
      await expect.poll(() => page.inputValue('#movie-end')).toMatch(/^2024-05-10 17:30:\d\d UTC$/);
      await expect.poll(estimate).toMatch(/^12 images of /);
      await enter(page, '#movie-start', '2024-05-10 18:00');
      await enter(page, '#movie-end', '2024-05-10 20:00');
      await expect.poll(() => page.textContent('#no-movie')).toMatch(/^This movie cannot be estimated\. \S/);
      expect(await page.isDisabled('#make-movie')).toBe(true);
      await enter(page, '#movie-start', '2024-05-10 12:00');
      await expect.poll(() => page.isDisabled('#make-movie')).toBe(false);
      expect(await page.textContent('#no-movie')).toBe('');
    }
  });
});

it('the form of a movie takes start and end as people write them, a length, and pixels in the shape of the drawn region', async () => {
  page = await pages.openTool('make', AT_TWO);
  // A day up to the newest image, not around the shown one.
  await expect.poll(() => page.inputValue('#movie-start')).toMatch(/^2024-05-09 17:30:\d\d UTC$/);
  await page.selectOption('#area', 'region');
  const box = await boxOf(page);
  await drag(page, [box.x + 300, box.y + 200], [box.x + 500, box.y + 300]);
  await enter(page, '#movie-start', '12:45');
  await enter(page, '#movie-end', '2024-05-10T16:15+01:00');
  await expect.poll(() => page.inputValue('#movie-end')).toBe('2024-05-10 15:15:00 UTC');
  await page.selectOption('#movie-speed', { label: '5 s long' });
  await page.selectOption('#movie-size', { label: '640 × 320' });
  await expect.poll(estimate).toMatch(/^5 images of 640 × 320 pixels, 5\.0 s long/);
  // The region and its movie stay when the panel is closed.
  await page.click('.panel-head button');
  await expect.poll(() => page.$('#region')).toBeNull();
  await openTool(page, 'make');
  await page.waitForSelector('#region');
  await expect.poll(estimate).toMatch(/^5 images of 640 × 320 pixels/);
  await expect.poll(() => axeViolations(page)).toEqual([]);
});

it('the form of a movie says what is wrong with a time, and makes no movie of an end before the start', async () => {
  page = await pages.openTool('make', AT_TWO);
  await enter(page, '#movie-start', 'soonish');
  await expect.poll(() => page.textContent('#movie-start-error')).toMatch(/“soonish” is not a time/);
  await enter(page, '#movie-start', '18:00');
  await enter(page, '#movie-end', '13:00');
  await expect.poll(() => page.textContent('.field-problem:not([id])')).toBe('The end has to be after the start.');
  await expect.poll(() => page.isDisabled('#make-movie')).toBe(true);
  await page.selectOption('label:has-text("Time around") select', String(2 * 3_600_000 + 3_600_000));
  await expect.poll(() => page.isDisabled('#make-movie')).toBe(false);
  await expect.poll(() => page.inputValue('#movie-start')).toBe('2024-05-10 12:30:00 UTC');
});

it.each([
  ['a desktop', { ...DESKTOP, viewport: { width: 1280, height: 620 } }],
  ['a phone', PHONE],
])('the form of a movie brings the progress of a new movie into view on %s, and leads to its page', async (_, options) => {
  page = await pages.openTool('make', AT_TWO, options);
  const held = Promise.withResolvers<void>();
  await page.route('**/v2/getMovieStatus/**', async (route) => {
    if (route.request().url().includes('wait=')) await held.promise;
    else return route.fulfill({ json: { status: 1, progress: 0.5, currentFrame: 6, numFrames: 12, eta: 4 } });
    return route.continue();
  });
  await page.selectOption('#movie-size', '640');
  await page.click('#make-movie');
  await page.waitForSelector('.movie progress');
  await expect.poll(() => isInView('.movie progress')).toBe(true);
  held.resolve();
  await page.waitForSelector('.movie video', BUILT);
  await page.unroute('**/v2/getMovieStatus/**');
  await page.evaluate('document.querySelector("video").play()');
  await expect.poll(() => page.evaluate('document.querySelector("video").currentTime')).toBeGreaterThan(0);
  await page.reload();
  await openTool(page, 'make');
  await page.click('.movie:has(video) >> text=Movie page');
  await page.waitForSelector('main video');
  await expect.poll(() => page.textContent('h1')).toMatch(/^SDO AIA 193 \(2024-05-10 12:00:00 - 17:30:00 UTC\)$/);
  await expect.poll(() => page.title()).toMatch(/^SDO AIA 193 .* · helioedge$/);
  await expect.poll(() => axeViolations(page)).toEqual([]);
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(options.viewport.width);
  const facts = (await page.textContent('dl.keys'))!;
  expect(facts).toMatch(/Images12, one every 30 min on average/);
  expect(facts).toMatch(/Length0\.8 s at 15 images\/s/);
  expect(facts).toMatch(/Size\d+ × \d+ pixels/);
  for (const link of await page.$$eval('#files ~ .links a', (all) => all.map((one) => one.getAttribute('href')!))) {
    const response = await fetch(served.service.url + link);
    expect([link, response.status, response.headers.get('Content-Type')?.split('/')[0]]).toEqual([link, 200, 'video']);
  }
  await page.click('#to-view');
  await page.waitForSelector('#view[data-loading=false]');
  await expect.poll(() => page.textContent('#caption')).toContain('AIA 193');
});

it('the page of a movie speaks the language of the browser, and says that there is no movie', async () => {
  const query = 'startTime=2024-05-10T12:00:00Z&endTime=2024-05-10T18:00:00Z&layers=[11,1,100]&events=&eventsLabels=false';
  const response = await fetch(`${served.service.url}/v2/queueMovie/?${query}&imageScale=6&x0=0&y0=0&width=400&height=400`);
  const { id } = (await response.json()) as { id: string };
  page = await pages.empty({ ...DESKTOP, locale: 'fr-FR' });
  await page.goto(`${served.service.url}/movie/${id}`);
  await page.waitForSelector('main video', BUILT);
  await expect.poll(() => page.textContent('#facts')).toBe('À propos de ce film');
  const missing = await fetch(`${served.service.url}/movie/bcdfghjk`);
  expect([missing.status, await missing.text()]).toEqual([404, expect.stringContaining('No movie has the id bcdfghjk')]);
});
