import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  axeViolations,
  captioned,
  DESKTOP,
  openExplorer,
  openTool,
  PATIENCE,
  PHONE,
  settled,
  TABLET,
} from '../support/explorer.ts';
import { launchChromium, type ServedArchive, serveNoon } from '../support/served-archive.ts';

const KIB = 1024;

let archive: ServedArchive;
let browser: Browser;

beforeAll(async () => {
  archive = await serveNoon();
  browser = await launchChromium();
});

afterAll(async () => {
  await browser?.close();
  await archive?.close();
});

const scriptPaths = (html: string) => [...html.matchAll(/"(\/explorer\/app\/[^"]+\.js)"/g)].map((match) => match[1]!);

/** Bytes of scripts as they are sent, compressed. */
async function sentBytes(paths: Iterable<string>): Promise<number> {
  let sum = 0;
  for (const path of paths) sum += gzipSync(new Uint8Array(await (await fetch(archive.service.url + path)).arrayBuffer())).length;
  return sum;
}

describe('the budget of the explorer', () => {
  it('is 60 kB of script for the first view and 170 kB for all of it', async () => {
    const first = new Set(scriptPaths(await (await fetch(archive.service.url)).text()));
    expect(first.size).toBeGreaterThan(0);
    expect(await sentBytes(first)).toBeLessThan(60 * KIB);
    const all = new Set(first);
    for (const path of all) {
      const text = await (await fetch(archive.service.url + path)).text();
      for (const match of text.matchAll(/["']\.\/([\w-]+\.js)["']/g)) all.add(`/explorer/app/${match[1]}`);
    }
    expect(all.size).toBeGreaterThan(first.size);
    expect(await sentBytes(all)).toBeLessThan(170 * KIB);
  });

  it.each([
    ['desktop', DESKTOP],
    ['tablet', TABLET],
    ['phone', PHONE],
  ])('is 25 requests and a layout shift of 0.05 on a %s, without a violation of axe', async (_, options) => {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.addInitScript(`
      window.shift = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
      }).observe({ type: 'layout-shift', buffered: true });
    `);
    await page.goto(archive.service.url);
    await settled(page);
    expect(requests.length).toBeLessThanOrEqual(25);
    await page.waitForSelector('.timeline-rows', PATIENCE);
    expect(await page.evaluate('window.shift')).toBeLessThanOrEqual(0.05);
    expect(requests.every((url) => url.startsWith(archive.service.url))).toBe(true);
    expect(await axeViolations(page)).toEqual([]);
    await context.close();
  });
});

describe('a bad line', () => {
  let page: Page;

  it('keeps picture, caption and address until the next picture is there, and offers to try again', async () => {
    page = await openExplorer(browser, `${archive.service.url}/?date=2024-05-10T12:00:00Z&imageLayers=[10,1,100]`);
    await expect.poll(() => page.isEnabled('#next'), PATIENCE).toBe(true);
    const before = page.url();
    await page.context().setOffline(true);
    await page.click('#next');
    await page.waitForSelector('.notice.trouble', PATIENCE);
    expect(await page.textContent('.notice.trouble p')).toMatch(/cannot be reached\. .*Still showing AIA 171, 2024-05-10 12:00:/);
    expect(page.url()).toBe(before);
    expect(await axeViolations(page)).toEqual([]);
    await page.context().setOffline(false);
    await page.click('.notice.trouble >> text=Try again');
    await captioned(page, '2024-05-10 12:01:');
    expect(page.url()).not.toBe(before);
    await page.close();
  });

  it('says that tiles are missing, and loads them again', async () => {
    page = await openExplorer(browser, `${archive.service.url}/?date=2024-05-10T12:00:00Z&imageLayers=[10,1,100]`);
    await page.route('**/v2/getTile/**', (route) => route.abort());
    await page.click('[aria-label="Zoom out"]');
    await page.click('[aria-label="Zoom out"]');
    await page.waitForSelector('.notice.trouble', PATIENCE);
    expect(await page.textContent('.notice.trouble p')).toMatch(/parts of the picture could not be loaded/);
    await page.unroute('**/v2/getTile/**');
    await page.click('.notice.trouble >> text=Try again');
    await expect.poll(() => page.$('.notice.trouble'), PATIENCE).toBeNull();
    await page.close();
  });

  it('loads the list of sources again after a failure', async () => {
    page = await openExplorer(browser, archive.service.url);
    await page.route('**/v2/getDataSources/**', (route) => route.abort());
    await openTool(page, 'layers');
    await page.waitForSelector('.panel [role=alert]', PATIENCE);
    await page.unroute('**/v2/getDataSources/**');
    await page.click('.panel >> text=Try again');
    await page.waitForSelector('.sources li', PATIENCE);
    await page.close();
  });

  it('is told to a screen reader while a picture loads', async () => {
    page = await openExplorer(browser, `${archive.service.url}/?date=2024-05-10T12:00:00Z&imageLayers=[10,1,100]`);
    await page.route('**/v2/getTile/**', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    await page.fill('#date', '2024-05-10 12:02');
    await page.press('#date', 'Enter');
    await page.waitForSelector('main[aria-busy=true]', PATIENCE);
    expect(await page.textContent('.page > [role=status]')).toBe('Loading the picture…');
    expect(await page.textContent('#caption')).toMatch('12:00:');
    await captioned(page, '12:02:');
    expect(await page.textContent('.page > [role=status]')).toMatch(/^Showing AIA 171, 2024-05-10 12:02:/);
    await page.close();
  });
});
