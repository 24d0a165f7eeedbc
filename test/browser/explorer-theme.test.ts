// The themes of the pages, their landmarks, what home screens show, and the order of the Tab key.
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedPages } from '../support/browser/explorer-pages.ts';
import { inEveryDialog, inEveryPanel } from '../support/explorer/acts.ts';
import { axeViolations, channelsOf, settled } from '../support/explorer/looks.ts';
import { AT_NOON, DESKTOP, PHONE } from '../support/explorer/views.ts';
import { readPng } from '../support/imaging/read-png.ts';

const THEMES = ['light', 'dark'] as const;

const { served, pages } = sharedPages('noon');
let page: Page;

/** The largest colour channel of the background of an element, 0 to 255. */
async function background(selector: string): Promise<number> {
  const colour = await page.evaluate(`getComputedStyle(document.querySelector('${selector}')).backgroundColor`);
  return Math.max(...channelsOf(colour as string));
}

it('the theme follows the system, and a choice in the help replaces it and stays', async () => {
  page = await pages.open(AT_NOON, { ...DESKTOP, colorScheme: 'dark' });
  await expect.poll(() => background('.rail')).toBeLessThan(20);
  await page.emulateMedia({ colorScheme: 'light' });
  await expect.poll(() => background('.rail')).toBeGreaterThan(235);
  expect(await background('.stage')).toBe(0);
  await page.click('#help');
  await page.selectOption('#theme', 'dark');
  await expect.poll(() => background('.rail')).toBeLessThan(20);
  await page.reload();
  await settled(page);
  await expect.poll(() => background('.rail')).toBeLessThan(20);
  expect(await page.$$eval('meta[name=theme-color]', (all) => all.map((one) => one.getAttribute('content')))).toEqual([
    '#05060a',
    '#05060a',
  ]);
  await page.click('#help');
  await page.selectOption('#theme', 'system');
  await expect.poll(() => background('.rail')).toBeGreaterThan(235);
  // Its colour scheme is no longer that of its options.
  await page.close();
});

it.each(THEMES)('the theme keeps the contrast of WCAG AA in every panel and dialog when the theme is %s', async (colorScheme) => {
  page = await pages.open(`${AT_NOON}&grid=true&earth=true`, { ...DESKTOP, colorScheme });
  await expect.poll(() => axeViolations(page)).toEqual([]);
  await inEveryPanel(page, () => axeViolations(page));
  await inEveryDialog(page, () => axeViolations(page));
});

describe('a page without scripts', () => {
  let plain: Page;

  beforeAll(async () => {
    plain = await served.browser.newPage();
  });

  it.each(THEMES.flatMap((theme) => ['/v2/', '/nothing', '/status', '/movie/bcdfghjk'].map((path) => [path, theme] as const)))(
    'shows landmarks, one heading and no violation of axe without scripts: %s, %s',
    async (path, colorScheme) => {
      page = plain;
      await page.emulateMedia({ colorScheme });
      for (const { viewport } of [DESKTOP, PHONE]) {
        await page.setViewportSize(viewport);
        await page.goto(served.service.url + path);
        expect(await axeViolations(page)).toEqual([]);
        expect(
          await page.$$eval('body > header, body > main, body > footer nav', (all) => all.map(({ tagName }) => tagName)),
        ).toEqual(['HEADER', 'MAIN', 'NAV']);
        expect(await page.locator('h1').count()).toBe(1);
        expect(await page.locator('footer a[href="/status"]').count()).toBe(1);
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
        const isDark = (await background('body')) < 20;
        expect(isDark).toBe(colorScheme === 'dark');
      }
    },
  );
});

it('the home screen offers a manifest that the browser accepts, and icons of the sizes that it states', async () => {
  page = await pages.open();
  const session = await page.context().newCDPSession(page);
  const { url, errors } = await session.send('Page.getAppManifest');
  expect([url, errors]).toEqual([`${served.service.url}/manifest.webmanifest`, []]);
  const response = await fetch(url);
  expect(response.headers.get('Content-Type')).toBe('application/manifest+json');
  const { icons } = (await response.json()) as { icons: { src: string; sizes: string; type: string }[] };
  const touch = (await page.getAttribute('link[rel=apple-touch-icon]', 'href'))!;
  const pictures = [...icons.filter(({ type }) => type === 'image/png'), { src: touch, sizes: '180x180' }];
  expect(pictures.length).toBe(3);
  for (const { src, sizes } of pictures) {
    const { width, height, rgba } = readPng(Buffer.from(await (await fetch(served.service.url + src)).arrayBuffer()));
    expect(`${width}x${height}`).toBe(sizes);
    // A Sun on a dark ground that reaches the corners.
    const at = (x: number, y: number) => [...rgba.subarray(4 * (y * width + x), 4 * (y * width + x) + 4)];
    expect(at(0, 0)).toEqual([11, 13, 18, 255]);
    expect(at(width / 2, height / 2)).toEqual([255, 184, 77, 255]);
  }
});

it('the Tab key reaches every tool within ten steps, with events on the picture', async () => {
  page = await pages.open(`${AT_NOON}&eventLayers=[AR,all,1],[FL,all,1],[CH,all,1]`);
  await page.waitForSelector('.pin');
  const reached: string[] = [];
  for (let step = 0; step < 10; step += 1) {
    await page.keyboard.press('Tab');
    reached.push((await page.evaluate('document.activeElement.id')) as string);
  }
  const tools = ['presets', 'layers', 'events', 'measure', 'make', 'data'].map((name) => `tool-${name}`);
  expect(reached).toEqual(expect.arrayContaining(tools));
});
