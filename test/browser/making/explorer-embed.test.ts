// Embedded pictures and links that play, in pages of others.
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { sharedPages } from '../../support/browser/explorer-pages.ts';
import { hold, touch } from '../../support/explorer/acts.ts';
import { axeViolations, captioned } from '../../support/explorer/looks.ts';
import { LARGE, PATIENCE, PHONE } from '../../support/explorer/views.ts';
import { localServer } from '../../support/system/local-server.ts';

const { served, pages } = sharedPages('fine');

const VIEW = 'date=2024-05-10T12:01:30Z&imageLayers=[10,1,100]';
const RANGE = 'play=2024-05-10T12:00:00Z/2024-05-10T12:02:59Z';

/** Waits until the page has shown three images one after the other. */
const played = async (page: Page) => {
  const seen = new Set<string>();
  await expect
    .poll(async () => seen.add((await page.textContent('#caption'))!.match(/12:0\d/)![0]).size, PATIENCE)
    .toBeGreaterThanOrEqual(3);
  return seen;
};

it.each([
  [LARGE, VIEW],
  [PHONE, `${VIEW}&filters=[rhef]&projection=sphere,20,-5`],
])('an embedded picture steps, plays and leads to the explorer', async (options, view) => {
  const page = await pages.open(`/embed?${view}&eventLayers=[AR,all,1]`, options);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  await expect.poll(() => button('Next').isEnabled()).toBe(true);
  const before = await page.textContent('#caption');
  await button('Next').click();
  await expect.poll(() => page.textContent('#caption')).not.toBe(before);
  expect(await axeViolations(page)).toEqual([]);
  expect(await page.getAttribute('.open-explorer', 'href')).toMatch(/\/\?date=2024-05-10.*imageLayers=\[10,1,100\]/);
  const shown = `${before} ${await page.getAttribute('.open-explorer', 'href')}`;
  const isEnhanced = view !== VIEW;
  for (const part of ['RHEF', 'filters=[rhef]', 'projection=sphere,20,-5']) expect(shown.includes(part)).toBe(isEnhanced);
  await button('Play').click();
  await played(page);
  await button('Pause').click();
  await button('Play').waitFor();
  const popup = page.waitForEvent('popup');
  await page.locator('.pin').first().click({ force: true });
  expect((await popup).url()).toMatch(/\/\?date=2024-05-10.*imageLayers=\[10,1,100\]/);
  await (await popup).close();
});

it.each(['/embed', '/'])('an embedded picture plays the range of its address: %s', async (path) => {
  const page = await pages.open(`${path}?${VIEW}&${RANGE}`, LARGE);
  expect([...(await played(page))].sort()).toEqual(['12:00', '12:01', '12:02']);
});

it('an embedded picture plays no range of its address after its user has stepped, while its header still loads', async () => {
  const page = await pages.empty(LARGE);
  const release = await hold(page, /getJP2Header/);
  await pages.open(`/embed?${VIEW}&${RANGE}`, LARGE);
  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await captioned(page, '12:02:');
  release();
  await page.waitForLoadState('networkidle');
  expect(await page.getByRole('button', { name: 'Play', exact: true }).count()).toBe(1);
});

it('an embedded picture lets the page around it scroll, by a finger too, and zooms once it has the focus', async () => {
  const embed = `<iframe src="${served.service.url}/embed?${VIEW}" width="340" height="480"></iframe>`;
  const around = await localServer((_, response) =>
    response.setHeader('Content-Type', 'text/html').end(`<body style="height: 4000px">${embed}`),
  );
  onTestFinished(around.close);
  const page = await pages.empty(PHONE);
  await page.goto(around.url);
  const frame = page.frameLocator('iframe');
  await frame.locator('#view[data-loading=false]').waitFor(PATIENCE);
  const scale = () => frame.locator('.scale-bar').textContent();
  const before = await scale();
  await page.mouse.move(300, 200);
  await page.mouse.wheel(0, 300);
  await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(0);
  expect(await scale()).toBe(before);
  await page.evaluate('scrollTo(0, 0)');
  await touch(page, ...[400, 360, 320, 280, 240, 200, 160].map((y) => [{ x: 200, y }]));
  await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(100);
  expect(await scale()).toBe(before);
  await page.evaluate('scrollTo(0, 0)');
  await frame.locator('#view').focus();
  await page.mouse.wheel(0, -2000);
  await expect.poll(scale).not.toBe(before);
});

it('sharing offers a link and a line of HTML that play the range of play', async () => {
  const page = await pages.open(`/?${VIEW}&${RANGE}`, LARGE);
  await played(page);
  await page.click('#play');
  await page.click('#share');
  await page.getByLabel('Play the range when it opens').check();
  const lines = () =>
    page.$$eval('.share-line input', (all) => all.map((input) => (input as unknown as { value: string }).value));
  await expect.poll(async () => (await lines()).filter((line) => line.includes('/goto/')).length).toBe(1);
  const [link, , html] = await lines();
  expect(link).toContain(`&${RANGE}`);
  expect(html).toMatch(
    /^<iframe src="http[^"]+\/embed\?[^"]+&amp;play=2024-05-10T12:00:00Z\/2024-05-10T12:02:59Z" [^>]+><\/iframe>$/,
  );
});
