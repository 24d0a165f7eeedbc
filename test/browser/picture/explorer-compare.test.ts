// Two layers or two times on the sides of a line, without a request.
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, it } from 'vitest';
import { explorerPages } from '../../support/browser/explorer-pages.ts';
import { servedBrowser, sharedArchive } from '../../support/browser/served-browser.ts';
import { axeViolations, captioned, openTool, PATIENCE, PHONE } from '../../support/explorer.ts';

const served = servedBrowser(() => sharedArchive('seven'));
const pages = explorerPages(served);
const DATE = '/?date=2024-05-10T07:00:00Z';
const DESK = { viewport: { width: 1280, height: 800 } };
let requests: string[];
beforeEach(() => {
  requests = [];
});

/** Pixels of the disk away from lines, captions and tools. */
const disk = async (page: Page) => {
  const { x, y, width, height } = (await page.locator('#view').boundingBox())!;
  const clip = { x: Math.round(x + width * 0.55), y: Math.round(y + height * 0.4), width: 24, height: 24 };
  return (await page.screenshot({ clip })).toString('base64');
};

/** Compares, and watches requests from then on. */
async function compared(page: Page): Promise<(percent: number) => Promise<string>> {
  await page.waitForSelector('.swipe', PATIENCE);
  page.on('request', (request) => requests.push(request.url()));
  return async (percent) => {
    await page.fill('.swipe input', String(percent));
    return disk(page);
  };
}

describe('a comparison', () => {
  it.each([DESK, PHONE])('swipes and blinks between two layers without a request', async (options) => {
    const page = await pages.open(`${DATE}&imageLayers=[10,1,100]`, options);
    const lower = await disk(page);
    await page.goto(`${served.service.url}${DATE}&imageLayers=[10,1,100],[13,1,100]`);
    await captioned(page, 'AIA 304');
    const upper = await disk(page);
    await openTool(page, 'layers');
    await page.click('text=Compare the top layer');
    await page.click('aside.panel [aria-label="Close"]');
    const at = await compared(page);
    expect([await at(0), await at(100), await at(0)]).toEqual([upper, lower, upper]);
    expect(upper).not.toBe(lower);
    expect(await axeViolations(page)).toEqual([]);
    await page.click('.swipe >> text=Blink');
    await expect.poll(() => disk(page)).toBe(lower);
    await expect.poll(() => disk(page)).toBe(upper);
    expect(requests).toEqual([]);
    await page.click('.swipe >> text=End');
    await expect.poll(() => disk(page)).toBe(upper);
  });

  it('swipes between two times, whose captions stand on their sides', async () => {
    const page = await pages.open(`${DATE}&imageLayers=[10,1,100]`);
    const seven = await disk(page);
    await openTool(page, 'layers');
    await page.click('text=Compare this time with others');
    await page.click('aside.panel [aria-label="Close"]');
    await page.click('#next');
    await captioned(page, '07:05:');
    const at = await compared(page);
    const later = await at(0);
    expect(later).not.toBe(seven);
    expect(await at(100)).toBe(seven);
    expect(requests).toEqual([]);
    expect(await page.locator('.swipe-line span').allTextContents()).toEqual([
      expect.stringMatching(/AIA 171 2024-05-10 07:00:/),
      expect.stringMatching(/AIA 171 2024-05-10 07:05:/),
    ]);
  });
});
